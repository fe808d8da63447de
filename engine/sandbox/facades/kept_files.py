"""A program's files, until there is a file system: in memory, by their paths."""

from __future__ import annotations

import errno
import os
from typing import Any


class Files:
    """The files of a program, in memory."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def read(self, path: str) -> bytes:
        """What stands in a file."""
        if path not in self._kept:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return self._kept[path]

    def write(self, path: str, data: bytes) -> None:
        """Make a file, or write it anew."""
        self._kept[path] = data


_FILES = Files()


def files() -> Files:
    """The files of this run."""
    return _FILES


def is_path(f: Any) -> bool:
    return isinstance(f, str)


def path_of(f: Any) -> str:
    return str.__str__(f)


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
