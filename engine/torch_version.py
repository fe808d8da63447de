"""A version that is a text, and is compared as versions are: "1.10" comes after "1.9"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_NUMBERED = re.compile(r"v?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev|post)[-_.]?(\d*))?(?:\+(\S+))?")
_BEFORE = {"dev": -4, "a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "preview": -1, "post": 1}


def order_of(version: str) -> tuple[Any, ...] | None:
    """What versions are ordered by; None for a text that is none."""
    found = _NUMBERED.fullmatch(version.strip())
    if found is None:
        return None
    numbers = [int(n) for n in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), _BEFORE.get(found[2] or "", 0), int(found[3] or 0), found[4] or ""


class TorchVersion(str):
    """The version of PyTorch that is followed: a text, compared with texts and tuples as versions are."""

    __slots__ = ()

    def _compared(self, other: Any, how: str) -> bool:
        if isinstance(other, Iterable) and not isinstance(other, str):
            other = ".".join(str(part) for part in other)
        ours, theirs = order_of(str(self)), order_of(other) if isinstance(other, str) else None
        if ours is None or theirs is None:
            compared: Any = getattr(str, how)(self, other)
        else:
            compared = getattr(ours, how)(theirs)
        return bool(compared)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._compared(other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, "__ge__")

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "__eq__")

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


TorchVersion.__module__ = "torch.torch_version"
