"""Which module's `forward` runs, by the path that `named_modules` gives it; the shortest, where there are several."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from .bounded_text import name_of

MAX_SEARCHED = 2_000
"""Modules that are looked at to find the name of one."""
MAX_PATH = 300
"""Characters of a path."""


Inside: TypeAlias = tuple[str, str, str]
"""The path of a module that is being called, its class, and the mode it is in: "train", "eval" or "" for neither."""


class Calls:
    """The modules that are being called, the innermost last."""

    def __init__(self) -> None:
        self.inside: Inside = ("", "", "")
        """What is known of the innermost; three times "" outside of all modules."""
        self._open: list[tuple[_Family, Inside]] = []
        self._names: dict[int, str] = {}

    def named(self, module: Any, name: str) -> None:
        """The program bound `name` to a module."""
        self._names.setdefault(id(module), name)

    def unknown(self, module: Any) -> bool:
        """Whether a module that is called now would go by its class alone: no other runs, and it has no name yet."""
        return not self._open and id(module) not in self._names

    def enter(self, module: Any) -> None:
        """A module is called."""
        name = self._open[-1][0].name_of(module) if self._open else None
        self._open.append((_Family(module), self.inside))
        kind = name_of(type(module).__name__)
        if name is None:
            self.inside = name_of(self._names.get(id(module)) or kind), kind, _mode(module)
        else:
            self.inside = name_of(f"{self.inside[0]}.{name}"[:MAX_PATH]), kind, _mode(module)

    def leave(self) -> None:
        """The innermost call is over."""
        _, self.inside = self._open.pop()


class _Family:
    """The modules within one that is being called, found in the order of breadth as far as they have been asked for.

    A model of thousands of layers calls one after the other: nothing is looked through twice.
    """

    def __init__(self, head: Any) -> None:
        self.head = head
        self._paths: dict[int, tuple[Any, tuple[str, ...]]] = {}
        self._rest = _within(head)

    def name_of(self, module: Any) -> str | None:
        """The path to a module from the head; None if it is not within."""
        if module is self.head:
            return None
        known = self._paths.get(id(module))
        if known is None:
            known = self._look_for(module)
        if known is None or not self._holds(module, known[1]):  # the program has moved modules about since
            self._paths, self._rest = {}, _within(self.head)
            known = self._look_for(module)
        return ".".join(known[1]) if known is not None else None

    def _look_for(self, module: Any) -> tuple[Any, tuple[str, ...]] | None:
        for child, path in self._rest:
            there = self._paths.setdefault(id(child), (child, path))
            if child is module:
                return there
        return None

    def _holds(self, module: Any, path: tuple[str, ...]) -> bool:
        at = self.head
        for name in path:
            at = _children(at).get(name)
        return at is module


def _mode(module: Any) -> str:
    """The mode that a module is in, as far as that is a plain attribute: no code of the program's is run to find it."""
    training = vars(module).get("training") if hasattr(module, "__dict__") else None
    return "" if training.__class__ is not bool else "train" if training else "eval"


def _children(module: Any) -> dict[Any, Any]:
    found = vars(module).get("_modules") if hasattr(module, "__dict__") else None
    return found if isinstance(found, dict) else {}


def _within(head: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The modules within one, with their paths."""
    waiting: deque[tuple[Any, tuple[str, ...]]] = deque([(head, ())])
    for _ in range(MAX_SEARCHED):
        if not waiting:
            return
        owner, path = waiting.popleft()
        for name, child in list(_children(owner).items()):
            if child is not None:
                waiting.append((child, (*path, str(name))))
                yield child, (*path, str(name))
