"""Texts that programs make, as a recording keeps them: plain strings of bounded length that can be sent and written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..limits import NAME, TEXT, Row, shortened

UNSAYABLE = "(its message cannot be shown)"


def plain(text: str, row: Row = TEXT) -> str:
    """A string without the program's own methods and without half characters, shortened to what a recording shows."""
    exact = str.__str__(text)
    exact = exact if exact.isascii() else exact.encode("utf-8", "replace").decode("utf-8")
    return shortened(exact, row)


def name_of(text: str) -> str:
    """A name, shortened where it is longer than a recording shows."""
    return text if text.__class__ is str and text.isascii() and len(text) <= LONGEST else plain(text, NAME)


LONGEST = NAME.value()


def said(error: object, row: Row = TEXT) -> str:
    """An error's or warning's message, whatever its class makes of it."""
    try:
        return plain(str(error), row)
    except BaseException:
        return UNSAYABLE


def shown(value: object, most: int = 80) -> str:
    """A plain value as short text; of a list no more is written than fits, a larger array is told by its shape and type, and
    what else has more elements than characters, as a storage of PyTorch's, by how many those are."""
    try:
        if value.__class__ is np.ndarray and value.size > MOST:
            text = f"array of shape {value.shape}, dtype {value.dtype}"
        elif value.__class__.__module__ != "builtins" and hasattr(value, "__len__") and len(value) > most:
            text = f"<{type(value).__name__} of {len(value)}>"
        else:
            text = repr(_beginning(value, [most]) if value.__class__ in _SEQUENCES else value)
        short = text if len(text) <= most else str.__getitem__(text, slice(most - 1)) + "…"
        return plain(short)
    except Exception:
        return f"<{type(value).__name__[:most]}>"


MOST = 16
"""Elements of an array that are written one by one."""
_SEQUENCES = frozenset((list, tuple))


def _beginning(value: Any, left: list[int]) -> Any:
    """The first items of a list or tuple, of which each takes a character at least, in as many as are left."""
    some = []
    for item in value:
        if left[0] < 0:
            break
        left[0] -= 1
        some.append(_beginning(item, left) if item.__class__ in _SEQUENCES else item)
    return value.__class__(some)
