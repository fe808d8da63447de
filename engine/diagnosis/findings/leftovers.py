"""A rule about gradients that a pass for one optimizer leaves to another one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from ...recording.index import Pass
from ..cadence import Cadence, Window, cadence_of
from ..optimizer_text import stepped_by
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .rivals import parameters_behind

# The losses of rivals say nothing of which is better, so no change of the text could be proven.
LEFT_BY_ANOTHER = Kind(
    "left_by_another",
    "warning",
    "An optimizer's step uses gradients, too, that a pass for another optimizer has left.",
)

_WINDOWS = 200
"""Steps of an optimizer that are looked at."""
_EACH = 2
"""Steps from which on a habit shows."""


class _Left(NamedTuple):
    """A step whose gradients are a sum over passes for another optimizer and passes of its own."""

    window: Window
    foreign: Pass
    own: Pass
    """The first of its own passes."""
    step: int
    """The step of the other optimizer."""
    clear: int
    """The last moment at which the gradients were cleared, before all of them."""


@rule(130, LEFT_BY_ANOTHER)
def left_by_another(run: Run) -> Iterator[Finding]:
    """A pass fills what two optimizers have, one of them steps, and then come passes for the other one alone, which steps with
    the sum of all, in the next iteration; or, in the same one, with passes that judge what the first one has made."""
    cadence = cadence_of(run)
    if len(cadence.windows) < _EACH:
        return
    for windows in cadence.windows.values():
        mixed = [(w, cadence.passes(w)) for w in islice(windows, _WINDOWS) if w.begun >= 0]
        mixed = [(w, passes) for w, passes in mixed if any(_is_foreign(run, w, number) for number in passes)]
        found = [left for window, passes in mixed if (left := _left(cadence, window, list(passes))) is not None]
        if len(found) < _EACH or len(found) < len(mixed):
            continue
        later = all(_turned(run, left) for left in found)
        if not later and not all(_judges(run, left) for left in found[:_EACH]):
            continue
        window, foreign, own, step, clear = found[0]
        mine, other = (stepped_by(run, each) or run.expression(run.site(each)) for each in (window.step, step))
        shared = sorted(foreign.fills.keys() & set(window.owned))
        yield finding(
            run, LEFT_BY_ANOTHER,
            f"{mine} steps with gradients, too, that the pass for {other} has left in {run.names(shared)}.",
            f"The pass at {run.moment(foreign.began)} is for {other}, which steps at {run.moment(step)}; it passes through "
            f"{run.names(shared)} and fills their .grad as well. Nothing clears that before the pass at "
            f"{run.moment(own.began)}, which is added to it, so the step at {run.moment(window.step)} goes where the other "
            "loss wants it, too.",
            f"Clear the gradients right before the passes that they are for: {mine}.zero_grad() before {run.where(own.began)}.",
            step=own.began, related=[run.site(foreign.began), run.site(window.step), run.site(clear)],
            evidence=[
                ("steps with what another pass has left", f"{len(found)} of {len(windows)}"),
                ("cleared last", run.moment(clear)),
            ],
            nodes=[key(t) for t in shared], steps=[left.own.began for left in found],
            severity="" if later else "hint",
        )  # fmt: skip
        return


def _is_foreign(run: Run, window: Window, number: int) -> bool:
    """Whether a pass fills what others train beside what an optimizer has."""
    return not run.index.passes[number].fills.keys() & run.trained <= set(window.owned)


def _left(cadence: Cadence, window: Window, numbers: list[int]) -> _Left | None:
    """What a step uses that another's pass has left; None where that is not certain."""
    run, owned = cadence.run, set(window.owned)
    foreign = [run.index.passes[n] for n in numbers if _is_foreign(run, window, n)]
    own = [run.index.passes[n] for n in numbers if not _is_foreign(run, window, n)]
    if not foreign or not own or max(each.ended for each in foreign) > min(each.began for each in own):
        return None
    first, last = min(own, key=lambda each: each.began), foreign[-1]
    clears = cadence.clears(window)
    if not clears or clears[-1] > foreign[0].began:
        return None
    others = last.fills.keys() & run.trained - owned
    between = bisect_right(run.optimizer_steps, last.began, key=itemgetter(0))
    for step, event in islice(run.optimizer_steps, between, None):
        if step > first.began:
            break
        if others.intersection(event.parameters):
            return _Left(window, last, first, step, clears[-1])
    return None


def _turned(run: Run, left: _Left) -> bool:
    """Whether the passes are in two iterations of one loop."""
    before, after = dict(run.loops(left.foreign.began)), dict(run.loops(left.own.began))
    return any(before[loop] != turn for loop, turn in after.items() if loop in before)


def _judges(run: Run, left: _Left) -> bool:
    """Whether the own pass's loss is computed from what the other optimizer trains, whose gradient is cut off."""
    others = left.foreign.fills.keys() & run.trained - set(left.window.owned)
    return any(others & parameters_behind(run, root) for root, _ in left.own.event.roots)
