"""The files of one run: folders and bytes in memory, counted, with paths and errors as on Linux; they are nowhere else."""

from __future__ import annotations

import errno
import operator
import os
import posixpath
import time
from collections.abc import Iterable, Iterator
from typing import Any

from .... import limits

WORKING = "/project"
"""The folder that a run begins in; what was opened together with the program lies there, and what is there can be saved."""
FOLDER = "not made in a folder that is not there"
"""The attribute of errors that say so."""
HOME = "/home/user"
TEMPORARY = "/tmp"
MOST_NAME, MOST_PATH = 255, 4_096
"""Bytes of one part of a path, and of a whole one, as on Linux."""


class Data:
    """One file."""

    __slots__ = ("bytes", "changed")

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.changed = time.time()


class Folder:
    """One folder, with what is in it by name."""

    __slots__ = ("changed", "inside")

    def __init__(self) -> None:
        self.inside: dict[str, Data | Folder] = {}
        self.changed = time.time()


class Files:
    """The file system of one run. A path is a text, bytes or a `Path`; what is wrong with it is said in Python's words.

    Args:
        seeds: what is there from the beginning, as paths below the working folder with their bytes.
        most_bytes, most_files: what may be there at once; folders count as files.
    """

    def __init__(
        self,
        seeds: Iterable[tuple[str, bytes]] = (),
        most_bytes: int = limits.FILE_BYTES.value(),
        most_files: int = limits.FILE_COUNT.value(),
    ) -> None:
        self.most_bytes, self.most_files = most_bytes, most_files
        self.used = self.count = 0
        self.root = Folder()
        self.working = WORKING
        for folder in (WORKING, HOME, TEMPORARY):
            self.make_folders(folder)
        self._seeded = {posixpath.normpath(path): data for path, data in seeds}
        for path, data in self._seeded.items():
            self.make_folders(posixpath.dirname(posixpath.join(WORKING, path)))
            self.write(posixpath.join(WORKING, path), data)

    # --- whole files --------------------------------------------------------------------------------------------------------

    def read(self, path: Any) -> bytes:
        """What is in a file."""
        return bytes(self.data(path).bytes)

    def write(self, path: Any, data: bytes) -> None:
        """Make a file, or give it other contents."""
        file = self.opened(path)
        self.cut(file, 0)
        self.put(file, 0, data)

    def written(self) -> Iterator[tuple[str, bytes]]:
        """The files in the working folder that were not there at the beginning, or were other ones, by path."""
        for path, file in sorted(self.below(WORKING), key=operator.itemgetter(0)) if self.find(WORKING) is not None else ():
            if path not in self._seeded or file.bytes != self._seeded[path]:
                yield path, bytes(file.bytes)

    def below(self, folder: Any) -> Iterator[tuple[str, Data]]:
        """All files in a folder and in those within it, with their paths from there."""
        pending: list[tuple[str, Folder]] = [("", self.folder(folder))]
        while pending:
            path, one = pending.pop()
            for name, thing in list(one.inside.items()):
                if isinstance(thing, Folder):
                    pending.append((f"{path}{name}/", thing))
                else:
                    yield path + name, thing

    # --- parts of files -----------------------------------------------------------------------------------------------------

    def put(self, file: Data, at: int, data: bytes | bytearray | memoryview) -> None:
        """Write bytes into a file; what was left out before them is zeros."""
        size = len(data)
        grown = at + size - len(file.bytes) if size else 0
        if grown > 0:
            if self.used + grown > self.most_bytes:
                raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {limits.FILE_BYTES.past(self.most_bytes)}")
            self.used += grown
            if at > len(file.bytes):
                file.bytes.extend(bytes(at - len(file.bytes)))
        file.bytes[at : at + size] = data
        file.changed = time.time()

    def cut(self, file: Data, size: int) -> None:
        """Make a file as long as that: shorter, or longer by zeros."""
        if size > len(file.bytes):
            self.put(file, size - 1, b"\0")
        else:
            self.used -= len(file.bytes) - size
            del file.bytes[size:]
        file.changed = time.time()

    # --- what is there ------------------------------------------------------------------------------------------------------

    def absolute(self, path: Any) -> str:
        """A path from the root, without `.` and `..`."""
        text = text_of(path)
        if "\0" in text:
            raise ValueError("embedded null byte")
        if not text:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)
        if len(text.encode("utf-8", "surrogatepass")) >= MOST_PATH or any(
            len(part.encode("utf-8", "surrogatepass")) > MOST_NAME for part in text.split("/")
        ):
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), text)
        return "/" + posixpath.normpath(posixpath.join(self.working, text)).lstrip("/")

    def find(self, path: Any) -> Data | Folder | None:
        """What is at a path; None for nothing."""
        try:
            return self.at(path)
        except (OSError, ValueError):
            return None

    def at(self, path: Any) -> Data | Folder:
        """What is at a path."""
        absolute = self.absolute(path)
        thing: Data | Folder = self.root
        for name in filter(None, absolute.split("/")):
            if not isinstance(thing, Folder):
                raise _error(errno.ENOTDIR, path)
            if name not in thing.inside:
                raise _error(errno.ENOENT, path)
            thing = thing.inside[name]
        if isinstance(thing, Data) and text_of(path).endswith("/"):
            raise _error(errno.ENOTDIR, path)
        return thing

    def data(self, path: Any) -> Data:
        """The file at a path."""
        thing = self.at(path)
        if isinstance(thing, Folder):
            raise _error(errno.EISDIR, path)
        return thing

    def folder(self, path: Any) -> Folder:
        """The folder at a path."""
        thing = self.at(path)
        if not isinstance(thing, Folder):
            raise _error(errno.ENOTDIR, path)
        return thing

    # --- changes ------------------------------------------------------------------------------------------------------------

    def opened(self, path: Any, *, new: bool = False) -> Data:
        """The file at a path, which is made if it is not there; with `new` it must not be."""
        folder, name = self._place(path)
        thing = folder.inside.get(name)
        if thing is not None and new:
            raise _error(errno.EEXIST, path)
        if isinstance(thing, Folder) or not name or text_of(path).endswith("/"):
            raise _error(errno.EISDIR, path)
        if thing is None:
            thing = Data()
            self._add(folder, name, thing)
        return thing

    def make_folder(self, path: Any) -> None:
        """Make a folder, in one that is there."""
        folder, name = self._place(path)
        if not name or name in folder.inside:
            raise _error(errno.EEXIST, path)
        self._add(folder, name, Folder())

    def make_folders(self, path: Any) -> None:
        """Make a folder, and those that it is in; it may be there."""
        here = self.root
        for name in filter(None, self.absolute(path).split("/")):
            if name not in here.inside:
                self._add(here, name, Folder())
            thing = here.inside[name]
            if not isinstance(thing, Folder):
                raise _error(errno.ENOTDIR, path)
            here = thing

    def remove(self, path: Any) -> None:
        """Take a file away."""
        if isinstance(self.at(path), Folder):
            raise _error(errno.EISDIR, path)
        self._take(path)

    def remove_folder(self, path: Any, *, full: bool = False) -> None:
        """Take a folder away; an empty one, unless everything in it is meant as well."""
        folder = self.folder(path)
        if folder.inside and not full:
            raise _error(errno.ENOTEMPTY, path)
        if folder is self.root or f"{self.working}/".startswith(f"{self.absolute(path)}/"):
            raise _error(errno.EBUSY, path)
        self._take(path)

    def rename(self, source: Any, target: Any) -> None:
        """Give a file or a folder another path; a file that is there is replaced."""
        try:
            thing = self.at(source)
            folder, name = self._place(target)
        except OSError as error:
            raise _error(error.errno or errno.ENOENT, source, target) from None
        old, new = self.absolute(source), self.absolute(target)
        if isinstance(thing, Folder) and (new + "/").startswith(old + "/") and new != old:
            raise _error(errno.EINVAL, source, target)
        there = folder.inside.get(name)
        if there is thing:
            return
        if isinstance(there, Folder):
            if not isinstance(thing, Folder):
                raise _error(errno.EISDIR, source, target)
            if there.inside:
                raise _error(errno.ENOTEMPTY, source, target)
        elif there is not None and isinstance(thing, Folder):
            raise _error(errno.ENOTDIR, source, target)
        if not name or thing is self.root:
            raise _error(errno.EBUSY, source, target)
        if there is not None:
            self._take(target)
        before, old_name = self._place(source)
        del before.inside[old_name]
        folder.inside[name] = thing

    def go(self, path: Any) -> None:
        """Make a folder the one that relative paths begin in."""
        self.folder(path)
        self.working = self.absolute(path)

    def _place(self, path: Any) -> tuple[Folder, str]:
        """The folder that something is in, and its name there, "" for the root."""
        above, _, name = self.absolute(path).rpartition("/")
        try:
            return self.folder(above or "/"), name
        except OSError as error:
            made = _error(error.errno or errno.ENOENT, path)
            vars(made)[FOLDER] = True
            raise made from None

    def _add(self, folder: Folder, name: str, thing: Data | Folder) -> None:
        if self.count >= self.most_files:
            raise OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}: {limits.FILE_COUNT.past(self.most_files)}")
        self.count += 1
        folder.inside[name] = thing
        folder.changed = time.time()

    def _take(self, path: Any) -> None:
        folder, name = self._place(path)
        pending: list[Data | Folder] = [folder.inside.pop(name)]
        while pending:
            thing = pending.pop()
            self.count -= 1
            if isinstance(thing, Folder):
                pending.extend(thing.inside.values())
            else:
                # Whoever has it open goes on with a file that has no name, as on Linux; those bytes are counted anew.
                self.used -= len(thing.bytes)
                thing.bytes = bytearray()
        folder.changed = time.time()


def text_of(path: Any) -> str:
    """A path as a plain text.

    Raises:
        TypeError: for what is no path.
    """
    if type(path) in (bool, int):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), path)
    given = os.fspath(path)
    return str.__str__(given) if isinstance(given, str) else bytes.decode(given, "utf-8", "surrogateescape")


def _error(number: int, *paths: Any) -> OSError:
    """As Python raises it for a path, or for one and a second one."""
    shown = [text_of(path) for path in paths]
    if len(shown) == 2:
        return OSError(number, os.strerror(number), shown[0], None, shown[1])
    return OSError(number, os.strerror(number), *shown)


# --- those of the run --------------------------------------------------------------------------------------------------------

_current: list[Files] = []


def files() -> Files:
    """The file system of the run that this process does."""
    if not _current:
        _current.append(Files())
    return _current[0]


def begin(found: Files) -> None:
    """From here on that is the run's file system."""
    _current[:] = [found]
