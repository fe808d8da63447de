"""`gradtape rules`: the rules that there are, and one of them with its programs."""

from __future__ import annotations

import argparse
import textwrap

from ..diagnosis.findings.catalogue import entry, every_kind, nearest
from .command import Command, CommandError


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="?", help="one rule, with a program that it finds something in and its mended twin"
    )


def _run(args: argparse.Namespace) -> int:
    if args.id is None:
        width = max(map(len, every_kind()))
        for kind in every_kind().values():
            print(f"{kind.id:{width}}  {kind.severity:7}  {kind.meaning}")
        return 0
    if args.id not in every_kind():
        near = f"; did you mean {nearest(args.id)}?" if nearest(args.id) else ""
        raise CommandError(f"no rule is called {args.id}{near}")
    shown = entry(args.id)
    fixed = " Its fix can be written by rule." if shown.kind.mechanical else ""
    print(f"{shown.kind.id} ({shown.kind.severity}): {shown.kind.meaning}{fixed}\n")
    print(f"Broken: {shown.about}\n\n{textwrap.indent(shown.broken, '    ')}")
    print(f"Mended:\n\n{textwrap.indent(shown.mended, '    ')}", end="")
    return 0


COMMAND = Command("rules", "list the rules by which runs are looked at, or show one with its programs", _arguments, _run)
