"""The files that lie beside a program on the command line: what `--files` names, the modules it imports, and what it wrote."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..limits import FILE_BYTES, FILE_COUNT
from ..program.project import modules, sound
from .command import CommandError

LEFT_OUT = ("__pycache__",)
"""Folders that no program reads; so are those whose names begin with a point."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments that say what a program finds when it runs; what follows `--` on the command line is its own."""
    parser.add_argument(
        "--files", metavar="PATH", action="append", default=[],
        help="a file or a folder that the program finds in the folder it runs in; may be repeated. Modules beside the program "
        "that it imports are there without it. What follows -- goes to the program, in sys.argv",
    )  # fmt: skip
    parser.set_defaults(arguments=())


def found(program: Path, cells: Iterable[str], given: Iterable[str]) -> tuple[tuple[str, bytes], ...]:
    """What lies beside a program: paths below the folder that it runs in, with their bytes.

    Raises:
        CommandError: for what cannot be read, or is more than a run may hold.
    """
    there: dict[str, bytes] = {}
    room = FILE_BYTES.value()
    for text in given:
        for path, real in _files(Path(text)):
            if not sound(path):
                raise CommandError(f"{real} has a name that cannot be given to a program")
            there[path] = _read(real)
            room -= len(there[path])
            if room < 0 or len(there) > FILE_COUNT.value():
                raise CommandError(f"{text} is too much: {(FILE_BYTES if room < 0 else FILE_COUNT).past()}")
    wanted = _Modules(program.parent, there)
    modules(cells, wanted)
    return tuple(sorted((there | wanted.read).items()))


class _Modules(dict[str, bytes]):
    """The modules in a folder, read when they are asked for."""

    def __init__(self, folder: Path, given: dict[str, bytes]) -> None:
        super().__init__()
        self._folder, self._given = folder, given
        self.read: dict[str, bytes] = {}

    def __contains__(self, path: object) -> bool:
        if path in self._given or path in self.read:
            return True
        real = self._folder / str(path)
        if not sound(str(path)) or not real.is_file() or real.stat().st_size > FILE_BYTES.value():
            return False
        self.read[str(path)] = _read(real)
        return True

    def __getitem__(self, path: str) -> bytes:
        return self._given[path] if path in self._given else self.read[path]


def _files(real: Path) -> Iterator[tuple[str, Path]]:
    """The files at a path, with their paths for the program."""
    if real.is_file():
        yield real.name, real
        return
    if not real.is_dir():
        raise CommandError(f"{real} cannot be read: there is no such file or folder")
    top = real.resolve() if real.name in ("", "..") else real
    for below in sorted(real.rglob("*")):
        within = below.relative_to(real)
        hidden = any(part.startswith(".") or part in LEFT_OUT for part in within.parts)
        if below.is_file() and not hidden:
            yield (within if top is not real else Path(real.name) / within).as_posix(), below


def _read(real: Path) -> bytes:
    try:
        return real.read_bytes()
    except OSError as error:
        raise CommandError(f"{real} cannot be read: {error.strerror or error}") from None


def saved(written: Iterable[tuple[str, bytes]], folder: str) -> list[str]:
    """Write what a program wrote into a folder, and nowhere else; returns the paths.

    Raises:
        CommandError: for a path that would lead out of the folder, or what cannot be written.
    """
    top = Path(folder)
    told = []
    for path, data in written:
        target = top / path
        try:
            if not sound(path):
                raise CommandError(f"{path!r} is not written: it is no path below a folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            # A link that lies there already would lead elsewhere.
            if not target.parent.resolve().is_relative_to(top.resolve()) or target.is_symlink():
                raise CommandError(f"{path!r} is not written: a link leads out of {folder}")
            target.write_bytes(data)
        except OSError as error:
            raise CommandError(f"{target} cannot be written: {error.strerror or error}") from None
        told.append(str(target))
    return told
