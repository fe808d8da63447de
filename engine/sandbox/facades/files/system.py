"""`os`, `os.path`, `glob`, `shutil` and `tempfile` for programs, on the run's file system; no other one is behind them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from ...policy.errors import PolicyError
from . import folders, streams
from .store import HOME, TEMPORARY, files, text_of

PURE = "basename commonpath commonprefix dirname isabs join normcase normpath split splitdrive splitext"
"""Functions of `os.path` that only look at the text."""
PROCESS = 4_242
"""What a program is told for the number of its process."""


class Environment(dict[str, str]):
    """The variables of the run: none, but those that the program sets."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        for given in (key, value):
            if not isinstance(given, str):
                raise TypeError(f"str expected, not {type(given).__name__}")
        super().__setitem__(str.__str__(key), str.__str__(value))

    def __repr__(self) -> str:
        return f"environ({dict.__repr__(self)})"

    def setdefault(self, key: Any, value: Any) -> Any:
        """The value, which is set if there is none."""
        if key not in self:
            self[key] = value
        return self[key]

    def update(self, *others: Any, **more: Any) -> None:
        """Set several."""
        for key, value in dict(*others, **more).items():
            self[key] = value

    def __ior__(self, other: Any) -> Any:  # type: ignore[misc]
        self.update(other)
        return self

    def copy(self) -> dict[str, str]:
        """A plain dict."""
        return dict(self)


class DirEntry:
    """What `os.scandir` gives: one name in a folder."""

    __slots__ = ("_folder", "_name")

    def __init__(self, folder: str, name: str) -> None:
        self._folder, self._name = folder, name

    name = property(lambda self: self._name)
    path = property(lambda self: posixpath.join(self._folder, self._name))

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        return folders.is_folder(self.path)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        return folders.is_file(self.path)

    def is_symlink(self) -> bool:
        """There are no links."""
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """What is known of it."""
        return folders.stat(self.path)

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<DirEntry {self._name!r}>"


class Scan:
    """What goes through a folder, and may stand in a `with`."""

    __slots__ = ("_entries",)

    def __init__(self, folder: str) -> None:
        self._entries = iter([DirEntry(folder, name) for name in folders.names_in(folder)])

    def __iter__(self) -> Scan:
        return self

    def __next__(self) -> DirEntry:
        return next(self._entries)

    def __enter__(self) -> Scan:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def close(self) -> None:
        """Nothing is open."""


class chdir:  # noqa: N801
    """As `contextlib.chdir`, in the run's file system."""

    __slots__ = ("_before", "_path")
    __module__ = "contextlib"

    def __init__(self, path: Any) -> None:
        self._path = path
        self._before: list[str] = []

    def __enter__(self) -> None:
        self._before.append(files().working)
        files().go(self._path)

    def __exit__(self, *_: Any) -> None:
        files().go(self._before.pop())


# --- os ----------------------------------------------------------------------------------------------------------------------


def path_names(environ: Environment) -> dict[str, Any]:
    """What `os.path` has."""

    def abspath(path: Any) -> str:
        return posixpath.normpath(posixpath.join(files().working, text_of(path)))

    def relpath(path: Any, start: Any = ".") -> str:
        if not text_of(path):
            raise ValueError("no path specified")
        return folders.relative(abspath(path), abspath(start))

    def expanduser(path: Any) -> str:
        text = text_of(path)
        return HOME + text[1:] if text == "~" or text.startswith("~/") else text

    def expandvars(path: Any) -> str:
        text = text_of(path)
        for name in sorted(environ, key=len, reverse=True):
            text = text.replace("${" + name + "}", environ[name]).replace(f"${name}", environ[name])
        return text

    def exists(path: Any) -> bool:
        return files().find(path) is not None

    def getsize(filename: Any) -> int:
        return folders.stat(filename).st_size

    def getmtime(filename: Any) -> float:
        return folders.stat(filename).st_mtime

    def samefile(f1: Any, f2: Any) -> bool:
        return files().at(f1) is files().at(f2)

    def islink(path: Any) -> bool:
        return False

    def realpath(filename: Any, *, strict: bool = False) -> str:
        return abspath(filename)

    def isfile(path: Any) -> bool:
        return folders.is_file(path)

    def isdir(s: Any) -> bool:
        return folders.is_folder(s)

    made: dict[str, Any] = {name: getattr(posixpath, name) for name in PURE.split()}
    functions: tuple[Any, ...] = (
        abspath, exists, expanduser, expandvars, getmtime, getsize, isdir, isfile, islink, realpath, relpath, samefile,
    )  # fmt: skip
    made |= {function.__name__: function for function in functions}
    return made | {"getatime": getmtime, "getctime": getmtime, "lexists": exists, "sep": "/", "pardir": "..", "curdir": "."}


