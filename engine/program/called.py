"""What the functions are that a program calls by a name, as far as they are operations: the traits of their declarations."""

from __future__ import annotations

from collections.abc import Collection

from ..op.declare import traits_of
from ..ops import declared


def traits_called(name: str) -> Collection[str]:
    """The traits of what a name stands for in PyTorch's namespaces or among a tensor's methods (`zeros`, `new_zeros`)."""
    function = declared().get(name.removeprefix("new_"))
    if function is None:
        return ()
    made = getattr(function, "_op", None)
    return traits_of(made.name if made is not None else function.__name__)
