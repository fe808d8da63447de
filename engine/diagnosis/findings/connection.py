"""Rules about a loss that does not lead to the parameters, and backward passes that cannot begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, Named, OpRan
from ..reason import Finding
from ..run import Run, finding, key
from .cuts import creates, cuts_above, made_to_require_grad
from .registry import rule

_NUMBERS = re.compile(r"\.(item|numpy|tolist)\(\)|\bfloat\(")


@rule(20)
def loss_not_connected(run: Run) -> Iterator[Finding]:
    """backward() fails because the loss does not require grad."""
    if run.raised is None or "does not require grad and does not have a grad_fn" not in run.raised[1].message:
        return
    step = run.raised[0]
    root = _root_of_failure(run, step)
    cut = None if root == NOTHING else next(iter(cuts_above(run, root)), None)
    name = run.title(root) if root != NOTHING else "the loss"
    if cut is not None:
        why = cut.text(run)
        fix = f"Compute the loss without the {cut.kind}."
        if cut.kind == "conversion to Python numbers" or cut.kind.startswith("copy"):
            fix = "Compute with the tensors themselves: no .item(), .numpy() or torch.tensor(...) on the way to the loss."
        elif cut.kind not in ("detach()", ".data") and not cut.kind.startswith("conversion") and " block" not in cut.kind:
            fix = f"Use something differentiable instead of {cut.kind}, such as a softmax or the scores themselves."
    else:
        why = "Nothing it is computed from has requires_grad=True."
        fix = "Create the tensors to be trained with requires_grad=True, or as nn.Parameter."
    yield finding(
        run, "loss_not_connected", "error",
        f"backward() cannot begin: {name} does not require grad.",
        f"{why} So {name} has no grad_fn, and backward at {run.where(step)} has no graph to go through.",
        fix,
        step=cut.step if cut is not None else step,
        related=[
            run.site(step),
            run.site(run.tensors[root].born) if root != NOTHING else None,
            cut.opened(run) if cut is not None else None,
        ],
        evidence=[
            ("error", run.raised[1].message),
            *([(f"{name}.requires_grad", "False")] if root != NOTHING else []),
            *([("cut", f"{cut.kind} at {run.where(cut.step)}")] if cut is not None else []),
        ],
        nodes=[*([key(root)] if root != NOTHING else []), *(cut.nodes(run) if cut is not None else ())],
    )  # fmt: skip


def _root_of_failure(run: Run, step: int) -> int:
    """The tensor on which backward was called in vain."""
    text = run.segment(run.site(step))
    named = re.match(r"([A-Za-z_]\w*)\s*\.backward|(?:torch\.)?autograd\.(?:grad|backward)\(\s*([A-Za-z_]\w*)\s*[,)]", text)
    if named:
        found = run.named_at(named.group(1) or named.group(2), step)
        if found != NOTHING:
            return found
    for before in range(step - 1, -1, -1):
        event = run.events[before]
        if isinstance(event, OpRan) and event.outputs and event.op != "grad":
            return event.outputs[0].id
        if isinstance(event, Named) and event.tensor != NOTHING:
            return event.tensor
    return NOTHING


@rule(30)
def loss_recreated(run: Run) -> Iterator[Finding]:
    """backward() starts from a leaf that was made from the loss's value, so it reaches nothing else."""
    reported = set()
    for entry in run.passes:
        if entry.event.via != "backward" or len(entry.event.roots) != 1 or run.site(entry.began) in reported:
            continue
        root = entry.event.roots[0][0]
        status = run.status(root, entry.began)
        if not status.is_leaf or root in run.trained or any(e.tensor != root for _, e in run.fills(entry)):
            continue
        born, event = run.op_of(root)
        told = made_to_require_grad(run, root, entry.began)
        text = run.line(run.site(born))
        from_numbers = creates(run, event.op) and (_NUMBERS.search(text) is not None or _rewraps(run, text, born))
        cut = next(iter(cuts_above(run, root)), None)
        stepped = next((s for s, e in run.optimizer_steps if s > entry.began), NOTHING)
        if not from_numbers and cut is None and stepped == NOTHING:
            continue
        reported.add(run.site(entry.began))
        name = run.title(root)
        place = cut.step if cut is not None else born
        how = cut.text(run) if cut is not None else f"{name} is made anew at {run.where(born)}."
        yield finding(
            run, "loss_recreated", "error",
            f"backward() starts from {name}, a leaf without a graph: no parameter gets a gradient.",
            f"{how} " + (f"requires_grad=True (at {run.where(told)}) makes backward() run, but it " if told != NOTHING else
                         "requires_grad=True makes backward() run, but it ")
            + f"does not bring the graph back: only {name}.grad is filled.",
            "Call backward() on the loss as it was computed; take .item() only of what is printed.",
            step=place,
            related=[run.site(entry.began), run.site(told) if told != NOTHING else None, run.site(born)],
            evidence=[("tensors that the pass fills", name), (f"value of {name}", run.texts.describe(status.array))],
            nodes=[key(root), *(cut.nodes(run) if cut is not None else ())],
        )  # fmt: skip


