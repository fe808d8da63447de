"""What PyTorch warns of: diagnoses that it has made already, each with its cause and what to do."""

from __future__ import annotations

from .failure import Case, Failure

WARNINGS = (
    Failure(
        "schedule_before_optimizer", ("Detected call of `lr_scheduler.step()` before `optimizer.step()`",),
        "The learning rate schedule steps before the optimizer does.",
        "The schedule has gone on to its second learning rate when the optimizer steps for the first time, so the first one is "
        "never used.",
        "Call scheduler.step() after optimizer.step(): in each epoch after its batches, or after each batch.",
        severity="warning",
        mechanical=True,
    ),
    Failure(
        "clips_nothing", ("is an empty generator, no gradient clipping will occur",),
        "Gradients of no parameters are clipped: the generator is empty.",
        "parameters() gives a generator, which is empty once it has been gone through.",
        "Call parameters() anew where they are clipped: nn.utils.clip_grad_norm_(model.parameters(), …).",
        severity="warning",
    ),
    Failure(
        "grad_of_non_leaf", ("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",),
        "The .grad of a tensor is read that is not a leaf, and is None.",
        "Backward passes fill the .grad of leaves; of results of operations they fill it only where retain_grad() was called.",
        "Read the .grad of the leaf that it was computed from, or call {name}.retain_grad() before backward().",
        "result",
        severity="warning",
    ),
    Failure(
        "too_few_values", ("degrees of freedom is <= 0",),
        "A standard deviation, or a variance, is taken of too few values, and is NaN.",
        "By default the sum of squares is divided by the number of values less one, which for one value is 0/0.",
        "Use correction=0, take it over a dimension that has several values, or use a batch of more than one.",
        cases=(Case(r"^(\w+)\(\): degrees of freedom", "{1}() is taken of a single value, and is NaN."),),
        severity="warning",
    ),
    Failure(
        "implicit_softmax_dim", ("Implicit dimension choice for",),
        "softmax is not told over which dimension it goes, and guesses by the number of dimensions.",
        "For three dimensions, or one, it takes the first, for two and four the second: seldom what is meant.",
        "Name it: dim=1 for scores of shape [batch, classes], dim=-1 for the last one.",
        cases=(Case(r"choice for (\w+) has been", "{1} is not told over which dimension it goes, and guesses."),),
        severity="hint",
        mechanical=True,
    ),
    Failure(
        "duplicate_parameters", ("optimizer contains a parameter group with duplicate parameters",),
        "The optimizer is given a parameter twice, and moves it twice in each step.",
        "Lists of parameters that are put together may share some, such as those of a tied layer.",
        "Give each parameter once: list(dict.fromkeys(parameters)).",
        severity="warning",
    ),
    Failure(
        "checkpoint_without_gradient", ("None of the inputs have requires_grad=True. Gradients will be None",),
        "A checkpoint is given no input that requires grad, so nothing within it gets a gradient.",
        "The re-entrant checkpoint is a Function of its inputs; parameters that it uses inside are not among them.",
        "Use checkpoint(…, use_reentrant=False).",
        severity="warning",
        mechanical=True,
    ),
    Failure(
        "dropout_of_one_layer", ("dropout option adds dropout after all but last recurrent layer",),
        "A recurrent network of one layer is given dropout, which does nothing there.",
        "Its dropout stands between its layers, and behind the last one there is none.",
        "Leave dropout out and put an nn.Dropout behind it, or give it num_layers=2.",
        severity="hint",
        mechanical=True,
    ),
    Failure(
        "kl_div_mean", ("reduction: 'mean' divides the total loss by both the batch size and the support size",),
        "kl_div is averaged over the elements instead of the samples.",
        "The divergence is a sum over the classes; 'mean' divides it by their number, too.",
        "Pass reduction=\"batchmean\".",
        severity="hint",
        mechanical=True,
    ),
    Failure(
        "tensor_to_number", ("Converting a tensor with requires_grad=True to a scalar",),
        "A tensor that requires grad becomes a Python number, which has no graph.",
        "That is right for what is printed or kept, and a cut where the number goes into the loss.",
        "Say that it is meant: .item(), or detach() first.",
        severity="hint",
    ),
    Failure(
        "copied_tensor", ("To copy construct from a tensor, it is recommended",),
        "torch.tensor() is given a tensor: it copies the values and leaves the graph behind.",
        "The new tensor is a leaf, and no gradient comes through it to what it was made from.",
        "Use x.detach().clone() for a copy, or x itself where the gradient is to go on.",
        severity="hint",
        mechanical=True,
    ),
    Failure(
        "reference_cycle", ("with create_graph=True will create a reference cycle",),
        "backward(create_graph=True) leaves gradients whose graphs refer to their parameters.",
        "The parameter keeps its .grad, and the .grad's graph keeps the parameter, so the memory stays until it is collected.",
        "Take the gradient with torch.autograd.grad(…, create_graph=True), or set .grad to None afterwards.",
        severity="hint",
    ),
    Failure(
        "list_of_arrays", ("Creating a tensor from a list of numpy.ndarrays is extremely slow",),
        "A tensor is made from a list of NumPy arrays, number by number.",
        "Each element becomes a Python object on the way.",
        "Make one array first: torch.tensor(np.array(rows)), or torch.from_numpy(np.stack(rows)).",
        severity="hint",
    ),
    Failure(
        "not_writable", ("NumPy array is not writable",),
        "A tensor shares the memory of an array that must not be written.",
        "An update in place would write there all the same: into what other arrays look at, or what a library keeps.",
        "Copy it: torch.tensor(array), or torch.from_numpy(array.copy()).",
        severity="hint",
    ),
    Failure(
        "changing_behaviour",
        ("deprecated", "will be required to pass the indexing argument", "should be passed explicitly",
         "behavior has changed to align_corners=False", "please use `get_last_lr()`", "has no effect"),
        "Something is used that PyTorch is about to change, or does otherwise since some time.",
        "It works as it is today.",
        "Write it as the text says.",
        severity="hint",
    ),
)  # fmt: skip
"""Without those that a rule of its own finds, such as a target of another size."""
