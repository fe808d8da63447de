"""`gradtape explain`: what is wrong or odd about a run, as text, for a terminal or a build."""

from __future__ import annotations

import argparse
import json
import sys

import msgspec

from ..diagnosis import findings, why
from ..diagnosis.concerning import beneath, concerning
from ..diagnosis.findings import ignored
from ..diagnosis.findings.catalogue import every_kind, nearest
from ..diagnosis.findings.told import as_text
from ..diagnosis.gradcheck.functions import check_functions, keep
from ..diagnosis.ignoring import split
from ..recording import Recording
from .command import FAILED, Command, CommandError
from .exporting import step
from .files import PROGRAMS, allowed, limits, load, reason, recorded, run_program
from .fixing import Target, applied, diffs, proven
from .reports import FORMATS, Report
from .several_ranks import as_a_text, ranks_in
from .terminal import harmless, on_a_line

NAMED = 3
"""Findings that are named behind an answer."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="file", nargs="+",
        help="a program (.py, .ipynb, .txt), which is run, or a recording (.gradtape, .json); the recordings of several ranks "
        "of one training are looked at together",
    )  # fmt: skip
    parser.add_argument(
        "--why",
        metavar="WHAT",
        action="append",
        default=[],
        help='why the .grad of a tensor is what it is, by any of its names; or of "net.fc", a module, "loss", "line 12", or '
        '"why did w not move"; may be repeated',
    )
    parser.add_argument("--step", type=int, metavar="N", help="the moment that --why asks about, counted from 1 (the last)")
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="text",
        help="github: annotations of a workflow run; sarif: SARIF 2.1.0 for code hosts and editors (%(default)s)",
    )
    parser.add_argument(
        "--fix", action="store_true", help="try on a copy what mends the findings, and show as a diff what is proven to do so"
    )
    parser.add_argument("--apply", action="store_true", help="write proven fixes into the program's file (.py), and say which")
    parser.add_argument(
        "--ignore", metavar="ID", action="append", default=[],
        help="leave out what a rule finds, or several with commas between; may be repeated (`gradtape rules` lists them)",
    )  # fmt: skip
    limits(parser)


def _run(args: argparse.Namespace) -> int:
    failed, ids = 0, _ids(args.ignore)
    if len(args.paths) > 1:
        return _together(args, ids)
    (args.file,) = args.paths
    target = Target(args.file) if args.apply else None
    if args.file.endswith(PROGRAMS):
        result = run_program(args.file, args)
        recording = recorded(result, args.file)
        if target is not None:
            result, recording, told = applied(target, result, recording, allowed(args))
            print(told, file=sys.stderr if args.format != "text" else sys.stdout)
        keep(recording, check_functions(recording))
        failed = FAILED if result.status not in ("ok", "error") else 0
        if failed or (result.status == "error" and args.why):
            print(harmless(f"{args.file} did not end well: {reason(result)}"), file=sys.stderr)
            failed = failed or 1
    else:
        recording = load(args.file, args)
    if args.why:
        _answer(recording, args, ids)
        return failed
    found = split(recording, proven(recording, allowed(args)), ids)[0] if args.fix else findings(recording, ids)
    report = Report(recording, args.file, found, ignored(recording, ids), ids, not failed)
    print(FORMATS[args.format](report), end="")
    if args.fix and args.format == "text" and found:
        print("\n" + diffs(found, args.file, recording), end="")
    return failed or int(any(f.grave for f in found))


def _together(args: argparse.Namespace, ids: frozenset[str]) -> int:
    """The ranks of one training."""
    if args.why or args.fix or args.apply:
        raise CommandError("--why, --fix and --apply are about one file")
    ranks = ranks_in(args.paths, ids)
    if args.format == "text":
        print(harmless(as_a_text(ranks)), end="")
    else:
        print(FORMATS[args.format](Report(ranks.first, ranks.names[0], ranks.found, ranks.ignored, ids, True)), end="")
    return int(any(f.grave for f in ranks.found))


def _answer(recording: Recording, args: argparse.Namespace, ids: frozenset[str]) -> None:
    """What was asked, and behind it what is wrong with the run: often that is what the question comes from."""
    reasons, unknown = [], []
    for name in args.why:
        try:
            reasons.append(why(recording, name, step(args.step, len(recording.events))))
        except KeyError:
            unknown.append(CommandError(f"{on_a_line(name)} names no tensor, module or line of this run"))
    if args.format == "json":
        if unknown:
            raise unknown[0]
        print(json.dumps([msgspec.to_builtins(r, builtin_types=()) for r in reasons], indent=1))
        return
    found = findings(recording, ids)
    led = []
    for r in reasons:
        about = concerning(recording, r, found)
        if about is not None and about not in led:
            led.append(about)
            print(harmless(as_text(recording, [about])))
        r = beneath(r, about)
        where = recording.site_text(r.site)
        said = not where or where in r.title or (r.title.endswith(")") and r.explanation.startswith(f"{where}:"))
        print(on_a_line(r.title) + ("" if said else f", at {where}" if r.title.endswith(")") else f" ({where})"))
        fix = f"Fix: {r.fix}" if r.fix and r.wrong else r.fix
        for text in (r.explanation, fix, *(f"  {what}: {value}" for what, value in r.evidence)):
            if text:
                print(f"  {' ' * (len(text) - len(text.lstrip()))}{on_a_line(text)}")
    wrong = [f for f in found if f.grave and f not in led][:NAMED]
    if wrong:
        print(f"\nWhat{' else' * bool(led)} is wrong with this run; without --why more is said:")
    for f in wrong:
        where = f" ({recording.site_text(f.site)})" if f.site is not None else ""
        print(f"  {f.severity}: {on_a_line(f.title)}{where} [{f.rule}]")
    if unknown:
        raise unknown[0]


def _ids(given: list[str]) -> frozenset[str]:
    """The rules that the command line says to ignore, once or several times, each time one or several.

    Raises:
        CommandError: for an id that no rule has.
    """
    ids = [id.strip() for each in given for id in each.split(",") if id.strip()]
    for id in ids:
        if id not in every_kind():
            near = f"; did you mean {nearest(id)}?" if nearest(id) else "; `gradtape rules` lists them"
            raise CommandError(f"no rule is called {id}{near}")
    return frozenset(ids)


COMMAND = Command(
    "explain",
    "say what is wrong or odd about a run; exit code 1 for an error or a warning, 0 for hints or nothing, 2 where it could not "
    "run",
    _arguments,
    _run,
)