def _rewraps(run: Run, text: str, step: int) -> bool:
    """Whether a line makes a tensor from a variable that is a tensor with a graph: `torch.tensor(loss)`."""
    found = re.search(r"(?:tensor|Tensor|Parameter|asarray)\(\s*([A-Za-z_]\w*)\s*[,)]", text)
    tensor = run.named_at(found.group(1), step) if found else NOTHING
    return tensor != NOTHING and not run.status(tensor, step).is_leaf


@rule(40)
def not_a_scalar(run: Run) -> Iterator[Finding]:
    """backward() is called on a tensor with more than one element."""
    if run.raised is None or "grad can be implicitly created only for scalar outputs" not in run.raised[1].message:
        return
    step = run.raised[0]
    root = _root_of_failure(run, step)
    shape = run.tensors[root].info.shape if root != NOTHING else ()
    name = run.title(root) if root != NOTHING else "The result"
    yield finding(
        run, "backward_on_vector", "error",
        f"{name} has {shape_text(shape)} elements, and backward() without an argument needs a single one.",
        "The gradient of several results at once is a Jacobian; backward computes a vector times the Jacobian, and for a "
        "single number that vector is 1. For more it must be given.",
        f"Reduce first: {name}.sum().backward() or .mean(); or pass the vector: backward(torch.ones_like({name})).",
        step=step,
        related=[run.site(run.tensors[root].born)] if root != NOTHING else [],
        evidence=[("shape", str(list(shape)))],
        nodes=[key(root)] if root != NOTHING else [],
    )  # fmt: skip


@rule(50)
def grad_of_none(run: Run) -> Iterator[Finding]:
    """The program computes with a `.grad` that is None."""
    if run.raised is None or "NoneType" not in run.raised[1].message:
        return
    step = run.raised[0]
    site = run.site(step)
    found = re.search(r"([A-Za-z_][\w.\[\]]*)\.grad\b(?!_)", run.segment(site)) or re.search(
        r"([A-Za-z_][\w.\[\]]*)\.grad\b(?!_)", run.line(site)
    )
    if found is None:
        return
    name = found.group(1)
    tensor = run.named_at(name, step)
    cause, why, fix = site, "No backward pass has reached it.", "Call backward() on a result that depends on it first."
    if tensor != NOTHING:
        status = run.status(tensor, step)
        history = run.tensors[tensor]
        if not status.is_leaf:
            cause = run.site(history.born)
            why = f"{name} is no leaf but the result of {history.op.op} at {run.place(cause)}, and backward fills leaves only."
            fix = f"Make {name} a leaf: apply the operation first and then call requires_grad_(), or update it in place."
        elif not status.requires_grad:
            cause = run.site(history.born)
            why = f"{name} does not require grad."
            fix = f"Create {name} with requires_grad=True."
        elif history.ledger is not None:
            cleared = run.history(tensor)[-1][0]
            cause = run.site(cleared)
            why = f"Its gradient was cleared at {run.where(cleared)}."
            fix = "Use the gradient before clearing it."
        elif run.passes:
            cut = next((c for c in cuts_above(run, run.passes[-1].event.roots[0][0])), None)
            why = "No backward pass reaches it: the loss was not computed from it" + (
                f", or not in a way that gradients follow. {cut.text(run)}" if cut is not None else "."
            )
            cause = run.site(cut.step) if cut is not None else site
    yield finding(
        run, "grad_is_none", "error",
        f"{name}.grad is None.",
        why,
        fix,
        step=step,
        site=cause,
        related=[site],
        evidence=[("error", run.raised[1].message)],
        nodes=[key(tensor)] if tensor != NOTHING else [],
    )  # fmt: skip


