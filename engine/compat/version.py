"""Which release of PyTorch is followed, and how what differs between releases is declared.

Releases differ in some texts, names and results. Each such thing is declared where it is used, with what it was and what it has
become:

    SHAPES = since("2.15", "mm: mat1 and mat2 shapes cannot be multiplied", before="mat1 and mat2 shapes cannot be multiplied")
    raise RuntimeError(SHAPES.now)

Names that have come or gone stand in `names_2.15.txt`. `follow` alone chooses; whoever has made something of the choice that
stays (`torch.__version__`, the names in a module) asks to be told by `when_followed`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

RELEASES = ("2.13", "2.15")
"""Those that can be followed, in order."""
DEFAULT = "2.13"
VARIABLE = "GRADTAPE_TORCH"
_PIN = re.compile(r"^[ \t]*#[^\n]*?\btorch[ \t]*(?:==|~=|>=)[ \t]*(\d+\.\d+)", re.MULTILINE)
_NUMBER = re.compile(r"(\d+\.\d+)(?:\..*|\+.*)?")


class _Followed:
    """The choice of this process."""

    __slots__ = ("place", "release", "told")

    def __init__(self) -> None:
        self.release = DEFAULT
        self.place = RELEASES.index(DEFAULT)
        self.told: list[Callable[[], None]] = []


_followed = _Followed()


class Changed(Generic[T]):
    """Something that PyTorch has changed with a release."""

    __slots__ = ("_before", "_place", "_since")

    def __init__(self, release: str, value: T, before: T) -> None:
        self._place = RELEASES.index(release)
        self._since = value
        self._before = before

    @property
    def now(self) -> T:
        """What it is in the release that is followed."""
        return self._since if _followed.place >= self._place else self._before


def since(release: str, value: T, *, before: T) -> Changed[T]:
    """What is one thing from a release on, and was another before."""
    return Changed(release, value, before)


def followed() -> str:
    """The release that is followed, as "2.13"."""
    return _followed.release


def release_of(version: str) -> str | None:
    """The release that is followed for a version ("2.15.1+cpu"): the last that is not newer; None where all are newer."""
    found = _NUMBER.fullmatch(version.strip())
    if found is None:
        return None
    older = [release for release in RELEASES if _key(release) <= _key(found[1])]
    return older[-1] if older else None


def _key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def asked_for(texts: Iterable[str]) -> str | None:
    """The release that a program asks for in a comment, as packages are pinned: `# torch==2.15`, `# !pip install torch==2.15`.

    None for none; the first that can be followed, where it asks for several.
    """
    for text in texts:
        for found in _PIN.finditer(text):
            if (release := release_of(found[1])) is not None:
                return release
    return None


def follow(release: str) -> None:
    """Follow a release from here on.

    Raises:
        ValueError: for one that cannot be followed.
    """
    if release not in RELEASES:
        raise ValueError(f"{VARIABLE} is one of {', '.join(RELEASES)}, not {release!r}")
    if release != _followed.release:
        _followed.release, _followed.place = release, RELEASES.index(release)
        for tell in _followed.told:
            tell()


def when_followed(tell: Callable[[], None]) -> None:
    """Have something done whenever another release is followed; at once, too, where it is not the default."""
    _followed.told.append(tell)
    if _followed.release != DEFAULT:
        tell()


follow(os.environ.get(VARIABLE, "").strip() or DEFAULT)
