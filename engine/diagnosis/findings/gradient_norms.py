"""A rule about penalties on the norm of a gradient: it is to be one norm for each sample, over all that belongs to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan
from ...recording.index import Pass
from ..mending import Changes, receiver_at, replaced, text_at
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

NORM_OF_PARTS = Kind(
    "norm_of_parts", "warning",
    "A penalty takes the norm of a gradient over a part of its dimensions, and not one norm for each sample.",
    mechanical=True, settled=True,
)  # fmt: skip

_BACK = 4
"""Operations between a norm and the number that is subtracted from it."""


class _Norm(NamedTuple):
    """A norm of a gradient."""

    step: int
    gradient: int
    dims: frozenset[int]
    """The dimensions that it goes over."""
    result: int


@rule(176, NORM_OF_PARTS)
def norm_of_parts(run: Run) -> Iterator[Finding]:
    """A number is subtracted from a norm of a gradient by an input, which has a graph; there is one score for each sample, and
    the norm leaves other dimensions than that of the samples, or none."""
    graphs = {entry.number: entry for entry in run.passes if entry.event.create_graph and entry.event.inputs}
    told: set[int] = set()
    for step, event in run.first_ops_of(run.having("difference"), 1) if graphs else ():
        length = _norm(run, run.argument(event, "self")) if _nonzero(run.setting(event, "other")) else None
        entry = graphs.get(run.tensors[run.beneath_views(length.gradient)].op.in_backward) if length is not None else None
        if length is None or entry is None or event.in_backward:
            continue
        shape, site = run.tensors[length.gradient].info.shape, run.site(length.step)
        samples = _samples(run, entry)
        rest = frozenset(range(1, len(shape)))
        if not samples or shape[:1] != (samples,) or length.dims == rest or run.events[length.step].site in told:
            continue
        left = [size for dim, size in enumerate(shape) if dim not in length.dims]
        if math.prod(left) == samples == math.prod(left[:1]) and 0 not in length.dims:
            continue  # what is left out has size 1
        told.add(run.events[length.step].site)
        name = run.title(length.gradient)
        whole, wanted = not left, run.setting(event, "other")
        over = shape_text(tuple(shape[dim] for dim in sorted(length.dims)))
        yield finding(
            run, NORM_OF_PARTS,
            f"{run.expression(site) or 'The norm'} is "
            + (f"one norm for all {samples} samples together." if whole else
               f"no norm for each sample: of {shape_text(shape)} it leaves {shape_text(tuple(left))}."),
            f"{name} is the gradient of {samples} scores, one for each sample, by {run.title(entry.event.inputs[0])} "
            f"({run.where(entry.began)}). The penalty wants each sample's gradient to be of length {wanted}; "
            + ("here the length of all of them together is brought to that." if whole else
               f"here each of {math.prod(left)} parts, over {over}, is brought to that length by itself, and the whole "
               "becomes far longer."),
            f"Take the norm over all that belongs to a sample: {name}.flatten(1).norm(2, dim=1).",
            step=length.step, site=site, related=[run.site(entry.began), run.site(step)],
            evidence=[("shape of the gradient", str(list(shape))), ("norms", str(math.prod(left))), ("samples", str(samples))],
            nodes=[key(length.gradient), key(length.result)],
            changes=_flattened(run, length),
        )  # fmt: skip


def _nonzero(text: str) -> bool:
    try:
        return float(text) != 0
    except ValueError:
        return False


def _norm(run: Run, tensor: int) -> _Norm | None:
    """The norm that a tensor is: by one operation, or the root of a sum of squares, to which a small number may be added."""
    rooted = False
    for _ in range(_BACK):
        if tensor == NOTHING:
            return None
        step, event = run.op_of(tensor)
        given = run.argument(event, "self")
        if given == NOTHING or len(run.inputs(event)) != 1:
            return None
        if event.op == "norm":
            return _Norm(step, given, _dims(run, event, given), tensor)
        if rooted and "reduces" in run.traits(event.op):
            square = run.tensors[given].op
            source = run.argument(square, "self")
            if source == NOTHING or not ({*run.inputs(square)} == {source} and "elementwise" in run.traits(square.op)):
                return None
            return _Norm(step, source, _dims(run, event, given), tensor)
        rooted = rooted or "root" in run.traits(event.op)
        if not ({"root", "additive"} & {*run.traits(event.op)}):
            return None
        tensor = given
    return None


def _dims(run: Run, event: OpRan, given: int) -> frozenset[int]:
    """The dimensions that an operation goes over; all where it names none."""
    size = len(run.tensors[given].info.shape)
    named = [int(text) % size for text in re.findall(r"-?\d+", run.setting(event, "dim"))] if size else []
    return frozenset(named or range(size))


def _samples(run: Run, entry: Pass) -> int:
    """How many samples there are where a gradient is that of one score for each; 0 where it is not."""
    roots = entry.event.roots
    if len(roots) != 1 or len(entry.event.inputs) != 1:
        return 0
    shape = run.tensors[entry.event.inputs[0]].info.shape
    score = roots[0][0]
    event = run.tensors[score].op
    if math.prod(run.tensors[score].info.shape) == 1 and "reduces" in run.traits(event.op) and run.inputs(event):
        score = run.inputs(event)[0]
    scores = run.tensors[score].info.shape
    return shape[0] if shape and scores[:1] == shape[:1] and math.prod(scores) == shape[0] > 1 else 0


def _flattened(run: Run, length: _Norm) -> Changes:
    """The norm over all that belongs to a sample, where it is the call of a method."""
    site = run.site(length.step)
    receiver = receiver_at(run, site)
    text = text_at(run, receiver)
    if not text or run.expression(receiver) == "torch" or not text_at(run, site).removeprefix(text).startswith(".norm("):
        return []
    return replaced(run, site, f"{text}.flatten(1).norm(2, dim=1)")
