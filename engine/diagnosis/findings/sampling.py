"""Rules about what is drawn at random by parameters that are to learn: no gradient comes through the draw."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, Accumulated, NodeRan, OpRan, Site
from ...recording.index import Arrival, Pass
from .. import mending
from ..cuts import drawn_by_sample
from ..paths import Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

SAMPLE_WITHOUT_PATH = Kind(
    "sample_without_path", "warning",
    "Numbers are drawn by parameters, and the gradient ends at the draw.", mechanical=True,
)  # fmt: skip

REVERSED_DIVERGENCE = Kind(
    "reversed_divergence", "warning", "The divergence of a variational model enters the loss with the wrong sign."
)
VARIANCE_AS_DEVIATION = Kind(
    "variance_as_deviation", "warning",
    "Noise is multiplied by a variance: the divergence takes the same numbers for its logarithm.", mechanical=True,
)  # fmt: skip

_TERMS = 12
"""Terms of a divergence, and operations between one of them and the whole."""
_MOST = 300
"""Tensors that are looked at before and behind one draw."""


@rule(182, SAMPLE_WITHOUT_PATH)
def sample_without_path(run: Run) -> Iterator[Finding]:
    """A gradient arrives at what was drawn at random, and zero leaves for what it was drawn by."""
    draws = run.having("draws") - run.having("masks")
    made = {event.node.id: event for _, event in run.ops_of(draws) if event.node is not None and event.outputs}
    at: dict[Site | None, list[tuple[int, OpRan, int]]] = {}
    sound: set[int] = set()
    for entry in run.passes:
        for node, step in entry.ran_at.items() if made else ():
            maker = made.get(node)
            if maker is None or maker.site in sound or not _dies(run, step):
                continue
            if not at.get(run.recording.site(maker)) and (
                _scored(run, maker, entry, run.inputs(maker)) or _used_behind(run, maker, entry, run.inputs(maker))
            ):
                sound.add(maker.site)
                continue
            at.setdefault(run.recording.site(maker), []).append((run.nodes[node].born, maker, step))
    paths = paths_of(run.recording)
    for site, same in at.items():
        step, maker, ran = same[0]
        drawn = maker.outputs[0].id
        by = [t for t in run.inputs(maker) if run.status(t, step - 1).requires_grad]
        leaves = leaves_of(run, by)
        text, name, given = run.segment(site), paths.label(drawn, step), run.names(by)
        arrived = run.events[ran]
        assert isinstance(arrived, NodeRan)
        whole = _whole_numbers(run, drawn)
        instead, changes = _reparameterised(paths, maker, site)
        yield finding(
            run, SAMPLE_WITHOUT_PATH,
            f"No gradient comes through {text}: what is drawn does not depend on {given} for autograd.",
            f"A gradient of {run.texts.describe(arrived.received[0])} arrives at {name}, and zero goes on to {given}. So "
            f"{run.names(leaves)} learn{'s' * (len(leaves) == 1)} nothing by way of {name}.",
            "Draw by a smooth stand-in (F.gumbel_softmax, or x + (drawn - x).detach()), or take the log-probability of what "
            "was drawn times its reward for the loss." if whole else
            f"Draw the noise apart from the parameters: {instead} (what rsample() of a distribution does).",
            step=step, site=site, related=[run.site(ran)],
            evidence=[
                ("gradient that arrives", run.texts.describe(arrived.received[0])),
                ("gradient that leaves", "0"),
            ],
            nodes=[key(t) for t in (drawn, *by, *leaves)],
            steps=[one[0] for one in same],
            changes=() if whole else changes,
        )  # fmt: skip


@rule(182, SAMPLE_WITHOUT_PATH)
def sampled_silently(run: Run) -> Iterator[Finding]:
    """`sample()` of a distribution whose parameters learn by another way, while a layer computes with what was drawn, and no
    probability of it is asked."""
    paths = paths_of(run.recording)
    for step, event in run.first_ops_of(run.having("draws") - run.having("masks"), 1):
        if event.grad_mode or not event.outputs or not drawn_by_sample(paths, step):
            continue
        site, drawn = run.site(step), event.outputs[0].id
        by = [t for t in _before(run, event) if run.status(t, step - 1).requires_grad]
        entry = next((entry for entry in run.passes if entry.began > step and _reaches(run, drawn, entry)), None)
        if not by or entry is None or _whole_numbers(run, drawn):
            continue
        leaves = [t for t in leaves_of(run, by) if t in run.updates]
        if not any(fill.number == entry.number for t in leaves for _, fill in run.history(t) if isinstance(fill, Accumulated)):
            continue  # that pass is not theirs: they draw data for somebody else
        if _is_data(run, drawn, entry):
            continue
        if not leaves or _scored(run, event, entry, by) or _used_behind(run, event, entry, by):
            continue
        if any(run.tensors[t].ledger is None for t in leaves):
            continue  # the gradient of these is missing altogether, which is told of
        text = run.segment(site)
        yield finding(
            run, SAMPLE_WITHOUT_PATH,
            f"No gradient comes through {text}: sample() draws without a graph.",
            f"The loss depends on {paths.label(drawn, step)}, but {run.names(leaves)} learn{'s' * (len(leaves) == 1)} nothing "
            "by way of it, only by the other terms.",
            f"Draw with {text.replace('.sample(', '.rsample(')}, through which the gradient goes.",
            step=step, site=site, related=[run.site(entry.began)],
            evidence=[("requires_grad of what is drawn by", "True"), ("of what is drawn", "False")],
            nodes=[key(t) for t in (drawn, *by, *leaves)],
            changes=mending.renamed(run, site, "rsample"),
        )  # fmt: skip


def _before(run: Run, event: OpRan) -> list[int]:
    """What an operation is given, or what its call has made that of."""
    queue = run.inputs(event)
    for tensor in queue:
        maker = run.tensors[tensor].op
        if maker.site == event.site and maker.cut and len(queue) < _MOST:
            queue += run.inputs(maker)
    return queue


def _is_data(run: Run, tensor: int, entry: Pass) -> bool:
    """Whether targets are made of a tensor as well: something computed from it, without a graph, meets what has one."""
    queue = [tensor]
    for source in queue:
        for step in run.consumers.get(source, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or step > entry.began or len(event.outputs) != 1:
                continue
            if event.outputs[0].requires_grad and source != tensor:
                return True
            if not event.outputs[0].requires_grad and "same_values" not in run.traits(event.op) and len(queue) < _MOST:
                queue.append(event.outputs[0].id)
    return False


def _reaches(run: Run, tensor: int, entry: Pass) -> bool:
    """Whether a pass goes through what was computed from a tensor."""
    queue, seen = deque([tensor]), {tensor}
    while queue and len(seen) < _MOST:
        for step in run.consumers.get(queue.popleft(), ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or step > entry.began:
                continue
            if event.node is not None and event.node.id in entry.ran_at:
                return True
            fresh = [made.id for made in event.outputs if made.id not in seen]
            seen.update(fresh)
            queue.extend(fresh)
    return False


def _dies(run: Run, step: int) -> bool:
    """Whether a node was given a gradient and sent zeros."""
    event = run.events[step]
    if not isinstance(event, NodeRan) or not event.received or event.received[0] == NOTHING or run.zero(event.received[0]):
        return False
    sent = [one for one in event.sent if one is not None]
    return bool(sent) and all(run.zero(one.array) for one in sent)


def _scored(run: Run, maker: OpRan, entry: Pass, by: list[int]) -> bool:
    """Whether what was drawn is compared, element by element, with what it was drawn by: a log-probability, which needs no
    gradient through the draw."""
    behind = run.having("elementwise") | run.having("same_values") | run.having("casts") | run.having("detaches")
    origins = _above(run, by)
    queue, seen = deque([maker.outputs[0].id]), {maker.outputs[0].id}
    while queue and len(seen) < _MOST:
        for step in run.consumers.get(queue.popleft(), ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or step > entry.ended:
                continue
            others = [t for t in run.inputs(event) if t not in seen]
            numbers = all(not run.tensors[t].info.shape for t in run.inputs(event))
            drawn_alone = not maker.outputs[0].shape
            if any(origins & _above(run, [t]) for t in others) and (drawn_alone or not numbers):
                return True
            if event.op in behind:
                fresh = [made.id for made in event.outputs if made.id not in seen]
                seen.update(fresh)
                queue.extend(fresh)
    return False


def _used_behind(run: Run, maker: OpRan, entry: Pass, by: list[int]) -> bool:
    """Whether the parameters of a draw are used once more on what was drawn, as in contrastive divergence, where they learn by
    that."""
    wanted = set(leaves_of(run, by))
    queue, seen = deque([maker.outputs[0].id]), {maker.outputs[0].id}
    while queue and wanted and len(seen) < _MOST:
        for step in run.consumers.get(queue.popleft(), ()):
            event = run.events[step]
            if isinstance(event, OpRan) and step <= entry.ended:
                others = [t for t in run.inputs(event) if t not in seen]
                if len(event.outputs) == 1 and event.outputs[0].shape:
                    wanted -= set(leaves_of(run, others))
                fresh = [made.id for made in event.outputs if made.requires_grad and made.id not in seen]
                seen.update(fresh)
                queue.extend(fresh)
    return not wanted


def _above(run: Run, tensors: list[int]) -> set[int]:
    """What requires grad and some tensors were computed from, the leaves left out; and they themselves."""
    behind = ((t, run.tensors[t].info) for t in run.behind(*tensors, most=_MOST, learned=True))
    return {t for t, info in behind if info.requires_grad and (not info.is_leaf or t in tensors)}


def leaves_of(run: Run, tensors: list[int]) -> list[int]:
    """The leaves that require grad and some tensors were computed from."""
    behind = ((t, run.tensors[t].info) for t in run.behind(*tensors, most=_MOST, learned=True))
    return sorted(t for t, info in behind if info.is_leaf and info.requires_grad)


def _whole_numbers(run: Run, tensor: int) -> bool:
    values = run.recording.array(run.tensors[tensor].info.array)
    return values is not None and values.dtype.kind in "fiu" and bool((values == np.round(values)).all())


def _reparameterised(paths: Paths, maker: OpRan, site: Site | None) -> tuple[str, mending.Changes]:
    """How a normal draw is written with its noise apart, and the change of its text."""
    node = paths.source.at(site)
    if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords or site is None:
        return "mean + std * torch.randn_like(mean)", []
    mean, std = (ast.unparse(argument) for argument in node.args)
    tensor = mean if paths.run.argument(maker, "mean") != NOTHING else std
    wide = f"({std})" if isinstance(node.args[1], ast.BinOp | ast.IfExp | ast.BoolOp) else std
    simple = f"({mean})" if isinstance(node.args[0], ast.IfExp | ast.BoolOp) else mean
    text = f"{simple} + {wide} * torch.randn_like({tensor})"
    whole = f"({text})" if isinstance(paths.source.parents.get(node), ast.expr) else text
    return text, mending.replaced(paths.run, site, whole)


@rule(183, REVERSED_DIVERGENCE)
def reversed_divergence(run: Run) -> Iterator[Finding]:
    """The gradient that comes to 1 + v - m² - exp(v), which is never positive, would have it fall."""
    at: dict[Site | None, list[tuple[int, OpRan, bool]]] = {}
    for step, event in run.first_ops_of({"sub"}, 4):
        whole, power = run.argument(event, "self"), run.argument(event, "other")
        if NOTHING in (whole, power) or event.node is None or event.in_backward:
            continue
        maker = run.tensors[power].op
        if maker.op != "exp" or not adds(run, whole, {run.argument(maker, "self")}):
            continue
        arrived = [run.recording.array(a.array) for e in run.passes for a in arrivals(e, event.node.id)]
        known = [values for values in arrived if values is not None]
        if known:
            at.setdefault(run.site(step), []).append((step, event, all((values > 0).all() for values in known)))
    for site, found in at.items():
        if not all(up for *_, up in found):
            continue
        step, event, _ = found[0]
        name = run.title(event.outputs[0].id)
        yield finding(
            run, REVERSED_DIVERGENCE,
            "The divergence is made larger by the training: it enters the loss with the wrong sign.",
            f"{name} is at most 0, and 0 where the distribution is the prior. The gradient that arrives there is positive, so "
            "a step makes it smaller, without a bound: mean and variance run away from the prior.",
            "Write -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(), and add it to the loss.",
            step=step, site=site, evidence=[("gradient that arrives", "positive")], nodes=[key(event.outputs[0].id)],
        )  # fmt: skip


@rule(183, VARIANCE_AS_DEVIATION)
def variance_as_deviation(run: Run) -> Iterator[Finding]:
    """`mu + noise * v.exp()`, where `1 + v - mu² - v.exp()` is in the loss: exp(v) is the variance there."""
    for step, event in run.first_ops_of({"exp"}, 1):
        variance = run.argument(event, "self")
        if variance == NOTHING or event.node is None or event.node.id not in run.ran or not event.outputs:
            continue
        by_noise = next((at for at in run.consumers.get(event.outputs[0].id, ()) if _by_noise(run, at)), None)
        if by_noise is None:
            continue
        powers = [p for at in run.consumers.get(variance, ()) if (p := _power(run, at)) != NOTHING]
        whole = next((w for p in powers for w in _sums(run, p) if adds(run, w, {variance})), NOTHING)
        if whole == NOTHING:
            continue
        name, sum_ = run.title(variance), run.tensors[whole].born
        yield finding(
            run, VARIANCE_AS_DEVIATION,
            f"The noise at {run.where(by_noise)} is multiplied by exp({name}), which is the variance by the divergence at "
            f"{run.where(sum_)}.",
            f"1 + v - mu² - exp(v) is the divergence of a normal distribution with variance exp(v). Its standard deviation, by "
            f"which noise is multiplied, is the root of that: exp(0.5 * {name}). As it is, the loss holds the model to another "
            "distribution than the one that is drawn from.",
            f"Write (0.5 * {name}).exp().",
            step=step, related=[run.site(by_noise), run.site(sum_)],
            evidence=[(f"exp({name})", run.texts.describe(event.outputs[0].array))],
            nodes=[key(variance), key(event.outputs[0].id)],
            changes=_halved(run, step, event) if _uses(run, event.outputs[0].id) == 1 else [],
        )  # fmt: skip


def _uses(run: Run, tensor: int) -> int:
    """How often something with a graph is computed from a tensor; a distribution only looks whether its scale is above zero."""
    return sum(getattr(run.events[step], "node", None) is not None for step in run.consumers[tensor])


def _by_noise(run: Run, step: int) -> bool:
    """Whether an operation multiplies by a draw of noise, element by element."""
    event = run.events[step]
    if not isinstance(event, OpRan) or event.in_backward or event.op not in run.having("product") & run.having("elementwise"):
        return False
    return any(_is_noise(run, run.beneath_views(t), step) for t in run.inputs(event))


def _is_noise(run: Run, tensor: int, step: int) -> bool:
    """Whether a tensor was drawn, or made and then filled by a draw, as rsample() does."""
    drawn = run.tensors[tensor]
    if "creation" not in run.traits(drawn.op.op) or "float" not in drawn.info.dtype:
        return False
    filled = [
        event.op for write in run.writes.get(tensor, ()) if write < step and isinstance(event := run.events[write], OpRan)
    ]
    return "draws" in run.traits(drawn.op.op) or filled[-1:] == ["normal"]


def _power(run: Run, step: int) -> int:
    """The exponential that is made at a step; NOTHING for anything else."""
    event = run.events[step]
    return event.outputs[0].id if isinstance(event, OpRan) and event.op == "exp" and event.outputs else NOTHING


def _sums(run: Run, tensor: int) -> Iterator[int]:
    """The sums and differences that a tensor is a term of."""
    for _ in range(_TERMS):
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if isinstance(event, OpRan) and (event.op == "add" or event.op in run.having("difference")) and event.outputs:
                tensor = event.outputs[0].id
                break
        else:
            return
        yield tensor


def _halved(run: Run, step: int, event: OpRan) -> mending.Changes:
    """Half of what the exponential is taken of, where the text has it in one place."""
    found = mending.spot(run, run.site(step))
    if found is None or not isinstance(found.node, ast.Call) or not isinstance(found.node.func, ast.Attribute):
        return []
    if found.node.args:
        (given,), wide = found.node.args[:1], isinstance(found.node.args[0], ast.BinOp)
        ends = ("0.5 * (", ")") if wide else ("0.5 * ", "")
    else:
        given = found.node.func.value
        ends = ("(0.5 * ", ")")
    return mending.wrapped(run, mending.site_of(found.cell, given), *ends)


def adds(run: Run, tensor: int, wanted: set[int]) -> bool:
    """Whether a sum has one of some tensors, and a square, among its terms."""
    terms, found, squares = [tensor], False, False
    for term in terms:
        event = run.tensors[term].op
        found = found or term in wanted
        squares = squares or event.op == "pow" or (event.op == "mul" and len(run.inputs(event)) == 2)
        if (event.op == "add" or event.op in run.having("difference")) and len(terms) < _TERMS:
            terms += run.inputs(event)
    return found and squares


def arrivals(entry: Pass, node: int) -> list[Arrival]:
    """The gradients that arrive at a node in a pass."""
    track = entry.arrivals.get(node)
    return list(track.values) if track is not None else []
