"""How large the steps of differences are, and when two derivatives agree."""

from __future__ import annotations

STEP = 1e-5
"""A step relative to the size of an element: with differences on both sides, error and rounding are far below the tolerance."""
FINER = 16.0
"""How much smaller the second step is, taken where the first result does not agree."""
AGREES = 1e-6


def agrees(numeric: float, analytic: float, noise: float) -> bool:
    """Whether two derivatives are so close that finer steps are not worth a run."""
    return bool(abs(numeric - analytic) <= AGREES * max(abs(numeric), abs(analytic)) + 4 * noise)
