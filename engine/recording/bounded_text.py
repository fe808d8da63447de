"""Texts that programs make, as a recording keeps them: plain strings of bounded length that can be sent and written."""

from __future__ import annotations

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
    """A plain value as short text."""
    try:
        text = repr(value)
        short = text if len(text) <= most else str.__getitem__(text, slice(most - 1)) + "…"
        return plain(short)
    except Exception:
        return f"<{type(value).__name__[:most]}>"
