"""Rules about losses that cannot move although gradients flow: what is computed once, out of reach, or zero."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...graph.numbers import norm, number
from ...recording.events import NOTHING, Accumulated, OpRan, Site
from ...recording.index import Pass
from ..answers.zeros import Zero, zero_origin
from ..cadence import gradients_of, steps_of
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

STALE_FORWARD = Kind(
    "stale_forward", "warning", "The forward pass runs once, and later updates use gradients of the old weights."
)
UNREACHABLE_TARGETS = Kind("unreachable_targets", "warning", "Targets lie where the last activation can never come.")
ZERO_GRADIENT = Kind("zero_gradient", "warning", "Parameters get gradients that are exactly zero in every pass.")

_SHARE = 0.1
"""The share of the targets that may lie out of reach before it is worth a word."""
_UNDERFLOW = 1e-30
"""The size of a gradient of which little is left before it is rounded to zero."""
_LOOKED_AT = 3
"""Losses of one line whose targets are looked at."""
_VIEWS = 4
"""Views of a parameter that are seen through."""


# --- computed once ------------------------------------------------------------------------------------------------------------


@rule(195, STALE_FORWARD)
def stale_forward(run: Run) -> Iterator[Finding]:
    """Several passes go back through one forward pass, and between them the parameters were updated."""
    stale: dict[int, list[tuple[int, int]]] = {}
    fresh: set[int] = set()
    numbers = sorted(run.index.passes)
    starts = np.array([run.index.passes[number].began for number in numbers], np.int64)
    for tensor, updates in run.updates.items():
        changes = gradients_of(run).get(tensor)
        forward = np.array(sorted(_uses(run, tensor, _VIEWS)), np.int64)
        if changes is None or not len(forward) or not numbers:
            continue
        began = starts[np.minimum(np.searchsorted(numbers, changes.numbers), len(starts) - 1)]
        used, updated = np.searchsorted(forward, began) - 1, np.searchsorted(updates, began) - 1
        known = (used >= 0) & (updated >= 0)
        old = known & (forward[used] < np.array(updates, np.int64)[updated])
        fresh |= set(changes.numbers[known & ~old].tolist())
        for backward, step in zip(changes.numbers[old].tolist(), forward[used[old]].tolist(), strict=True):
            stale.setdefault(backward, []).append((tensor, step))
    passes = [number for number in stale if number not in fresh]
    if len(passes) < 2:
        return
    first = run.index.passes[passes[0]]
    forward_step = max(step for _, step in stale[passes[0]])
    tensors = list(dict.fromkeys(t for n in passes for t, _ in stale[n]))
    yield finding(
        run, STALE_FORWARD,
        f"The forward pass at {run.where(forward_step)} runs once; {len(passes)} backward passes after updates go back "
        "through it.",
        f"{run.names(tensors)} {'have' if len(tensors) > 1 else 'has'} been updated since, but nothing is computed from the "
        "new values: "
        f"backward at {run.moment(first.began)} gives the gradient at the old ones, and the loss stays what it was.",
        "Compute the prediction and the loss anew in each iteration, inside the loop; retain_graph=True is then not needed.",
        step=forward_step,
        related=[run.site(first.began)],
        evidence=[
            ("passes through the old graph", str(len(passes))),
            ("updates since the forward pass", str(sum(len(within) for within in [run.updates[tensors[0]]]))),
        ],
        nodes=[key(t) for t in tensors],
        steps=[run.index.passes[number].began for number in passes],
    )  # fmt: skip


def _uses(run: Run, tensor: int, views: int) -> Iterator[int]:
    """The steps at which something is computed with a tensor, or with views of it."""
    same = run.having("same_values")
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.node is not None and not event.in_backward:
            if views and event.op in same and event.outputs and len(event.outputs) == 1:
                yield from _uses(run, event.outputs[0].id, views - 1)
            else:
                yield step


# --- out of reach -------------------------------------------------------------------------------------------------------------


@rule(245, UNREACHABLE_TARGETS)
def unreachable_targets(run: Run) -> Iterator[Finding]:
    """A loss compares the result of a bounded activation with targets beyond its bounds."""
    if not run.updates:
        return
    at: dict[Site | None, list[tuple[int, int, int, str, float]]] = {}
    seen: dict[Site | None, int] = {}
    measures = run.having("distance") | run.having("difference")
    for step in steps_of(run, measures):
        event = run.events[step]
        if not isinstance(event, OpRan) or event.node is None or event.in_backward:
            continue
        site = run.site(step)
        seen[site] = seen.get(site, 0) + 1
        pair = run.inputs(event)
        if seen[site] > _LOOKED_AT or len(pair) != 2 or not (event.op in run.having("distance") or _measured(run, event)):
            continue
        for made, target in (pair, pair[::-1]):
            found = _out_of_reach(run, made, target, step)
            if found is not None:
                at.setdefault(site, []).append((step, made, target, *found))
    for site, cases in at.items():
        if len(cases) < min(seen[site], _LOOKED_AT):
            continue
        step, made, target, bounds, share = cases[0]
        source = run.beneath_views(made)
        born, activation = run.op_of(source)
        module = run.recording.scopes[activation.scope].module if activation.scope >= 0 else ""
        name = f"{activation.op} ({module})" if module else activation.op
        yield finding(
            run, UNREACHABLE_TARGETS,
            f"{share:.0%} of the targets lie out of reach: the prediction comes from {activation.op}, which is {bounds}.",
            f"The loss at {run.moment(step)} compares {run.title(target)} with the result of {name} at {run.where(born)}. "
            "For targets "
            "beyond its bounds the prediction is driven to the bound, where no gradient is left, and the loss stays above "
            "zero.",
            "Leave out the activation of the last layer, or scale the targets to its range.",
            step=step,
            site=run.site(born),
            related=[site],
            evidence=[
                ("targets", run.texts.describe(run.status(target, step).array)),
                ("targets out of reach", f"{share:.0%}"),
                ("results of the activation", bounds),
            ],
            nodes=[key(made), key(target)],
            steps=[case[0] for case in cases],
        )  # fmt: skip


def _measured(run: Run, event: OpRan) -> bool:
    """Whether the size of a difference is taken."""
    sizes = run.having("magnitude")
    after = [run.events[s] for info in event.outputs for s in run.consumers.get(info.id, ())]
    return any(isinstance(e, OpRan) and e.op in sizes for e in after)


def _out_of_reach(run: Run, made: int, target: int, step: int) -> tuple[str, float] | None:
    """The bounds of the activation that made a prediction, in words, and the share of the targets beyond them."""
    info = run.tensors[target].info
    source = run.beneath_views(made)
    if run.status(target, step).requires_grad or not run.tensors[made].info.requires_grad or "float" not in info.dtype:
        return None
    if run.tensors[made].info.shape != info.shape or not _given(run, target):
        return None
    op = run.tensors[source].op.op
    values = run.values(target, step)
    if values is None or not values.size:
        return None
    inside: NDArray[Any]
    if op in run.having("relu"):
        bounds, inside = "never below 0", values >= 0
    elif op in run.having("squashes") and op in run.having("probabilities"):
        bounds, inside = "always between 0 and 1", (values >= 0) & (values <= 1)
    elif op in run.having("squashes"):
        bounds, inside = "always between -1 and 1", (values >= -1) & (values <= 1)
    else:
        return None
    share = 1 - float(inside.mean())
    return (bounds, share) if share >= _SHARE else None


def _given(run: Run, tensor: int) -> bool:
    """Whether a tensor is data: not computed by a module."""
    event = run.tensors[run.beneath_views(tensor)].op
    scopes = run.recording.scopes
    return event.node is None and (event.scope < 0 or not scopes[event.scope].module or not event.outputs)


# --- zero ---------------------------------------------------------------------------------------------------------------------


@rule(265, ZERO_GRADIENT)
def zero_gradient(run: Run) -> Iterator[Finding]:
    """A parameter's gradient is zero in every pass, by an operation on the way that is given one that is not."""
    by_place: dict[tuple[Site | None, str], list[tuple[int, OpRan, float]]] = {}
    cancelled: dict[Site | None, list[tuple[int, Zero]]] = {}
    idle = 0
    for tensor, updates in run.updates.items():
        fills = [(s, e) for s, e in run.history(tensor) if isinstance(e, Accumulated)]
        if len(fills) < 3 or not all(run.zero(e.increment) for _, e in fills):
            continue
        idle += 1
        entry = run.index.passes[fills[0][1].number]
        culprit = _culprit(run, entry, fills[0][1].node)
        if not updates:
            continue
        if culprit is not None and _cause(run, *culprit[1:]):
            by_place.setdefault((run.site(culprit[0]), culprit[1].op), []).append((tensor, *culprit[1:]))
            continue
        zero = zero_origin(paths_of(run.recording), entry, fills[0][1].node, fills[0][0])
        if zero is not None and zero.code == "zero_cancelled":
            cancelled.setdefault(zero.site, []).append((tensor, zero))
    for site, those in cancelled.items():
        tensors, zero = [t for t, _ in those], those[0][1]
        if all(len(run.tensors[t].info.shape) < 2 for t in tensors) and idle < len(run.updates):
            continue  # the bias of a critic's last layer, that is added to both sides
        yield finding(
            run, ZERO_GRADIENT,
            f"{run.names(tensors)} get{'' if len(tensors) > 1 else 's'} a gradient of exactly zero in every pass.",
            f"{zero.sentence} So whatever the loss is, nothing that stands before them learns.",
            "One of the uses is to be a number, without its graph: detach() it there.",
            step=next(s for s, e in run.history(tensors[0]) if isinstance(e, Accumulated)),
            site=site,
            related=[run.site(run.tensors[tensors[0]].born)],
            evidence=[
                ("parameters without any gradient", f"{len(tensors)} of {len(run.updates)}"),
                ("passes", str(sum(isinstance(e, Accumulated) for _, e in run.history(tensors[0])))),
            ],
            nodes=[key(t) for t in tensors[:20]],
        )  # fmt: skip
    for (site, _), found in by_place.items():
        _, event, size = found[0]
        cause = _cause(run, event, size)
        tensors = [t for t, *_ in found]
        most = idle * 2 > len(run.updates)
        starts = next(s for s, e in run.history(tensors[0]) if isinstance(e, Accumulated))
        empty = [t for t in tensors if run.zero(run.status(t, starts).array)] if "product" in run.traits(event.op) else []
        yield finding(
            run, ZERO_GRADIENT,
            f"{run.names(tensors)} get{'' if len(tensors) > 1 else 's'} a gradient of exactly zero in every pass.",
            f"On the way back the gradient becomes zero at {run.site_text(site)}: {cause}",
            f"Initialise {run.title(empty[0])} at random: zero times zero gives neither factor a gradient." if len(empty) > 1
            else "Look at what stands there: as long as it lets nothing pass, nothing before it learns.",
            step=starts,
            site=site,
            related=[run.site(run.tensors[t].born) for t in (*tensors[:1], *empty)],
            evidence=[
                ("parameters without any gradient", f"{len(tensors)} of {len(run.updates)}"),
                ("passes", str(sum(isinstance(e, Accumulated) for _, e in run.history(tensors[0])))),
            ],
            nodes=[key(t) for t in tensors[:20]],
            severity="" if most or size < _UNDERFLOW or "normalizes" in run.traits(event.op) else "hint",
        )  # fmt: skip


