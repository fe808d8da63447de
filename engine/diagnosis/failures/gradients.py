"""What PyTorch says where it refuses something about gradients."""

from __future__ import annotations

from .failure import Case, Failure

GRADIENTS = (
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
        "in_place_on_hooked",
        ("BackwardHookFunction is a view and is being modified inplace",
         "BackwardHookFunction is a view and its base or another view of its base has been modified inplace"),
        "What goes into or comes out of a module with a full backward hook is written in place.",
        "A full backward hook sees the gradients at a node that stands around the module, so the module's inputs and outputs "
        "are views which that node has made. A write in place would put another node over it, and the hook would see wrong "
        "gradients.",
        "Write into a new tensor: leave out inplace=True behind (or within) a module that is hooked, or {name} = {name} + 1 "
        "instead of {name} += 1.",
        "x",
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
        "write_to_expanded",
        ("more than one element of the written-to tensor refers to a single memory location",
         "some elements of the input tensor and the written-to tensor refer to a single memory location"),
        "A tensor is written in place whose elements share memory.",
        "expand() and broadcasting copy nothing: along the new dimension all elements are one and the same number in memory, "
        "which can be written once only. The shapes are right.",
        "clone() it first, or compute a new tensor: {name} = {name} * … instead of {name} *= ….",
        "x",
        cases=(
            Case(r"some elements of the input tensor", "A tensor is written in place from a part of itself that overlaps.",
                 "clone() what is read: x[1:] += x[:-1].clone()."),
        ),
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
        "differentiated_constant", ("One of the differentiated Tensors does not require grad",),
        "autograd.grad is asked for a gradient with respect to a tensor that does not require grad.",
        "Operations are recorded for tensors that require grad when they run; for this one there is nothing in the graph.",
        "Give it requires_grad=True (or call requires_grad_()) before the result is computed from it.",
    ),
    Failure(
        "gradient_shape",
        ("Mismatch in shape: grad_output", "attempting to assign a gradient of size",
         "assigned grad has data of a different size"),
        "A gradient is given in another shape than that of its tensor.",
        "Each entry of a gradient belongs to one entry of its tensor, so both have one shape.",
        "Give a gradient of the tensor's shape, for example torch.ones_like(…).",
        cases=(
            Case(r"grad_output\[\d+\] has a shape of torch\.Size\((\[[^\]]*\])\) and output\[\d+\] has a shape of "
                 r"torch\.Size\((\[[^\]]*\])\)", "backward() is given a gradient of shape {1} for a result of shape {2}."),
            Case(r"gradient of size '(\[[^\]]*\])' to a tensor of size '(\[[^\]]*\])'",
                 "A gradient of shape {1} is assigned to a tensor of shape {2}."),
        ),
    ),
    Failure(
        "copy_of_non_leaf", ("support the deepcopy protocol",),
        "copy.deepcopy() is called on something that holds the result of an operation.",
        "A result belongs to a graph, which cannot be copied. Only leaves can: tensors that no recorded operation made.",
        "Copy detached values: {name}.detach().clone(); in a module keep results out of attributes, or delete them before "
        "the copy.",
        "x",
    ),
    Failure(
        "sparse_gradient", ("does not support sparse gradients",),
        "The optimizer cannot take a step with a sparse gradient.",
        "An embedding with sparse=True gets a gradient of the looked-up rows alone. Most optimizers keep averages for every "
        "row and refuse it.",
        "Give these parameters to torch.optim.SparseAdam, or to SGD or Adagrad, and the others to an optimizer of their own; "
        "or leave out sparse=True.",
    ),
    Failure(
        "inference_tensor",
        ("Inference tensors cannot be saved for backward", "on inference tensor outside InferenceMode",
         "Inplace update to inference tensor outside InferenceMode"),
        "A tensor that was made under torch.inference_mode() is used where gradients are recorded.",
        "Inference mode leaves out what autograd needs, version counters among it, and such a tensor never gets it back.",
        "Use torch.no_grad() instead of torch.inference_mode() where the tensor is made, or clone() it outside.",
    ),
)  # fmt: skip
