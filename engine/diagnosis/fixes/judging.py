"""Whether a changed program is better: its run beside the one with the finding, both as plain data."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Container, Sequence
from itertools import count
from typing import TypeAlias

from ...program.changes import TextChange
from ...recording.events import Printed, Site
from ...recording.index import index_of
from ...recording.recording import Recording
from ...sandbox import RunResult
from ..findings import findings
from ..findings.catalogue import kinds
from ..paths import paths_of
from ..reason import Finding, Longer, Proof
from .diff import lines_changed, unified
from .offered import changed_program
from .places import Places
from .surrogates import Line, other_way, surrogates

Place: TypeAlias = tuple[int, int, int]
"""Where a backward pass begins: the cell, the line, and which of its roots it is."""
Losses: TypeAlias = dict[Place, list[float]]
CLOSE = 1e-3
"""How much larger a loss may be, as a part of it, and not be worse: sums of float32 depend on their order."""


class NotBetter(Exception):
    """Why changes of a program are no fix, in a sentence."""


class LargerLoss(NotBetter):
    """After as many steps the loss is larger; with more of them it may be smaller."""

    def __init__(self, place: Place, why: str) -> None:
        super().__init__(why)
        self.place = place


def judged(recording: Recording, finding: Finding, after: RunResult, longer: Longer | None = None) -> Proof:
    """What the changes of a finding did, where they are a fix: the finding is gone, nothing else is worse.

    Args:
        longer: the losses of longer runs, which are better with the changes; then it is no matter what a few steps give.

    Raises:
        LargerLoss: where nothing but the loss speaks against them.
        NotBetter: where they are none.
    """
    changes, places = finding.changes, Places(recording.source, finding.changes)
    made = after.recording
    broken = _failure(recording)
    if made is None:
        raise NotBetter(f"The changed program leaves no recording: {after.status}.")
    if after.status != "ok" and (after.status != "error" or not broken or _failure(made) != broken):
        raise NotBetter(f"The changed program ends with {_failure(made) or after.status}.")
    _no_finding_more(places, recording, finding, made)
    said, so_far = _printed(made), _printed(recording, _first_of(recording, changes))
    if not said.startswith(so_far):
        raise NotBetter("The changed program prints something else before it comes to the change.")
    before, now = losses(recording, places), losses(made)
    hollow = surrogates(recording, places) | surrogates(made)
    if not _settled(finding):
        _not_turned(recording, made, places, hollow)
    began, old, new, steps = _compared(before, now, hollow, tell=longer is None)
    own, cells = [recording.source[k] for k in recording.own], changed_program(recording, changes)
    return Proof(
        lines=lines_changed(own, cells),
        diff=unified(own, cells),
        before=old,
        after=new,
        began=began,
        steps=steps,
        longer=longer,
        ended=bool(broken) and after.status == "ok",
        untold=f"the loss is not compared, as it {next(iter(hollow.values()))}" if hollow and new is None else "",
    )


def _settled(finding: Finding) -> bool:
    """Whether a rule has chosen the change by what is computed."""
    kind = kinds().get(finding.rule)
    return kind is not None and kind.settled


def _not_turned(before: Recording, after: Recording, places: Places, hollow: dict[Line, str]) -> None:
    """Raise NotBetter where the changes give leaves another gradient, of a loss by whose value nothing can be told: it falls
    as well where what is learned is the opposite."""
    for line, what in hollow.items():
        leaf = other_way(before, after, places, line)
        if leaf:
            raise NotBetter(
                f"With the changes {leaf} gets another gradient at line {line[1]}, and whether it is the right one does not "
                f"show: the loss there {what}, so that a smaller one is no better."
            )


def _failure(recording: Recording) -> str:
    """The error that a run ended with, "" for none."""
    raised = paths_of(recording).run.raised
    return "" if raised is None else raised[1].message


# --- findings -------------------------------------------------------------------------------------------------------------


def _no_finding_more(places: Places, before: Recording, finding: Finding, after: Recording) -> None:
    """Raise NotBetter where the finding is still there, or another error or warning is."""
    known = findings(before)
    for found in findings(after):
        if _same(places, finding, found) or _moved(places, finding, found):
            raise NotBetter("With the changes the finding is still there.")
        if found.grave and not any(old.grave and _same(places, old, found) for old in known):
            raise NotBetter(f"With the changes there is another {found.severity}: {found.title}")


def _moved(places: Places, old: Finding, new: Finding) -> bool:
    """Whether a finding whose place is gone is found where the changes have written something."""
    if old.rule != new.rule or old.site is None or new.site is None or places.lines(old.site) != (1, 0):
        return False
    return any(cell == new.site.cell and first <= new.line <= last for cell, first, last in places.written())


def _same(places: Places, old: Finding, new: Finding) -> bool:
    """Whether two findings are of one kind and about one place."""
    if old.rule != new.rule:
        return False
    if old.site is None or new.site is None:
        return old.site is new.site
    first, last = places.lines(old.site)
    return old.site.cell == new.site.cell and first <= new.site.line <= last


# --- output ---------------------------------------------------------------------------------------------------------------


def _printed(recording: Recording, before: int | None = None) -> str:
    events = recording.events[: len(recording.events) if before is None else before]
    return "".join(event.text for event in events if isinstance(event, Printed))


def _first_of(recording: Recording, changes: Sequence[TextChange]) -> int:
    """The step at which the program comes to the first of the changes: something happens on a changed line, or on one behind it
    in the same function where nothing is recorded of those, or on or behind a line that calls this function; the end of the
    run where that never is."""
    steps: dict[Site, int] = {}
    for step, event in zip(count(), recording.events):
        if event.site >= 0:
            steps.setdefault(recording.sites[event.site], step)
    source, reached = paths_of(recording).source, []

    def end_of(cell: int, node: ast.AST | None) -> int:
        owner = source.function(node) if node is not None else None
        return getattr(owner, "end_lineno", None) or len(recording.source[cell]) + 1

    for change in changes:
        statement = source.innermost(change.cell, change.line)
        owner = source.function(statement) if statement is not None else None
        spans = [(change.cell, change.line, change.end_line), (change.cell, change.line, end_of(change.cell, statement))]
        if isinstance(owner, ast.FunctionDef):
            above = source.parents.get(owner)
            name = above.name if owner.name == "__init__" and isinstance(above, ast.ClassDef) else owner.name
            spans += [(cell, call.lineno, end_of(cell, call)) for cell, call in source.calls.get(name, ())]
        for cell, first, last in spans:
            found = [s for site, s in steps.items() if site.cell == cell and first <= site.line <= last]
            if found:
                reached.append(min(found))
                break
    return min(reached, default=len(recording.events))


# --- losses ---------------------------------------------------------------------------------------------------------------


def losses(recording: Recording, places: Places | None = None) -> Losses:
    """The numbers that backward passes began from, by the cell and the line (of the changed program) where they did, and how
    many roots of the pass were before them."""
    run, index = paths_of(recording).run, index_of(recording)
    found: Losses = {}
    for entry in index.passes.values():
        site = run.site(entry.began)
        if site is None or entry.event.via != "backward":
            continue
        line = site.line if places is None else places.lines(site)[0]
        for position, (tensor, _) in enumerate(entry.event.roots):
            value = run.scalar(run.status(tensor, entry.began).array)
            if value is not None:
                found.setdefault((site.cell, line, position), []).append(value)
    return found


def _compared(
    before: Losses, after: Losses, hollow: Container[Line], *, tell: bool
) -> tuple[float | None, float | None, float | None, int]:
    """The first loss with the changes if it is another one, the last two that stand side by side, and after how many passes.
    Of those whose value says nothing it matters only that they are finite, and none is told.

    Raises:
        NotBetter: where the loss is worse.
    """
    if not after:
        if before:
            raise NotBetter("With the changes there is no backward pass any more.")
        return None, None, None, 0
    common = before.keys() & after.keys()
    longest = Counter({place: len(after[place]) for place in after}).most_common(1)[0][0]
    for place in common:
        _not_worse(place, before[place], after[place], tell, hollow=place[:2] in hollow)
    common = {place for place in common if place[:2] not in hollow}
    if not common and any(place[:2] in hollow for place in after):
        return None, None, None, 0
    told = max(common, key=lambda place: (len(after[place]), -place[1]), default=longest)
    now = after[told]
    if not all(math.isfinite(value) for value in now) and not any(map(_faulty, before.values())):
        raise NotBetter("With the changes the loss is not finite.")
    if told not in before:
        return now[0], None, now[-1], len(now)
    old = before[told]
    steps = min(len(old), len(now))
    if not _alike(old[0], now[0]):
        return now[0], None, now[-1], len(now)
    return None, old[steps - 1], now[steps - 1], steps


def _not_worse(place: Place, old: list[float], new: list[float], tell: bool, *, hollow: bool) -> None:
    steps = min(len(old), len(new))
    last, other = old[steps - 1], new[steps - 1]
    if not math.isfinite(last):
        return
    if not math.isfinite(other):
        raise NotBetter("With the changes the loss is not finite.")
    if hollow:
        return
    if _alike(old[0], new[0]):
        if tell and other > last + CLOSE * abs(last):
            raise LargerLoss(place, f"With the changes the loss after {steps} steps is {other:.4g}, where it was {last:.4g}.")
    elif new[-1] > new[0] + CLOSE * abs(new[0]):
        raise NotBetter(f"With the changes the loss grows from {new[0]:.4g} to {new[-1]:.4g}.")


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-9)


def _faulty(values: list[float]) -> bool:
    return not all(map(math.isfinite, values))
