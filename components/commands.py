"""The command line in a process of our own: serves the page, and does what needs more than the engine."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from engine.commands import Command, CommandError, exporting, files
from engine.commands import commands as known_commands
from engine.commands import main as run_command
from engine.sandbox.settings import settings

OPEN = "GRADTAPE_OPEN"
"""The variable that names the file with which the page opens."""
FOLLOW = "GRADTAPE_FOLLOW"
"""The variable that says that it is still written."""
TOKEN = "GRADTAPE_TOKEN"
"""The variable with the token that visitors need, where the page is a recording program's own."""
PAGE = Path(__file__).resolve().parent.parent / "app.py"
"""Where Streamlit finds the page, and its settings beside it."""
ADDRESS = "--server.address"
"""Streamlit's option that says where the page listens."""


def main(arguments: Sequence[str]) -> int:
    """Serve the page with Streamlit, to which arguments go; or, after the name of a command, run that."""
    command = arguments[0] if arguments else ""
    if command in known_commands(COMMANDS) or command in ("-h", "--help") or (command and not command.startswith("-")):
        return run_command(arguments, COMMANDS)
    return serve(arguments)


def serve(arguments: Sequence[str]) -> int:
    """Serve the page until it is stopped."""
    from streamlit.web import cli

    sys.argv = ["streamlit", "run", str(PAGE), *_address(arguments), *arguments]
    return int(cli.main() or 0)


def _address(arguments: Sequence[str]) -> list[str]:
    """Where the page listens if nobody says it: on this machine alone, since whoever reaches it runs programs on it."""
    said = any(each.partition("=")[0] == ADDRESS for each in arguments) or "STREAMLIT_SERVER_ADDRESS" in os.environ
    return [] if said or settings().hosted else [f"{ADDRESS}=localhost"]


def _replay_arguments(parser: argparse.ArgumentParser) -> None:
    exporting.source(parser, ".html")
    parser.add_argument("--step", type=int, metavar="N", help="the step at which it opens, counted from 1 (the last)")
    parser.add_argument("--direction", choices=("LR", "TB"), default="LR", help="left to right or top to bottom (%(default)s)")
    parser.add_argument("--title", help="stands above the graph; without it, the file's name")
    files.limits(parser)


def _replay(args: argparse.Namespace) -> int:
    from components.replay import REPLAY
    from engine.export import Options

    recording = files.load(args.file, args)
    title = Path(args.file).stem if args.title is None else args.title
    step = exporting.step(args.step, len(recording.events))
    made = REPLAY.make(recording, Options(direction=args.direction, step=step, title=title))
    files.write(made, args.output, args.file, REPLAY.suffix)
    return 0


def _open_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a recording (.gradtape), of ranks several, or a program (.py, .ipynb, .txt)")
    parser.add_argument("--follow", action="store_true", help="the recording is still written: show what comes")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="go to `streamlit run`, for example --server.port 8600")


def _open(args: argparse.Namespace) -> int:
    path = Path(args.file)
    more = [Path(each) for each in itertools.takewhile(lambda each: each.endswith(".gradtape"), args.options)]
    if more and path.suffix == ".gradtape":
        return _open_several([path, *more], args.options[len(more) :])
    if path.suffix not in (".gradtape", *files.PROGRAMS):
        raise CommandError(f"{path} is neither a recording (.gradtape) nor a program ({', '.join(files.PROGRAMS)})")
    options = [option for option in args.options if option != "--follow"]
    if args.follow or len(options) < len(args.options):
        if path.suffix != ".gradtape":
            raise CommandError(f"{path} is no recording (.gradtape), which could be followed")
        os.environ[FOLLOW] = "1"
    else:
        files.read(args.file)
    os.environ[OPEN] = str(path.resolve())
    if TOKEN in os.environ:
        # For a program that records: the page goes with it.
        threading.Thread(target=_until_it_ends, daemon=True).start()
    return serve(options)


def _open_several(paths: list[Path], options: list[str]) -> int:
    """Open recordings side by side, those of ranks first of all."""
    if len({path.name for path in paths}) < len(paths) or any(os.pathsep in str(path.resolve()) for path in paths):
        raise CommandError(f"recordings that are opened together need different names, and no {os.pathsep} in them")
    if "--follow" in options:
        raise CommandError("one recording at a time can be followed")
    for path in paths:
        files.read(str(path))
    os.environ[OPEN] = os.pathsep.join(str(path.resolve()) for path in paths)
    return serve(options)


def _until_it_ends() -> None:
    """End this process when the one that started it ends, which keeps its standard input open."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(0)


def _pyvis(args: argparse.Namespace) -> int:
    from components.network.file import PYVIS

    recording = files.load(args.file, args)
    files.write(PYVIS.make(recording, exporting.options(args, recording)), args.output, args.file, PYVIS.suffix)
    return 0


def _pyvis_arguments(parser: argparse.ArgumentParser) -> None:
    exporting.source(parser, ".pyvis.html")
    files.limits(parser)
    exporting.looks(parser)


def _health_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="where the page is served (%(default)s)")
    parser.add_argument("--port", type=int, default=8501, help="its port (%(default)s)")


def _health(args: argparse.Namespace) -> int:
    from components.server.probe import main

    return main(args.host, args.port)


COMMANDS = (
    Command("health", "ask a page that is served whether it can draw pages; fails when it cannot", _health_arguments, _health),
    Command(
        "html", "the replay: one file with the graph, its steps and its source, for any browser", _replay_arguments, _replay
    ),
    Command("open", "serve the page with a recording, a program or a notebook opened", _open_arguments, _open),
    Command("pyvis", "pyvis: one page with the graph as pyvis draws it; in Python, gradtape.network", _pyvis_arguments, _pyvis),
)
