"""Texts of a replay, each kept once: histories name them by their row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
_SECTION = re.compile(r"(?=<section\b)")


class Texts:
    """A table of texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._known: dict[str, int] = {}

    def row_of(self, text: str) -> int:
        """The row of a text."""
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]

    def rows_of(self, html: str) -> list[int]:
        """The rows of the sections of a text: those that stay are kept once, whatever changes beside them."""
        return [self.row_of(part) for part in _SECTION.split(html) if part]


def history(said: Iterable[tuple[int, T]]) -> list[tuple[int, T]]:
    """Of pairs (step, what is said from then on) those at which that changes."""
    found: list[tuple[int, T]] = []
    for step, row in said:
        if not found or found[-1][1] != row:
            found.append((step, row))
    return found
