"""Modules that a room finds by itself, so that a new file in its folder is all that has to be added."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules(package: str, path: Iterable[str]) -> list[ModuleType]:
    """The modules of a package and of those below it, imported, in alphabetical order.

    Args:
        package: the package's `__name__`.
        path: its `__path__`.
    """
    found: list[ModuleType] = []
    for each in sorted(iter_modules(path), key=lambda each: each.name):
        module = import_module(f"{package}.{each.name}")
        found += modules(module.__name__, module.__path__) if each.ispkg else [module]
    return found
