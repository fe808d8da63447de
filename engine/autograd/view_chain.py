"""How a view came from its base, so that the same view can be taken of another array."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..context import context
from ..memory_layout import kept, placed

if TYPE_CHECKING:
    from ..tensor import Array, Tensor
    from .saved_variable import Counter


class View:
    """How a view came from its base: the chain of view operations, which can be replayed on any array of the base's shape."""

    __slots__ = ("base", "kind", "steps", "version")

    PLAIN, NO_GRAD, INFERENCE, SEVERAL, CUSTOM = range(5)
    """How a view was made: as usual, in `no_grad`, in inference mode, as one of several, or by a custom Function. Only the
    first kind may be written while gradients are tracked."""

    def __init__(self, source: Tensor, step: Callable[[Array], Array], counter: Counter) -> None:
        above = source._view
        self.base: Tensor = source if above is None else above.base
        self.steps: tuple[Callable[[Array], Array], ...] = (step,) if above is None else (*above.steps, step)
        self.version = counter.value
        self.kind: int = View.PLAIN if above is None else above.kind
        if not context.grad and self.kind != View.INFERENCE:
            self.kind = View.INFERENCE if context.inference else View.NO_GRAD

    def __repr__(self) -> str:
        return f"<view in {len(self.steps)} steps>"  # no address, so that recordings of one program are the same

    @property
    def several(self) -> bool:
        """Whether the view came with others from one operation."""
        return self.kind == View.SEVERAL

    @several.setter
    def several(self, value: bool) -> None:
        if value and (context.grad or self.kind == View.PLAIN):
            self.kind = View.SEVERAL

    def like_base(self, array: Array) -> Array:
        """An array of the base's shape as it has to stand in memory for the view to be taken of it: itself, or a copy."""
        base = self.base._array
        if array.__class__ is not np.ndarray or (array.flags.c_contiguous and base.flags.c_contiguous):
            return array
        return placed(array, kept(base))

    def replay(self, array: Array) -> Array:
        """The same view of another array of the base's shape; writing to it writes to `array`."""
        for step in self.steps:
            array = step(array)
        return array
