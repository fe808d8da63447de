"""What stands behind `%%gradtape`."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from typing import Literal, NoReturn, TypeAlias, get_args

import msgspec

Level: TypeAlias = Literal["facts", "statistics", "values"]
HEIGHT = 700
"""Pixels of the player."""
LOWEST, HIGHEST = 200, 4_000
_MAGIC = re.compile(r"%%gradtape(?:[ \t]+(.*))?$")


class OptionError(ValueError):
    """A line that cannot be read; the message says why and what there is."""


class Wanted(msgspec.Struct, frozen=True):
    """What a cell's magic asks for."""

    level: Level = "statistics"
    height: int = HEIGHT
    output: str = ""
    """The recording's file; "" where none is wanted."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise OptionError(f"%%gradtape: {message}\n{self.format_usage()}".rstrip())


def _parser() -> _Parser:
    parser = _Parser(prog="%%gradtape", add_help=False, allow_abbrev=False)
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--level", choices=get_args(Level), default="statistics")
    kept.add_argument("--no-values", dest="level", action="store_const", const="facts")
    parser.add_argument("--height", type=_height, default=HEIGHT, metavar="PIXELS")
    parser.add_argument("-o", "--output", default="", metavar="FILE")
    parser.usage = parser.format_usage().removeprefix("usage: ").replace("%", "%%").strip()
    return parser


def _height(text: str) -> int:
    value = int(text)
    if not LOWEST <= value <= HIGHEST:
        raise argparse.ArgumentTypeError(f"a player is {LOWEST} to {HIGHEST:,} pixels high")
    return value


def read(line: str) -> Wanted:
    """What a line asks for.

    Raises:
        OptionError: for one that cannot be read.
    """
    try:
        words = shlex.split(line, posix=os.name == "posix")
    except ValueError as error:
        raise OptionError(f"%%gradtape: {error}") from None
    return Wanted(**vars(_parser().parse_args(words)))


def asked(lines: list[str]) -> tuple[int, Wanted] | None:
    """Where in a cell the magic stands, above everything else, and what it asks for; None where it does not stand there, or its
    line cannot be read."""
    for number, line in enumerate(lines):
        if line.strip():
            found = _MAGIC.match(line.rstrip())
            try:
                return (number, read(found[1] or "")) if found else None
            except OptionError:
                return None  # it stays a magic, which says so
    return None
