"""`gradtape explain`: what is wrong or odd about a run, as text, for a terminal or a build."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import msgspec

from ..diagnosis import Finding, findings, why
from ..diagnosis.findings import explain
from ..diagnosis.gradcheck.functions import check_functions, keep
from ..diagnosis.over_iterations import shows
from ..export.scene import clean
from ..recording import Recording
from .command import FAILED, Command, CommandError
from .exporting import step
from .files import PROGRAMS, allowed, limits, load, reason, recorded, run_program
from .fixing import Target, applied, diffs, proven

_LEVELS = {"error": "error", "warning": "warning", "hint": "notice"}
"""Severity → GitHub's word for it."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a program (.py, .ipynb), which is run, or a recording (.gradtape, .json)")
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
        choices=("text", "github", "json"),
        default="text",
        help="github: annotations of a workflow run (%(default)s)",
    )
    parser.add_argument(
        "--fix", action="store_true", help="try on a copy what mends the findings, and show as a diff what is proven to do so"
    )
    parser.add_argument("--apply", action="store_true", help="write proven fixes into the program's file (.py), and say which")
    limits(parser)


def _run(args: argparse.Namespace) -> int:
    failed = 0
    target = Target(args.file) if args.apply else None
    if args.file.endswith(PROGRAMS):
        result = run_program(args.file, args)
        recording = recorded(result, args.file)
        if target is not None:
            result, recording, told = applied(target, result, recording, allowed(args))
            print(told, file=sys.stderr if args.format != "text" else sys.stdout)
        if not args.why:
            keep(recording, check_functions(recording))
        if result.status != "ok":
            print(f"{args.file} did not end well: {reason(result)}", file=sys.stderr)
            failed = 1 if result.status == "error" else FAILED
    else:
        recording = load(args.file, args)
    if args.why:
        _answer(recording, args)
        return failed
    found = proven(recording, allowed(args)) if args.fix else findings(recording)
    print(_written(recording, found, args), end="")
    if args.fix and args.format == "text" and found:
        print("\n" + diffs(found, args.file, recording), end="")
    return failed or int(any(f.grave for f in found))


def _answer(recording: Recording, args: argparse.Namespace) -> None:
    reasons = []
    for name in args.why:
        try:
            reasons.append(why(recording, name, step(args.step, len(recording.events))))
        except KeyError:
            raise CommandError(f"{clean(name)} names no tensor, module or line of this run") from None
    if args.format == "json":
        print(json.dumps([msgspec.to_builtins(r, builtin_types=()) for r in reasons], indent=1))
        return
    for r in reasons:
        where = recording.site_text(r.site)
        print(clean(r.title) + (f" ({where})" if where and where not in r.title else ""))
        fix = f"Fix: {r.fix}" if r.fix and r.wrong else r.fix
        for text in (r.explanation, fix, *(f"  {what}: {value}" for what, value in r.evidence)):
            if text:
                print(f"  {' ' * (len(text) - len(text.lstrip()))}{clean(text)}")


def _written(recording: Recording, reported: list[Finding], args: argparse.Namespace) -> str:
    match args.format:
        case "json":
            return json.dumps([_plain(f) for f in reported], indent=1) + "\n"
        case "github":
            return "".join(_annotation(f, args.file, recording) for f in reported)
        case _:
            return explain(recording)


def _plain(finding: Finding) -> dict[str, Any]:
    """A finding with its sites as objects, not as the rows of the log."""
    plain: dict[str, Any] = msgspec.structs.asdict(finding)
    plain["site"] = None if finding.site is None else msgspec.structs.asdict(finding.site)
    plain["related"] = [msgspec.structs.asdict(site) for site in finding.related]
    plain["changes"] = msgspec.to_builtins(finding.changes)
    plain["edit"] = msgspec.to_builtins(finding.edit)
    return plain


def _annotation(finding: Finding, file: str, recording: Recording) -> str:
    """One finding as a workflow command; its text is data, whatever is in it."""
    properties = {"file": file}
    if finding.site is not None and finding.line and len(recording.source) == 1:
        properties |= {"line": str(finding.line), "endLine": str(finding.site.end_line)}
    properties["title"] = clean(finding.title)
    where = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    when = f"{shows(finding).capitalize()} {finding.iterations}." if finding.iterations else ""
    said = " ".join(part for part in (finding.explanation, when, finding.fix) if part)
    return f"::{_LEVELS[finding.severity]} {where}::{_data(said)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


COMMAND = Command(
    "explain",
    "say what is wrong or odd about a run; exit code 1 for an error or a warning, 0 for hints or nothing",
    _arguments,
    _run,
)
