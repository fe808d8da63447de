"""What nodes show of what they saved: `grad_fn._saved_…` and `grad_fn._raw_saved_…`, by PyTorch's names.

Rules here sometimes save another form of what PyTorch saves. The declaration says so (`shows=`), and the difference is made up
for when somebody looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import INEXACT
from .saved_variable import Packed, Result, SavedTensor

if TYPE_CHECKING:
    from .node import Node

UNSIGNED = frozenset((
    "dim", "dim0", "dim1", "dim2", "dims", "index", "start", "end", "step", "offset", "diagonal", "padding_idx", "ignore_index",
))  # fmt: skip
"""What PyTorch shows without its sign: -1 as 18446744073709551615."""
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

Get = Callable[[str], Any]


class Given(int):
    """A number counted from the start that was given counted from the end."""

    raw: int


class Saved:
    """`grad_fn._saved_<name>`: an attribute of the class, as a `__getattr__` would slow down all the others."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, node: Node | None, kind: type[Node]) -> Any:
        return self if node is None else value(node, self.name)


class RawSaved:
    """`grad_fn._raw_saved_<name>`: the tensor as it was saved, or each of them, to hang hooks on."""

    def __init__(self, position: int) -> None:
        self.position = position

    def __get__(self, node: Node | None, kind: type[Node]) -> Any:
        if node is None:
            return self
        several = node._saved[self.position] if node._saved is not None else None
        found = SavedTensor(node, self.position)
        return (found,) * len(several) if isinstance(several, tuple) else found


def of_class(kind: type[Node]) -> dict[str, Saved | RawSaved]:
    """The attributes that show what nodes of a class save."""
    raw = {"_raw_saved_" + name: RawSaved(position) for position, name in enumerate(kind.saved_names)}
    return {"_saved_" + name: Saved(name) for name in names(kind)} | raw


def shown(kind: type[Node]) -> Mapping[str, Callable[[Get], Any] | None]:
    """The attributes that are not shown as the rule saves them: how they come from what is saved, None for what is hidden."""
    op = getattr(kind, "_op", None)
    return {} if op is None else op.shows


def names(kind: type[Node]) -> list[str]:
    """The names of what nodes of a class show."""
    other = shown(kind)
    return [n for n in kind.saved_names if other.get(n, n) is not None] + [n for n, how in other.items() if how is not None]


def raw_names(node: Node) -> list[str]:
    """The names of the tensors among that, which may have hooks of their own."""
    from ..tensor import Tensor

    op = getattr(type(node), "_op", None)
    saved = node._saved or (None,) * len(node.saved_names)
    values = zip(node.saved_names, saved, strict=False)
    kept = [n for n, v in values if isinstance(v, (Tensor, Result, Packed)) or (op and (n in op.rules or n in op.outputs))]
    other = shown(type(node))
    return [n for n in kept if other.get(n, n) is not None]


def value(node: Node, name: str) -> Any:
    """What `grad_fn._saved_<name>` is, of the names that the node shows."""

    def get(known: str) -> Any:
        if known == "shapes":
            return [s for s, _ in node.shape] if node.several else [node.shape]
        if known == "edges":
            return node.edges
        return node.unpack(node.saved_names.index(known))

    how = shown(type(node)).get(name)
    if how is not None:
        return how(get)
    found = get(name)
    if name == "indices":
        return tuple(None if isinstance(v, slice) else v for v in found)
    if name in UNSIGNED:
        return _unsigned(found)
    if name == "reduction" and found in REDUCTIONS:
        return REDUCTIONS[found]
    return _number(found)


def _unsigned(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_unsigned(v) for v in value)
    value = getattr(value, "raw", value)
    return value + 2**64 if isinstance(value, int) and value < 0 else value


def _number(value: Any) -> Any:
    """A number that stood beside a tensor as a tensor of the number's own dtype."""
    array = getattr(value, "_array", None)
    if array is None or array.ndim or value._node is not None or array.dtype.kind not in INEXACT or value._needs:
        return value
    from ..tensor import constant

    number = float(array)
    return constant(np.array(int(number) if number.is_integer() else number))
