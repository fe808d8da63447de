"""An error as it is quoted: once and whole, in one line."""

from __future__ import annotations

QUOTED = 600
"""Characters of an error that are quoted: all but those that hold a page of values."""


def quoted(kind: str, message: str) -> str:
    """An error as it was shown, "RuntimeError: …"; without its kind where that is ""."""
    line = " ".join((f"{kind}: {message}" if kind else message).split())
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 1]}…"
