"""What a program is told that imports what is not there."""

from __future__ import annotations

from collections.abc import Collection

from ..policy.errors import MissingModule

INSTEAD = {
    "PIL": "Make a picture with torch.rand or a list of numbers.",
    "IPython": "print() shows values; the last expression of a notebook cell is shown as well.",
    "asyncio": "Use plain functions and loops.",
    "builtins": "The built-in functions have their names.",
    "ctypes": "Index the array or tensor.",
    "einops": "Use reshape, permute and einsum.",
    "engine": "Write import torch.",
    "gradtape": "Write import torch.",
    "graphviz": "The page draws the graph.",
    "importlib": "Write an import statement, or use importlib.import_module.",
    "inspect": "Write down what you want to know of the function.",
    "keras": "Use torch.nn.",
    "matplotlib": "Print the values; the page draws tensors, gradients and losses.",
    "multiprocessing": "A program is one process; use a loop.",
    "os": "A program has files of its own in memory, and no processes here.",
    "pandas": "Use NumPy arrays, lists or dicts.",
    "pdb": "The timeline steps through the run.",
    "requests": "A program has no network here; write its data into the text.",
    "scipy": "Use torch.special, torch.linalg and torch.fft, or NumPy.",
    "seaborn": "Print the values; the page draws tensors, gradients and losses.",
    "signal": "A run ends by itself when its time is up.",
    "sklearn": "Make data with torch.randn, or write it into the text.",
    "socket": "A program has no network here.",
    "subprocess": "A program cannot start others here.",
    "tensorboard": "The page draws losses and gradients.",
    "tensorflow": "Use torch.",
    "threading": "A program has one thread; use a loop.",
    "torch": "This part of PyTorch is not here; print(torch.supported()) lists what is.",
    "torchvision": "Make data with torch.randn, or write it into the text.",
    "torchviz": "The page draws the graph.",
    "urllib": "A program has no network here; write its data into the text.",
}
"""Module → what to do instead."""


def error_for(name: str, modules: Collection[str]) -> MissingModule:
    """The error for a module that programs do not have."""
    top = name.partition(".")[0]
    there = ", ".join(sorted(m for m in modules if "." not in m and m[0] != "_"))
    help = INSTEAD.get(top, "")
    return MissingModule(f"No module named '{name}' for programs here", f"{help} There are: {there}.".strip())
