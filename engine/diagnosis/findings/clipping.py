"""Rules about clipping gradients: it has an effect only between the backward pass and the optimizer's step."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator

from ...graph.numbers import norm, number
from ...recording.events import NOTHING, Accumulated, GradSet
from ..cadence import Cadence, Call, Window, cadence_of, within
from ..mends import order as mends
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

CLIP_BEFORE_BACKWARD = Kind(
    "clip_before_backward",
    "error",
    "Gradients are clipped before backward() computes those that the optimizer uses.",
    mechanical=True,
)
CLIP_AFTER_STEP = Kind("clip_after_step", "error", "Gradients are clipped after the optimizer has used them.", mechanical=True)
CLIP_PER_MICRO_BATCH = Kind(
    "clip_per_micro_batch",
    "warning",
    "Gradients are clipped while they are still being accumulated, once per micro-batch.",
    mechanical=True,
)

CLIPPING = ("clip_grad_norm_", "clip_grad_norm", "clip_grad_value_")
"""The functions that clip gradients."""


@rule(125, CLIP_BEFORE_BACKWARD, CLIP_AFTER_STEP, CLIP_PER_MICRO_BATCH)
def misplaced_clipping(run: Run) -> Iterator[Finding]:
    """A call that clips gradients runs where it does not limit what the optimizer uses."""
    if not run.optimizer_steps:
        return
    cadence = cadence_of(run)
    # With an infinite limit the call is there for the norm that it returns.
    calls = [call for call in cadence.calls(CLIPPING) if "inf" not in run.segment(call.site)]
    for windows in cadence.windows.values() if calls else ():
        owned = frozenset(windows[0].owned)
        # A call that found no gradients may have been meant for any optimizer.
        own = [call for call in calls if call.changed & owned or not call.changed]
        if any(call.changed & owned for call in own):
            own = [call for call in own if any(call.site == other.site for other in own if other.changed & owned)]
        yield from _idle(cadence, windows, own)
        yield from _partial(cadence, windows, own)


def _idle(cadence: Cadence, windows: list[Window], calls: list[Call]) -> Iterator[Finding]:
    """Calls that limit nothing that is used: before the passes, or after the step."""
    run = cadence.run
    early: list[tuple[Call, Window]] = []
    late: list[tuple[Call, Window]] = []
    for before, window in zip([None, *windows], windows, strict=False):
        fills = cadence.fills(window)
        mine = _between(calls, window.begun, window.step)
        if not fills or not mine:
            continue
        if any(call.first > fills[0] for call in mine):
            return  # it limits something, or is a matter of accumulation
        for call in mine:
            if before is not None and run.loops(call.first) == run.loops(before.step) != run.loops(window.step):
                late.append((call, before))
            elif run.loops(call.first) == run.loops(window.step):
                early.append((call, window))
    filled = [window for window in windows if cadence.fills(window)]
    if len(early) >= max(1, len(filled) - 1):
        call, window = early[0]
        backward = cadence.fills(window)[0]
        yield finding(
            run, CLIP_BEFORE_BACKWARD,
            "The gradients are clipped before backward() has computed them.",
            f"{_named(run, call)} at {run.site_text(call.site)} runs before the backward pass at {run.where(backward)} in "
            "each of "
            f"{len(early)} updates: it sees no gradient, or an old one, and the optimizer uses what comes later, unclipped.",
            "Clip between backward() and the step: loss.backward(), then the clipping, then optimizer.step().",
            step=call.first,
            related=[run.site(backward), run.site(window.step)],
            evidence=_evidence(run, window, len(early)),
            nodes=[key(t) for t in window.owned],
            steps=[call.first for call, _ in early],
            changes=mends.clip_moved(run, call.site, window.step),
        )  # fmt: skip
    elif late and len(late) >= len(filled) - 1:
        call, window = late[0]
        yield finding(
            run, CLIP_AFTER_STEP,
            "The gradients are clipped after the optimizer has used them.",
            f"{_named(run, call)} at {run.site_text(call.site)} runs after the step at {run.where(window.step)}: the "
            "parameters have "
            "been moved by the unclipped gradients, and before the next step new ones are computed.",
            "Clip between backward() and the step: loss.backward(), then the clipping, then optimizer.step().",
            step=call.first,
            related=[run.site(window.step)],
            evidence=_evidence(run, window, len(late)),
            nodes=[key(t) for t in window.owned],
            steps=[call.first for call, _ in late],
            changes=mends.clip_moved(run, call.site, window.step),
        )  # fmt: skip


def _partial(cadence: Cadence, windows: list[Window], calls: list[Call]) -> Iterator[Finding]:
    """Calls between the passes whose gradients add up to one update, that shrink what is there already."""
    run = cadence.run
    shrunk: list[tuple[Call, Window, int]] = []
    for window in windows:
        fills, cleared = cadence.fills(window), cadence.clears(window)
        for call in _between(calls, window.begun, window.step):
            after = fills[bisect_left(fills, call.last) :]
            before = fills[: bisect_left(fills, call.first)]
            if not before or not after or within(cleared, call.last, after[0]) or not call.changed & set(window.owned):
                continue
            if run.site(before[-1]) == run.site(after[0]) and shrinks(run, call):
                shrunk.append((call, window, len({run.events[s].number for s in fills})))  # type: ignore[union-attr]
                break
    if not shrunk:
        return
    call, window, passes = shrunk[0]
    yield finding(
        run, CLIP_PER_MICRO_BATCH,
        "The gradients are clipped after every micro-batch, while they are still adding up.",
        f"{_named(run, call)} at {run.site_text(call.site)} shrinks the sum of the micro-batches so far, and the next ones "
        "are added "
        f"at full size: of the {passes} passes before the step at {run.where(window.step)} the first count the least.",
        "Clip once per update, right before optimizer.step().",
        step=call.first,
        related=[run.site(window.step)],
        evidence=[("updates with a clipped partial sum", str(len(shrunk))), ("passes per update", str(passes))],
        nodes=[key(t) for t in window.owned],
        steps=[call.first for call, *_ in shrunk],
        changes=mends.clip_moved(run, call.site, window.step),
    )  # fmt: skip


def _between(calls: list[Call], after: int, before: int) -> list[Call]:
    first = bisect_left(calls, after + 1, key=lambda call: call.first)
    return calls[first : bisect_left(calls, before, key=lambda call: call.first)]


def shrinks(run: Run, call: Call) -> bool:
    """Whether a call that clips has made any gradient smaller."""
    for event in run.events[call.first : call.last + 1]:
        if isinstance(event, GradSet) and event.array != NOTHING:
            before = run.last_change(event.tensor, call.first)
            array = before.total if isinstance(before, Accumulated) else before.array if before is not None else NOTHING
            if array != NOTHING and run.differ(array, event.array):
                return True
    return False


def _named(run: Run, call: Call) -> str:
    text = run.segment(call.site)
    return text if len(text) <= 60 else f"{text.partition('(')[0]}(…)"


def _evidence(run: Run, window: Window, count: int) -> list[tuple[str, str]]:
    """How large the gradients were that the step used."""
    arrays = [array for t in window.event.parameters if (array := run.tensors[t].grad(window.step - 1)) != NOTHING]
    norms = [norm(run.recording.arrays[array]) for array in arrays]
    known = [n for n in norms if n is not None]
    found = [("calls without effect", str(count))]
    if known and len(known) == len(norms):
        found.append((f"norm of the gradients at the step at {run.where(window.step)}", number(math.hypot(*known))))
    return found
