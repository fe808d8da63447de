"""Names as they stand in pickles."""

from __future__ import annotations

from functools import cache


class Name:
    """A name as it is written into a pickle."""

    __slots__ = ("module", "text")

    def __init__(self, module: str, text: str) -> None:
        self.module, self.text = module, text

    def __call__(self) -> None:
        """Python's pickler wants something to call."""


@cache
def name(module: str, text: str) -> Name:
    """The name, always the same object."""
    return Name(module, text)
