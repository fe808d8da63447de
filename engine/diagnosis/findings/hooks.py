"""Rules about hooks that replace gradients on their way to a leaf."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy as np

from ...graph.numbers import times
from ...recording.events import NOTHING, HookRan, Site
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ZERO_HOOK = Kind("zero_hook", "warning", "A hook replaces the gradient of a parameter by zeros, in every pass.")
REVERSING_HOOK = Kind("reversing_hook", "hint", "A hook turns the gradient of a parameter around.")
HOOKS_PILE_UP = Kind(
    "hooks_pile_up", "warning", "A hook is registered anew again and again, and all of them change each gradient."
)

_Ran: TypeAlias = tuple[int, HookRan]
"""A hook that ran, with its step."""
_PASSES = 4
"""Passes, or counts of hooks, by which it shows that they become more and more."""


def _of_leaves(run: Run) -> dict[int, list[_Ran]]:
    """The hooks that gave back a gradient, by the tensors they belong to."""

    def found() -> dict[int, list[_Ran]]:
        runs: dict[int, list[_Ran]] = {}
        for step in paths_of(run.recording).hooks:
            event = run.events[step]
            if isinstance(event, HookRan) and event.tensor in run.tensors and event.before >= 0 and event.after >= 0:
                runs.setdefault(event.tensor, []).append((step, event))
        return runs

    return run.recording.once("hooks of leaves", found)


@rule(187, ZERO_HOOK, REVERSING_HOOK)
def hooked(run: Run) -> Iterator[Finding]:
    """Whenever a hook of a leaf runs, zeros come out of it, or the gradient with its sign turned."""
    runs = _of_leaves(run)
    told: set[object] = set()
    for tensor, found in runs.items():
        step, first = found[0]
        site = run.site(step)
        if not run.status(tensor, step).is_leaf or site in told or all(run.zero(event.before) for _, event in found):
            continue
        zeros = all(run.zero(event.after) for _, event in found)
        turned = not zeros and all(_turned(run, event) for _, event in found)
        if not (zeros or turned):
            continue
        told.add(site)
        alike = [t for t, others in runs.items() if run.site(others[0][0]) == site]
        name = run.names(alike)
        trained = any(t in run.trained for t in alike)
        yield finding(
            run, ZERO_HOOK if zeros else REVERSING_HOOK,
            f"The hook at {run.where(step)} replaces the gradient of {name} by zeros." if zeros else
            f"The hook at {run.where(step)} turns the sign of the gradient of {name}.",
            f"In each of the {len(found)} passes a gradient arrives and zeros are stored: {name} learn"
            f"{'s' * (len(alike) == 1)} nothing." if zeros else
            f"What is stored in .grad leads uphill, so an optimizer that subtracts it makes the loss of {name} larger.",
            "Return the gradient, changed only where it is meant to be, or None to leave it as it is; to freeze a parameter "
            "use requires_grad_(False)." if zeros else
            "Leave the sign as it is, or use maximize=True of the optimizer if that is meant.",
            step=step, related=[run.site(entry.began) for entry in run.passes[:1]],
            evidence=[
                ("gradient before the hook", run.texts.describe(first.before)),
                ("gradient after it", run.texts.describe(first.after)),
            ],
            nodes=[key(t) for t in alike if t != NOTHING],
            steps=[one for one, _ in found],
            severity="" if trained or turned else "hint",
        )  # fmt: skip


def _turned(run: Run, event: HookRan) -> bool:
    """Whether a hook multiplied a gradient by a negative number."""
    factor = _factor(run, event)
    return factor is not None and factor < 0


@rule(186, HOOKS_PILE_UP)
def piled_up(run: Run) -> Iterator[Finding]:
    """One line's hook of one tensor runs more often in each pass than in the one before; or it becomes more from time to time,
    and each multiplies the gradient by the same number."""
    piled: dict[Site | None, dict[int, list[list[_Ran]]]] = {}
    for tensor, found in _of_leaves(run).items():
        by_site: dict[Site | None, list[_Ran]] = {}
        for each in found:
            by_site.setdefault(run.site(each[0]), []).append(each)
        for site, ran in by_site.items():
            passes = [list(same) for _, same in groupby(ran, key=lambda pair: _pass_of(run, pair[0]))]
            if run.status(tensor, ran[0][0]).is_leaf and _more_and_more(run, passes):
                piled.setdefault(site, {})[tensor] = passes
    for site, tensors in piled.items():
        tensor, passes = next(iter(tensors.items()))
        first, last = passes[0], passes[-1]
        changed = any(run.differ(event.before, event.after) for _, event in last[1:])
        name, (step, _) = run.names(tensors), last[0]
        yield finding(
            run, HOOKS_PILE_UP,
            f"The hook at {run.site_text(site)} is registered again and again: {len(last)} of them run for each gradient of "
            f"{name} at last.",
            f"It ran {times(len(first))} in the first of {len(passes)} passes and {times(len(last))} in the last one, each "
            "time on what the one before gave back. register_hook adds a hook to those that are there; "
            + (
                "they all give the same here, and each pass takes longer."
                if all(run.same(event.before, event.after) for _, event in last[1:])
                else f"what it does is done {len(last)} times over."
            ),
            "Register it once, before the loop; or keep what register_hook gives back and call its remove() after the pass.",
            step=step, site=site, related=[run.site(entry.began) for entry in run.passes[:1]],
            evidence=[
                ("hooks in the first pass", str(len(first))), ("hooks in the last one", str(len(last))),
                ("gradient before them, in the last pass", run.texts.describe(last[0][1].before)),
                ("gradient after them", run.texts.describe(last[-1][1].after)),
            ],
            nodes=[key(t) for t in tensors], steps=[ran[0][0] for ran in passes[1:]],
            severity="" if changed else "hint",
        )  # fmt: skip


def _pass_of(run: Run, step: int) -> int:
    """The place among the passes of the one that a step is in."""
    began = run.recording.once("beginnings of passes", lambda: [entry.began for entry in run.passes])
    return bisect_right(began, step)


def _more_and_more(run: Run, passes: Sequence[Sequence[_Ran]]) -> bool:
    """Whether hooks become more with each pass; or from time to time, and all multiply by one number, which is not 1."""
    counts = [len(ran) for ran in passes]
    if len(counts) < _PASSES or any(after < before for before, after in pairwise(counts)):
        return False
    if all(after > before for before, after in pairwise(counts)):
        return True
    if len(set(counts)) < _PASSES:
        return False
    factors = [_factor(run, event) for _, event in passes[-1]]
    known = np.array([factor for factor in factors if factor is not None])
    return len(known) == len(factors) and known[0] != 1 and bool(np.allclose(known, known[0], rtol=1e-3))


def _factor(run: Run, event: HookRan) -> float | None:
    """The number that a hook multiplied a gradient by; None where it did anything else."""
    before, after = run.recording.array(event.before), run.recording.array(event.after)
    if before is None or after is None or before.shape != after.shape or not before.any():
        return None
    where = np.argmax(np.abs(before))
    factor = float(after.flat[where]) / float(before.flat[where])
    return factor if np.allclose(after, factor * before, rtol=1e-4) else None
