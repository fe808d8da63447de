"""How much is tried: everything in CI, and where `GRADTAPE_THOROUGH` is set; elsewhere a part of it, so that nobody waits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

THOROUGH = bool(os.environ.get("GRADTAPE_THOROUGH"))
PART = 4
"""Of what is made by chance, or is one of many of a kind, one in so many is tried."""
FEWEST = 20
"""Examples that are tried at least."""


def examples(most: int) -> int:
    """How many examples Hypothesis makes of something that CI tries `most` of."""
    return most if THOROUGH else min(most, max(most // PART, FEWEST))


def some(things: Sequence[T]) -> Sequence[T]:
    """Those of many things of a kind that are tried."""
    return things if THOROUGH else things[::PART]
