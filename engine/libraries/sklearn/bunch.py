"""`sklearn.utils.Bunch`: a dict whose keys are attributes as well."""

from __future__ import annotations

from typing import Any

from ..attribute_dict import AttributeDict


class Bunch(AttributeDict):
    """A dict whose keys can be read as attributes."""

    __module__ = "sklearn.utils"

    def __init__(self, **names: Any) -> None:
        super().__init__(names)
