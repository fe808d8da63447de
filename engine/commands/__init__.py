"""The command line: `gradtape run`, `gradtape svg`, `gradtape explain` and the others."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import comparing, explaining, exporting, rules, running
from .command import FAILED
from .command import Command as Command
from .command import CommandError as CommandError
from .terminal import harmless

EPILOG = "`gradtape COMMAND --help` tells a command's options. Without a command, Gradtape's page is served."


def commands(more: Sequence[Command] = ()) -> dict[str, Command]:
    """All commands by name; `more` are those that need the page."""
    return {
        command.name: command
        for command in (running.COMMAND, explaining.COMMAND, comparing.COMMAND, rules.COMMAND, *exporting.commands(), *more)
    }


def main(argv: Sequence[str], more: Sequence[Command] = ()) -> int:
    """Do what a command line says and return the exit code; SystemExit, as argparse has it, for one that is wrong."""
    known = commands(more)
    argv = list(argv)
    parser = argparse.ArgumentParser("gradtape", description="See automatic differentiation happen.", epilog=EPILOG)
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in known.values():
        command.arguments(parsers.add_parser(command.name, help=command.help, description=_sentence(command.help)))
    before, after = (argv[: argv.index("--")], argv[argv.index("--") + 1 :]) if "--" in argv else (argv, [])
    args = parser.parse_args(before)
    if "--" in argv:
        if not hasattr(args, "arguments"):
            parser.error(f"{args.command} runs no program that could be given arguments")
        args.arguments = tuple(after)
    try:
        return known[args.command].run(args)
    except CommandError as error:
        print(f"gradtape: {harmless(str(error))}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        # Who read standard output has gone (`gradtape svg tape -o - | head`).
        sys.stderr.close()
        return FAILED


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
