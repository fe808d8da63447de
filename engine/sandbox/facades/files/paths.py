"""`pathlib` for programs: paths as texts, and what they name in the run's file system."""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Iterator
from typing import Any

from ...policy.errors import MissingAttribute
from . import folders, streams
from .store import HOME, files, text_of


class PurePosixPath:
    """A path; only its text is looked at."""

    __slots__ = ("_text",)
    __module__ = "pathlib"

    def __init__(self, *parts: Any) -> None:
        text = ""
        for part in parts:
            if not isinstance(part, str | PurePosixPath):
                raise TypeError(
                    "argument should be a str or an os.PathLike object where __fspath__ returns a str, "
                    f"not {type(part).__name__!r}"
                )
            text = posixpath.join(text, text_of(part))
        root = "//" if text.startswith("//") and not text.startswith("///") else "/" if text.startswith("/") else ""
        self._text = root + "/".join(part for part in text.split("/") if part not in ("", "."))

    def _with(self, *parts: Any) -> Any:
        return type(self)(*parts)

    def __fspath__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self._text or "."

    def as_posix(self) -> str:
        """The path with strokes."""
        return str(self)

    def __bytes__(self) -> bytes:
        return str(self).encode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> Any:
        return self._text == other._text if isinstance(other, PurePosixPath) else NotImplemented

    def __lt__(self, other: object) -> Any:
        return self.parts < other.parts if isinstance(other, PurePosixPath) else NotImplemented

    def __le__(self, other: object) -> Any:
        return self.parts <= other.parts if isinstance(other, PurePosixPath) else NotImplemented

    def __gt__(self, other: object) -> Any:
        return self.parts > other.parts if isinstance(other, PurePosixPath) else NotImplemented

    def __ge__(self, other: object) -> Any:
        return self.parts >= other.parts if isinstance(other, PurePosixPath) else NotImplemented

    def __truediv__(self, other: object) -> Any:
        return self._with(self, other) if isinstance(other, str | PurePosixPath) else NotImplemented

    def __rtruediv__(self, other: object) -> Any:
        return self._with(other, self) if isinstance(other, str | PurePosixPath) else NotImplemented

    def joinpath(self, *others: Any) -> Any:
        """This path, and others behind it."""
        return self._with(self, *others)

    # --- its parts ----------------------------------------------------------------------------------------------------------

    @property
    def root(self) -> str:
        """The strokes that it begins with."""
        return self._text[: len(self._text) - len(self._text.lstrip("/"))]

    anchor = root

    @property
    def drive(self) -> str:
        """Nothing, on such a system."""
        return ""

    def _names(self) -> list[str]:
        return [part for part in self._text.split("/") if part]

    @property
    def parts(self) -> tuple[str, ...]:
        """Root and names."""
        return (*filter(None, [self.root]), *self._names())

    @property
    def name(self) -> str:
        """The last name."""
        return (self._names() or [""])[-1]

    @property
    def suffix(self) -> str:
        """What follows the last point in the name, with it."""
        at = self.name.rfind(".")
        return self.name[at:] if 0 < at < len(self.name) - 1 else ""

    @property
    def suffixes(self) -> list[str]:
        """All of those."""
        if self.name.endswith("."):
            return []
        return [f".{part}" for part in self.name.lstrip(".").split(".")[1:]]

    @property
    def stem(self) -> str:
        """The name without the last of those."""
        return self.name[: len(self.name) - len(self.suffix)]

    @property
    def parent(self) -> Any:
        """The path without its last name."""
        names = self._names()
        return self._with(self.root + "/".join(names[:-1])) if names else self

    @property
    def parents(self) -> tuple[Any, ...]:
        """Everything above it, nearest first."""
        names = self._names()
        return tuple(self._with(self.root + "/".join(names[:k])) for k in range(len(names) - 1, -1, -1))

    def with_name(self, name: str) -> Any:
        """The path with another name."""
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        if not name or "/" in name or name == ".":
            raise ValueError(f"Invalid name {name!r}")
        return self._with(self.parent, name)

    def with_stem(self, stem: str) -> Any:
        """The path with another name before its suffix."""
        return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix: str) -> Any:
        """The path with another suffix."""
        if "/" in suffix or (suffix and not suffix.startswith(".")) or suffix == ".":
            raise ValueError(f"Invalid suffix {suffix!r}")
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        return self.with_name(self.stem + suffix)

    def is_absolute(self) -> bool:
        """Whether it begins at the root."""
        return self._text.startswith("/")

    def is_relative_to(self, *other: Any) -> bool:
        """Whether it lies below another one."""
        above = self._with(*other)
        return above == self or above in self.parents

    def relative_to(self, *other: Any, walk_up: bool = False) -> Any:
        """The path from another one."""
        above = self._with(*other)
        if self.is_relative_to(above):
            return self._with(*self.parts[len(above.parts) :])
        if walk_up and self.root == above.root:
            return self._with(folders.relative(self._text, above._text))
        raise ValueError(
            f"{str(self)!r} is not in the subpath of {str(above)!r} OR one path is relative and the other is absolute."
        )

    def match(self, path_pattern: Any) -> bool:
        """Whether its end looks like that."""
        pattern = self._with(path_pattern)
        if not pattern.parts:
            raise ValueError("empty pattern")
        mine, wanted = self.parts, pattern.parts
        if len(wanted) > len(mine) or (pattern.is_absolute() and len(wanted) != len(mine)):
            return False
        return all(folders.looks_like(name, part) for name, part in zip(mine[-len(wanted) :], wanted, strict=True))


