"""`packaging.version`: versions that are compared as versions are."""

from __future__ import annotations

import re
from typing import Any

from ...torch_version import order_of

__all__ = ["InvalidVersion", "Version", "parse"]


class InvalidVersion(ValueError):  # the library's name
    """A text that is no version."""


class Version:
    """A version: "1.10" comes after "1.9", and "2.0rc1" before "2.0".

    Raises:
        InvalidVersion: for a text that is none.
    """

    def __init__(self, version: str) -> None:
        key = order_of(version)
        if key is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        self._text, self._order = version.strip().removeprefix("v"), key

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Version('{self}')>"

    def __hash__(self) -> int:
        return hash(self._order)

    def __eq__(self, other: object) -> Any:
        return self._order == other._order if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self._order < other._order if isinstance(other, Version) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self._order <= other._order if isinstance(other, Version) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self._order > other._order if isinstance(other, Version) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self._order >= other._order if isinstance(other, Version) else NotImplemented

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers."""
        found = re.match(r"\d+(\.\d+)*", self._text)
        return tuple(int(part) for part in found[0].split(".")) if found else ()

    @property
    def major(self) -> int:
        """The first number."""
        return (*self.release, 0)[0]

    @property
    def minor(self) -> int:
        """The second number."""
        return (*self.release, 0, 0)[1]

    @property
    def micro(self) -> int:
        """The third number."""
        return (*self.release, 0, 0, 0)[2]

    @property
    def local(self) -> str | None:
        """What stands behind "+"."""
        return self._order[3] or None

    @property
    def public(self) -> str:
        """What stands before "+"."""
        return self._text.partition("+")[0]

    @property
    def base_version(self) -> str:
        """The numbers alone, as a text."""
        return ".".join(map(str, self.release))

    @property
    def is_prerelease(self) -> bool:
        """Whether it comes before the version of its numbers."""
        return bool(self._order[1] < 0)


def parse(version: str) -> Version:
    """The version that a text is.

    Raises:
        InvalidVersion: for a text that is none.
    """
    return Version(version)