def _culprit(run: Run, entry: Pass, node: int) -> tuple[int, OpRan, float] | None:
    """The operation on the way of a pass to a leaf that was given a gradient and handed on zeros, with its step and the size of
    what it was given; None where several ways lead there, or none."""
    while True:
        track = entry.arrivals.get(node)
        if track is None:
            return None
        ways = {arrival.source for arrival in track.values}
        if len(ways) != 1:
            return None
        (source,) = ways
        if source == NOTHING:
            return None
        given = entry.arrivals.get(source)
        if given is None:
            return None
        if any(not run.zero(arrival.array) for arrival in given.values):
            event = run.nodes[source].event
            sizes = [n for arrival in given.values if (n := norm(run.recording.arrays[arrival.array])) is not None]
            return (run.nodes[source].born, event, max(sizes, default=math.inf)) if isinstance(event, OpRan) else None
        node = source


def _own(run: Run, tensor: int) -> bool:
    """Whether a module made a tensor by itself, such as a first hidden state of zeros."""
    event = run.tensors[tensor].op
    made_inside = event.scope >= 0 and bool(run.recording.scopes[event.scope].module)
    return made_inside and not run.inputs(event)


def _cause(run: Run, event: OpRan, size: float) -> str:
    """Why an operation handed on nothing but zeros, in words; "" where others say so, or it is not known."""
    traits = run.traits(event.op)
    if "distance" in traits or ("magnitude" in traits and "product" not in traits):
        return ""  # the loss is at its minimum
    if "normalizes" in traits and event.outputs:
        dim = run.setting(event, "dim")
        shape = event.outputs[0].shape
        if dim.lstrip("-").isdigit() and -len(shape) <= int(dim) < len(shape) and shape[int(dim)] == 1:
            return f"{event.op} over a dimension of size 1 is 1, whatever it is given, so its slope is zero."
    if {"product", "matrix_product", "convolution"} & set(traits):
        step = run.tensors[event.outputs[0].id].born if event.outputs else NOTHING
        zeros = [t for t in run.inputs(event) if step != NOTHING and run.zero(run.status(t, step).array) and not _own(run, t)]
        if zeros:
            return f"{run.title(zeros[0])} is zero everywhere there, and what is multiplied with zero gets no gradient."
        if any(argument.tensor == NOTHING and argument.text in ("0", "0.0") for argument in event.inputs):
            return "it is multiplied with the number 0 there, and what is multiplied with zero gets no gradient."
    if size < _UNDERFLOW:
        return f"it has shrunk to {number(size)} on the way from the loss, and what is left of it is rounded to zero."
    return ""
