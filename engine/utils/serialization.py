"""`torch.save` and `torch.load`: tensors and containers of them to a file and back. The files are Gradtape's, not PyTorch's."""

from __future__ import annotations

import builtins
import pickle
from typing import Any

from ..compat.classes import name_of, named
from ..itself import OURS


def _ours(*known: tuple[str, str]) -> dict[tuple[str, str], str]:
    """What a file may name of the engine, by either of its names where files are written, and the module that this is here."""
    return {(where + module, name): OURS + module for where in ("engine.", "gradtape.engine.") for module, name in known}


OWN = _ours(
    ("tensor", "rebuilt"), ("nn.parameter", "rebuilt_parameter"), ("nn.state", "StateDict"), ("dtypes", "float32"),
    ("dtypes", "float64"),
)  # fmt: skip
"""The engine's own data."""
CLASSES = _ours(("compat.classes", "made"), ("compat.classes", "named"))
"""How a file finds the classes that stand in for PyTorch's."""
ALLOWED = {
    *OWN, ("collections", "OrderedDict"), ("numpy", "ndarray"), ("numpy", "dtype"),
    ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.numeric", "_frombuffer"), ("numpy._core.numeric", "_frombuffer"),
}  # fmt: skip
"""What a file may name where only data is expected."""


class _Anything(pickle.Unpickler):
    """Reads what was written here or where the engine has its other name."""

    def find_class(self, module: str, name: str) -> Any:
        """The object of that name."""
        return super().find_class((OWN | CLASSES).get((module, name), module), name)


class _Data(_Anything):
    """Reads what holds data only."""

    def find_class(self, module: str, name: str) -> Any:
        """The object of that name, if it is one of those that hold data."""
        if (module, name) in CLASSES:
            return _refused
        if (module, name) not in ALLOWED:
            _refused(f"{module}.{name}")
        return super().find_class(module, name)


def _refused(name: str, *_: Any) -> None:
    raise pickle.UnpicklingError(
        f"Weights only load failed. Unsupported global: GLOBAL {name} was not an allowed global by default."
    )


class _Writer(pickle.Pickler):
    """Writes what a file of PyTorch's would hold; classes that stand in for PyTorch's are found by PyTorch's name."""

    def reducer_override(self, thing: Any) -> Any:
        """How a class is found again; the rest is as usual."""
        name = name_of(thing) if isinstance(thing, type) else None
        return NotImplemented if name is None else (named, (name,))


def save(obj: Any, f: Any, **_: Any) -> None:
    """Write an object to a file, named or open."""
    if hasattr(f, "write"):
        _Writer(f, protocol=5).dump(obj)
        return
    with builtins.open(f, "wb") as file:
        _Writer(file, protocol=5).dump(obj)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, **_: Any) -> Any:
    """Read what `save` wrote.

    Args:
        f: the file, by name or open.
        map_location: accepted.
        weights_only: refuse everything but tensors and containers of them.

    Raises:
        UnpicklingError: for other things, with `weights_only`.
    """
    reader = _Data if weights_only else _Anything
    if hasattr(f, "read"):
        return reader(f).load()
    with builtins.open(f, "rb") as file:
        return reader(file).load()
