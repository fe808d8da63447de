"""What is kept with a session of Streamlit's, and found by parts of it on which nothing can be set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Kept(Generic[T]):
    """One thing for each session, as long as the session lives.

    Args:
        name: of the session's attribute that holds it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._by_part: WeakValueDictionary[int, _Entry[T]] = WeakValueDictionary()
        """id() of a part → what is kept with its session."""

    def of(self, session: Any, make: Callable[[], T], *parts: Any) -> T:
        """What is kept with a session, made when it is asked for first; from then on it is found by these parts, too."""
        entry: _Entry[T] | None = vars(session).get(self._name)
        if entry is None:
            entry = _Entry(make(), parts)
            setattr(session, self._name, entry)
            self._by_part.update((id(part), entry) for part in parts)
        return entry.kept

    def by(self, part: Any) -> T | None:
        """What is kept with the session that something is a part of; None where there is none."""
        entry = self._by_part.get(id(part))
        return entry.kept if entry is not None and any(part is each for each in entry.parts) else None


class _Entry(Generic[T]):
    def __init__(self, kept: T, parts: tuple[Any, ...]) -> None:
        self.kept = kept
        self.parts = parts
