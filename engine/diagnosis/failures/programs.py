"""What PyTorch says of modules and optimizers, and Python of names, attributes and arguments."""

from __future__ import annotations

from .failure import Case, Failure

PROGRAMS = (
    Failure(
        "module_not_initialised", ("before Module.__init__() call",),
        "A module is given layers or parameters before nn.Module has prepared it for them.",
        "nn.Module's own __init__ makes the tables that layers are entered in.",
        "Call super().__init__() as the first line of __init__().",
    ),
    Failure(
        "no_forward", ('is missing the required "forward" function',),
        "A module without a forward() method is called.",
        "Calling a module runs its forward(); the name must be exactly that, and the method must stand in the class.",
        "Define def forward(self, x) in the class, indented as __init__ is.",
        cases=(Case(r"Module \[(\w+)\]", "{1} is called and has no forward() method."),),
    ),
    Failure(
        "parameters_of_optimizer",
        ("optimizer got an empty parameter list", "optimizer can only optimize Tensors",
         "params argument given to the optimizer should be", "some parameters appear in more than one parameter group"),
        "The optimizer is not given a list of parameters.",
        "It takes an iterable of tensors, such as model.parameters(), or of dicts with them, each tensor once.",
        "Give it model.parameters(), or [w, b] for single tensors.",
        cases=(
            Case(r"empty parameter list", "The optimizer is given no parameters.",
                 "Make the layers in __init__() as attributes of the module, or in an nn.ModuleList; a generator that was gone "
                 "through once is empty: call parameters() anew."),
            Case(r"one of the params is ([\w.]+)", "The optimizer is given a {1} among the parameters.",
                 "Give it the tensors themselves, for example model.parameters()."),
            Case(r"more than one parameter group", "The optimizer is given a parameter twice, in two groups.",
                 "Leave it out of one group; layers that share a weight have one parameter."),
            Case(r"iterable of Tensors or dicts, but got", "The optimizer is given a tensor instead of a list of tensors.",
                 "Put it in a list: [w]."),
        ),
    ),
    Failure(
        "schedule_at_its_end", ("The specified number of total steps is",),
        "A schedule is stepped more often than it was made for.",
        "OneCycleLR is made for a number of steps: total_steps, or epochs times steps_per_epoch. Each call of step() is one.",
        "Make it for all of them: steps_per_epoch=len(loader) where it steps after each batch, total_steps=epochs where it "
        "steps after each epoch.",
        cases=(
            Case(r"step (\d+) times.*steps is (\d+)", "A schedule that was made for {2} steps is stepped for the {1}th time."),
        ),
    ),
    Failure(
        "state_dict_mismatch", ("Error(s) in loading state_dict",),
        "The saved parameters are not those of the model that loads them.",
        "load_state_dict() goes by names, and by shapes.",
        "Build the model as it was when it was saved. Names that begin with module. come from DataParallel: take the prefix "
        "off; "
        "strict=False leaves out what does not fit.",
        cases=(
            Case(r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\((\[[^\]]*\])\) from checkpoint, the "
                 r"shape in "
                 r"current model is torch\.Size\((\[[^\]]*\])\)",
                 "{1} was saved with shape {2}, and is {3} in the model that loads it."),
            Case(r'Missing key\(s\) in state_dict: "([\w.]+)"', "The model has {1}, and the saved parameters have no such "
                 "name."),
            Case(r'Unexpected key\(s\) in state_dict: "([\w.]+)"', "The saved parameters have {1}, and the model has no such "
                 "name."),
        ),
    ),
    Failure(
        "optimizer_state_mismatch",
        ("loaded state dict contains a parameter group", "loaded state dict has a different number"),
        "The saved state is that of an optimizer with other parameters.",
        "An optimizer's load_state_dict() knows parameters by their place alone, so each group must have as many as it had "
        "when the state was saved.",
        "Make the optimizer of the same parameters as then, in the same groups (frozen ones included or left out alike), load "
        "the state, and change what it trains afterwards, with add_param_group() or requires_grad_().",
        cases=(
            Case(r"different number of parameter groups", "The optimizer has another number of parameter groups than the one "
                 "that was saved."),
            Case(r"match the size of optimizer's group", "A parameter group has another number of parameters than the one "
                 "that was saved."),
        ),
    ),
    Failure(
        "not_a_tensor",
        ("must be Tensor, not", "'tuple' object has no attribute", "'list' object has no attribute 'backward'",
         "object has no attribute '_array'", "received an invalid combination of arguments - got (tuple", "but got tuple"),
        "Something that is no tensor stands where a tensor belongs.",
        "nn.LSTM, nn.GRU and nn.RNN give a pair, the outputs and the last state; max(dim=…) and sort() give values and "
        "indices; a "
        "list of tensors is none.",
        "Take the part that is meant: out, state = lstm(x); values, indices = x.max(dim=1); torch.stack(list) for a list.",
        cases=(
            Case(r"\b(\w+)\(\): argument '(\w+)' \(position \d+\) must be Tensor, not (\w+)", "{1}() is given a {3} as {2}."),
            Case(r"'(\w+)' object has no attribute '(\w+)'", "{given} is a {1}, not a tensor."),
        ),
    ),
    Failure(
        "none_used", ("'NoneType' object", "'NoneType' and", "and 'NoneType'"),
        "The program goes on with None.",
        "A function without return gives None, and so do list.append(), sort() and backward().",
        "Return the value, or look where the name got None.",
        cases=(
            Case(r"'NoneType' object has no attribute '(\w+)'", "{given} is None, and is asked for {1}."),
            Case(r"'NoneType' object is not (\w+)", "{given} is None, and is not {1}."),
        ),
    ),
    Failure(
        "unpacking", ("values to unpack", "cannot unpack non-iterable"),
        "A value is unpacked into another number of names than it has items.",
        "The left side must have a name for each item; a tensor is unpacked into its rows.",
        "Compare both sides: how many items there are, and how many names.",
        cases=(
            Case(r"too many values to unpack \(expected (\d+)\)",
                 "There are more values than the {1} names that they are unpacked into.",
                 "Use as many names as there are values, or take one: out = result[0]."),
            Case(r"not enough values to unpack \(expected (.+), got (\d+)\)",
                 "There are {2} values to unpack, where {1} are asked for."),
            Case(r"cannot unpack non-iterable (\w+) object", "A single {1} is unpacked into several names."),
        ),
    ),
    Failure(
        "not_iterable", ("object is not iterable", "iteration over a 0-d tensor"),
        "Something is gone through item by item that has no items.",
        "A loop, list() and an optimizer take one item after another, from a list, a generator or a tensor with dimensions.",
        "Give it what has items: model.parameters() for a model, [w] for a single tensor.",
        cases=(
            Case(r"'(?:builtin_function_or_)?method' object is not iterable",
                 "A method is given where its result belongs: it is named and not called.",
                 "Call it, with its parentheses: model.parameters()."),
            Case(r"'(\w+)' object is not iterable", "A {1} is gone through item by item, and has no items."),
            Case(r"iteration over a 0-d tensor", "{given} is a single number, and is gone through item by item."),
        ),
    ),
    Failure(
        "class_not_made", ("is not a Module subclass", "'type' object does not support the context manager protocol"),
        "A class stands where something made by it belongs.",
        "The name of a class is the class; with parentheses behind it, it makes an object.",
        "Write its parentheses: nn.ReLU() for a layer, torch.no_grad() for a block.",
        cases=(
            Case(r"(?<![\w.])([\w.]*?)(\w+) is not a Module subclass",
                 "{2} is the class, not a layer: its parentheses are missing.",
                 "Write {2}(), which makes the layer."),
            Case(r"'type' object does not support the context manager", "A with block is given a class: its parentheses are "
                 "missing.", "Write them: with torch.no_grad():"),
        ),
    ),
    Failure(
        "not_a_parameter", ("as parameter '",),
        "A module is given something else in the place of a parameter.",
        "What stands under the name of a parameter must stay one: the module would lose it for parameters() and its optimizer.",
        "Make it a Parameter, nn.Parameter(tensor), or write into the one that is there: with torch.no_grad(): "
        "layer.weight.copy_(tensor).",
        cases=(Case(r"cannot assign '([\w.]+)' as parameter '(\w+)'", "{2} is a parameter, and is given a {1} that is none."),),
    ),
    Failure(
        "iterator_used_up", (),
        "An iterator is asked for the next item, and has none left.",
        "iter() gives something that goes through the items once. next() raises StopIteration when they are used up.",
        "Make a new iterator with iter() for each epoch, or write for item in items, which ends by itself.",
        types=("StopIteration",),
    ),
    Failure(
        "function_not_applied", ("Legacy autograd function with non-static forward method",),
        "An autograd Function is made and called like a module.",
        "A Function has no objects: forward() and backward() are static methods, and apply() records the call.",
        "Call it as Name.apply(x), without parentheses behind the class.",
    ),
    Failure(
        "hook_without_gradient", ("cannot register a hook on a tensor that doesn't require gradient",),
        "A hook is put on a tensor that gets no gradient.",
        "A hook runs when the gradient of its tensor is computed; of data and of what was made under no_grad there is none.",
        "Call x.requires_grad_() before it is used, or put the hook on what is computed from parameters.",
    ),
    Failure(
        "init_of_vector", ("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",),
        "An initialisation by fan in and fan out is given a tensor of less than two dimensions.",
        "Biases, and the weights of normalisations, are vectors: they connect no inputs with outputs.",
        "Leave them out, if p.dim() > 1, and set biases with nn.init.zeros_(p).",
    ),
    Failure(
        "resumed_afresh", ("is not specified in param_groups",),
        "A schedule is to go on with an optimizer that is new.",
        "last_epoch=-1, the default, begins a schedule; any other number resumes one. It then looks in the optimizer for the "
        "learning rate that the schedule began with, initial_lr, which only a schedule has written there: this optimizer has "
        "never had one, and has loaded no state.",
        "Load the optimizer's saved state before the schedule is made, optimizer.load_state_dict(checkpoint[…]), or leave "
        "last_epoch out and give the schedule its own saved state: scheduler.load_state_dict(…).",
        cases=(
            Case(r"'initial_lr' is not specified", "{call} is to go on where another one stopped (last_epoch is not -1), with "
                 "an optimizer that is new."),
        ),
        types=("KeyError",),
    ),
    Failure(
        "scaler_out_of_turn",
        ("step() has already been called since the last update()", "unscale_() has already been called on this optimizer",
         "unscale_() is being called after step()", "No inf checks were recorded prior to update"),
        "The scaler of mixed precision is called out of turn.",
        "For each step of the optimizer its calls are scale(loss).backward(), unscale_() where gradients are clipped, step(), "
        "and update(), each once.",
        "Call scaler.update() after each scaler.step(optimizer), and unscale_() only in iterations that step.",
        cases=(
            Case(r"step\(\) has already been called", "scaler.step() is called a second time, with no update() between.",
                 "Call scaler.update() after scaler.step(optimizer)."),
            Case(r"unscale_\(\) has already been called", "scaler.unscale_() is called a second time, with no update() "
                 "between.",
                 "Call scaler.update() after scaler.step(optimizer), and unscale_() only in iterations that step."),
        ),
        types=("RuntimeError", "AssertionError"),
    ),
    Failure(
        "truth_subtracted", ("Subtraction, the `-` operator, with",),
        "A tensor of truth values is subtracted.",
        "Between truth values there is no minus; what is meant is their opposite, or numbers.",
        "Write ~mask for the opposite of a mask, or convert it: mask.float().",
        types=("RuntimeError",),
    ),
    Failure(
        "unknown_name", (),
        "A name is used that has no value.",
        "It is written differently where it is given one, or that line has not run.",
        "Give it a value in a line before this one, or write it as where it gets its value.",
        cases=(
            Case(r"cannot access local variable '(\w+)'", "{1} has no value yet where it is used.",
                 "Give it a value on every way that leads here; a name that a function assigns is local in all of it."),
            Case(r"name '(\w+)' is not defined", "{1} is not defined."),
        ),
        types=("NameError", "UnboundLocalError"),
    ),
    Failure(
        "unknown_attribute", ("has no attribute",),
        "Something is asked for an attribute that it does not have.",
        "The name is written differently, or it is not there yet, or the object is of another class than meant.",
        "Write the name as it was defined.",
        cases=(
            Case(r"module '([\w.]+)' has no attribute '(\w+)'", "{1} has no {2}."),
            Case(r"'(\w+)' object has no attribute '(\w+)'", "{given} is a {1}, and has no {2}."),
            Case(r"type object '(\w+)' has no attribute '(\w+)'", "{1} has no {2}."),
        ),
        types=("AttributeError",),
    ),
    Failure(
        "wrong_arguments",
        ("positional argument", "unexpected keyword argument", "required keyword-only argument",
         "got multiple values for argument"),
        "A function is called with other arguments than it takes.",
        "The number or the names of the arguments differ from its definition; a method's first one, self, is given by the "
        "call.",
        "Compare the call with the definition.",
        cases=(
            Case(r"(?<![\w.])([\w.]+)\(\) takes (.+) but (\d+) (?:was|were) given", "{1}() takes {2}, and is given {3}."),
            Case(r"(?<![\w.])([\w.]+)\(\) missing \d+ required .*?arguments?: (.+)", "{1}() is called without {2}."),
            Case(r"(?<![\w.])([\w.]+)\(\) got an unexpected keyword argument '(\w+)'", "{1}() has no argument {2}."),
        ),
        types=("TypeError",),
    ),
)  # fmt: skip
