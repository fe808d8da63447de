"""`torch.nn.modules.utils`: a number for each dimension, of one number for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any

__all__ = ["_list_with_default", "_ntuple", "_pair", "_quadruple", "_reverse_repeat_tuple", "_single", "_triple"]


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """What makes n of one, and a tuple of several."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single, _pair = _ntuple(1, "_single"), _ntuple(2, "_pair")
_triple, _quadruple = _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Any, n: int) -> tuple[Any, ...]:
    """From the last to the first, each n times."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size: list[int] | int | None, defaults: list[int]) -> Any:
    """Sizes, with those of the input where they are None.

    Raises:
        ValueError: where the input has too few dimensions.
    """
    if isinstance(out_size, int):
        return out_size
    sizes = list(out_size or ())
    if len(defaults) <= len(sizes):
        raise ValueError(f"Input dimension should be at least {len(sizes) + 1}")
    return [v if v is not None else d for v, d in zip(sizes, defaults[-len(sizes) :], strict=False)]
