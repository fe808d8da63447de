"""`gradtape run`: run a program, show what it prints, keep its recording."""

from __future__ import annotations

import argparse
import sys

from ..diagnosis.failures import help_with
from ..recording.events import Printed
from ..recording.recording import SUFFIX
from ..sandbox import RunResult
from . import beside
from .command import FAILED, Command
from .files import limits, reason, run_program, size, write
from .terminal import on_a_line

LISTED = 20
"""Files that are listed by name."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", help="a program (.py) or a notebook (.ipynb)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"where the recording goes; without it, {SUFFIX} beside the program's name"
    )
    parser.add_argument(
        "--save-files", metavar="FOLDER", help="write the files that the program wrote into this folder; without it, list them"
    )
    limits(parser)


def _run(args: argparse.Namespace) -> int:
    result = run_program(args.program, args)
    _show(result)
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


def _show(result: RunResult) -> None:
    """What the program wrote, each stream where it belongs, and how it failed."""
    if result.recording is None:
        sys.stdout.write(result.output)
    else:
        for event in result.recording.events:
            if isinstance(event, Printed):
                (sys.stderr if event.stream == "stderr" else sys.stdout).write(event.text)
    sys.stdout.flush()
    error = result.error
    if error is not None and error.traceback:
        print(error.traceback.rstrip("\n"), file=sys.stderr)
    elif result.status != "ok":
        print(reason(result), file=sys.stderr)
    if error is not None and (help_text := error.help or help_with(error.message, error.type)):
        print(help_text, file=sys.stderr)


COMMAND = Command("run", "run a program, show what it prints, and keep the recording", _arguments, _run)
