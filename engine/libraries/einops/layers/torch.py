"""`einops.layers.torch`: Rearrange and Reduce as modules."""

from __future__ import annotations

from typing import Any

from ....nn.module import Module
from ..parsing import EinopsError, Expression
from ..recipes import apply, recipe

__all__ = ["Rearrange", "Reduce"]

SPREAD = 8
"""For how many dimensions behind an ellipsis a pattern is read when the module is made."""


class _Layer(Module):
    """An operation with its pattern, which is read when the module is made."""

    def __init__(self, pattern: str, operation: Any, axes_lengths: dict[str, int]) -> None:
        super().__init__()
        self.pattern, self.axes_lengths = pattern, axes_lengths
        self._operation = operation
        try:
            left = Expression(pattern.split("->")[0])
            dims = len(left.composition)
            counts = [dims - 1 + k for k in range(SPREAD)] if left.has_ellipsis else [dims]
            self._recipes = {n: recipe(pattern, operation, tuple(axes_lengths), n) for n in counts}
        except EinopsError as error:
            raise EinopsError(f" Error while preparing {self!r}\n {error}") from None

    def forward(self, input: Any) -> Any:
        """The tensor, rearranged or reduced."""
        return apply(self._recipes[input.ndim], input, self._operation, self.axes_lengths)

    def __repr__(self) -> str:
        parts = [repr(self.pattern), *self._said(), *(f"{axis}={length}" for axis, length in self.axes_lengths.items())]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _said(self) -> list[str]:
        return []


class Rearrange(_Layer):
    """`einops.rearrange` as a module."""

    def __init__(self, pattern: str, **axes_lengths: int) -> None:
        super().__init__(pattern, "rearrange", axes_lengths)


class Reduce(_Layer):
    """`einops.reduce` as a module."""

    def __init__(self, pattern: str, reduction: Any, **axes_lengths: int) -> None:
        self.__dict__["reduction"] = reduction
        super().__init__(pattern, reduction, axes_lengths)

    def _said(self) -> list[str]:
        return [repr(self.reduction)]
