"""What `os`, `glob`, `shutil` and `pathlib` have in common: what is in folders, and which names look like a pattern."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
import stat as kinds
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from .store import Data, Folder, files, text_of

MAGIC = re.compile(r"[*?[]")


def is_file(path: Any) -> bool:
    """Whether there is a file at a path."""
    return isinstance(files().find(path), Data)


def is_folder(path: Any) -> bool:
    """Whether there is a folder at a path."""
    return isinstance(files().find(path), Folder)


def names_in(path: Any) -> list[str]:
    """The names of what is in a folder, in order."""
    return sorted(files().folder(path).inside)


def stat(path: Any) -> os.stat_result:
    """What is known of a file or a folder; numbers of users and devices are 0."""
    thing = files().at(path)
    mode = kinds.S_IFREG | 0o644 if isinstance(thing, Data) else kinds.S_IFDIR | 0o755
    size = len(thing.bytes) if isinstance(thing, Data) else 4_096
    return os.stat_result((mode, 0, 0, 1, 0, 0, size, *[thing.changed] * 3))


def walk(top: Any, top_down: Any = True, on_error: Any = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every folder from there on, with the names of the folders and the files in it."""
    path = text_of(top)
    try:
        inside = files().folder(path).inside
    except OSError as error:
        if on_error is not None:
            on_error(error)
        return
    below = sorted(name for name, thing in inside.items() if isinstance(thing, Folder))
    names = sorted(name for name, thing in inside.items() if isinstance(thing, Data))
    if top_down:
        yield path, below, names
    for name in list(below):
        yield from walk(joined(path, name), top_down, on_error)
    if not top_down:
        yield path, below, names


def joined(folder: str, name: str) -> str:
    """A name in a folder."""
    return name if folder in ("", ".") else folder + name if folder.endswith("/") else f"{folder}/{name}"


def relative(path: str, start: str) -> str:
    """A path as it is said from another one, both from the root or both from the same place."""
    there, here = ([part for part in posixpath.normpath(one).split("/") if part not in ("", ".")] for one in (path, start))
    same = len(posixpath.commonprefix([there, here]))
    return "/".join([*[".."] * (len(here) - same), *there[same:]]) or "."


# --- patterns ----------------------------------------------------------------------------------------------------------------


@lru_cache(256)
def _pattern(text: str) -> Callable[[str], Any]:
    return re.compile(fnmatch.translate(text)).match


def looks_like(name: str, pattern: str) -> bool:
    """Whether a name looks like a pattern of `*`, `?` and `[…]`."""
    return _pattern(pattern)(name) is not None


def matching(folder: str, pattern: str, *, deep: bool, hidden: bool) -> list[str]:
    """The paths in a folder that look like a pattern, in order.

    Args:
        deep: a part `**` stands for any number of folders.
        hidden: names that begin with a point are like others.
    """
    parts = pattern.split("/")
    found = {"/" if pattern.startswith("/") else folder: None}
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        if not part:
            if last and k:
                found = {path + "/": None for path in found if is_folder(path)}
            continue
        step: dict[str, None] = {}
        for path in found:
            step.update(dict.fromkeys(_below(path, part, last, deep, hidden)))
        found = step
    return [path for path in found if path]


def _below(path: str, part: str, last: bool, deep: bool, hidden: bool) -> Iterator[str]:
    here = path or "."
    if part == "**" and deep:
        for above, below, names in walk(here):
            if not hidden:
                below[:] = [name for name in below if not name.startswith(".")]
            yield above if path or above != "." else ""
            if last and not hidden:
                yield from (joined(above, name) for name in names if not name.startswith("."))
        return
    if not MAGIC.search(part):
        target = joined(path, part)
        if files().find(target) is not None if last else is_folder(target):
            yield target
        return
    for name in names_in(here) if is_folder(here) else ():
        if looks_like(name, part) and (hidden or part.startswith(".") or not name.startswith(".")):
            target = joined(path, name)
            if last or is_folder(target):
                yield target
