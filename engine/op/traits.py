"""What can be said of an operation at its declaration, beside its formula and its rules: its traits, each with its meaning.

    @op(r"{self}^T", view=True, traits="same_values transposes", self=lambda grad: t(grad))

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
    "detaches": "Its result is the tensor it is given, the same memory, without the graph.",
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