class PosixPath(PurePosixPath):
    """A path of a file or a folder of this run."""

    __slots__ = ()
    __module__ = "pathlib"

    @classmethod
    def cwd(cls) -> Any:
        """The working folder."""
        return cls(files().working)

    @classmethod
    def home(cls) -> Any:
        """The user's folder."""
        return cls(HOME)

    # --- what is there ------------------------------------------------------------------------------------------------------

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether there is something."""
        return files().find(self) is not None

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether that is a file."""
        return folders.is_file(self)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether that is a folder."""
        return folders.is_folder(self)

    def is_symlink(self) -> bool:
        """There are no links."""
        return False

    is_mount = is_socket = is_fifo = is_block_device = is_char_device = is_symlink

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """What is known of it."""
        return folders.stat(self)

    lstat = stat

    def iterdir(self) -> Iterator[Any]:
        """What is in a folder."""
        return iter([self._with(self, name) for name in folders.names_in(self)])

    def glob(self, pattern: Any, *, case_sensitive: Any = None, recurse_symlinks: bool = False) -> Iterator[Any]:
        """What in it looks like that."""
        text = text_of(pattern)
        if not text or text == ".":
            raise ValueError(f"Unacceptable pattern: {text!r}")
        if text.startswith("/"):
            raise NotImplementedError("Non-relative patterns are unsupported")
        found = folders.matching(str(self), text, deep=True, hidden=True)
        return iter([self._with(path) for path in found])

    def rglob(self, pattern: Any, *, case_sensitive: Any = None, recurse_symlinks: bool = False) -> Iterator[Any]:
        """What in it, or below, looks like that."""
        return self.glob(f"**/{text_of(pattern)}")

    def walk(self, top_down: bool = True, on_error: Any = None, follow_symlinks: bool = False) -> Iterator[Any]:
        """Every folder from here on, with the names of folders and files in it."""
        for folder, below, names in folders.walk(str(self), top_down, on_error):
            yield self._with(folder), below, names

    def samefile(self, other_path: Any) -> bool:
        """Whether both name the same."""
        return files().at(self) is files().at(other_path)

    def absolute(self) -> Any:
        """The path from the root."""
        return self._with(files().working, self)

    def resolve(self, strict: bool = False) -> Any:
        """The path from the root, without points."""
        if strict:
            files().at(self)
        return self._with(files().absolute(str(self)))

    def expanduser(self) -> Any:
        """The path with the user's folder for `~`."""
        return self._with(HOME, *self.parts[1:]) if self.parts[:1] == ("~",) else self

    # --- changes ------------------------------------------------------------------------------------------------------------

    def open(self, mode: Any = "r", buffering: Any = -1, encoding: Any = None, errors: Any = None, newline: Any = None) -> Any:
        """As `open`."""
        return streams.open(self, mode, buffering, encoding, errors, newline)

    def read_bytes(self) -> bytes:
        """All its bytes."""
        return files().read(self)

    def read_text(self, encoding: Any = None, errors: Any = None, newline: Any = None) -> str:
        """All its text."""
        with self.open("r", -1, encoding, errors, newline) as file:
            return str(file.read())

    def write_bytes(self, data: Any) -> int:
        """Make it hold these bytes."""
        plain = streams.bytes_of(data)
        files().write(self, plain)
        return len(plain)

    def write_text(self, data: Any, encoding: Any = None, errors: Any = None, newline: Any = None) -> int:
        """Make it hold this text."""
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with self.open("w", -1, encoding, errors, newline) as file:
            return int(file.write(data))

    def touch(self, mode: int = 0o666, exist_ok: bool = True) -> None:
        """Make it, if it is not there."""
        if not (exist_ok and folders.is_folder(self)):
            files().opened(self, new=not exist_ok)

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a folder."""
        if parents:
            files().make_folders(self.parent)
        try:
            files().make_folder(self)
        except FileExistsError:
            if not (exist_ok and folders.is_folder(self)):
                raise

    def rmdir(self) -> None:
        """Take away an empty folder."""
        files().remove_folder(self)

    def unlink(self, missing_ok: bool = False) -> None:
        """Take away a file."""
        if not missing_ok or self.exists():
            files().remove(self)

    def rename(self, target: Any) -> Any:
        """Give it another path."""
        files().rename(self, target)
        return self._with(text_of(target))

    replace = rename

    def chmod(self, mode: int, *, follow_symlinks: bool = True) -> None:
        """Everything is allowed."""
        files().at(self)

    def symlink_to(self, target: Any, target_is_directory: bool = False) -> None:
        """There are no links."""
        raise OSError(errno.EPERM, os.strerror(errno.EPERM), str(self))

    hardlink_to = symlink_to


def names() -> dict[str, Any]:
    """What `pathlib` has."""
    return {
        "Path": PosixPath, "PosixPath": PosixPath, "PurePath": PurePosixPath, "PurePosixPath": PurePosixPath,
    }  # fmt: skip


def missing(name: str) -> AttributeError:
    """The error for another name."""
    return MissingAttribute(
        f"module 'pathlib' has no attribute '{name}' for programs here", "A path of this run is a pathlib.Path."
    )