def os_names(environ: Environment) -> dict[str, Any]:
    """What `os` has, besides `path`."""

    def getenv(key: Any, default: Any = None) -> Any:
        return environ.get(key, default)

    def putenv(name: Any, value: Any, /) -> None:
        environ[name] = value

    def unsetenv(name: Any, /) -> None:
        environ.pop(name, None)

    def getcwd() -> str:
        return files().working

    def chdir(path: Any) -> None:
        files().go(path)

    def listdir(path: Any = None) -> list[str]:
        return folders.names_in("." if path is None else path)

    def scandir(path: Any = None) -> Scan:
        return Scan("." if path is None else text_of(path))

    def walk(top: Any, topdown: Any = True, onerror: Any = None, followlinks: Any = False) -> Iterator[Any]:
        return folders.walk(top, topdown, onerror)

    def mkdir(path: Any, mode: int = 0o777) -> None:
        files().make_folder(path)

    def makedirs(name: Any, mode: int = 0o777, exist_ok: Any = False) -> None:
        text = text_of(name)
        files().make_folders(posixpath.dirname(text.rstrip("/")) or ".")
        try:
            files().make_folder(text)
        except FileExistsError:
            if not exist_ok or not folders.is_folder(text):
                raise

    def remove(path: Any) -> None:
        files().remove(path)

    def rmdir(path: Any) -> None:
        files().remove_folder(path)

    def removedirs(name: Any) -> None:
        rmdir(name)
        above = posixpath.dirname(files().absolute(name))
        while above != "/" and not folders.names_in(above):
            try:
                rmdir(above)
            except OSError:
                return
            above = posixpath.dirname(above)

    def rename(src: Any, dst: Any) -> None:
        files().rename(src, dst)

    def renames(old: Any, new: Any) -> None:
        files().make_folders(posixpath.dirname(text_of(new)) or ".")
        files().rename(old, new)

    def stat(path: Any, *, follow_symlinks: bool = True) -> os.stat_result:
        return folders.stat(path)

    def access(path: Any, mode: int, *, follow_symlinks: bool = True) -> bool:
        return files().find(path) is not None

    def chmod(path: Any, mode: int, *, follow_symlinks: bool = True) -> None:
        files().at(path)

    def utime(path: Any, times: Any = None, *, follow_symlinks: bool = True) -> None:
        files().at(path)

    def fspath(path: Any) -> Any:
        return os.fspath(path)

    def cpu_count() -> int:
        return 1

    def getpid() -> int:
        return PROCESS

    def sched_getaffinity(pid: Any) -> set[int]:
        return {0}

    def get_terminal_size(fd: Any = 1) -> os.terminal_size:
        return os.terminal_size((80, 24))

    functions: tuple[Any, ...] = (
        access, chdir, chmod, cpu_count, fspath, get_terminal_size, getcwd, getenv, getpid, listdir, makedirs, mkdir, putenv,
        remove, removedirs, rename, renames, rmdir, scandir, sched_getaffinity, stat, unsetenv, utime, walk,
    )  # fmt: skip
    named = {function.__name__: function for function in functions}
    constants = {
        "F_OK": 0, "R_OK": 4, "W_OK": 2, "X_OK": 1, "altsep": None, "curdir": ".", "devnull": "/dev/null", "extsep": ".",
        "linesep": "\n", "name": "posix", "pardir": "..", "pathsep": ":", "sep": "/",
    }  # fmt: skip
    return named | constants | {"environ": environ, "error": OSError, "lstat": stat, "replace": rename, "unlink": remove}


# --- glob, shutil ------------------------------------------------------------------------------------------------------------


def glob_names() -> dict[str, Any]:
    """What `glob` has."""

    def glob(
        pathname: Any, *, root_dir: Any = None, dir_fd: Any = None, recursive: Any = False, include_hidden: Any = False
    ) -> list[str]:
        root = "" if root_dir is None else text_of(root_dir)
        found = folders.matching(root, text_of(pathname), deep=bool(recursive), hidden=bool(include_hidden))
        return [folders.relative(path, root) if root and not text_of(pathname).startswith("/") else path for path in found]

    def iglob(pathname: Any, **options: Any) -> Iterator[str]:
        return iter(glob(pathname, **options))

    def escape(pathname: Any) -> str:
        return folders.MAGIC.sub(r"[\g<0>]", text_of(pathname))

    def has_magic(s: Any) -> bool:
        return folders.MAGIC.search(text_of(s)) is not None

    return {"escape": escape, "glob": glob, "has_magic": has_magic, "iglob": iglob}


