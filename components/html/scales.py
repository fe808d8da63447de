"""What the panels' charts have in common: when a scale is logarithmic, and which points of a long curve are drawn."""

from __future__ import annotations

from collections.abc import Sequence

STEEP = 50.0
"""Largest by smallest number from which on a scale is logarithmic."""


def is_steep(values: Sequence[float]) -> bool:
    """Whether a scale for these numbers is logarithmic: all are above 0, and they are far apart."""
    return bool(values) and all(value > 0 for value in values) and max(values) > STEEP * min(values)


def thinned(count: int, most: int) -> list[int]:
    """Of so many points every so many-th, some `most` of them, and the last one."""
    return sorted({*range(0, count, -(-count // most) or 1), count - 1}) if count else []
