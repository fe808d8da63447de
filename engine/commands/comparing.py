"""`gradtape compare`: where two runs first differ, and what only one of them did."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import msgspec

from ..diagnosis import compare
from ..diagnosis.comparison.compare import Comparison, Difference, Input, Only
from ..diagnosis.comparison.tolerance import Tolerance
from ..diagnosis.findings.told import as_text
from ..diagnosis.ranks import kinds as kinds_across
from ..diagnosis.ranks import one_world
from ..graph.numbers import number
from ..recording import Recording
from .command import Command, CommandError
from .files import limits, load
from .several_ranks import ranks_in
from .terminal import harmless, on_a_line

_MOST = 20
"""Places that only one of the runs has, and things that go into an operation, as text."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    for which in ("a", "b"):
        parser.add_argument(which, help="a recording (.gradtape, .json), or a program (.py, .ipynb, .txt), which is run")
    parser.add_argument("more", metavar="c", nargs="*", help="further ranks of one training; a is compared with each of them")
    parser.add_argument(
        "--rtol", type=_tolerance, metavar="R",
        help="how far apart numbers may be, by their size (what PyTorch's assert_close allows their dtype)",
    )  # fmt: skip
    parser.add_argument(
        "--atol", type=_tolerance, metavar="A", help="how far apart they may be however small they are (the same)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="(%(default)s)")
    limits(parser)


def _tolerance(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no number from 0 on")
    return value


def _run(args: argparse.Namespace) -> int:
    before, after = (load(path, args) for path in (args.a, args.b))
    if args.more or one_world((before, after)):
        return _ranks(args, before, after)
    found = _compared(args, before, after, args.b)
    names = _names(args.a, args.b)
    if args.format == "json":
        print(_json(_plain_comparison(found, (args.a, args.b))))
    else:
        print("\n".join(_told(found, names)))
    return int(found.first is not None)


def _compared(args: argparse.Namespace, before: Recording, after: Recording, path: str) -> Comparison:
    if not before.events or not after.events:
        raise CommandError(f"{args.a if not before.events else path} has no events")
    return compare(before, after, Tolerance(args.rtol, args.atol))


def _ranks(args: argparse.Namespace, before: Recording, after: Recording) -> int:
    """Ranks of one training: where each first differs from the first, as batches do, and what is wrong with them together.

    The exit code says whether something is.
    """
    paths = (args.b, *args.more)
    ranks = ranks_in((args.a, *paths))
    together = [each for each in ranks.found if each.rule in kinds_across()]
    pairs = []
    for path in paths:
        after = after if path == args.b else load(path, args)
        pairs.append((path, _compared(args, before, after, path)))
    if args.format == "json":
        told = [_plain_comparison(found, (args.a, path)) for path, found in pairs]
        findings = [{"rule": each.rule, "severity": each.severity, "title": each.title} for each in together]
        print(_json({"ranks": told, "findings": findings}))
    else:
        for path, found in pairs:
            print("\n".join(_told(found, _names(args.a, path))) + "\n")
        text = as_text(ranks.first, together) if together else "Nothing looks wrong with the ranks together.\n"
        print(harmless(text), end="")
    return int(any(each.grave for each in together))


def _names(a: str, b: str) -> tuple[str, str]:
    """The names that tell two files apart."""
    short = Path(a).name, Path(b).name
    one, other = short if short[0] != short[1] else (a, b)
    return on_a_line(one), on_a_line(other)


def _sides(found: Comparison, names: tuple[str, str]) -> list[str]:
    return [side.replace("{0}", names[0]).replace("{1}", names[1]) for side in found.sides]


def _json(plain: dict[str, Any]) -> str:
    return json.dumps(plain, indent=1, allow_nan=False)


def _plain_comparison(found: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    whole, told, unknown = found.compared
    rtol, atol = found.tolerance.rtol, found.tolerance.atol
    first = found.first
    return {
        "same": first is None,
        "files": names,
        "recordings": _sides(found, names),
        "events": {"a": len(found.before.events), "b": len(found.after.events), "both": found.matched},
        "arrays": {"by elements": whole, "by statistics": told, "unknown": unknown},
        "tolerance": {"rtol": rtol, "atol": atol, "by dtype": rtol is None or atol is None},
        "first": None if first is None else _plain(first),
        "only": [_renamed(msgspec.to_builtins(each)) for each in found.only],
    }


def _plain(first: Difference) -> dict[str, Any]:
    plain = _renamed(msgspec.to_builtins(first))
    plain["inputs"] = [_renamed(each) for each in plain["inputs"]]
    return plain | {"sentence": first.sentence}


def _renamed(plain: dict[str, Any]) -> dict[str, Any]:
    """The two runs by the names that the command line gives them; what JSON has no number for as null."""
    if "run" in plain:
        plain["run"] = {"before": "a", "after": "b"}[plain["run"]]
    named = {"before": "a", "after": "b", "step": "step_b" if "step_before" in plain else "step", "step_before": "step_a"}
    kept = {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in plain.items()}
    return {named.get(key, key): value for key, value in kept.items() if key != "node"}


def _told(found: Comparison, names: tuple[str, str]) -> list[str]:
    whole, told, unknown = found.compared
    lines = _sides(found, names)
    events = f"{found.matched:,} events are in both, of {len(found.before.events):,} and {len(found.after.events):,}"
    arrays = [f"{whole:,} pairs of arrays compared element by element", f"{told:,} by their statistics"]
    lines.append(f"{events}; {', '.join([*arrays, *([f'{unknown:,} unknown'] if unknown else [])])}.")
    first = found.first
    if first is None:
        if unknown and not whole and not told:
            return [*lines, "The runs did the same, as far as that is known without their values."]
        return [*lines, f"The runs are the same, within {_limit(found.tolerance)}."]
    lines.append(on_a_line(_sentence(first, names)))
    if first.kind not in ("added", "removed"):
        lines += [f"  {name}: {on_a_line(text)}" for name, text in zip(names, (first.before, first.after)) if text]
        if first.largest is not None and math.isfinite(first.largest):
            size = f", relatively {first.relative:.2g}" if first.relative is not None else ""
            of = f" {first.note}" if first.note else ""
            lines.append(f"  apart by up to {number(first.largest)}{of}{size}; allowed is {_limit(found.tolerance)}")
    lines += [f"  into it: {_input(each)}" for each in first.inputs[:_MOST]]
    return [*lines, *_only(found, names)]


def _sentence(first: Difference, names: tuple[str, str]) -> str:
    """What differs first, with the name of the run where only one has it."""
    name = {"added": names[1], "removed": names[0]}.get(first.kind, "")
    return first.sentence.replace("only one of them has this", f"only {name} has this", 1) if name else first.sentence


def _input(each: Input) -> str:
    word = {True: "the same", False: "differs", None: "unknown"}[each.same]
    values = f"{each.before} → {each.after}" if each.same is False else each.after
    return on_a_line(f"{each.name}, {word}: {values}")


def _only(found: Comparison, names: tuple[str, str]) -> list[str]:
    lines = []
    for run, name in zip(("before", "after"), names, strict=True):
        mine = [each for each in found.only if each.run == run]
        lines += [f"Only in {name}:"] * bool(mine)
        lines += [f"  {on_a_line(_place(each, found))}" for each in mine[:_MOST]]
        lines += [f"  and {len(mine) - _MOST:,} places more"] * (len(mine) > _MOST)
    return lines


def _place(only: Only, found: Comparison) -> str:
    source = (found.before if only.run == "before" else found.after).source
    text = source[only.cell].split("\n") if only.cell < len(source) else []
    line = text[only.line - 1].strip()[:100] if 0 < only.line <= len(text) else ""
    where = ", ".join(part for part in (f"line {only.line}" if only.line else "", only.iteration) if part)
    times = f" ({only.count:,} events)" if not where else f" ({only.count:,} times)" if only.count > 1 else ""
    return (f"{where}: " if where else "") + f"{only.what}{times}" + (f" | {line}" if line else "")


def _limit(tolerance: Tolerance) -> str:
    if tolerance.rtol is None and tolerance.atol is None:
        return "what PyTorch's assert_close allows"
    parts = [f"{name} {value:g}" for name, value in (("rtol", tolerance.rtol), ("atol", tolerance.atol)) if value is not None]
    return " and ".join(parts) + (" (the other as in PyTorch's assert_close)" if len(parts) == 1 else "")


COMMAND = Command(
    "compare",
    "say where two runs first differ and what only one of them did; exit code 0 where they are the same, 1 where they differ, "
    "2 where they could not be compared; of ranks of one training 1 where something is wrong with them together",
    _arguments,
    _run,
)
