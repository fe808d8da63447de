"""What a constructor was given, for those that keep all of it: the signature alone names it."""

from __future__ import annotations

from typing import Any


def given(variables: dict[str, Any], *first: str) -> dict[str, Any]:
    """The arguments by name, from the `locals()` of a constructor that has no other variables; those in `first` come first."""
    names = dict.fromkeys((*first, *variables))
    return {name: variables[name] for name in names if name not in ("self", "__class__")}
