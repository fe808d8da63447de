"""Dimensions and sizes as users give them: counted from the end, in several forms, with one left to be worked out."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

from ...autograd.attributes import Given
from ...tensor import Tensor


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the end as one counted from the start.

    Raises:
        IndexError: if there is no such dimension.
    """
    if isinstance(dim, Tensor):
        dim = int(dim.item())
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim if dim >= 0 else from_end(dim, n)


def from_end(k: int, n: int) -> int:
    """`k`, counted from the end of `n`, as counted from the start; nodes show it as it was given."""
    found = Given(k + n)
    found.raw = k
    return found


def sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    """A shape given as `f(2, 3)`, `f((2, 3))` or `f(torch.Size([2, 3]))`."""
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = tuple(args[0])
    return tuple([n if n.__class__ is int else index(n) for n in args])


def infer(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """A shape with its one -1 worked out.

    Raises:
        RuntimeError: if the shape does not hold `numel` elements.
    """
    known = prod(n for n in shape if n != -1)
    if list(shape).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
                "can be any value and is ambiguous"
            )
        if known == 0 or numel % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return tuple(numel // known if n == -1 else n for n in shape)
    for n in shape:
        if n < 0:
            raise RuntimeError(f"invalid shape dimension {n}")
    if known != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(shape)
