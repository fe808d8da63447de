"""Rules about hooks that replace gradients on their way to a leaf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, HookRan
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ZERO_HOOK = Kind("zero_hook", "warning", "A hook replaces the gradient of a parameter by zeros, in every pass.")
REVERSING_HOOK = Kind("reversing_hook", "hint", "A hook turns the gradient of a parameter around.")


@rule(187, ZERO_HOOK, REVERSING_HOOK)
def hooked(run: Run) -> Iterator[Finding]:
    """Whenever a hook of a leaf runs, zeros come out of it, or the gradient with its sign turned."""
    runs: dict[int, list[tuple[int, HookRan]]] = {}
    for step in paths_of(run.recording).hooks:
        event = run.events[step]
        if isinstance(event, HookRan) and event.tensor in run.tensors and event.before >= 0 and event.after >= 0:
            runs.setdefault(event.tensor, []).append((step, event))
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
    before, after = run.recording.array(event.before), run.recording.array(event.after)
    if before is None or after is None or before.shape != after.shape or not before.any():
        return False
    where = np.argmax(np.abs(before))
    factor = float(after.flat[where]) / float(before.flat[where])
    return factor < 0 and bool(np.allclose(after, factor * before, rtol=1e-4))
