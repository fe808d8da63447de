"""What programs hand over to `scipy`: numbers, as arrays that nobody else has."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(value: Any, kind: Any = None) -> Any:
    """A copy of what a program gives as an array of numbers.

    Raises:
        TypeError: for what is no numbers.
    """
    found = np.array(value, kind)
    if found.dtype.kind not in "biufc":
        raise TypeError(f"an array of numbers is needed here, not of {found.dtype}")
    return found
