"""What PyTorch says of values: dtypes, devices, indices, classes, numbers."""

from __future__ import annotations

from .failure import Case, Failure

VALUES = (
    Failure(
        "bce_of_logits", ("all elements of input should be between 0 and 1",),
        "binary_cross_entropy is given scores instead of probabilities.",
        "It takes the logarithm of its input and of one minus its input, so the input must lie between 0 and 1.",
        "Apply sigmoid first, or better use binary_cross_entropy_with_logits on the scores.",
        mechanical=True,
    ),
    Failure(
        "target_dtype",
        ("expected target dtype to be Long", "Expected floating point type for target", "Found dtype Long but expected Float",
         "expected scalar type Long but found Float"),
        "The target of a loss has another dtype than the loss takes.",
        "Classes are whole numbers (torch.long); values, probabilities and labels of 0 and 1 are floating point, as the "
        "prediction is.",
        "Use target.long() for the classes of cross_entropy and nll_loss, target.float() for everything else.",
        cases=(
            Case(r"expected (?:target dtype to be|scalar type) Long.* (?:got|found) (\w+)",
                 "The targets are classes, and have dtype {1} instead of Long.", "Use {other}.long()."),
            Case(r"for target with class probabilities, got (\w+)",
                 "Targets of the scores' own shape are probabilities, and have dtype {1} instead of floating point.",
                 "Use {other}.float(), or give the number of the class of each sample: {other}.argmax(dim=1)."),
            Case(r"Found dtype (\w+) but expected (\w+)", "The target has dtype {1}, and the prediction {2}.",
                 "Use {other}.float()."),
        ),
        mechanical=True,
    ),
    Failure(
        "dtype_mismatch",
        ("must have the same dtype", "to have the same dtype", "to have same dtype", "expected scalar type", "type (double)",
         "type (long int)", "Input type (", "type (torch.DoubleTensor)", "type (torch.LongTensor)", "to be equal to src.dtype",
         "Index put requires the source and destination dtypes match"),
        "Tensors of different dtypes meet where both must have one.",
        "Sums and products of elements convert by themselves; matrix products, layers and convolutions do not.",
        "Convert one: x.float() for what comes from integers or from NumPy (which is float64), or model.double().",
        cases=(
            Case(r"mat1 and mat2 must have the same dtype, but got (\w+) and (\w+)",
                 "{layer} has parameters of dtype {2} and is given an input of dtype {1}."),
            Case(r"m1 and m2 to have the same dtype, but got: ([\w ]+) != ([\w ]+)",
                 "A matrix of dtype {1} is multiplied with one of dtype {2}."),
            Case(r"Input type \(([\w. ]+)\) and (?:bias|weight) type \(([\w. ]+)\) should be the same",
                 "{layer} has parameters of type {2} and is given an input of type {1}."),
            Case(r"expected scalar type (\w+) but found (\w+)", "Dtype {2} meets dtype {1} where both must be one."),
        ),
        mechanical=True,
    ),
    Failure(
        "needs_floating_point", ("can't be cast to the desired output type",
        "could not infer output dtype. Input dtype must be"),
        "A tensor of integers is to hold, or to give, a result that is not whole.",
        "In place a tensor keeps its dtype, and mean() of integers has none.",
        "Make the tensor floating point: write 1.0 instead of 1, or x = x.float().",
        cases=(
            Case(r"result type (\w+) can't be cast to the desired output type (\w+)",
                 "A result of dtype {1} is written into a tensor of dtype {2}."),
            Case(r"(\w+)\(\): could not infer output dtype.*Got: (\w+)", "{1}() is called on a tensor of dtype {2}.",
                 "Convert it first: x.float().{1}()."),
        ),
    ),
    Failure(
        "index_dtype",
        ("tensors used as indices must be long", "to have one of the following scalar types: Long, Int"),
        "Indices are not whole numbers.",
        "An index says which, so it is an integer (torch.long), or true and false for each element.",
        "Convert it: index.long().",
        mechanical=True,
    ),
    Failure(
        "device",
        ("Torch not compiled with CUDA enabled", "Expected all tensors to be on the same device", "Found no NVIDIA driver",
         "can't convert cuda", "cuda.FloatTensor", "No CUDA GPUs are available",
         "on a CUDA device but torch.cuda.is_available()"),
        "An operation needs a device that is not there, or tensors that lie on different devices.",
        "Model, inputs and targets must lie on one device, and .to() gives a new tensor: x.to(device) alone changes nothing.",
        'Choose once, device = "cuda" if torch.cuda.is_available() else "cpu", then model.to(device) and x = x.to(device).',
        cases=(
            Case(r"not compiled with CUDA enabled", "A GPU is asked for, and there is none that PyTorch can use."),
            Case(r"found at least two devices, ([\w:]+) and ([\w:]+)", "Tensors on {1} and on {2} take part in one operation."),
            Case(r"can't convert (\S+) device type tensor to numpy", "numpy() is called on a tensor on {1}.",
                 "Bring it back first: x.detach().cpu().numpy()."),
        ),
    ),
    Failure(
        "class_out_of_range", ("is out of bounds.", "Class values must be smaller than num_classes",
        "Class values must be non-negative"),
        "A target is none of the classes.",
        "Classes count from 0 to their number less one, and the model has one score for each.",
        "Let the labels begin at 0 (target - 1 where they begin at 1), or give the last layer a score for each class.",
        cases=(
            Case(r"Target (-?\d+) is out of bounds", "A target is class {1}, for which there is no score."),
            Case(r"smaller than num_classes", "one_hot() is given a class that is not smaller than num_classes."),
        ),
        types=("IndexError", "RuntimeError"),
    ),
    Failure(
        "index_out_of_range",
        ("index out of range in self", "is out of bounds for dimension", "does not match the shape of the indexed tensor",
         "index out of range", "is out of bounds for axis"),
        "An index is outside of what it chooses from.",
        "Indices count from 0 to the size less one; negative ones from the end.",
        "Check the largest index against the size.",
        cases=(
            Case(r"index out of range in self", "An index given to {layer} is not below the number of its rows.",
                 "Make num_embeddings the largest index plus 1, counting padding and unknown words."),
            Case(r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)",
                 "Index {1} is asked of dimension {2}, which has {3} entries."),
            Case(r"mask (\[[^\]]*\]) at index \d+ does not match the shape of the indexed tensor (\[[^\]]*\])",
                 "A mask of shape {1} chooses from a tensor of shape {2}.", "Give the mask the tensor's shape."),
        ),
    ),
    Failure(
        "truth_of_tensor", ("Boolean value of Tensor with",),
        "A tensor of several elements is asked whether it is true.",
        "A comparison of tensors has an answer for each element; `if`, `while`, `and`, `or` and `not` need one.",
        "Say what is meant: .any(), .all(), or & | ~ and torch.where() to choose element by element.",
    ),
    Failure(
        "several_to_number",
        ("cannot be converted to Scalar", "only one element tensors can be converted to Python scalars",
         "only integer tensors of a single element can be converted to an index"),
        "A tensor of several elements is to become one number.",
        "item(), float() and int() need exactly one element.",
        "Reduce it first (.sum(), .mean(), x[0]), or take all with tolist().",
        cases=(
            Case(r"Tensor with (\d+) elements cannot be converted", "{given} has {1} elements, and is to become one number."),
        ),
    ),
)  # fmt: skip
