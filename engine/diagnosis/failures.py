"""What PyTorch says where it refuses something about gradients, each text with what it means and what to do.

A failure travels as its text: in the run's error, in the event with which a recording ends, at the end of a pass that broke
off. What explains one (`why`, the findings, the console, the command line) looks it up here, so a saved recording is
explained as well as a run of a moment ago, and the sandbox need not know what its programs' errors mean. Plain data: nothing is
imported.
"""

from __future__ import annotations

from typing import NamedTuple


class Failure(NamedTuple):
    """A text of PyTorch's, explained."""

    code: str
    """The name of the finding that explains it."""
    said: tuple[str, ...]
    """Parts of the message, one of which is in it."""
    title: str
    explanation: str
    fix: str
    """What to do; `{name}` stands for the tensor's name."""
    name: str = ""
    """What stands for the name where it is not known."""
    mechanical: bool = False
    """Whether what mends it can be written by rule."""

    def remedy(self, name: str = "") -> str:
        """What to do, with the tensor's name if it is known."""
        return self.fix.replace("{name}", name or self.name)


FAILURES = (
    Failure(
        "loss_not_connected", ("does not require grad and does not have a grad_fn",),
        "backward() starts from a tensor that does not require grad.",
        "It has no grad_fn, so there is no graph to go through.",
        "Make what is to be trained with requires_grad=True, or as nn.Parameter, and compute {name} from it without detach(), "
        ".data, no_grad, .item() or integers on the way.",
        "the loss",
        mechanical=True,
    ),
    Failure(
        "backward_of_number",
        tuple(f"'{kind}' object has no attribute 'backward'"
              for kind in ("float", "int", "numpy.float32", "numpy.float64", "numpy.ndarray")),
        "backward() is called on a number.",
        "A number knows no graph, so backward() fails.",
        "Keep the tensor under its name: call backward() on it, and .item() only for what is printed.",
    ),
    Failure(
        "backward_on_vector", ("grad can be implicitly created only for scalar outputs",),
        "backward() without an argument needs a tensor with a single element.",
        "The gradient of several results at once is a Jacobian; backward computes a vector times the Jacobian, and for a "
        "single number that vector is 1. For more it must be given.",
        "Reduce {name} first, for example with .sum() or .mean(), or pass a gradient of its shape to backward().",
        "the result",
        mechanical=True,
    ),
    Failure(
        "freed_graph", ("backward through the graph a second time",),
        "backward() goes through the same graph twice.",
        "The first pass frees what the graph has saved, to save memory.",
        "Compute the result anew before the second pass, add the losses and go backward once, or call the first "
        "backward(retain_graph=True).",
        mechanical=True,
    ),
    Failure(
        "in_place_on_saved", ("modified by an inplace operation",),
        "A tensor that backward needs was changed in place.",
        "Its node saved it as it was, to derive by it, and finds another version.",
        "Write into a new tensor (y = y + 1 instead of y += 1), or change it after backward().",
        mechanical=True,
    ),
    Failure(
        "in_place_on_leaf", ("leaf Variable that requires grad is being used in an in-place operation",),
        "A leaf that requires grad is written in place while operations are recorded.",
        "A leaf holds the value that gradients are taken at. Changed in place by a recorded operation, it would be a result, "
        "and its old value, which backward may need, would be gone.",
        "For an update: `with torch.no_grad(): {name} -= …`. To compute on: make a new tensor ({name} + 1 instead of "
        "{name} += 1), or clone() first.",
        "w",
        mechanical=True,
    ),
    Failure(
        "in_place_on_view", ("is a view and is being modified inplace", "A view was created in no_grad mode"),
        "A view that autograd cannot rewrite is written in place.",
        "Writing through a view changes its base, and autograd must then rewrite the base's graph. It cannot do so for one of "
        "several views made at once (unbind, split, chunk, iterating a tensor), nor for a view made under no_grad.",
        "clone() the view before writing, or write through an index of the base: x[i] = ….",
        mechanical=True,
    ),
    Failure(
        "integer_requires_grad",
        ("Only Tensors of floating point and complex dtype can require gradients",
         "only Tensors of floating point dtype can require gradients"),
        "A tensor of integers cannot require grad.",
        "Derivatives exist only where a value can change a little, so only floating-point tensors can have gradients. A list "
        "of whole numbers makes a tensor of int64.",
        "Write 1.0 instead of 1, or pass dtype=torch.float32.",
        mechanical=True,
    ),
    Failure(
        "non_leaf_in_optimizer", ("can't optimize a non-leaf Tensor",),
        "The optimizer is given a tensor that is the result of an operation.",
        "Optimizers change leaves. The tensor was computed from another one (by .to(), * 0.1, reshape, …), and it is that "
        "other one that gets the gradient.",
        "Do the operation first and then call requires_grad_(): w = (torch.randn(3) * 0.1).requires_grad_().",
        mechanical=True,
    ),
    Failure(
        "unused_input", ("to not have been used in the graph",),
        "autograd.grad is asked for a gradient with respect to a tensor that the result does not depend on.",
        "The graph of the result does not lead to that tensor, by a cut or because it is another tensor of the same name.",
        "Compute the result from this tensor, or pass allow_unused=True.",
        mechanical=True,
    ),
    Failure(
        "flag_of_non_leaf", ("you can only change requires_grad flags of leaf variables",),
        "requires_grad of a computed tensor cannot be switched off.",
        "The tensor is part of a graph; whether it needs a gradient follows from what it was computed from.",
        "Use detach() for a tensor without the graph.",
        mechanical=True,
    ),
    Failure(
        "numpy_of_tracked", ("Can't call numpy() on Tensor that requires grad",),
        "numpy() is called on a tensor that requires grad.",
        "NumPy keeps no graph, so the array would silently be cut off.",
        "Say so: .detach().numpy().",
        mechanical=True,
    ),
    Failure(
        "shapes_do_not_broadcast", ("The size of tensor a",),
        "The shapes of two tensors do not fit together.",
        "Shapes are compared from the last dimension backwards.",
        "Make each pair of sizes, from the last backwards, equal or one of them 1: reshape a tensor, or add dimensions with "
        "unsqueeze().",
    ),
    Failure(
        "matrix_shapes", ("shapes cannot be multiplied",),
        "The shapes of two matrices do not fit for a product.",
        "A product adds up over the columns of the first and the rows of the second.",
        "Make the columns of the first as many as the rows of the second: check the layer's sizes, or transpose one of them.",
    ),
    Failure(
        "bce_of_logits", ("all elements of input should be between 0 and 1",),
        "binary_cross_entropy is given scores instead of probabilities.",
        "It takes the logarithm of its input and of one minus its input, so the input must lie between 0 and 1.",
        "Apply sigmoid first, or better use binary_cross_entropy_with_logits on the scores.",
        mechanical=True,
    ),
    Failure(
        "bce_shapes", ("Using a target size",),
        "Input and target of the loss have different shapes.",
        "They must be compared element by element.",
        "Give them one shape, for example with target.unsqueeze(1) or input.squeeze(1).",
        mechanical=True,
    ),
)  # fmt: skip

BY_CODE = {failure.code: failure for failure in FAILURES}


def failure_of(message: str) -> Failure | None:
    """The failure that a message tells of, None for any other error."""
    return next((failure for failure in FAILURES if any(part in message for part in failure.said)), None)


def code_of(message: str) -> str:
    """Its code, "" for any other error."""
    found = failure_of(message)
    return found.code if found is not None else ""


def help_with(message: str) -> str:
    """What to do about an error, "" where nothing is known."""
    found = failure_of(message)
    return found.remedy() if found is not None else ""
