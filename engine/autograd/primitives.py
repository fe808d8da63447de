"""The few operations of which tensors and autograd are made themselves: `engine.ops` gives them once, when it is loaded.

So nothing here imports an operation. A copy of a gradient, a view replayed in a graph, and the rows of a Jacobian put together
are operations like any other, with derivatives of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def _absent(*_: Any, **__: Any) -> Any:
    raise RuntimeError("engine.ops has not been loaded")


@dataclass(slots=True)
class Primitives:
    """Operations by their names."""

    alias: Callable[[Any], Any] = _absent
    """A view of everything."""
    as_array: Callable[[Any], np.ndarray[Any, Any]] = _absent
    """Nested lists of numbers and tensors as an array."""
    conj: Callable[[Any], Any] = _absent
    copy_: Callable[..., Any] = _absent
    empty: Callable[..., Any] = _absent
    empty_like: Callable[..., Any] = _absent
    legacy_array: Callable[[tuple[Any, ...]], np.ndarray[Any, Any]] = _absent
    """What a type of tensors makes of what it is called with: data, or zeros of a shape."""
    put_view: Callable[..., Any] = _absent
    """(tensor, view, value): the tensor with `value` in the part that the view shows."""
    stack: Callable[..., Any] = _absent
    take_view: Callable[..., Any] = _absent
    """(tensor, view): the part that the view shows."""


primitives = Primitives()
"""Those of this process."""


def give(**functions: Callable[..., Any]) -> None:
    """Fill them in."""
    for name, function in functions.items():
        setattr(primitives, name, function)
