"""`gradtape svg`, `png`, `pdf` and the other formats: one command each."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..export import FORMATS, THEMES, Format, Options
from ..graph import VIEWS
from ..recording import Recording
from .command import Command, CommandError
from .files import limits, load, write


def commands() -> list[Command]:
    """A command for every format but the recording's own, which `run` writes."""
    return [command(format) for format in FORMATS.values() if format.name != "gradtape"]


def command(format: Format) -> Command:
    """The command that writes a format."""

    def arguments(parser: argparse.ArgumentParser) -> None:
        source(parser, format.suffix)
        limits(parser)
        if format.of_step:
            looks(parser)

    def run(args: argparse.Namespace) -> int:
        recording = load(args.file, args)
        made = format.make(recording, options(args, recording) if format.of_step else Options())
        write(made, args.output, args.file, format.suffix)
        return 0

    return Command(format.name, f"{format.label}: {format.about}", arguments, run)


def source(parser: argparse.ArgumentParser, suffix: str) -> None:
    """Arguments for what is read and where the result goes."""
    parser.add_argument("file", help="a recording (.gradtape, .json), or a program (.py, .ipynb, .txt), which is run")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"where the result goes, - for standard output; without it, NAME{suffix}"
    )


def looks(parser: argparse.ArgumentParser) -> None:
    """Arguments for what is to be seen."""
    parser.add_argument("--step", type=int, metavar="N", help="show this step, counted from 1; -1 is the last, as without it")
    parser.add_argument("--view", choices=[*VIEWS, "grouped"], default=VIEWS[0], help="what the nodes are (%(default)s)")
    parser.add_argument("--direction", choices=("LR", "TB"), default="LR", help="left to right or top to bottom (%(default)s)")
    parser.add_argument("--theme", choices=THEMES, default="light", help="colours (%(default)s)")
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--rolled", action="store_true", default=None,
        help="iterations share their cards, as on the page; without either, those of large and of grouped graphs do",
    )  # fmt: skip
    either.add_argument("--unrolled", dest="rolled", action="store_false", help="each iteration has cards of its own")
    parser.add_argument("--title", help="stands above the picture; without it, the file's name")


def options(args: argparse.Namespace, recording: Recording) -> Options:
    """What is to be seen of a recording."""
    title = Path(args.file).stem if args.title is None else args.title
    return Options(args.view, args.direction, step(args.step, len(recording.events)), args.theme, title, rolled=args.rolled)


def step(wanted: int | None, count: int) -> int | None:
    """A step counted from 1, or from the end where it is negative, as the log counts them."""
    if wanted is None:
        return None
    if not (1 <= wanted <= count or -count <= wanted <= -1):
        raise CommandError(f"there is no step {wanted}: the recording has {count}")
    return wanted - 1 if wanted > 0 else count + wanted
