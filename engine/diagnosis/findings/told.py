"""Findings in words: all of them as text, and what there is to say beside them, or where there are none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...recording.levels import beginning
from ...recording.recording import Recording
from ...recording.story import cell_title
from ..ignoring import named
from ..over_iterations import shows
from ..paths import paths_of
from ..reason import Finding
from .catalogue import every_kind, kinds, nearest
from .refusals import HALTED
from .registry import everywhere, in_order, kinds_of


def as_text(recording: Recording, found: Sequence[Finding]) -> str:
    """Findings as plain text for a terminal."""
    run = paths_of(recording).run
    parts = []
    for f in found:
        where = f" ({run.site_text(f.site)})" if f.line else ""
        lines = [f"{f.severity}: {f.title}{where} [{f.rule}]", f"  {f.explanation}"]
        if f.fix:
            lines.append(f"  Fix: {f.fix}")
        lines += [f"    {what}: {value}".replace("\n", "\n      ") for what, value in f.evidence]
        if f.iterations:
            lines.append(f"    {shows(f)}: {f.iterations}")
        if f.related:
            lines.append(f"    see also: {', '.join(dict.fromkeys(run.site_text(site) for site in f.related))}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def beside(recording: Recording, found: Sequence[Finding], ignored: Sequence[Finding]) -> list[str]:
    """What there is to say beside findings, a sentence or two in each: that there are none, that some are ignored, that the
    recording has no end."""
    said = [] if found else [_none(recording, ignored)]
    if not recording.complete:
        said.append(CUT)
    if ignored:
        which = ", ".join(f"{f.rule} at {recording.site_text(f.site)}" if f.line else f.rule for f in ignored[:_MOST])
        more = f" and {len(ignored) - _MOST} more" if len(ignored) > _MOST else ""
        said.append(f"{_count(len(ignored), 'finding')} {'is' if len(ignored) == 1 else 'are'} ignored: {which}{more}.")
    for id, (cell, line) in list(named(recording).items())[:_MOST]:
        if id not in every_kind():
            near = f" Did you mean {nearest(id)}?" if nearest(id) else ""
            where = f"{cell_title(cell)}, line {line}" if len(recording.source) > 1 else f"line {line}"
            said.append(f"ignore[{id[:_LONGEST]}] at {where} names no rule.{near}")
    return said


CUT = (
    "The recording is cut: its file has no end, because it is still written or its program was killed. What happened up to its "
    "last event is all here."
)
_MOST, _LONGEST = 5, 60
"""Ignored findings that are named, and characters of an id that is none."""


def _none(recording: Recording, ignored: Sequence[Finding]) -> str:
    """What is said instead of findings: how many rules have looked, at what, and how to go on."""
    run = paths_of(recording).run
    if run.raised is not None and run.raised[1].type == HALTED:
        return f"Nothing was found up to where the run was stopped ({_looked(recording)})."
    if run.raised is not None:
        return f"The program ended with {run.raised[1].type}" + (", which is ignored." if ignored else ".")
    if not run.events:
        return "Nothing has run that rules could look at."
    odd = "Nothing else looks wrong" if ignored else "Nothing looks wrong"
    if not run.passes:
        return f"{odd} ({_looked(recording)}). No backward pass has run: call backward() on a result to get gradients."
    loss = run.passes[-1].event.roots
    name = run.title(loss[0][0]) if loss else ""
    name = name if re.fullmatch(r"[\w.]+", name) else "the loss"
    return (
        f"{odd} ({_looked(recording)}). To go on: check the gradients against differences, compare the run with one that does "
        f"what you want, or ask why a gradient, or {name}, is what it is."
    )


def _looked(recording: Recording) -> str:
    """How many rules have looked at a run, and at how much of it."""
    every = len(kinds())
    if beginning(recording) is recording:
        return f"{every} rules looked"
    all_of_it = len({kind.id for rule in in_order() if everywhere(rule) for kind in kinds_of(rule)})
    return f"{all_of_it} of {every} rules looked at all of the run, the others at its beginning, which is recorded whole"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
