"""`torch.save` and `torch.load` for programs, which have no files: what is saved is kept in memory until the run ends."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ...context import context
from ...tensor import Tensor
from ..policy.errors import PolicyError

_SAVED: dict[bytes | str, Any] = {}
"""What was saved, by file name, or by what was written into a buffer."""


def save(obj: Any, f: Any, **_: Any) -> None:
    """Keep a copy of an object under a file name, or for a buffer."""
    key: bytes | str = f"{f}" if isinstance(f, str) else b"a saved object, number %d" % len(_SAVED)
    _SAVED[key] = _copied(obj)
    if isinstance(key, bytes):
        f.write(key)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, **_: Any) -> Any:
    """A copy of what `save` kept.

    Raises:
        FileNotFoundError: if nothing was saved under the name in this run.
    """
    key = f"{f}" if isinstance(f, str) else f.read()
    if key not in _SAVED:
        if isinstance(key, str):
            raise FileNotFoundError(f"[Errno 2] No such file or directory: {key!r}")
        raise PolicyError("torch.load can only read what torch.save wrote in the same run", "Save it in the program first.")
    return _copied(_SAVED[key])


def _copied(thing: Any) -> Any:
    """A copy of containers and tensors; tensors come without their graph, as from a file."""
    if isinstance(thing, Tensor):
        return context.deepcopy(thing) if thing.is_leaf else thing.detach().clone().requires_grad_()
    if type(thing) in (dict, OrderedDict):
        return type(thing)((k, _copied(v)) for k, v in thing.items())
    if type(thing) in (list, tuple):
        return type(thing)(_copied(v) for v in thing)
    return context.deepcopy(thing)
