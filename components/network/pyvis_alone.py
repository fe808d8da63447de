"""pyvis without IPython, which it imports for one thing: to show a network in a notebook.

That is 5 MB and a tenth of a second in each process of the page. Where nobody has imported IPython, what pyvis takes from it is
a function that imports it when it is called.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

WANTED = "IPython.display"
"""The module that pyvis imports, for `IFrame`."""


def _load() -> None:
    """Import pyvis so, unless it or IPython has been imported already."""
    names = (WANTED.partition(".")[0], WANTED)
    if "pyvis" in sys.modules or any(name in sys.modules for name in names):
        return
    for name in names:
        sys.modules[name] = ModuleType(name)
    sys.modules[WANTED].IFrame = _frame  # type: ignore[attr-defined]
    try:
        import_module("pyvis")
    finally:
        for name in names:
            del sys.modules[name]


def _frame(*args: Any, **named: Any) -> Any:
    return import_module(WANTED).IFrame(*args, **named)


_load()
import pyvis  # noqa: E402
from pyvis.edge import Edge  # noqa: E402
from pyvis.network import Network  # noqa: E402
from pyvis.node import Node  # noqa: E402

TEMPLATES = Path(pyvis.__file__).parent / "templates"

__all__ = ["TEMPLATES", "Edge", "Network", "Node"]
