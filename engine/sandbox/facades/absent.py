"""What a program is told that imports what is not there."""

from __future__ import annotations

from collections.abc import Collection

from ..policy.errors import MissingModule

INSTEAD = {
    "asyncio": "Use plain functions and loops.",
    "builtins": "The built-in functions have their names.",
    "ctypes": "Index the array or tensor.",
    "engine": "Write import torch.",
    "gradtape": "Write import torch.",
    "graphviz": "The page draws the graph.",
    "importlib": "Write an import statement, or use importlib.import_module.",
    "inspect": "Write down what you want to know of the function.",
    "keras": "Use torch.nn.",
    "multiprocessing": "A program is one process; use a loop.",
    "os": "A program has files of its own in memory, and no processes here.",
    "pandas": "Use NumPy arrays, lists or dicts.",
    "pdb": "The timeline steps through the run.",
    "requests": "A program has no network here; write its data into the text.",
    "scipy": "Use torch.special, torch.linalg and torch.fft, or NumPy.",
    "signal": "A run ends by itself when its time is up.",
    "socket": "A program has no network here.",
    "subprocess": "A program cannot start others here.",
    "tensorflow": "Use torch.",
    "threading": "A program has one thread; use a loop.",
    "torch": "This part of PyTorch is not here; print(torch.supported()) lists what is.",
    "torchviz": "The page draws the graph.",
    "urllib": "A program has no network here; write its data into the text.",
}
"""Module → what to do instead."""


def error_for(name: str, modules: Collection[str]) -> MissingModule:
    """The error for a module that programs do not have."""
    top = name.partition(".")[0]
    help = INSTEAD.get(top, "")
    below = [m for m in modules if m.startswith(f"{top}.")] if not help else []
    there = ", ".join(sorted(below or (m for m in modules if "." not in m and m[0] != "_"), key=str.lower))
    return MissingModule(f"No module named '{name}' for programs here", f"{help} There are: {there}.".strip())
