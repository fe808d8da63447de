"""What can be said of an operation at its declaration, beside its formula and its rules: its traits, each with its meaning.

    @op(r"{self}^T", traits="same_values transposes", view=True, self=lambda grad: t(grad))

A trait is a fact about the operation, not about who asks: the diagnosis, the picture and the exports read it from the table of
operations that travels in a recording, so they know no operation by its name, and those of other engines are told them in the
same way.

All variants of an operation (`max` of everything, along a dimension, of two tensors) have the traits that any of them declares,
because a recording knows them by one name.
"""

from __future__ import annotations

from collections.abc import Iterable

TRAITS = {
    # --- where graphs begin and end
    "creation": "Makes a tensor of what is no tensor: numbers, sizes, nested lists.",
    "leaf": "Makes a leaf of given values. Given a tensor, it copies its values and leaves its graph behind.",
    "uninitialized": "Its result holds whatever was in the memory.",
    "alias": "Its result is the tensor it is given: the same memory in the same shape.",
    "detaches": "Its result is the tensor it is given, the same memory, without the graph.",
    "casts": "Converts to another dtype, which has no gradient where it is not a floating one.",
    # --- what becomes of the elements
    "elementwise": "Takes corresponding elements to an element. A file of such operations says so once, `ELEMENTWISE = True`, "
    "which leaves out those with a dimension among their arguments.",
    "same_values": "Its result holds elements of its input as they are, all or some of them, perhaps in another shape.",
    "shapes": "Its arguments say which dimensions its result has.",
    "transposes": "Puts the dimensions in another order.",
    "joins": "Puts several parts side by side or into one another; each part of the gradient belongs to one of them.",
    "given": "Puts values that it is given into its result as they are.",
    "fills": "In place, every element becomes one number, whatever was there before.",
    "masks": "Replaces elements by a number, where no gradient passes.",
    "leaves_out": "Leaves out elements by a mask or an index; to those that are left out no gradient goes.",
    "chooses": "Chooses one element among several, and only that one gets the gradient.",
    "branches": "Takes each element from one of two tensors, by a condition.",
    "reduces": "Adds up or averages elements.",
    "normalizes": "Its outputs along a dimension are shares of one whole, or the logarithms of shares.",
    # --- products
    "product": "Multiplies its inputs with each other: where one is zero, the other gets a gradient of zero.",
    "matrix_product": "Multiplies matrices, the last tensor among its arguments from the right.",
    "convolution": "A convolution; the weight's first dimension is that of the units.",
    "difference": "Subtracts one tensor from another.",
    "additive": "Adds what it is given, or subtracts it: the result grows, or shrinks, as much as each of its inputs grows.",
    "magnitude": "Makes of a difference how large it is.",
    "distance": "A measure of two tensors that is smallest, with a slope of zero, where they are equal.",
    # --- where the slope is zero
    "relu": "Zero below zero, where its slope is zero, too.",
    "flat_below": "Has slope zero below a bound.",
    "flat_outside": "Has slope zero outside of its bounds.",
    "steps": "Constant between jumps, so that its slope is zero everywhere.",
    "draws": "Draws numbers at random; what they are drawn by gets a gradient of zero.",
    "saturates": "Its slope comes to zero far from zero, on one side or on both.",
    "squashes": "Takes all numbers to a bounded range and is flat at both ends of it: 0 and 1, or else -1 and 1.",
    "probabilities": "Its results lie between 0 and 1 and are meant as probabilities.",
    # --- where it is not finite
    "logarithm": "Takes a logarithm: infinite at zero, NaN below.",
    "exponential": "Grows as the exponential function does, and overflows as soon.",
    "root": "Takes a square root: NaN below zero, and an infinite slope at zero.",
    "arc": "Inverts a function whose values lie between -1 and 1, and is defined there only.",
    "spectral": "Takes matrices to their eigenvectors or singular vectors, whose derivatives are infinite where two of the "
    "values are equal.",
    "division": "Divides, by its second input where it has two.",
    # --- the dtype it is computed in
    "lowered": "Within `autocast`, is computed in the smaller dtype.",
    "raised": "Within `autocast`, is computed in float32.",
    # --- how it is written and called
    "compares": "Gives truth values, which have no gradient.",
    "sized": "The numbers among its arguments are sizes, dimensions and counts, none that is computed with.",
    "infix": "Is written with its symbol between its two inputs.",
    "commutative": "Gives the same with its two inputs exchanged.",
    "swapped": "Is written with its two inputs exchanged: `rsub(a, b)` is b - a.",
    "number_first": "Takes a number in the place of its first tensor, too.",
    "one_number": "Takes a number in the place of its first tensor, too, but not of both.",
    "tensors_only": "Refuses a number in the place of either tensor.",
    "overlapping": "In place, it may write elements that share their memory.",
    "apart": "What it writes, in place or where `out` says, shares no memory at all with what it takes beside that.",
    "reads_first": "In place, it may share memory with what it takes, which it reads before it writes.",
}  # fmt: skip
"""Name -> what it says of an operation."""


def checked(names: str | Iterable[str]) -> frozenset[str]:
    """Traits by name, written as words (`"same_values transposes"`) or one by one.

    Raises:
        ValueError: for a name that stands for no trait.
    """
    found = frozenset(names.split() if isinstance(names, str) else names)
    unknown = sorted(found - TRAITS.keys())
    if unknown:
        raise ValueError(f"no such trait: {', '.join(unknown)}; there are {', '.join(sorted(TRAITS))}")
    return found
