"""The patterns of `einops`: "b c (h w)" as a list of the axes that each dimension is made of."""

from __future__ import annotations

import keyword
import warnings
from typing import Any

ELLIPSIS = "…"


class EinopsError(RuntimeError):
    """What is wrong with a pattern, or with a tensor that should fit it."""

    __module__ = "einops"


class AnonymousAxis:
    """An axis that is given by its length; no two are the same."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        if value < 1:
            raise EinopsError(f"Anonymous axis should have positive length, not {value}")
        self.value = value

    def __repr__(self) -> str:
        return f"{self.value}-axis"


class Expression:
    """One side of a pattern.

    Raises:
        EinopsError: if it is none.
    """

    def __init__(self, text: str, *, allow_underscore: bool = False, allow_duplicates: bool = False) -> None:
        self.has_ellipsis = "." in text
        self.ellipsis_is_inside = False
        """Whether the ellipsis stands in parentheses."""
        self.identifiers: set[Any] = set()
        self.has_lengths = False
        """Whether an axis other than 1 is given by its length."""
        self.composition: list[Any] = []
        """For each dimension its axes, or the ellipsis."""
        self._allowed = allow_underscore, allow_duplicates
        if self.has_ellipsis:
            if "..." not in text:
                raise EinopsError("Expression may contain dots only inside ellipsis (...)")
            if text.count("...") != 1 or text.count(".") != 3:
                raise EinopsError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
            text = text.replace("...", ELLIPSIS)
        self._read(text)

    def _read(self, text: str) -> None:
        group: list[Any] | None = None
        name = ""
        for char in text:
            if char in "() ":
                self._add(name, group)
                name = ""
                if char == "(":
                    if group is not None:
                        raise EinopsError("Axis composition is one-level (brackets inside brackets not allowed)")
                    group = []
                elif char == ")":
                    if group is None:
                        raise EinopsError("Brackets are not balanced")
                    self.composition.append(group)
                    group = None
            elif char.isalnum() or char in ("_", ELLIPSIS):
                name += char
            else:
                raise EinopsError(f"Unknown character '{char}'")
        if group is not None:
            raise EinopsError(f'Imbalanced parentheses in expression: "{text}"')
        self._add(name, group)

    def _add(self, name: str, group: list[Any] | None) -> None:
        """Put an axis into the group that is open, or into a dimension of its own."""
        if not name:
            return
        underscores, duplicates = self._allowed
        if name in self.identifiers and not duplicates and not (underscores and name == "_"):
            raise EinopsError(f'Indexing expression contains duplicate dimension "{name}"')
        if name == ELLIPSIS:
            self.identifiers.add(ELLIPSIS)
            self.ellipsis_is_inside = group is not None
            (self.composition if group is None else group).append(ELLIPSIS)
            return
        number = int(name) if name.isdecimal() else None
        if number == 1:
            if group is None:
                self.composition.append([])
            return
        reason = "" if number is not None else wrong_with(name, underscores)
        if reason:
            raise EinopsError(f"Invalid axis identifier: {name}\n{reason}")
        axis = name if number is None else AnonymousAxis(number)
        self.identifiers.add(axis)
        self.has_lengths = self.has_lengths or number is not None
        if group is None:
            self.composition.append([axis])
        else:
            group.append(axis)


def wrong_with(name: str, allow_underscore: bool = False) -> str:
    """Why a text cannot name an axis, "" if it can."""
    if not name.isidentifier():
        return "not a valid python identifier"
    if name[0] == "_" or name[-1] == "_":
        return "" if name == "_" and allow_underscore else "axis name should should not start or end with underscore"
    if keyword.iskeyword(name):
        warnings.warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning, stacklevel=2)
    if name == "axis":
        warnings.warn(
            "It is discouraged to use 'axis' as an axis name and will raise an error in future", FutureWarning, stacklevel=2
        )
    return ""
