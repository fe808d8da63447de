"""Rules about how gradients flow: vanishing, exploding, dead, saturated, rounded away."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...graph.numbers import norm, number
from ...recording.columns import columns_of
from ...recording.events import NOTHING, NodeRan, OpRan, Site
from ...recording.index import Pass
from ..mends.numbers import let_through
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

VANISHING = Kind("vanishing_gradients", "warning", "Gradients shrink by orders of magnitude from the last layer to the first.")
EXPLODING = Kind("exploding_gradients", "warning", "Gradients grow by orders of magnitude from the last layer to the first.")
DEAD_RELU = Kind("dead_relu", "warning", "Units of a ReLU are zero for every sample, so nothing reaches what is before them.")
SATURATED = Kind(
    "saturated",
    "warning",
    "A sigmoid, tanh or softmax is where it is flat, so almost no gradient gets through.",
    answers=("zero_saturated",),
)
ZERO_DERIVATIVE = Kind(
    "zero_derivative", "warning", "An operation whose derivative is 0 stands between parameters and the loss.", True
)

_LAYERS = 5
_RATIO = 1e4
_STEPS = 12
_LONG_RATIO = 1e6
_STEADY = 0.75
"""The part of the layers at which the norm must move in the same direction."""
_ALIVE = 0.95
"""A share of dead units beyond which a layer passes next to nothing on."""
_FLAT = 1e-3
"""A derivative below this counts as saturated."""
_CARRIERS = ("matrix_product", "convolution", "squashes", "relu", "product")
"""Traits of operations whose nodes scale a gradient, layers first; sums and views only pass it on."""


class Layer(NamedTuple):
    """The gradient of one layer's weights, or at one of many equal nodes."""

    label: str
    tensor: int
    size: float
    """Root mean square."""
    step: int
    born: int


@rule(230, VANISHING, EXPLODING)
def along_depth(run: Run) -> Iterator[Finding]:
    """Gradients shrink or grow by orders of magnitude from the last layer to the first."""
    seen: set[tuple[Site | None, str]] = set()
    sites: dict[Site | None, int] = {}
    for entry in run.passes:
        site = run.site(entry.began)
        sites[site] = sites.get(site, 0) + 1
        if sites[site] > 2:
            continue  # what a network does from the start shows in its first passes
        weights = _weights(run, entry)
        deep = _chain(run, entry, _LAYERS) if weights else []
        for layers, ratio in ((weights, _RATIO), (deep, _RATIO), (_chain(run, entry, _STEPS), _LONG_RATIO)):
            kind = _trend(layers, ratio)
            if kind and (site, kind) not in seen and not any(site == s for s, _ in seen):
                seen.add((site, kind))
                yield _depth_finding(run, entry, layers, kind)


