"""The files that commands read and write: programs, recordings, and what is made of them."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from ..export import from_json
from ..program import Program, ProgramError
from ..recording import Recording, RecordingError
from ..recording.recording import SUFFIX
from ..sandbox import Limits, RunResult, run
from . import beside
from .command import CommandError

PROGRAMS = (".py", ".ipynb", ".txt")
RECORDINGS = (SUFFIX, ".json")
SECONDS, MEMORY = 60.0, 1024
"""Limits of a run from the command line, which shares the machine with no visitor: more than a page's, within the table's."""


def limits(parser: argparse.ArgumentParser) -> None:
    """Arguments that say what a run may use, and what the program finds."""
    parser.add_argument(
        "--seconds", type=_positive, default=SECONDS, metavar="S", help="stop the program after S seconds (%(default)g)"
    )
    parser.add_argument(
        "--memory", type=_positive, default=MEMORY, metavar="MB", help="memory that it may use, in MB (%(default)g)"
    )
    beside.arguments(parser)


def allowed(args: argparse.Namespace) -> Limits:
    """What a run may use."""
    return msgspec.structs.replace(Limits(), seconds=args.seconds, memory_mb=int(args.memory))


def load(path: str, args: argparse.Namespace) -> Recording:
    """The recording in a file, or that of a run of the program in it."""
    if _suffix(path, PROGRAMS + RECORDINGS) in PROGRAMS:
        return recorded(run_program(path, args), path)
    try:
        return from_json(read(path)) if path.endswith(".json") else Recording.load(read(path))
    except RecordingError as error:
        raise CommandError(f"{path} cannot be opened: {error}") from None


def run_program(path: str, args: argparse.Namespace) -> RunResult:
    """Run the program in a file."""
    _suffix(path, PROGRAMS)
    try:
        program = Program.from_file(read(path), Path(path).name)
        there = beside.found(Path(path), program.cells, args.files)
        program = replace(program, files=there, arguments=tuple(args.arguments))
    except ProgramError as error:
        raise CommandError(f"{path} cannot be run: {error}") from None
    try:
        return run(program, allowed(args))
    except RuntimeError as error:
        raise CommandError(f"{path} cannot be run: {error}") from None


def recorded(result: RunResult, path: str) -> Recording:
    """What a run left behind; a CommandError where that is nothing to go on with."""
    if result.recording is None or (result.status != "ok" and not result.recording.events):
        raise CommandError(f"{path} left no recording: {reason(result)}")
    return result.recording


def reason(result: RunResult) -> str:
    """Why a run did not end well, in a line."""
    if result.error is None:
        return {"timeout": "it ran too long", "memory": "it needed too much memory"}.get(result.status, result.status)
    names = result.recording.names if result.recording is not None else ()
    file = names[result.error.cell] if 0 < result.error.cell < len(names) else ""
    where = f"{file}, line {result.error.line}: " if file else f"line {result.error.line}: " if result.error.line else ""
    return f"{where}{result.error.type}: {result.error.message}"


def read(path: str) -> bytes:
    """The bytes of a file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror or error}") from None


def write(data: bytes, given: str | None, source: str, suffix: str) -> None:
    """Write a file: where `-o` says ("-" is standard output), otherwise beside nothing else, named after the source."""
    if given == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    path = target(given, source, suffix)
    try:
        path.write_bytes(data)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from None
    print(f"wrote {path} ({size(len(data))})", file=sys.stderr)


def target(given: str | None, source: str, suffix: str) -> Path:
    """The file that is written: where `-o` says, otherwise beside nothing else, named after the source, which it never is."""
    path = Path(given) if given else Path(Path(source).stem + suffix)
    with suppress(OSError):
        if path.samefile(source):
            raise CommandError(f"this would overwrite {source}: say another file with -o")
    return path


def _suffix(path: str, known: tuple[str, ...]) -> str:
    suffix = Path(path).suffix
    if suffix not in known:
        raise CommandError(f"{path} is no file of a kind that is known here: {', '.join(known[:-1])} or {known[-1]}")
    return suffix


def size(count: int) -> str:
    """A number of bytes, as people read it."""
    if count < 100:
        return f"{count} bytes"
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{count / 1e3:.1f} kB"


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value
