"""Arrays that stand where a tensor has no array of all its elements: on the meta device (`meta`), and sparse ones (`sparse`).

A stand-in is an array of NumPy's class for the questions that its shape and its dtype answer, so that operations, the graph and
modules need not know of it. It holds one zero, whatever its shape. What NumPy is asked to compute with it, it answers itself
(`__array_ufunc__`, `__array_function__`): what of, its kind says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class StandIn(np.ndarray[Any, Any]):
    """An array that has a shape and a dtype, and no elements of its own."""

    kind = ""
    """What PyTorch calls the backend that computes with such tensors."""

    def __array_finalize__(self, source: Any) -> None:
        pass

    def told(self) -> Array | None:
        """All elements, for a recording; None where there are none, or too many."""
        return None

    def steps(self) -> tuple[int, ...]:
        """Steps along the dimensions, as PyTorch tells them."""
        return (0,) * self.ndim

    def item(self, *place: Any) -> Any:
        """Refused: there is no element."""
        raise self.refused("item")

    def tolist(self) -> Any:
        """Refused: there are no elements."""
        raise self.refused("tolist")

    def tobytes(self, order: Any = "C") -> Any:
        """Refused: there are no elements."""
        raise self.refused("tobytes")

    def __bool__(self) -> bool:
        raise self.refused("is_nonzero")

    @classmethod
    def refused(cls, what: str) -> Exception:
        """PyTorch's error for what there is not of such tensors."""
        return NotImplementedError(
            f"Could not run 'aten::{what}' with arguments from the '{cls.kind}' backend. This could be because the operator "
            "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
        )


def standing(kind: Any, shape: Any, dtype: Any) -> Any:
    """A stand-in of a kind, with a shape and a dtype."""
    shape, dtype = tuple(int(n) for n in shape), np.dtype(dtype)
    return np.ndarray.__new__(kind, shape, dtype, bytes(dtype.itemsize), 0, (0,) * len(shape))


array_of = np.asanyarray
"""What an operation made, as an array: itself if it is one or a stand-in; tensors have no other classes of arrays."""


def tensors_in(values: Any) -> Iterator[Any]:
    """What has an array among the arguments of an operation, also in lists."""
    for value in values:
        if value.__class__ in (list, tuple):
            yield from tensors_in(value)
        elif hasattr(value, "_array"):
            yield value


def settled(op: Any, values: tuple[Any, ...], result: Any) -> None:
    """Look at what an operation has made, where there are stand-ins: of those on the meta device only others are made.

    Raises:
        RuntimeError, NotImplementedError: where the operation is none for them.
    """
    given = [t for t in tensors_in(values) if isinstance(t._array, StandIn)]
    made = result if isinstance(result, list) else [result]
    if not given:
        return
    from .meta import Meta, one_device

    if any(isinstance(t._array, Meta) for t in given):
        one_device(op, values)
        for t in made:
            if not isinstance(t._array, Meta):
                t._array = standing(Meta, t._array.shape, t._array.dtype)
        return
    from .sparse import Sparse

    for t in made:
        if isinstance(t._array, Sparse) and t._array.parts is None:
            raise Sparse.refused(op.name)