def shutil_names() -> dict[str, Any]:
    """What `shutil` has."""

    class SameFileError(OSError):
        """As `shutil.SameFileError`."""

    SameFileError.__module__ = "shutil"

    def within(src: Any, dst: Any) -> str:
        return (
            posixpath.join(text_of(dst), posixpath.basename(text_of(src).rstrip("/")))
            if folders.is_folder(dst)
            else text_of(dst)
        )

    def copyfile(src: Any, dst: Any, *, follow_symlinks: bool = True) -> Any:
        data = files().data(src)
        if files().find(dst) is data:
            raise SameFileError(f"{text_of(src)!r} and {text_of(dst)!r} are the same file")
        files().write(dst, bytes(data.bytes))
        return dst

    def copy(src: Any, dst: Any, *, follow_symlinks: bool = True) -> str:
        target = within(src, dst)
        copyfile(src, target)
        return target

    def copytree(
        src: Any, dst: Any, symlinks: Any = False, ignore: Any = None, copy_function: Any = copy,
        ignore_dangling_symlinks: Any = False, dirs_exist_ok: Any = False,
    ) -> Any:  # fmt: skip
        source, target = text_of(src), text_of(dst)
        names = folders.names_in(source)
        left = set(ignore(source, names)) if ignore is not None else set()
        if not (dirs_exist_ok and folders.is_folder(target)):
            files().make_folders(posixpath.dirname(files().absolute(target)))
            files().make_folder(target)
        for name in names:
            one, other = posixpath.join(source, name), posixpath.join(target, name)
            if name in left:
                continue
            if folders.is_folder(one):
                copytree(one, other, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok)
            else:
                copy_function(one, other)
        return dst

    def ignore_patterns(*patterns: Any) -> Callable[[Any, Any], set[str]]:
        return lambda path, names: {name for name in names for p in patterns if folders.looks_like(name, text_of(p))}

    def rmtree(path: Any, ignore_errors: Any = False, onerror: Any = None, *, onexc: Any = None, dir_fd: Any = None) -> None:
        try:
            files().remove_folder(path, full=True)
        except OSError:
            if not ignore_errors:
                raise

    def move(src: Any, dst: Any, copy_function: Any = None) -> str:
        target = within(src, dst)
        if folders.is_folder(dst) and files().find(target) is not None:
            raise OSError(f"Destination path '{target}' already exists")
        files().rename(src, target)
        return target

    def which(cmd: Any, mode: int = 1, path: Any = None) -> None:
        return None

    def get_terminal_size(fallback: Any = (80, 24)) -> os.terminal_size:
        return os.terminal_size((80, 24))

    functions: tuple[Any, ...] = (copy, copyfile, copytree, get_terminal_size, ignore_patterns, move, rmtree, which)
    named = {function.__name__: function for function in functions}
    return named | {"Error": OSError, "SameFileError": SameFileError, "copy2": copy}


# --- tempfile ----------------------------------------------------------------------------------------------------------------


class TemporaryDirectory:
    """A folder that is taken away when it is no longer needed."""

    __slots__ = ("_path",)

    def __init__(
        self, suffix: Any = None, prefix: Any = None, dir: Any = None, ignore_cleanup_errors: Any = False, **_: Any
    ) -> None:
        self._path = _new_name(suffix, prefix, dir)
        files().make_folder(self._path)

    name = property(lambda self: self._path)

    def __enter__(self) -> str:
        return self._path

    def __exit__(self, *_: Any) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Take it away."""
        if folders.is_folder(self._path):
            files().remove_folder(self._path, full=True)

    def __repr__(self) -> str:
        return f"<TemporaryDirectory {self._path!r}>"


_numbers = count()


def _new_name(suffix: Any, prefix: Any, folder: Any) -> str:
    for given in (suffix, prefix):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{given!r} is not a str")
    above = TEMPORARY if folder is None else text_of(folder)
    while True:
        path = posixpath.join(above, f"{'tmp' if prefix is None else prefix}{next(_numbers):08d}{suffix or ''}")
        if files().find(path) is None:
            return path


def tempfile_names() -> dict[str, Any]:
    """What `tempfile` has."""

    def gettempdir() -> str:
        return TEMPORARY

    def mkdtemp(suffix: Any = None, prefix: Any = None, dir: Any = None) -> str:
        path = _new_name(suffix, prefix, dir)
        files().make_folder(path)
        return path

    def mkstemp(suffix: Any = None, prefix: Any = None, dir: Any = None, text: Any = False) -> Any:
        raise PolicyError("tempfile.mkstemp() gives a number of the system's, which there are none of here",
                          "Use tempfile.NamedTemporaryFile.")  # fmt: skip

    def NamedTemporaryFile(  # noqa: N802
        mode: Any = "w+b", buffering: Any = -1, encoding: Any = None, newline: Any = None, suffix: Any = None,
        prefix: Any = None, dir: Any = None, delete: Any = True, *, errors: Any = None, delete_on_close: Any = True,
    ) -> Any:  # fmt: skip
        streams.checked(mode, buffering, encoding, errors, newline)
        path = _new_name(suffix, prefix, dir)
        run = files()
        data = run.opened(path, new=True)

        def gone() -> None:
            if run.find(path) is data:
                run.remove(path)

        return streams.stream(run, data, path, mode, encoding, errors, newline, gone if delete else None)

    def TemporaryFile(*arguments: Any, **options: Any) -> Any:  # noqa: N802
        return NamedTemporaryFile(*arguments, **options)

    functions: tuple[Any, ...] = (NamedTemporaryFile, TemporaryFile, gettempdir, mkdtemp, mkstemp)
    return {function.__name__: function for function in functions} | {
        "SpooledTemporaryFile": TemporaryFile,
        "TemporaryDirectory": TemporaryDirectory,
        "tempdir": TEMPORARY,
    }
