"""`gradtape run`: run a program, show what it prints, keep its recording."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from ..diagnosis.failures import help_with
from ..export.figures import draw, suffix
from ..figures import Figure, decoded, title_of
from ..recording.collectives import path_of
from ..recording.events import Drew, Printed
from ..recording.recording import SUFFIX
from ..sandbox import RunResult
from ..sandbox.calls import CallError
from . import beside
from .command import FAILED, Command, CommandError
from .files import limits, read, reason, run_program, size, target, write
from .terminal import as_printed, harmless, on_a_line

LISTED = 20
"""Files that are listed by name."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", help="a program (.py), a notebook (.ipynb) or a session (.txt)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"where the recording goes; without it, {SUFFIX} beside the program's name"
    )
    parser.add_argument("--save-figures", metavar="FOLDER", help="where the figures that it shows go, as SVG or PNG")
    parser.add_argument(
        "--save-files", metavar="FOLDER", help="write the files that the program wrote into this folder; without it, list them"
    )
    parser.add_argument(
        "--torch", action="store_true",
        help="run it on the PyTorch that is installed, as python does and outside of the sandbox, with the arguments after --",
    )  # fmt: skip
    parser.add_argument(
        "--level", choices=("facts", "statistics", "values"), default="statistics",
        help="with --torch: what is kept of larger tensors (%(default)s)",
    )  # fmt: skip
    limits(parser)


def _run(args: argparse.Namespace) -> int:
    if args.torch:
        return _on_pytorch(args)
    result = run_program(args.program, args)
    _show(result, Path(args.save_figures) if args.save_figures else None)
    if result.recording is not None and result.recording.events:
        write(result.recording.to_bytes(), args.output, args.program, SUFFIX)
    _tell_files(result, args.save_files)
    if result.status == "ok":
        return 0
    return 1 if result.status == "error" else FAILED


def _tell_files(result: RunResult, folder: str | None) -> None:
    """List what the program wrote, or write it into a folder."""
    if folder is not None:
        for path, (_, data) in zip(beside.saved(result.files, folder), result.files, strict=True):
            print(f"wrote {on_a_line(path)} ({size(len(data))})", file=sys.stderr)
    elif result.files:
        listed = ", ".join(f"{on_a_line(path)} ({size(len(data))})" for path, data in result.files[:LISTED])
        more = f" and {len(result.files) - LISTED:,} more" if len(result.files) > LISTED else ""
        print(f"the program wrote {listed}{more}; --save-files FOLDER keeps them", file=sys.stderr)


def _on_pytorch(args: argparse.Namespace) -> int:
    """Run a script of the user's own on PyTorch; it writes its output itself."""
    if not args.program.endswith(".py"):
        raise CommandError(f"{args.program} is no script (.py): only those are run on PyTorch")
    path = Path(args.program)
    read(args.program)  # which says what is wrong with it
    try:
        from ..pytorch.ranks import here
        from ..pytorch.running import run_script, traceback_of
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise CommandError(
            "PyTorch is not installed here: without --torch, the program runs on Gradtape's own engine"
        ) from None
    try:
        into = None if args.output == "-" else path_of(target(args.output, args.program, SUFFIX), *here())
        recording, ended = run_script(path, args.arguments, args.level, into)
    except SyntaxError as wrong:
        raise CommandError(f"{args.program} cannot be run: {wrong}") from None
    if recording.events and into is None:
        write(recording.to_bytes(), args.output, args.program, SUFFIX)
    elif recording.events and into is not None and into.is_file():
        print(f"wrote {into} ({size(into.stat().st_size)})", file=sys.stderr)
    if ended is None:
        return 0
    if not isinstance(ended, SystemExit):
        sys.stderr.write(traceback_of(ended))
    elif isinstance(ended.code, int):
        return ended.code
    return 1


def _show(result: RunResult, folder: Path | None) -> None:
    """What the program wrote, each stream where it belongs, its figures, and how it failed."""
    if result.recording is None:
        sys.stdout.write(as_printed(result.output, sys.stdout))
    else:
        for event in result.recording.events:
            if isinstance(event, Printed):
                to = sys.stderr if event.stream == "stderr" else sys.stdout
                to.write(as_printed(event.text, to))
            elif isinstance(event, Drew):
                sys.stdout.write(f"[{on_a_line(_figure(event.figure, folder))}]\n")
    sys.stdout.flush()
    error = result.error
    if error is not None and error.type == "SystemExit":
        # As Python: a number is the program's own exit code, and anything else is shown.
        if not error.message.lstrip("-").isdigit():
            print(harmless(error.message), file=sys.stderr)
    elif error is not None and error.traceback:
        print(harmless(error.traceback.rstrip("\n")), file=sys.stderr)
    elif result.status != "ok":
        print(harmless(reason(result)), file=sys.stderr)
    if error is not None and (help_text := error.help or help_with(error.message, error.type)):
        print(harmless(help_text), file=sys.stderr)


def _figure(text: str, folder: Path | None) -> str:
    """A figure in a line, once it is saved if it is to be."""
    try:
        figure = decoded(text)
    except ValueError:
        return "a figure that cannot be read"
    width, height = figure.size
    shown = f"{title_of(figure)}, {width}×{height}"
    if folder is None:
        return f"{shown} → --save-figures FOLDER"
    try:
        picture = draw(text)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{_file_name(figure)}{suffix(picture)}"
        path.write_bytes(picture)
    except CallError as error:
        return f"{shown}: {error}"
    except OSError as error:
        return f"{shown}: it could not be written: {error.strerror}"
    return f"{shown} → {path}"


def _file_name(figure: Figure) -> str:
    """A name of letters that no program chooses a folder by."""
    told = re.sub(r"[^A-Za-z0-9]+", "-", figure.name.rpartition(".")[0] or figure.name).strip("-")[:60]
    return f"figure-{figure.number}-{told}" if told else f"figure-{figure.number}"


COMMAND = Command("run", "run a program, show what it prints, and keep the recording", _arguments, _run)
