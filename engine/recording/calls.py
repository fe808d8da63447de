"""Which module's `forward` runs, by the path that `named_modules` gives it."""

from __future__ import annotations

from collections import deque
from typing import Any

MAX_SEARCHED = 2_000
"""Modules that are looked at to find the name of one."""
MAX_PATH = 300
"""Characters of a path."""


class Calls:
    """The modules that are being called, the innermost last."""

    def __init__(self) -> None:
        self.path = ""
        """The path of the innermost; "" outside of all modules."""
        self._open: list[tuple[Any, str]] = []
        self._names: dict[int, str] = {}

    def named(self, module: Any, name: str) -> None:
        """The program bound `name` to a module."""
        self._names.setdefault(id(module), name)

    def enter(self, module: Any) -> None:
        """A module is called."""
        self._open.append((module, self.path))
        parent = self._open[-2][0] if len(self._open) > 1 else None
        name = _name_within(parent, module) if parent is not None else None
        if name is None:
            self.path = self._names.get(id(module)) or type(module).__name__
        else:
            self.path = f"{self.path}.{name}"[:MAX_PATH]

    def leave(self) -> None:
        """The innermost call is over."""
        _, self.path = self._open.pop()


def _name_within(parent: Any, module: Any) -> str | None:
    """The name of a module among another's children and their children; None if it is not one of them."""
    if parent is module:
        return None
    waiting = deque([(parent, "")])
    for _ in range(MAX_SEARCHED):
        if not waiting:
            return None
        owner, prefix = waiting.popleft()
        children = vars(owner).get("_modules")
        for name, child in children.items() if isinstance(children, dict) else ():
            if child is module:
                return prefix + str(name)
            if child is not None:
                waiting.append((child, f"{prefix}{name}."))
    return None