_HELP = (
    ("Only Tensors of floating point and complex dtype can require gradients", "integer_requires_grad",
     "A tensor of integers cannot require grad.",
     "Derivatives exist only where a value can change a little, so only floating-point tensors can have gradients. A list of "
     "whole numbers makes a tensor of int64.",
     "Write 1. instead of 1, or pass dtype=torch.float32."),
    ("only Tensors of floating point dtype can require gradients", "integer_requires_grad",
     "A tensor of integers cannot require grad.",
     "Derivatives exist only where a value can change a little, so only floating-point tensors can have gradients.",
     "Write 1. instead of 1, or pass dtype=torch.float32."),
    ("can't optimize a non-leaf Tensor", "non_leaf_in_optimizer",
     "The optimizer is given a tensor that is the result of an operation.",
     "Optimizers change leaves. The tensor was computed from another one (by .to(), * 0.1, reshape, …), and it is that other "
     "one that gets the gradient.",
     "Do the operation first and then call requires_grad_(): w = (torch.randn(3) * 0.1).requires_grad_()."),
    ("to not have been used in the graph", "unused_input",
     "autograd.grad is asked for a gradient with respect to a tensor that the result does not depend on.",
     "The graph of the result does not lead to that tensor, by a cut or because it is another tensor of the same name.",
     "Compute the result from this tensor, or pass allow_unused=True."),
    ("you can only change requires_grad flags of leaf variables", "flag_of_non_leaf",
     "requires_grad of a computed tensor cannot be switched off.",
     "The tensor is part of a graph; whether it needs a gradient follows from what it was computed from.",
     "Use detach() for a tensor without the graph."),
    ("Can't call numpy() on Tensor that requires grad", "numpy_of_tracked",
     "numpy() is called on a tensor that requires grad.",
     "NumPy keeps no graph, so the array would silently be cut off.",
     "Say so: .detach().numpy()."),
    ("The size of tensor a", "shapes_do_not_broadcast",
     "The shapes of two tensors do not fit together.",
     "Shapes are compared from the last dimension backwards; each pair must be equal, or one of them 1.",
     "Reshape one of them, or add dimensions with unsqueeze()."),
    ("shapes cannot be multiplied", "matrix_shapes",
     "The shapes of two matrices do not fit for a product.",
     "The columns of the first must be as many as the rows of the second.",
     "Check the layer's sizes, or transpose one of them."),
    ("all elements of input should be between 0 and 1", "bce_of_logits",
     "binary_cross_entropy is given scores instead of probabilities.",
     "It takes the logarithm of its input and of one minus its input, so the input must lie between 0 and 1.",
     "Apply sigmoid first, or better use binary_cross_entropy_with_logits on the scores."),
    ("Using a target size", "bce_shapes",
     "Input and target of the loss have different shapes.",
     "They must be compared element by element.",
     "Give them one shape, for example with target.unsqueeze(1) or input.squeeze(1)."),
)  # fmt: skip


@rule(60)
def refused(run: Run) -> Iterator[Finding]:
    """An error that is about gradients, explained."""
    if run.raised is None:
        return
    step, event = run.raised
    for part, kind, title, explanation, fix in _HELP:
        if part in event.message:
            yield finding(run, kind, "error", title, explanation, fix, step=step, evidence=[("error", event.message)])
            return
