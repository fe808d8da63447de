"""`distutils.version`: versions that are compared part by part."""

from __future__ import annotations

import re
from functools import total_ordering

__all__ = ["LooseVersion", "StrictVersion"]

PARTS = re.compile(r"(\d+ | [a-z]+ | \.)", re.VERBOSE)


@total_ordering
class LooseVersion:
    """A version whose numbers are compared as numbers, and what else stands in it as text."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, vstring: str | None = None) -> None:
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Take a version apart."""
        self.vstring = vstring
        parts = [part for part in PARTS.split(vstring) if part and part != "."]
        self.version = [int(part) if part.isdigit() else part for part in parts]

    def _other(self, other: object) -> LooseVersion | None:
        if isinstance(other, str):
            return type(self)(other)
        return other if isinstance(other, LooseVersion) else None

    def __eq__(self, other: object) -> bool:
        found = self._other(other)
        return NotImplemented if found is None else self.version == found.version

    def __lt__(self, other: object) -> bool:
        found = self._other(other)
        return NotImplemented if found is None else self.version < found.version

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"


class StrictVersion(LooseVersion):
    """One of two or three numbers."""

    def parse(self, vstring: str) -> None:
        """Take a version apart.

        Raises:
            ValueError: for one that has other parts.
        """
        super().parse(vstring)
        if not re.fullmatch(r"\d+\.\d+(\.\d+)?([ab]\d+)?", vstring):
            raise ValueError(f"invalid version number '{vstring}'")
        if self.version[2:] == [0]:
            del self.version[2:]
