"""A dict whose keys are attributes as well, which several libraries return their results in."""

from __future__ import annotations

from typing import Any

from ..safe_attributes import plain


class AttributeDict(dict[str, Any]):
    """A dict whose keys can be read as attributes."""

    def __getattr__(self, key: str) -> Any:
        try:
            return self[plain(key)]
        except KeyError:
            raise AttributeError(key) from None

    def __dir__(self) -> list[str]:
        return [*self]
