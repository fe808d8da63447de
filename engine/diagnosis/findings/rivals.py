"""Rules about two networks that are trained against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...recording.events import NOTHING, OpRan
from ...recording.index import Pass
from ..cadence import used_fills
from ..mending import argument_at, spot
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

GENERATOR_HELPS_CRITIC = Kind(
    "generator_helps_critic", "warning",
    "The loss of a generator wants its samples to be told from real ones, as the discriminator's does.",
)  # fmt: skip

_PASSES = 48
"""Backward passes that are looked at: what two networks want of each other shows in the first ones."""
_EACH = 3
"""Iterations from which on a habit shows."""
_BEHIND = 3_000
"""Tensors behind a score that are looked at."""


class _Wish(NamedTuple):
    """A loss that wants the same number for all its scores."""

    step: int
    label: float
    entry: Pass
    behind: frozenset[int]
    """The trained parameters that the scores are computed from."""
    learning: frozenset[int]
    """Those of them that get a gradient of this loss's pass."""


@rule(165, GENERATOR_HELPS_CRITIC)
def generator_helps_critic(run: Run) -> Iterator[Finding]:
    """One loss wants a label for scores of samples whose gradient is cut off, another one for real data a second label, and
    the loss by which the samples' network learns wants the first label, too."""
    if "maximize" in run.words:
        return
    wishes = _wishes(run)
    critics = [one for one in wishes if one[0].behind - one[0].learning and one[0].learning]
    for critic in critics:
        makers, judges = critic[0].behind - critic[0].learning, critic[0].learning
        real = [
            one for one in wishes
            if one is not critic and one[0].learning & judges and not one[0].behind & makers
        ]  # fmt: skip
        passed = [one for one in wishes if judges <= one[0].behind and makers <= one[0].learning]
        learners = [one for one in passed if _used(run, one[0], makers)]
        labels = {one[0].label for one in learners}
        others = {one[0].label for one in real}
        if labels != {critic[0].label} or len(others) != 1 or critic[0].label in others:
            continue
        wish, other = learners[0][0], real[0][0]
        event, judged = run.events[wish.step], run.events[critic[0].step]
        assert isinstance(event, OpRan)
        assert isinstance(judged, OpRan)
        maker = run.names(sorted(makers), 2)
        yield finding(
            run, GENERATOR_HELPS_CRITIC,
            f"The loss of what makes the samples wants {wish.label:g} for them, as the loss of what judges them does.",
            f"At {run.where(critic[0].step)} the samples, detached, are to be scored {critic[0].label:g}, and real data "
            f"{other.label:g} at {run.where(other.step)}. The loss at {run.where(wish.step)}, by which {maker} are trained, "
            f"asks for {wish.label:g} again: they learn to be told from real data, and nothing pulls the samples towards them.",
            _fix(run, wish.step, other.step, other.label),
            step=wish.step, related=[run.site(critic[0].step), run.site(other.step)],
            evidence=[
                ("wanted of samples", f"{critic[0].label:g}"), ("of real data", f"{other.label:g}"),
                ("of samples, where they are learned", f"{wish.label:g}"),
            ],
            nodes=[key(run.inputs(event)[0]), key(run.inputs(judged)[0])], steps=[one.step for one in learners[0]],
        )  # fmt: skip
        return


def _wishes(run: Run) -> list[list[_Wish]]:
    """The losses that want one number for all scores, at every one of several iterations, by the places that compute them."""
    entries = [entry for entry in run.passes[:_PASSES] if entry.via == "backward"]
    if len(entries) < 2 * _EACH or len({tuple(sorted(e.parameters)) for _, e in run.optimizer_steps[:_PASSES]}) < 2:
        return []
    pass_of = {node: entry for entry in entries for node in entry.ran_at}
    found: dict[object, list[_Wish] | None] = {}
    scopes = run.recording.scopes
    for step, event in run.ops_of({"binary_cross_entropy", "binary_cross_entropy_with_logits"} | run.having("distance")):
        if step > entries[-1].ended:
            break
        entry = pass_of.get(event.node.id) if event.node is not None else None
        scores, target = run.argument(event, "self"), run.argument(event, "target")
        if entry is None or event.node is None or NOTHING in (scores, target) or run.status(target, step).requires_grad:
            continue
        place = event.site, scopes[event.scope].calls if event.scope >= 0 else ()
        label = _constant(run, target, step)
        known = found.setdefault(place, [])
        if label is None or not _falls(run, entry, event.node.id) or (known and known[0].label != label):
            found[place] = None
        elif known is not None:
            behind = known[0].behind if len(known) >= _EACH else parameters_behind(run, scores)
            known.append(_Wish(step, label, entry, behind, behind & entry.fills.keys()))
    return [wishes for wishes in found.values() if wishes is not None and len(wishes) >= _EACH]


def _constant(run: Run, target: int, step: int) -> float | None:
    """The number that all elements of a target are; None where they differ."""
    stored = run.recording.arrays[run.status(target, step).array]
    if stored.summary is not None:
        return stored.summary.min if stored.summary.min == stored.summary.max else None
    values = stored.to_numpy()
    if values is None or not values.size or values.dtype.kind not in "fiub" or values.min() != values.max():
        return None
    return float(values.flat[0])


def _falls(run: Run, entry: Pass, node: int) -> bool:
    """Whether a pass makes a loss smaller: a gradient above 0 arrives."""
    arrivals = entry.arrivals.get(node)
    values = run.recording.array(arrivals.values[0].array) if arrivals is not None and arrivals.values else None
    return values is not None and values.size > 0 and values.dtype.kind == "f" and bool((values > 0).all())


def parameters_behind(run: Run, scores: int) -> frozenset[int]:
    """The trained parameters that scores are computed from, whether a gradient comes back to them or not."""
    queue, seen = [scores], {scores}
    for tensor in queue:
        if len(queue) > _BEHIND:
            return frozenset()
        event = run.tensors[tensor].op
        if tensor not in run.trained and event.op not in run.having("creation"):
            for given in run.inputs(event):
                if given not in seen:
                    seen.add(given)
                    queue.append(given)
    return frozenset(seen & run.trained)


def _used(run: Run, wish: _Wish, parameters: frozenset[int]) -> bool:
    """Whether parameters are updated with the gradients of a loss's pass."""
    return all(wish.entry.number in used_fills(run, parameter)[1] for parameter in parameters)


def _fix(run: Run, step: int, other: int, label: float) -> str:
    """What to change, with the target of the loss of real data where it stands in the same function under another text."""
    source = paths_of(run.recording).source
    here, there = (argument_at(run, run.site(each), 1, "target") for each in (step, other))
    one, two = spot(run, here), spot(run, there)
    if one is None or two is None or one.text() == two.text() or source.function(one.node) is not source.function(two.node):
        return f"Ask for the label of real data there, {label:g}."
    return f"Ask for the label of real data there: {two.text()}, not {one.text()}."
