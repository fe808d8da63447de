"""A knob: one literal, or one piece of a program that can be taken out, and how to turn it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .switches import Piece

Kind: TypeAlias = Literal["number", "int", "bool", "matrix", "toggle"]
Group: TypeAlias = Literal["values", "switches", "sizes"]
Number: TypeAlias = int | float
Value: TypeAlias = Number | Sequence[Number]


@dataclass(frozen=True, slots=True)
class Knob:
    """One literal, or one piece of the text that can be taken out, and how to turn it."""

    id: str
    """Stays what it is when only values in the text change."""
    label: str
    line: int
    kind: Kind
    value: Value
    """The current value; for a matrix its entries row by row; for a toggle whether the piece is in the text."""
    spans: tuple[tuple[int, int], ...]
    """Where each entry is in the text, in characters."""
    group: Group = "values"
    shape: tuple[int, ...] = ()
    """Rows and columns of a matrix, () for everything else."""
    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    whole: tuple[bool, ...] = ()
    """Which entries of a matrix must stay integers."""
    piece: Piece | None = None
