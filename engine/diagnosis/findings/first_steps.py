"""A rule about losses that are out of all bounds after the first update or two, before a series shows."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...graph.numbers import norm, number
from ...recording.events import NOTHING, Accumulated, Stepped
from ..reason import Finding
from ..run import Run, finding, key
from .registry import rule
from .training import DIVERGING, goes_uphill, growing, losses, rate_site, series_text, sum_text, summed

_EARLY = 3
"""Updates after which it is not the first steps any more."""
_JUMP = 1e3
"""How many times the first loss a loss is that has jumped."""
_OFF, _FAR_OFF = 10.0, 1e3
"""How many times the size of a parameter an update is that throws it far off, where the loss stays finite, and where it does
not: that may have another reason, such as a logarithm below zero."""


@rule(141, DIVERGING, everywhere=True)
def jumps_at_once(run: Run) -> Iterator[Finding]:
    """The first updates are many times as large as the parameters, and the loss is huge or NaN right after."""
    moments = sorted({step for steps in run.updates.values() for step in steps})
    for points in losses(run):
        values = [value for _, value in points]
        jumped = _jump(values)
        if jumped is None or growing(values) is not None:
            continue
        first, then = points[0], points[jumped]
        between = [m for m in moments if first[0] < m < then[0]]
        if not between or len(between) > _EARLY * max(len(run.updates), 1):
            continue
        off = _furthest_off(run, first[0], then[0])
        if off is None or off[1] < (_OFF if math.isfinite(then[1]) else _FAR_OFF):
            continue
        tensor, ratio, update = off
        uphill = goes_uphill(run, tensor, update)
        stepped = run.events[update]
        rates = sorted(set(stepped.rates)) if isinstance(stepped, Stepped) else []
        rate = rate_site(run)
        name = run.title(tensor)
        entry = next(entry for entry in run.passes if entry.began == first[0])
        count = summed(run, entry)
        size = _gradient(run, tensor, update)
        yield finding(
            run, DIVERGING,
            "The updates go uphill: the loss jumps at once." if uphill else
            f"The learning rate{f' of {number(rates[0])}' if len(rates) == 1 else ''} is too large: the loss jumps from "
            f"{number(first[1])} to {number(then[1])} at once.",
            f"The update at {run.where(update)} changes {name} by {number(ratio)} times its size, so what is computed with it "
            "is far off from then on."
            + sum_text(count),
            "Subtract the gradient: w -= lr * w.grad." if uphill else
            "Average instead of summing (.mean()), or divide the learning rate by that number." if count else
            "Use a learning rate ten times smaller (and again, if that is not enough), or scale the data to about 1.",
            step=update,
            site=run.site(update) if uphill or rate is None else rate,
            related=[run.site(update), run.site(first[0]), rate],
            evidence=[
                ("loss", series_text(values)),
                (f"change of {name} / {name} (norms)", number(ratio)),
                *([("learning rate", ", ".join(map(number, rates)))] if rates else []),
                *([(f"norm of {name}.grad at that update", number(size))] if size is not None else []),
            ],
            nodes=[key(tensor)],
            steps=[step for step, _ in points[jumped:]],
        )  # fmt: skip
        return


def _jump(values: list[float]) -> int | None:
    """Where a series of losses is many times the first one, or not finite, within the first steps, and stays so."""
    if len(values) < 2 or not math.isfinite(values[0]):
        return None
    high = _JUMP * max(abs(values[0]), 1e-3)
    out = [not math.isfinite(value) or abs(value) > high for value in values]
    at = next((k for k, far in enumerate(out) if far), None)
    return at if at is not None and at <= _EARLY and all(out[at:]) else None


def _furthest_off(run: Run, begin: int, end: int) -> tuple[int, float, int] | None:
    """The parameter that an update between two steps changed by most times its size: tensor, how many times, and the update."""
    found = None
    for tensor, steps in run.updates.items():
        before = run.status(tensor, begin).array
        for step in steps:
            if not begin < step < end or before == NOTHING:
                continue
            old, new = run.recording.array(before), run.values(tensor, step)
            if old is None or new is None or old.shape != new.shape:
                continue
            with np.errstate(all="ignore"):
                change = float(np.linalg.norm((new - old).astype(np.float64)))
                ratio = change / max(float(np.linalg.norm(old.astype(np.float64))), 1e-3)
            if math.isfinite(ratio) and (found is None or ratio > found[1]):
                found = (tensor, ratio, step)
            break
    return found


def _gradient(run: Run, tensor: int, update: int) -> float | None:
    last = run.last_change(tensor, update)
    return norm(run.recording.arrays[last.total]) if isinstance(last, Accumulated) else None
