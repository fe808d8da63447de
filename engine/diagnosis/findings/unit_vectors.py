"""A rule about vectors of unit length: over which dimension they are, and over which a product of them adds up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan, Site
from ..mending import call_of, keyword, spot
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

NORMALIZED_OTHER_DIM = Kind(
    "normalized_other_dim", "warning",
    "F.normalize without dim goes over dimension 1, and a product then adds up over the last one.",
    mechanical=True,
)  # fmt: skip

_FAR = 16
"""Operations between a product and what it multiplies, and between a vector and the layer that its elements come from."""
_RECURRENT = ("LSTM", "GRU", "RNN")
_OFF = 1e-3


class _Use(NamedTuple):
    """A product at `step` that adds up over an axis of vectors that were divided by their lengths."""

    step: int
    vectors: int
    axis: int


@rule(131, NORMALIZED_OTHER_DIM)
def normalized_other_dim(run: Run) -> Iterator[Finding]:
    """Two tensors, both divided by lengths, are multiplied and added up over their last dimension, which is that of features;
    and the lengths of one, or of both, are those over dimension 1, because `F.normalize` was not told another one."""
    calls = _calls_without_dim(run)
    if not calls:
        return
    told: set[Site | None] = set()
    uses = list(_uses(run))
    fit = {_site(run, use.vectors) for pair in uses for use in pair if use.axis == 1}
    for pair in uses:
        wrong = [use for use in pair if len(pair) == 2 and _other(run, use, calls)]
        sites = [site for use in wrong if (site := _site(run, use.vectors)) is not None]
        if not wrong or {*sites} & (fit | told):
            continue
        told.update(sites)
        step, vectors, axis = min(wrong, key=lambda use: run.tensors[use.vectors].born)
        born, shape = run.tensors[vectors].born, run.tensors[vectors].info.shape
        values = run.values(vectors, born)
        lengths = np.sqrt(np.square(values.astype(np.float64)).sum(axis)) if values is not None else np.array([])
        if lengths.size and bool(np.allclose(lengths, 1, atol=_OFF)):
            continue
        span = f"{lengths.min():.2g} … {lengths.max():.2g}" if lengths.size else "not 1"
        text = run.segment(run.site(born)) or "F.normalize"
        yield finding(
            run, NORMALIZED_OTHER_DIM,
            f"{text} gives unit length over dimension 1, but what multiplies it adds up over dimension {axis}.",
            f"Without dim, F.normalize divides by the lengths over dimension 1, here the {shape[1]} of {shape_text(shape)}. "
            f"{run.where(step)} adds products up over the {shape[axis]} of the last one, where the lengths are {span}: these "
            "are no cosines, and what stands at one place of dimension 1 depends on all others.",
            "Say over which dimension: dim=-1.",
            step=born, site=run.site(born), related=[*(site for site in sites if site != run.site(born)), run.site(step)],
            evidence=[("lengths over the last dimension", span), ("shape", str(list(shape)))],
            nodes=[key(use.vectors) for use in wrong],
            changes=[change for site in dict.fromkeys(sites) for change in keyword(run, site, "dim", "-1")],
        )  # fmt: skip


def _calls_without_dim(run: Run) -> frozenset[Site]:
    """Where the text calls `normalize` and does not say over which dimension."""
    source = paths_of(run.recording).source
    found: set[Site] = set()
    if "normalize" in source.functions:
        return frozenset()
    for cell, call in source.calls.get("normalize", ()):
        site = Site(cell, call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0)
        plain = len(call.args) in (1, 2) and all(each.arg in ("input", "p", "eps") for each in call.keywords)
        if plain and call_of(spot(run, site)) is call:
            found.add(site)
    return frozenset(found)


def _site(run: Run, vectors: int) -> Site | None:
    return run.site(run.tensors[vectors].born)


def _other(run: Run, use: _Use, calls: frozenset[Site]) -> bool:
    """Whether vectors were divided by lengths over dimension 1 by default, and a product adds up over their last dimension,
    which is that of features."""
    history = run.tensors[use.vectors]
    length = _length_behind(run, use.vectors)
    if length is None or len(history.info.shape) < 3 or use.axis != len(history.info.shape) - 1:
        return False
    if run.setting(length, "dim") != "(1,)" or run.setting(length, "ord") not in ("2", "2.0"):
        return False
    if _site(run, use.vectors) not in calls or min(history.info.shape[1], history.info.shape[-1]) < 2:
        return False
    return _of_features(run, run.inputs(history.op)[0], use.axis)


def _uses(run: Run) -> Iterator[list[_Use]]:
    """The products of tensors that were divided by lengths: one use for each factor that was."""
    products = run.having("matrix_product") | {"scaled_dot_product_attention"}
    for step, event in run.first_ops_of(products | {"sum"}, 2):
        found = []
        for tensor, axis in _factors(run, event):
            vectors = _vectors(run, tensor, axis)
            if vectors is not None:
                found.append(_Use(step, *vectors))
        if found:
            yield found


def _factors(run: Run, event: OpRan) -> list[tuple[int, int]]:
    """The two tensors that an operation multiplies, each with the axis over which it adds up; none where it does no such
    thing."""
    if event.op == "sum":
        given = run.argument(event, "self")
        dim = re.fullmatch(r"\((\d+),\)", run.setting(event, "dim"))
        maker = run.tensors[given].op if given != NOTHING else None
        if dim is None or maker is None or maker.op != "mul" or len(run.inputs(maker)) != 2:
            return []
        behind = len(run.tensors[given].info.shape) - int(dim[1])
        shapes = [run.tensors[factor].info.shape for factor in run.inputs(maker)]
        if any(len(shape) < behind or shape[-behind] != shapes[0][-behind] for shape in shapes if len(shapes[0]) >= behind):
            return []
        return [(factor, len(run.tensors[factor].info.shape) - behind) for factor in run.inputs(maker)]
    pair = run.inputs(event)[:2] if event.op == "scaled_dot_product_attention" else run.inputs(event)[-2:]
    ranks = [len(run.tensors[factor].info.shape) for factor in pair]
    if len(pair) != 2 or min(ranks) < 2:
        return []
    over = 1 if event.op == "scaled_dot_product_attention" else 2
    return [(pair[0], ranks[0] - 1), (pair[1], ranks[1] - over)]


def _vectors(run: Run, tensor: int, axis: int) -> tuple[int, int] | None:
    """What was divided by lengths and is a factor, as it is or scaled by one number, and which of its axes `axis` is; None
    where there is none."""
    for _ in range(_FAR):
        if _length_behind(run, tensor) is not None:
            return tensor, axis
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if event.op in run.having("same_values") and given:
            before = _axis_before(run, event, tensor, axis)
            if before is None:
                return None
            tensor, axis = given[0], before
            continue
        scaled = [t for t in given if run.tensors[t].info.shape == run.tensors[tensor].info.shape]
        numbers = [t for t in given if math.prod(run.tensors[t].info.shape) == 1]
        if (
            not {"product", "division"} & {*run.traits(event.op)}
            or len(scaled) != 1
            or len(scaled) + len(numbers) != len(given)
        ):
            return None
        (tensor,) = scaled
    return None


def _length_behind(run: Run, tensor: int) -> OpRan | None:
    """The operation that took the lengths by which a tensor was divided; None where it was not divided by its own."""
    event = run.tensors[tensor].op
    given = run.inputs(event)
    if event.op not in run.having("division") or len(given) != 2:
        return None
    length = run.beneath_views(given[1])
    for _ in range(2):
        maker = run.tensors[length].op
        inputs = run.inputs(maker)
        if maker.op == "norm" and inputs[:1] == given[:1]:
            return maker
        if maker.op not in run.having("elementwise") or len(inputs) != 1:
            return None
        length = run.beneath_views(inputs[0])
    return None


def _axis_before(run: Run, event: OpRan, tensor: int, axis: int) -> int | None:
    """Which axis of what an operation only rearranges an axis of its result is; None where that is not certain."""
    before, after = run.tensors[run.inputs(event)[0]].info.shape, run.tensors[tensor].info.shape
    if "transposes" in run.traits(event.op):
        order = _order(run, event, len(before))
        return order[axis] if axis < len(order) else None
    if math.prod(before) == math.prod(after):
        within = math.prod(after[axis + 1 :])
        return next((k for k, n in enumerate(before) if n == after[axis] > 1 and math.prod(before[k + 1 :]) == within), None)
    position = axis - (len(after) - len(before))
    spread = all(n in (1, m) for n, m in zip(before[::-1], after[::-1], strict=False))
    return position if position >= 0 and spread and before[position] == after[axis] else None


def _order(run: Run, event: OpRan, rank: int) -> list[int]:
    """Which axis each axis of the result of a transposition was; [] where its arguments do not say."""
    order = list(range(rank))
    one, other, dims = (run.setting(event, name) for name in ("dim0", "dim1", "dims"))
    if one.lstrip("-").isdigit() and other.lstrip("-").isdigit():
        first, second = int(one) % rank, int(other) % rank
        order[first], order[second] = second, first
        return order
    if re.fullmatch(r"\([\d, -]+\)", dims):
        return [int(each) % rank for each in re.findall(r"-?\d+", dims)]
    return order[::-1] if rank == 2 and not event.inputs[1:] else []


def _of_features(run: Run, tensor: int, axis: int) -> bool:
    """Whether an axis is that of the features that a layer or a table has given: over it vectors are compared, not over the
    places of a sequence or an image."""
    for _ in range(_FAR):
        event = run.tensors[tensor].op
        shape, given = run.tensors[tensor].info.shape, run.inputs(event)
        traits, last = {*run.traits(event.op)}, axis == len(shape) - 1
        scope = run.recording.scopes[event.scope] if event.scope >= 0 else None
        if (scope is not None and scope.module_class in _RECURRENT) or event.op in ("embedding", "layer_norm"):
            return last
        if "convolution" in traits:
            return axis == 1
        if not given:
            return False
        if "matrix_product" in traits:
            if not last or any(run.tensors[run.beneath_views(t)].info.is_parameter for t in given):
                return last
            tensor, axis = given[-1], len(run.tensors[given[-1]].info.shape) - 1
            continue
        before = _axis_of_given(run, event, tensor, axis)
        if before is None:
            return False
        tensor, axis = before
    return False


def _axis_of_given(run: Run, event: OpRan, tensor: int, axis: int) -> tuple[int, int] | None:
    """What an operation takes elements of, places of a sequence or heads among them, and which of its axes an axis of the
    result is; None where that is not certain."""
    shape, first = run.tensors[tensor].info.shape, run.inputs(event)[0]
    before, dim = run.tensors[first].info.shape, run.setting(event, "dim")
    if event.op in run.having("same_values") and (found := _axis_before(run, event, tensor, axis)) is not None:
        return first, found
    if math.prod(before) == math.prod(shape) and event.op in run.having("same_values"):
        # The last of the features of a layer, which are shared out among heads.
        return (first, len(before) - 1) if axis == len(shape) - 1 and "transposes" not in run.traits(event.op) else None
    if dim.isdigit() and len(before) == len(shape) + 1 and "reduces" not in run.traits(event.op):
        return first, axis + (int(dim) <= axis)
    if dim.isdigit() and len(before) == len(shape) and (len(event.outputs) > 1 or before[axis] == shape[axis]):
        return first, axis
    alike = next((t for t in run.inputs(event) if run.tensors[t].info.shape == shape), None)
    return None if alike is None else (alike, axis)
