"""`torch.save` and `torch.load`: checkpoints in PyTorch's format, which PyTorch reads, and PyTorch's are read here."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import Any

from ..checkpoint import torch_files
from ..checkpoint.objects import Library, Objects


def save(obj: Any, f: Any, *, pickle_protocol: int = 2, **_: Any) -> None:
    """Write an object to a file, named or open."""
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if hasattr(f, "write"):
        f.write(torch_files.written(obj, Library(), protocol=pickle_protocol))
        return
    data = torch_files.written(obj, Library(), Path(f).stem, pickle_protocol)
    with builtins.open(f, "wb") as file:
        file.write(data)


def load(f: Any, map_location: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None, **_: Any) -> Any:
    """Read what `save` wrote, here or in PyTorch.

    Args:
        f: the file, by name or open.
        map_location: where tensors come that were elsewhere.
        weights_only: refuse everything but tensors and containers of them.

    Raises:
        UnpicklingError: for other things, unless `weights_only` is False.
    """
    objects = Library() if weights_only is False else Objects()
    if not hasattr(f, "read"):
        with builtins.open(f, "rb") as file:
            return torch_files.loaded(file.read(), objects, map_location)[0]
    begin = f.tell()
    found, length = torch_files.loaded(f.read(), objects, map_location)
    f.seek(begin + length)
    return found
