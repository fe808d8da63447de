"""A rule about weights in half precision: most of what each update adds is rounded away."""

from __future__ import annotations

from collections.abc import Iterator

from ...graph.numbers import number
from ...recording.events import NOTHING
from ..cadence import cadence_of
from ..optimizer_text import optimizer_site
from ..reason import Finding, Kind
from ..rounding import LOST, Unmoved, unmoved
from ..run import Run, finding, key
from .registry import rule

UPDATES_ROUNDED = Kind(
    "updates_rounded", "warning", "Weights are kept in half precision, and most elements stay as they are at every step."
)

_STEPS = 8
"""Steps of an optimizer that are looked at, evenly spread."""
_PARAMETERS = 24
"""Parameters of an optimizer that are looked at."""
_ELEMENTS = 64
"""Elements with a gradient that say something."""


@rule(145, UPDATES_ROUNDED, everywhere=True)
def updates_rounded(run: Run) -> Iterator[Finding]:
    """From the first step to the last most elements of the weights in half precision keep their value bit for bit."""
    for (optimizer, _), windows in cadence_of(run).windows.items():
        if len(windows) < 3:
            continue
        seen: list[dict[int, Unmoved]] = []
        for window in windows[:: max(1, len(windows) // _STEPS)]:
            found = {t: u for t in window.event.parameters[:_PARAMETERS] if (u := unmoved(run, t, window.step)) is not None}
            if sum(u.elements for u in found.values()) < _ELEMENTS:
                break
            seen.append(found)
        else:
            shares = [sum(u.share * u.elements for u in f.values()) / sum(u.elements for u in f.values()) for f in seen]
            if min(shares) < LOST or all(share == 1 for share in shares):
                continue
            first = windows[0]
            tensor = max(seen[0], key=lambda t: seen[0][t].elements)
            dtype, rate = seen[0][tensor].dtype, max(first.event.rates)
            kept = [f[tensor].share for f in seen if tensor in f]
            gradient = run.tensors[tensor].grad(first.step - 1)
            yield finding(
                run, UPDATES_ROUNDED,
                f"Rounding swallows most of each update: {min(kept):.0%} of the elements of {run.title(tensor)}, or more, stay "
                "as they were.",
                f"The weights are {dtype}, whose neighbours differ by up to {_spacing(dtype)}. With a learning rate of "
                f"{number(rate)} what {optimizer} adds to most elements is less than half the spacing of such numbers near "
                "them, so they stay bit for bit what they were although their gradient is not zero, and no number of steps "
                "moves them.",
                f"Keep the weights in float32 (without .to(torch.{dtype})) and compute within torch.autocast(device, "
                f"dtype=torch.{dtype}); or keep a copy of them in float32, which the optimizer updates.",
                step=first.step, site=optimizer_site(run, optimizer, run.site(first.step)), related=[run.site(first.step)],
                evidence=[
                    ("elements that a step leaves as they were", f"{min(shares):.0%} to {max(shares):.0%}"),
                    ("learning rate", number(rate)),
                    (f"{run.title(tensor)}.grad", run.texts.describe(gradient) if gradient != NOTHING else "None"),
                    ("dtype", dtype),
                ],
                nodes=[key(t) for t in first.event.parameters], steps=[w.step for w in windows],
            )  # fmt: skip


def _spacing(dtype: str) -> str:
    """How far apart the numbers of a dtype stand, beside their size."""
    return "0.8 %" if dtype == "bfloat16" else "0.1 %"
