"""Gradients that are sparse, or lie on the meta device, added to a leaf's `.grad`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tensor import Tensor, constant
from . import StandIn
from .sparse import Sparse, dense, masked


def add_to(leaf: Tensor, g: Any) -> None:
    """Add an array to a leaf's `.grad`, where one of them is no array of all its elements."""
    if isinstance(leaf._array, Sparse) and not isinstance(g, Sparse):
        g = masked(np.asarray(g), leaf._array)
    elif isinstance(leaf._array, StandIn) and not isinstance(g, StandIn):
        g = np.zeros_like(leaf._array)
    have = leaf._grad
    if have is None:
        leaf._grad = constant(g.copy())
        return
    ours: Any = have._array
    if isinstance(ours, Sparse) and isinstance(g, Sparse):
        # PyTorch puts the sum in the gradient's place; who holds the gradient sees it.
        added: Any = ours + g
        ours.parts = added.parts
    elif isinstance(ours, Sparse):
        have._array = g + ours
    else:
        np.add(ours, dense(g) if isinstance(g, Sparse) else g, out=ours)
