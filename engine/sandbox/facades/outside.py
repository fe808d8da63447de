"""Modules about files, processes and the machine: they can be imported, since many programs begin with them, and have next to
nothing; whatever is used of them says what to do instead."""

from __future__ import annotations

import os.path
from typing import Any

from ..policy.errors import MissingAttribute
from ..policy.inert import refusal
from .absent import INSTEAD
from .facade import Facade, Missing

NAMED = {
    "argparse": ("ArgumentParser",),
    "glob": ("glob",),
    "inspect": ("getsource", "signature"),
    "multiprocessing": ("Pool", "Process"),
    "pathlib": ("Path", "PurePath"),
    "shutil": ("copy", "rmtree"),
    "tempfile": ("NamedTemporaryFile", "TemporaryDirectory"),
    "threading": ("Lock", "Thread"),
}
"""Module → what programs import from it by name; it is refused when it is called."""
PATHS = ("basename", "commonprefix", "dirname", "isabs", "join", "normpath", "split", "splitext")
"""Functions of `os.path` that only look at the text."""


def facades() -> dict[str, Facade]:
    """The modules by name."""
    made = {}
    for module, names in NAMED.items():
        refused = {name: refusal(f"{module}.{name}()", INSTEAD[module]) for name in names}
        made[module] = Facade(module, refused, _missing(module))
    path = made["os.path"] = Facade("os.path", {name: getattr(os.path, name) for name in PATHS}, _missing("os.path"))
    system: dict[str, Any] = {"cpu_count": lambda: 1, "environ": {}, "getenv": _no_variable, "path": path, "sep": "/"}
    made["os"] = Facade("os", system, _missing("os"))
    return made


def _no_variable(key: str, default: Any = None) -> Any:
    """A program has no environment."""
    return default


def _missing(module: str) -> Missing:
    help = INSTEAD[module.partition(".")[0]]
    return lambda name: MissingAttribute(f"module '{module}' has no attribute '{name}' for programs here", help)
