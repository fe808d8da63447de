"""A rule about samples that are mixed with other samples: their targets are mixed with those of yet others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...graph.symbols import clip
from ...recording.events import NOTHING, OpRan, Site
from ..mending import sites_at
from ..reason import Finding, Kind
from ..run import MAX_LABEL, Run, finding, key
from .pairs import permutes
from .registry import rule

MIXED_APART = Kind(
    "mixed_apart", "warning", "Samples are mixed with others by one permutation, and their targets by another one."
)

_NEAR = 5
"""Operations between what is taken in another order and what it is mixed with."""
_DEEP = 4_000
"""Tensors that are looked at on the way from a prediction back to the samples."""
_USES = 60
"""Uses of one tensor that are looked at."""


class _Taken(NamedTuple):
    """A tensor in another order, as an operation gives it."""

    order: int
    whole: int
    """The tensor that is put in order."""
    taken: int
    step: int


@rule(247, MIXED_APART)
def mixed_apart(run: Run) -> Iterator[Finding]:
    """`x` and `x[perm]` are mixed into what a model is given, `y` and `y[other]` into what its prediction is compared with."""
    if not run.updates:
        return
    taken = [each for order in _orders(run) for each in _put_in_order(run, order)]
    mixed = {result: each for each in taken for result in _mixed(run, each)}
    told: set[Site | None] = set()
    for own, prediction, step in _compared(run, taken, mixed):
        if run.site(own.step) in told or run.site(step) in told:
            continue
        of_samples = [mixed[tensor] for tensor in run.behind(prediction, most=_DEEP) if tensor in mixed]
        if not of_samples or any(_alike(run, own.order, each.order) for each in of_samples):
            continue
        told |= {run.site(own.step), run.site(step)}
        first = of_samples[0]
        here, there = _where_apart(run, first.step, own.step)
        samples, targets = run.title(first.whole), run.title(own.whole)
        if samples == targets:
            samples, targets = (clip(run.expression(site), MAX_LABEL) for site in (here, there))
        yield finding(
            run, MIXED_APART,
            f"{samples} is mixed by one permutation, {targets} by another: the targets are those of other samples.",
            f"{run.site_text(here)} takes {samples} in one random order, and {run.site_text(there)} takes {targets} in one "
            f"that was drawn for itself. So a sample is mixed with one partner, and at {run.moment(step)} its prediction is "
            "compared with the target of another one.",
            "Draw one permutation, perm = torch.randperm(n), and index both with it.",
            step=own.step, site=there, related=[here, run.site(step)],
            evidence=[
                ("order of the samples", run.texts.describe(run.tensors[first.order].info.array)),
                ("order of the targets", run.texts.describe(run.tensors[own.order].info.array)),
            ],
            nodes=[key(first.taken), key(own.taken)],
        )  # fmt: skip


def _orders(run: Run) -> list[int]:
    """The first permutations that each place has drawn."""
    made = run.first_ops_of(run.having("creation"))
    return [event.outputs[0].id for step, event in made if len(event.outputs) == 1 and permutes(run, step, event)]


def _put_in_order(run: Run, order: int) -> Iterator[_Taken]:
    """What a permutation puts in order: whole tensors, that have as many rows as it has numbers."""
    rows = run.tensors[order].info.shape[0]
    for step in run.consumers.get(order, ())[:_USES]:
        event = run.events[step]
        given = run.inputs(event) if isinstance(event, OpRan) else []
        if not isinstance(event, OpRan) or len(given) != 2 or given[0] == order or len(event.outputs) != 1:
            continue
        shape, made = run.tensors[given[0]].info.shape, event.outputs[0]
        if shape[:1] == (rows,) and made.shape == shape:
            yield _Taken(order, given[0], made.id, step)


def _mixed(run: Run, each: _Taken) -> Iterator[int]:
    """What is made element by element of a tensor and of itself in another order, or written into it from there."""
    along = run.having("elementwise") | run.having("same_values") | run.having("casts")
    queue = [(each.taken, 0)]
    for tensor, far in queue:
        for step in run.consumers.get(tensor, ())[:_USES]:
            event = run.events[step]
            if not isinstance(event, OpRan) or not (event.op in along or event.written):
                continue
            made = [info.id for info in event.outputs[:1]] or [write.tensor for write in event.written]
            if any(other != tensor and _made_of(run, other, each) for other in run.inputs(event)):
                yield from made
            elif far < _NEAR and len(queue) < _USES:
                queue += [(result, far + 1) for result in made]


def _made_of(run: Run, tensor: int, each: _Taken) -> bool:
    """Whether a tensor is made element by element of the one that was put in order, as it was before."""
    along = run.having("elementwise") | run.having("same_values") | run.having("casts")
    queue = [(tensor, 0)]
    for source, far in queue:
        if source == each.whole:
            return True
        if source != each.taken and far < _NEAR and run.tensors[source].op.op in along and len(queue) < _USES:
            queue += [(given, far + 1) for given in run.inputs(run.tensors[source].op)]
    return False


def _compared(run: Run, taken: list[_Taken], mixed: dict[int, _Taken]) -> Iterator[tuple[_Taken, int, int]]:
    """Targets in another order that are mixed, or stand in a loss beside one with those in the first order; each with the
    prediction that it is compared with, and the step."""
    for result, each in mixed.items():
        yield from ((each, prediction, step) for prediction, step in _beside(run, result))
    for each in taken:
        first = {prediction for prediction, _ in _beside(run, each.whole, each.step)}
        yield from ((each, prediction, step) for prediction, step in _beside(run, each.taken) if prediction in first)


def _beside(run: Run, tensor: int, around: int = NOTHING) -> Iterator[tuple[int, int]]:
    """What requires grad and is no parameter, and is taken together with a constant that requires none, each with the step;
    of a tensor that is used often, in the iteration of a step."""
    if run.tensors[tensor].info.requires_grad:
        return
    queue, loops = [tensor], run.loops(around) if around != NOTHING else None
    for source in queue:
        steps = run.consumers.get(source, ())
        for step in steps if loops is None else [step for step in steps if step > around][:_USES]:
            event = run.events[step]
            if not isinstance(event, OpRan) or (loops is not None and run.loops(step) != loops):
                continue
            if event.op in run.having("same_values") | run.having("casts") and len(queue) < _NEAR:
                queue += [info.id for info in event.outputs]
            for other in run.inputs(event):
                if run.tensors[other].info.requires_grad and not run.tensors[run.beneath_views(other)].info.is_parameter:
                    yield _score(run, other), step


def _score(run: Run, tensor: int) -> int:
    """What a tensor is the logarithm, the softmax or a view of."""
    for _ in range(_NEAR):
        given = run.inputs(run.tensors[tensor].op)
        if len(given) != 1 or not run.tensors[given[0]].info.requires_grad:
            break
        (tensor,) = given
    return tensor


def _alike(run: Run, one: int, other: int) -> bool:
    """Whether two orders are one, as far as is known, or of different lengths, so that they are not those of the same
    samples."""
    first, second = run.tensors[one].info, run.tensors[other].info
    return one == other or first.shape != second.shape or not run.differ(first.array, second.array)


def _where_apart(run: Run, one: int, other: int) -> tuple[Site | None, Site | None]:
    """Where two steps are in the program: their sites, or where these are the same those of the calls that led there."""
    pairs = zip(sites_at(run, one), sites_at(run, other), strict=False)
    return next(((first, second) for first, second in pairs if first != second), (run.site(one), run.site(other)))
