"""How well findings name what is wrong, on programs after real threads: `python -m tests.engine.diagnosis.score [--missed]`.

A broken program counts as right where an error or a warning, or a hint of a kind that is one, names its cause at a marked
line; as wrong where errors and warnings name something else; as silent where there are none. Mended twins and sound programs
have no error and no warning.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.diagnosis.findings import RULES, findings
from engine.diagnosis.findings.registry import kinds_of
from engine.diagnosis.reason import Finding
from tests.corpus import Case, corpora, corpus
from tests.recorded import checked

from .twins import Twins, all_twins

HERE = Path(__file__).parent
HINTS = frozenset(kind.id for rule in RULES for kind in kinds_of(rule) if kind.severity == "hint")


@dataclass(frozen=True)
class Verdict:
    """What was said of one program."""

    program: str
    said: str
    """"right", "wrong" or "silent" of a broken one, "quiet" or "alarm" of a sound one."""
    found: tuple[Finding, ...]
    missed: str = ""
    """Why it is not found today, where its cell says it."""

    @property
    def good(self) -> bool:
        """Whether this is what should be said."""
        return self.said in ("right", "quiet")


def found_in(source: str) -> tuple[Finding, ...]:
    """What is found in a program; nothing where it has no recording."""
    recording = checked(source).recording
    return () if recording is None else tuple(findings(recording))


def of_broken(twins: Twins) -> Verdict:
    """Whether the cause of a broken program is found at its line."""
    made = found_in(twins.broken)
    told = [f for f in made if f.grave or f.rule in HINTS]
    if any(f.rule in twins.causes and f.line in twins.lines for f in told):
        said = "right"
    else:
        said = "wrong" if any(f.grave for f in made) else "silent"
    return Verdict(str(twins), said, made, twins.said("missed"))


def of_sound(name: str, source: str) -> Verdict:
    """Whether a sound program raises no alarm."""
    made = found_in(source)
    return Verdict(name, "alarm" if any(f.grave for f in made) else "quiet", made)


def sound_cases() -> Iterator[Case]:
    """Programs that work: those after real threads, and those that nearly have a defect."""
    yield from corpora(HERE / "corpus/sound")
    for path in sorted(HERE.glob("corpus/harmless*.py")):
        yield from corpus(path).cases.values()


def share(part: Sequence[Verdict]) -> str:
    """How many are as they should be."""
    good = sum(verdict.good for verdict in part)
    return f"{good} of {len(part)} ({100 * good / max(len(part), 1):.1f} %)"


def shown(verdict: Verdict) -> str:
    """A program that is not judged as it should be, and what was said instead."""
    told = "; ".join(f"{f.severity} {f.rule} at line {f.line}" for f in verdict.found) or "nothing"
    return f"  {verdict.said:6} {verdict.program}: {told}" + (f"\n         ({verdict.missed})" if verdict.missed else "")


def main(arguments: list[str] | None = None) -> int:
    """Print the score, and what is missed where it is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.engine.diagnosis.score", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--missed", action="store_true", help="the programs that are not judged as they should be, too")
    parser.add_argument("only", nargs="*", help="parts of the names of the programs to judge")
    given = parser.parse_args(arguments)

    def wanted(name: str) -> bool:
        return not given.only or any(part in name for part in given.only)

    pairs = [pair for pair in all_twins() if wanted(str(pair))]
    broken = [of_broken(pair) for pair in pairs]
    mended = [of_sound(str(pair), pair.mended) for pair in pairs]
    sound = [of_sound(name, case.program) for case in sound_cases() if wanted(name := f"{case.group}::{case.name}")]
    wrong = sum(verdict.said == "wrong" for verdict in broken)
    silent = sum(verdict.said == "silent" for verdict in broken)
    print(f"broken programs whose cause is found: {share(broken)}; {wrong} wrong text, {silent} silent")
    print(f"mended twins without an alarm: {share(mended)}")
    print(f"sound programs without an alarm: {share(sound)}")
    if given.missed:
        for part in (broken, mended, sound):
            print(*(shown(verdict) for verdict in part if not verdict.good), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
