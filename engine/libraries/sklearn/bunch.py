"""`sklearn.utils.Bunch`: a dict whose keys are attributes as well."""

from __future__ import annotations

from typing import Any


class Bunch(dict[str, Any]):
    """A dict whose keys can be read as attributes."""

    __module__ = "sklearn.utils"

    def __init__(self, **names: Any) -> None:
        super().__init__(names)

    def __getattr__(self, key: str) -> Any:
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key) from None

    def __dir__(self) -> list[str]:
        return [*self]
