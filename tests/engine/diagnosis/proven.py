"""How many findings have a fix that is proven: `python -m tests.engine.diagnosis.proven [KIND …]`.

The findings are those of the catalogue's broken programs, of the corpus of defects, and of the programs after real threads. For
each kind it prints how many there are, how many bring changes and how many of those are proven; with `-v` what the others
lack, with `-d` the diffs, with `--own` of the programs after real threads alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.diagnosis.findings import RULES, findings
from engine.diagnosis.findings.registry import kinds_of
from engine.diagnosis.fixes import Untried, tried
from engine.diagnosis.reason import Edit, Finding
from engine.recording import Recording
from engine.sandbox import Limits, run
from tests.corpus import corpus

from .twins import all_twins

HERE = Path(__file__).parent
BROKEN, MENDED = "# %% broken\n", "# %% mended\n"
LIMITS = Limits(seconds=30)


class Outcome(NamedTuple):
    """A finding of a program, and what came of its changes: None where it has none."""

    program: str
    finding: Finding
    tried: Edit | Untried | None


def programs(rules: Path = HERE.parents[2] / "assets" / "rules", own: bool = False) -> Iterator[tuple[str, str]]:
    """The broken programs: their names and texts; only those after real threads where it is said."""
    if own:
        yield from ((str(twins), twins.broken) for twins in all_twins())
        return
    for path in sorted(rules.glob("*.py")):
        yield path.stem, path.read_text(encoding="utf-8").partition(BROKEN)[2].partition(MENDED)[0]
    for path in sorted(HERE.glob("corpus/defects*.py")):
        for case in corpus(path).cases.values():
            yield case.name, case.program
    for twins in all_twins():
        yield str(twins), twins.broken


def outcomes(text: str, name: str, only: set[str]) -> Iterator[Outcome]:
    """What comes of the changes of a program's findings."""
    recording = run(text, LIMITS).recording
    assert isinstance(recording, Recording)
    for finding in findings(recording):
        if not only or finding.rule in only:
            yield Outcome(name, finding, tried(recording, finding, LIMITS) if finding.changes else None)


def main() -> None:
    """Print the share of each kind and of all mechanical ones."""
    parser = argparse.ArgumentParser(description="how many findings have a proven fix")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-d", "--diffs", action="store_true")
    parser.add_argument("--own", action="store_true", help="only the programs after real threads, those of the score")
    parser.add_argument("--rules", type=Path, default=HERE.parents[2] / "assets" / "rules")
    asked = parser.parse_args()
    kinds = {kind.id: kind for rule in RULES for kind in kinds_of(rule)}
    made = [each for name, text in programs(asked.rules, asked.own) for each in outcomes(text, name, set(asked.kinds))]
    for each in made:
        if asked.diffs and isinstance(each.tried, Edit):
            print(f"--- {each.finding.rule} in {each.program}: {each.tried.proof}\n{each.tried.proof.diff}")
        if asked.verbose and not isinstance(each.tried, Edit) and (kinds[each.finding.rule].mechanical or asked.kinds):
            why = each.tried.why if each.tried is not None else "no changes"
            print(f"{each.finding.rule} in {each.program}, line {each.finding.line}: {why}")
    proven = {kind: [isinstance(each.tried, Edit) for each in made if each.finding.rule == kind] for kind in kinds}
    changed = {kind: sum(each.tried is not None for each in made if each.finding.rule == kind) for kind in kinds}
    for kind, found in proven.items():
        if found:
            mark = "mechanical" if kinds[kind].mechanical else ""
            print(f"{kind:28}{len(found):4} found {changed[kind]:4} with changes {sum(found):4} proven  {mark}")
    of_mechanical = [each for kind, found in proven.items() if kinds[kind].mechanical for each in found]
    if of_mechanical:
        print(f"{sum(of_mechanical) / len(of_mechanical):.0%} of {len(of_mechanical)} findings of mechanical kinds are proven, "
              f"in {sum(any(found) for found in proven.values())} kinds")  # fmt: skip


if __name__ == "__main__":
    main()