def _depth_finding(run: Run, entry: Pass, layers: list[Layer], kind: str) -> Finding:
    last, first = layers[0], layers[-1]
    small = kind == "vanishing"
    factor = (first.size / last.size) ** (1 / (len(layers) - 1)) if last.size and first.size else 0.0
    middle = layers[len(layers) // 2]
    return finding(
        run, VANISHING if small else EXPLODING,
        f"Gradients {'vanish' if small else 'explode'} on their way back: from {number(last.size)} at {last.label} to "
        f"{number(first.size)} at {first.label}.",
        f"Over {len(layers)} layers the gradient changes by a factor of about {number(factor)} at each"
        + (", so the first layers learn nothing." if small else ", so the first layers are thrown far off."),
        "Use ReLU or tanh with a fitting initialisation, normalisation layers, residual connections; for a recurrent network "
        "an LSTM or GRU." if small else
        "Initialise with smaller weights, add normalisation layers, and clip gradients (nn.utils.clip_grad_norm_).",
        step=first.step,
        site=run.site(first.born),
        related=[run.site(entry.began), run.site(last.born)],
        evidence=[(f"gradient at {layer.label} (rms)", number(layer.size)) for layer in (last, middle, first)],
        nodes=[key(layer.tensor) for layer in layers if layer.tensor != NOTHING],
        steps=_passes_like(run, entry, layers, kind),
    )  # fmt: skip


def _passes_like(run: Run, entry: Pass, layers: list[Layer], kind: str) -> list[int]:
    """The passes from the same line in which the gradients of the same weights do the same; only this one, where the layers are
    no weights."""
    last, first = layers[0].tensor, layers[-1].tensor
    if NOTHING in (last, first) or not (run.status(last, entry.began).is_leaf and run.status(first, entry.began).is_leaf):
        return []
    found = []
    for other in run.passes:
        if run.site(other.began) == run.site(entry.began):
            sizes = {event.tensor: _rms(run, event.increment) for _, event in run.fills(other) if event.tensor in (last, first)}
            high, low = (sizes.get(last), sizes.get(first)) if kind == "vanishing" else (sizes.get(first), sizes.get(last))
            if high is not None and low is not None and math.isfinite(high) and 0 < low * _RATIO < high:
                found.append(other.began)
    return found


def _weights(run: Run, entry: Pass) -> list[Layer]:
    """The weight matrices in the order in which a pass reaches them, the last layer first."""
    found = []
    for step, event in run.fills(entry):
        info = run.tensors[event.tensor].info
        size = _rms(run, event.increment)
        if len(info.shape) >= 2 and run.status(event.tensor, step).is_leaf and size is not None:
            found.append(Layer(f"{run.title(event.tensor)}.grad", event.tensor, size, step, _first_use(run, event.tensor)))
    if len({layer.label for layer in found}) < len(found):
        found = [layer._replace(label=f"layer {len(found) - k} of {len(found)}") for k, layer in enumerate(found)]
    return found if len(found) >= _LAYERS else []


def _first_use(run: Run, tensor: int) -> int:
    """The step of the first operation on a tensor that is part of a graph."""
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.node is not None:
            return step
    return run.tensors[tensor].born


def _chain(run: Run, entry: Pass, least: int) -> list[Layer]:
    """The gradients at nodes of one kind that lie behind one another: the products of a deep network, the tanh of each time
    step."""
    kinds: dict[str, list[tuple[int, NodeRan]]] = {}
    for step in entry.ran.steps:
        event = run.events[step]
        if isinstance(event, NodeRan) and len(event.received) == 1:
            kinds.setdefault(run.nodes[event.node].info.name, []).append((step, event))
    most = max(kinds, key=lambda k: len(kinds[k]), default="")
    carriers = [(rank, -len(ran), name) for name, ran in kinds.items() if (rank := _rank(run, ran[0][1].node)) is not None]
    for name in dict.fromkeys((*(name for *_, name in sorted(carriers)), most)):
        ran = kinds.get(name, [])
        if len(ran) < least or not _behind_one_another(run, [e.node for _, e in ran]):
            continue
        picked = ran if len(ran) <= 64 else [ran[i * (len(ran) - 1) // 63] for i in range(64)]
        layers = []
        for k, (step, event) in enumerate(picked):
            size = _rms(run, event.received[0])
            if size is None:
                break
            born = run.nodes[event.node].born
            tensor = run.index.owners.get((event.node, 0), NOTHING)
            layers.append(Layer(f"{name} {len(picked) - k} of {len(picked)}", tensor, size, step, born))
        return layers
    return []


def _rank(run: Run, node: int) -> int | None:
    """Which of the traits of carriers a node's operation has, None for an operation that only passes gradients on."""
    event = run.nodes[node].event
    op = event.op if isinstance(event, OpRan) else ""
    return next((rank for rank, trait in enumerate(_CARRIERS) if op in run.having(trait)), None)


def _behind_one_another(run: Run, nodes: list[int]) -> bool:
    """Whether each node is reached from the one before, looked for a few edges deep."""
    for a, b in pairwise(nodes[:16]):
        frontier = {a}
        for _ in range(8):
            frontier = {t for n in frontier for t, _ in run.nodes[n].info.edges if t != NOTHING}
            if b in frontier:
                break
        else:
            return False
    return True


def _trend(layers: list[Layer], ratio: float) -> str:
    if len(layers) < _LAYERS or not all(math.isfinite(layer.size) for layer in layers):
        return ""
    sizes = [layer.size for layer in layers]
    pairs = list(pairwise(sizes))
    if sizes[0] > 0 and 0 < sizes[-1] < sizes[0] / ratio and sum(b < a for a, b in pairs) >= _STEADY * len(pairs):
        return "vanishing"
    if sizes[0] > 0 and sizes[-1] > sizes[0] * ratio and sum(b > a for a, b in pairs) >= _STEADY * len(pairs):
        return "exploding"
    return ""


def _rms(run: Run, array: int) -> float | None:
    if array == NOTHING:
        return None
    stored = run.recording.arrays[array]
    size = norm(stored)
    return None if size is None else size / math.sqrt(max(math.prod(stored.shape), 1))


class Activation(NamedTuple):
    """An activation in the passes that went through it: its op's step, and the steps of its node."""

    step: int
    event: OpRan
    ran: int


def _activations(run: Run, trait: str) -> dict[tuple[Site | None, int], list[Activation]]:
    """The operations with a trait that backward passes went through, by site and by which one of its site in the pass."""
    columns = columns_of(run.recording)
    made = {*columns.made_node[columns.op_is(run.having(trait)) & run.op_ran].tolist()}
    found: dict[tuple[Site | None, int], list[Activation]] = {}
    for entry in run.passes if made else ():
        if entry.via != "backward":
            continue
        uses: dict[Site | None, int] = {}
        for node, step in entry.ran_at.items():
            if node not in made:
                continue
            maker = run.nodes[node].event
            ran = run.events[step]
            if not isinstance(maker, OpRan) or not maker.outputs or not run.inputs(maker):
                continue
            if isinstance(ran, NodeRan) and ran.received:
                site = run.recording.site(maker)
                uses[site] = uses.get(site, 0) + 1
                found.setdefault((site, uses[site]), []).append(Activation(run.nodes[node].born, maker, step))
    return found


@rule(240, DEAD_RELU)
def dead_relu(run: Run) -> Iterator[Finding]:
    """The units of a ReLU are zero for every sample, so no gradient passes."""
    if not run.updates:
        return
    reported = set()
    for (site, _), calls in _activations(run, "relu").items():
        late = calls[len(calls) // 2 :][-8:]
        if len(calls[-1].event.outputs[0].shape) < 2 and _reduced(run, calls[-1].event.outputs[0].id):
            continue  # a hinge: its entries are samples and no units
        arrays = [run.recording.array(c.event.outputs[0].array) for c in late]
        if site in reported or any(a is None or not a.size for a in arrays):
            continue
        flat = [a.reshape(-1, a.shape[-1]) if a.ndim > 1 else a.reshape(1, -1) for a in arrays if a is not None]
        shape = calls[0].event.outputs[0].shape
        if len(shape) == 4:
            flat = [np.moveaxis(a, 1, -1).reshape(-1, shape[1]) for a in arrays if a is not None]
        rows = sum(len(a) for a in flat)
        if rows < 3 or len({a.shape[1] for a in flat}) > 1 or flat[0].shape[1] < 2:
            continue
        dead = np.all([(a <= 0).all(0) for a in flat], axis=0)
        if dead.mean() < 0.75:
            continue
        first = _since(run, calls)
        units = len(dead)
        reported.add(site)
        source = next(iter(run.inputs(first.event)), NOTHING)
        given = run.values(source, first.step - 1) if source != NOTHING else None
        yield finding(
            run, DEAD_RELU,
            f"{int(dead.sum())} of {units} ReLU units at {run.site_text(site)} are dead: zero for every sample.",
            "Where its input is negative, ReLU has derivative 0. A unit whose input is negative for all samples gets no "
            "gradient, so its weights never change again.",
            "Use a smaller learning rate or a better initialisation (bias not far below zero), or LeakyReLU.",
            step=first.step,
            site=site,
            related=[run.site(first.ran)],
            evidence=[
                ("dead units", f"{int(dead.sum())} of {units}"),
                ("samples looked at", str(rows)),
                *([("largest input", number(float(given.max())))] if given is not None and given.size else []),
                *([("dead since", run.during(first.step))] if run.during(first.step) else []),
            ],
            nodes=[key(first.event.outputs[0].id)],
            steps=[c.step for c in calls if c.step >= first.step],
            # A layer learns with the rest of its units; with next to none of them nothing before it does.
            severity="" if dead.mean() > _ALIVE else "hint",
        )  # fmt: skip


def _reduced(run: Run, tensor: int) -> bool:
    """Whether a tensor goes into a sum or a mean, and nowhere else."""
    events = [run.events[step] for step in run.consumers.get(tensor, ())]
    return bool(events) and all(isinstance(e, OpRan) and e.op in run.having("reduces") for e in events)


def _since(run: Run, calls: list[Activation]) -> Activation:
    """The first of the calls after which all are zero for the most part."""
    first = calls[-1]
    for c in reversed(calls):
        values = run.recording.array(c.event.outputs[0].array)
        if values is None or (values > 0).mean() > 0.25:
            break
        first = c
    return first


@rule(250, SATURATED)
def saturated(run: Run) -> Iterator[Finding]:
    """From the first pass on, nearly all outputs of a sigmoid, tanh or softmax are at their ends, where it is flat."""
    if not run.updates:
        return
    reported = set()
    for (site, _), calls in _activations(run, "squashes").items():
        first = calls[0]
        op = first.event.op
        shares = "normalizes" in run.traits(op)
        parts = [_flat_part(run, c) for c in calls[:2]]
        least = 0.75 if shares else 0.9
        # A few entries that are not flat can carry most of what gets through, so the outputs are what is counted.
        if site in reported or any(p is None or p < least for p in parts):
            continue
        source = next(iter(run.inputs(first.event)), NOTHING)
        given = run.values(source, first.step - 1)
        event = run.events[first.ran]
        assert isinstance(event, NodeRan)
        arrives = _rms(run, event.received[0])
        leaves = next((_rms(run, s.array) for s in event.sent if s is not None), None)
        if given is None or leaves is None or not arrives:
            continue
        reported.add(site)
        yield finding(
            run, SATURATED,
            f"{op} at {run.site_text(site)} is saturated: {parts[0]:.0%} of its {'rows' if shares else 'outputs'} are at "
            "the ends, where it is flat.",
            f"Its inputs reach from {number(float(given.min()))} to {number(float(given.max()))}. There its derivative is "
            f"nearly 0: a gradient of {number(arrives)} arrives and {number(leaves)} (rms) gets through.",
            "Scale the inputs or the initial weights down (in attention: divide the scores by sqrt(d)), or normalise first.",
            step=first.step,
            site=site,
            related=[run.site(first.ran)],
            evidence=[
                ("saturated", f"{parts[0]:.0%}"),
                ("gradient in → out (rms)", f"{number(arrives)} → {number(leaves)}"),
                ("input", run.texts.describe(run.status(source, first.step - 1).array)),
            ],
            nodes=[key(first.event.outputs[0].id), key(source)],
            steps=[c.step for c in calls if (part := _flat_part(run, c)) is not None and part >= least],
        )  # fmt: skip


def _flat_part(run: Run, call: Activation) -> float | None:
    """The part of an activation's outputs at which its derivative is nearly zero; None where too few are there to tell."""
    values = run.recording.array(call.event.outputs[0].array)
    if values is None or values.size < 4 or not np.isfinite(values).all():
        return None
    traits = run.traits(call.event.op)
    if "normalizes" not in traits:
        slope = values * (1 - values) if "probabilities" in traits else 1 - values * values
        return float((slope < _FLAT).mean())
    text = next((a.text for a in call.event.inputs if a.name == "dim" and a.text), "-1")
    dim = int(text) if re.fullmatch(r"-?\d", text) else -1
    if not -values.ndim <= dim < values.ndim:
        return None
    rows = np.moveaxis(values, dim, -1).reshape(-1, values.shape[dim])
    given = run.values(run.argument(call.event, "self"), call.step - 1)
    if given is not None and given.shape == values.shape:
        # A row with a single entry that is not masked has nothing to choose from.
        rows = rows[np.isfinite(np.moveaxis(given, dim, -1)).reshape(rows.shape).sum(-1) > 1]
    return float((rows.max(-1) > 1 - _FLAT).mean()) if len(rows) >= 4 else None


@rule(260, ZERO_DERIVATIVE)
def rounded(run: Run) -> Iterator[Finding]:
    """A gradient arrives at round, floor or sign, whose derivative is zero everywhere."""
    if not run.optimizer_steps and not run.updates:
        return
    reported = set()
    for (site, _), calls in _activations(run, "steps").items():
        first = calls[0]
        event = run.events[first.ran]
        assert isinstance(event, NodeRan)
        if site in reported or event.received[0] == NOTHING or run.zero(event.received[0]) or _by_another_way(run, first):
            continue
        reported.add(site)
        op = first.event.op
        yield finding(
            run, ZERO_DERIVATIVE,
            f"{op} at {run.site_text(site)} has derivative 0, so nothing before it learns.",
            f"A gradient of {run.texts.describe(event.received[0])} arrives and zero leaves.",
            f"Leave {op} out of the loss, or let the gradient through: x + ({op}(x) - x).detach().",
            step=first.step, site=site, related=[run.site(first.ran)],
            evidence=[("gradient that arrives", run.texts.describe(event.received[0])), ("gradient that leaves", "0")],
            nodes=[key(first.event.outputs[0].id)], steps=[c.step for c in calls],
            changes=let_through(run, first.step),
        )  # fmt: skip


def _by_another_way(run: Run, call: Activation) -> bool:
    """Whether what an operation is given gets a gradient all the same: `sign(x) * sqrt(abs(x))` learns by its other factor."""
    node = run.status(run.argument(call.event, "self"), call.step - 1).node
    entry = next((entry for entry in run.passes if entry.began <= call.ran <= entry.ended), None)
    ran = None if entry is None or node == NOTHING else entry.ran_at.get(node)
    event = None if ran is None else run.events[ran]
    return isinstance(event, NodeRan) and any(each != NOTHING and not run.zero(each) for each in event.received)
