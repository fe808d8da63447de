"""The ids of tensors and nodes, which grow over all recorders of a process: an id below a recorder's first is not its own."""

from __future__ import annotations


class Numbering:
    """The next id."""

    __slots__ = ("next",)

    def __init__(self) -> None:
        self.next = 0

    def give(self) -> int:
        """An id that nothing has."""
        number = self.next
        self.next = number + 1
        return number


IDS = Numbering()
