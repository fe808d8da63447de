"""Texts of programs, as a terminal or a report may have them: it obeys none of the signs in them."""

from __future__ import annotations

import re
from typing import TextIO

_PICTURES = re.compile(r"\x1b\[[0-9;:]{0,40}[A-HJKm]")
"""What progress bars and colours are made of: the cursor is moved, a line is cleared, letters are coloured."""


def harmless(text: str) -> str:
    """A text without escapes and marks that turn the direction of text or hide in it; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def on_a_line(text: str) -> str:
    """The same on one line."""
    return " ".join(harmless(text).split())


def as_printed(text: str, to: TextIO) -> str:
    """What a program has printed. A terminal gets its colours and progress bars and obeys nothing else in it; a file or a pipe
    gets all of it."""
    if not to.isatty() or (text.isascii() and text.isprintable()):
        return text
    shown: list[str] = []
    at = 0
    for kept in _PICTURES.finditer(text):
        shown += (_on_a_terminal(text[at : kept.start()]), kept[0])
        at = kept.end()
    return "".join((*shown, _on_a_terminal(text[at:])))


def _on_a_terminal(text: str) -> str:
    return "".join(part if part in "\r\b" else harmless(part) for part in re.split("([\r\b])", text))
