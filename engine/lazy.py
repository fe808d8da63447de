"""Libraries that few visits need, imported when first used: together they would double the page's memory and slow its start."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Late:
    """Stands for a module until something of it is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found
