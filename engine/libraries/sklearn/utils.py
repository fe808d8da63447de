"""`sklearn.utils`."""

from __future__ import annotations

from typing import Any

from .bunch import Bunch
from .chance import generator
from .chance import shuffled as _shuffled

__all__ = ["Bunch", "check_random_state", "shuffle"]

check_random_state = generator


def shuffle(*arrays: Any, random_state: Any = None) -> Any:
    """Arrays in one new order."""
    found = _shuffled(generator(random_state), *arrays)
    return found[0] if len(found) == 1 else found
