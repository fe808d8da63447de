"""What PyTorch says of shapes that do not fit."""

from __future__ import annotations

from .failure import Case, Failure

_SIZES = r"(\[[^\]]*\])"

SHAPES = (
    Failure(
        "shapes_do_not_broadcast", ("The size of tensor a", "The expanded size of the tensor"),
        "The shapes of two tensors do not fit together.",
        "Shapes are compared from the last dimension backwards.",
        "Make each pair of sizes, from the last backwards, equal or one of them 1: reshape a tensor, or add dimensions with "
        "unsqueeze().",
        cases=(
            Case(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton dimension (\d+)",
                 "The shapes of two tensors do not fit together: sizes {1} and {2} meet in dimension {3}."),
            Case(r"expanded size of the tensor \((-?\d+)\) must match the existing size \((\d+)\) at non-singleton dimension "
                 r"(\d+)",
                 "{given} has size {2} where size {1} is wanted, in dimension {3}: only a size of 1 can be expanded.",
                 "Give both the same shape, or add a dimension of size 1 with unsqueeze() where it is to be expanded."),
        ),
    ),
    Failure(
        "matrix_shapes",
        ("shapes cannot be multiplied", "Expected size for first two dimensions of batch2 tensor to be",
         "size mismatch, got input",
         "inconsistent tensor size, expected tensor"),
        "The shapes of two matrices do not fit for a product.",
        "A product adds up over the columns of the first and the rows of the second.",
        "Make the columns of the first as many as the rows of the second: check the layer's sizes, or transpose one of them.",
        cases=(
            Case(r"cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
                 "{layer} takes {3} features and is given {2}.",
                 "Make it nn.Linear({2}, {4}), or give it {3} features: with images, flatten all but the batch, and count.",
                 "Linear"),
            Case(r"cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
                 "The shapes of two matrices do not fit for a product: the first has {2} columns, the second {3} rows."),
            Case(rf"batch2 tensor to be: {_SIZES} but got: {_SIZES}",
                 "The shapes of two batches of matrices do not fit for a product: the second must begin with {1} and has {2}."),
            Case(r"got input \((\d+)\), mat \((\d+)x(\d+)\), vec \((\d+)\)",
                 "A matrix of {3} columns is multiplied with a vector of {4} elements."),
            Case(rf"expected tensor {_SIZES} and src {_SIZES} to have",
                 "Two vectors of shapes {1} and {2} have no inner product."),
        ),
    ),
    Failure(
        "bce_shapes", ("Using a target size", "must be the same as input size"),
        "Input and target of the loss have different shapes.",
        "They must be compared element by element.",
        "Give them one shape, for example with target.unsqueeze(1) or input.squeeze(1).",
        cases=(
            Case(rf"arget size \(torch\.Size\({_SIZES}\)\).*input size \(torch\.Size\({_SIZES}\)\)",
                 "Input and target of the loss have different shapes, {2} and {1}."),
        ),
        mechanical=True,
    ),
    Failure(
        "target_shape",
        ("multi-target not supported", "to match target batch_size", "size mismatch (got input: [", "Expected target size"),
        "cross_entropy is given targets that do not fit its scores.",
        "For scores of shape [batch, classes] the targets are either one class for each sample, shape [batch], or a "
        "probability "
        "for each class, of the scores' own shape and floating point.",
        "Give one class for each sample: target.squeeze(1) for a column, target.argmax(dim=1) for rows of zeros and ones.",
        cases=(
            Case(r"multi-target not supported",
                 "The targets of cross_entropy have a dimension too many: they are classes, one for "
                 "each sample."),
            Case(r"size mismatch \(got input: (\[\d+\]), target: (\[\d+\])",
                 "cross_entropy is given scores of shape {1} and a target of shape {2}: one sample without its dimension.",
                 "Keep the batch: squeeze() without a dimension drops it where it has a single sample. Say which: squeeze(1), "
                 "or flatten(1)."),
            Case(rf"Expected target size {_SIZES}, got {_SIZES}",
                 "The classes stand in the wrong dimension of the scores: cross_entropy takes dimension 1 for them, so it "
                 "asks for targets of shape {1} and is given {2}.",
                 "Scores of sequences and images are [batch, classes, …]: bring the classes there with "
                 "scores.movedim(-1, 1), or flatten both: scores.reshape(-1, classes), target.reshape(-1)."),
            Case(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)",
                 "cross_entropy is given scores of {1} samples and targets of {2}.",
                 "Give as many targets as scores. Sequences have their scores as [batch, classes, time]: transpose(1, 2), or "
                 "flatten "
                 "both: scores.reshape(-1, classes), target.reshape(-1)."),
        ),
    ),
    Failure(
        "layer_size",
        ("channels, but got", "must be equal to input_size", "Given normalized_shape=", "running_mean should contain",
         "input has inconsistent input_size", "weight to be a vector of size equal to the number of channels in input",
         "Expected hidden[", "Expected hidden size", "hidden has inconsistent hidden_size",
         "was expecting embedding dimension of"),
        "A layer is given an input of another size than it was made for.",
        "The size is fixed when the layer is made, since its parameters have it.",
        "Make the layer for the size that arrives, or give it what it was made for.",
        cases=(
            Case(r"to have (\d+) channels, but got (\d+) channels",
                 "{layer} takes {1} channels and is given {2}.",
                 "Make it for {2} channels (its first argument), or permute the input: the order is [batch, channels, "
                 "height, width]."),
            Case(r"equal to input_size\. Expected (\d+), got (\d+)",
                 "{layer} takes {1} features at each step and is given {2}.",
                 "Make input_size {2}, or give it {1} features in the last dimension."),
            Case(r"inconsistent input_size: got (\d+) expected (\d+)", "{layer} takes {2} features and is given {1}.",
                 "Make input_size {1}, or give it {2} features in the last dimension."),
            Case(rf"normalized_shape={_SIZES}, expected input .*got input of size\s*{_SIZES}",
                 "{layer} normalises the last dimensions {1}, and is given an input of shape {2}.",
                 "Make it nn.LayerNorm(…) of the input's last size."),
            Case(r"running_mean should contain (\d+) elements not (\d+)", "{layer} is for {2} channels and is given {1}.",
                 "Make it for {1} channels, or move the channels into dimension 1."),
            Case(r"Expected hidden\S* size \(([\d, ]+)\), got \[([\d, ]+)\]",
                 "{layer} is given a hidden state of shape [{2}], and needs [{1}].",
                 "The state is [layers × directions, batch, hidden_size], whatever batch_first says."),
        ),
    ),
    Failure(
        "input_dimensions",
        ("input to conv", "expected 2D or 3D input", "expected 3D input", "expected 4D input", "expected 5D input",
         "Expected input to be 2D or 3D", "Expected input to be 1D or 2D", "expects a tensor with <= 2 dimensions",
         "does not match the length of the desired ordering of dimensions", "Expected query to be unbatched"),
        "An input has another number of dimensions than the operation takes.",
        "Each dimension has a meaning: a batch of images is [batch, channels, height, width], a batch of sequences [time, "
        "batch, "
        "features], or [batch, time, features] with batch_first=True.",
        "Add a missing dimension with unsqueeze(0) for the batch or unsqueeze(1) for a single channel, or flatten(1) what is "
        "too many.",
        cases=(
            Case(rf"Expected (\dD) \(unbatched\) or (\dD) \(batched\) input to (\w+), but got input of size: {_SIZES}",
                 "{layer} takes an input of 2 dimensions more than it slides over, [batch, channels, …], and is given shape "
                 "{4}."),
            Case(r"expected (.+) input \(got (\d)D input\)", "{layer} takes a {1} input and is given one of {2} dimensions."),
            Case(r"Expected input to be (.+), got (\d)D instead",
                 "{layer} takes a {1} input and is given one of {2} dimensions."),
            Case(r"t\(\) expects a tensor with <= 2 dimensions, but self is (\d)D",
                 "t() is called on a tensor of {1} dimensions; it transposes matrices.", "Use transpose(-2, -1), or .mT."),
            Case(r"input\.dim\(\) = (\d+) is not equal to len\(dims\) = (\d+)",
                 "permute() is given {2} dimensions for a tensor of {1}.",
                 "Name every dimension once: permute(0, 2, 1) for three."),
        ),
    ),
    Failure(
        "smaller_than_kernel", ("Kernel size can't be greater than actual input size", "Output size is too small"),
        "Nothing would be left: the kernel is larger than what it slides over.",
        "Each convolution without padding and each pooling makes the picture smaller, until the next one has no place.",
        "Leave out a pooling, pad the convolution (padding=1 keeps the size with kernel_size=3), or begin with larger "
        "pictures.",
        cases=(
            Case(r"input size per channel: \(([\d x]+)\)\. Kernel size: \(([\d x]+)\)",
                 "{layer} has a kernel of {2} and is given only {1}."),
            Case(r"Given input size: \(([\dx]+)\)\. Calculated output size: \(([\dx]+)\)",
                 "Nothing would be left: an input of {1} would give an output of {2}."),
        ),
    ),
    Failure(
        "pieces_do_not_fit",
        ("Sizes of tensors must match except in dimension", "stack expects each tensor to be equal size",
         "Tensors must have same number of dimensions"),
        "Tensors that are to be put together differ in size.",
        "cat() joins along one dimension and needs all others equal; stack() makes a new dimension and needs all equal.",
        "Join along the dimension that differs (dim=…), or bring the pieces to one size first, for example by padding.",
        cases=(
            Case(r"except in dimension (\d+)\. Expected size (\d+) but got size (\d+) for tensor number (\d+)",
                 "cat() along dimension {1} is given pieces of sizes {2} and {3} in another dimension (piece {4})."),
            Case(rf"got {_SIZES} at entry (\d+) and {_SIZES} at entry (\d+)",
                 "stack() is given pieces of shapes {1} and {3}."),
        ),
    ),
    Failure(
        "reshape_size", ("is invalid for input of size",),
        "A tensor is given a shape with another number of elements.",
        "view() and reshape() only arrange the same elements anew, so the sizes multiplied must be as many as there are.",
        "Leave one size to be counted with -1, or keep the batch: x.view(x.size(0), -1), x.flatten(1).",
        cases=(
            Case(rf"shape '{_SIZES}' is invalid for input of size (\d+)",
                 "{given} has {2} elements, which do not fit the shape {1}."),
        ),
    ),
    Failure(
        "view_strides", ("view size is not compatible with input tensor's size and stride",),
        "view() is called on a tensor whose elements are not in the order that the new shape needs.",
        "view() only looks at the same memory anew; after transpose() or permute(), or in another memory format, the elements "
        "would have to move.",
        "Use reshape(), which copies where it must, or contiguous() before view().",
        mechanical=True,
    ),
    Failure(
        "dimension_out_of_range", ("Dimension out of range",),
        "An operation is asked for a dimension that the tensor does not have.",
        "Dimensions count from 0; negative ones from the last, which is -1.",
        "Name a dimension that is there, or give the tensor the one that is missing with unsqueeze().",
        cases=(
            Case(r"range of \[(-?\d+), (-?\d+)\], but got (-?\d+)",
                 "{call} is asked for dimension {3}; this tensor's dimensions are {1} to {2}."),
        ),
    ),
    Failure(
        "one_value_per_channel", ("Expected more than 1 value per channel when training",),
        "Batch normalisation is given a single value for each channel.",
        "In training it divides by the standard deviation over the batch, which one value does not have.",
        "Use a batch of more than one (DataLoader(…, drop_last=True) leaves out a last batch of one), or model.eval() where "
        "nothing is trained.",
        cases=(
            Case(rf"got input size torch\.Size\({_SIZES}\)",
                 "{layer} is given a single value for each channel (an input of shape {1})."),
        ),
    ),
    Failure(
        "ragged_list", ("expected sequence of length",),
        "A tensor is made from a list whose rows differ in length.",
        "A tensor is rectangular: all rows have one length.",
        "Pad the rows to one length: nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True).",
        cases=(
            Case(r"length (\d+) at dim (\d+) \(got (\d+)\)",
                 "A tensor is made from a list with rows of {1} and of {3} entries."),
        ),
    ),
)  # fmt: skip
