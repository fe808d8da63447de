"""What lists offer to choose from: every choice is sent to the browser whenever the list is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

MOST = 400
"""Choices of one list."""


def both_ends(choices: Sequence[T]) -> list[T]:
    """The choices, or the first and the last of many."""
    return list(choices) if len(choices) <= MOST else [*choices[: MOST // 2], *choices[-(MOST // 2) :]]
