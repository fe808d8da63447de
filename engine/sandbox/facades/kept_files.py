"""What `torch.save`, `pickle` and safetensors read and write: files by their paths, and file objects."""

from __future__ import annotations

import os
from typing import Any


def is_path(f: Any) -> bool:
    """Whether something is a path, and no file object."""
    return isinstance(f, str | os.PathLike)


def read_all(f: Any) -> tuple[bytes, int | None]:
    """What is left in an open file, and where that begins."""
    tell = getattr(f, "tell", None)
    begin = tell() if tell is not None else None
    data = f.read()
    if type(data) is not bytes:
        if not isinstance(data, (bytes, bytearray)):
            raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")
        data = bytes(memoryview(data))
    return data, begin if type(begin) is int else None


def go_to(f: Any, begin: int | None, length: int) -> None:
    seek = getattr(f, "seek", None)
    if begin is not None and seek is not None:
        seek(begin + length)
