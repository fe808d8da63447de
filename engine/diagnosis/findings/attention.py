"""Rules about attention: over what its weights add up to 1, and what its mask leaves out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, OpRan, Site
from .. import mending
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ATTENTION_AXIS = Kind(
    "attention_axis", "warning", "Attention weights add up to 1 over the queries, and then values are added up over the keys.",
    mechanical=True,
)  # fmt: skip
MASK_INVERTED = Kind(
    "mask_inverted", "error", "The mask of attention leaves out what is to be attended to, and leaves the padding.",
    mechanical=True,
)  # fmt: skip
_FAR = 6
"""Operations between the scores and their softmax, and between that and the product with the values."""
_OFF = 1e-2
_NOTHING_LEFT = -1e4
"""A score of which the softmax is 0."""
_DIM = re.compile(r"-?\d")


@rule(131, ATTENTION_AXIS)
def attention_axis(run: Run) -> Iterator[Finding]:
    """Scores of queries and keys, a softmax over the queries, and a product that adds up over the keys.

    Weights that are divided by their sum over the keys are meant so (slot attention), and so are those of what is no product.
    """
    told = set()
    for step, event in run.first_ops_of(run.having("normalizes")):
        site = run.site(step)
        made = event.outputs[0] if len(event.outputs) == 1 else None
        if made is None or len(made.shape) < 2 or site in told:
            continue
        dim = run.setting(event, "dim")
        if _DIM.fullmatch(dim) is None or int(dim) % len(made.shape) != len(made.shape) - 2 or min(made.shape[-2:]) < 2:
            continue
        product = _product_with(run, made.id)
        values = run.recording.array(made.array)
        if product is None or values is None or values.shape != tuple(made.shape) or not _are_scores(run, event):
            continue
        sums = values.sum(-1)
        if not np.allclose(values.sum(-2), 1, atol=_OFF) or np.allclose(sums, 1, atol=_OFF):
            continue
        told.add(site)
        yield finding(
            run, ATTENTION_AXIS,
            f"The weights at {run.site_text(site)} add up to 1 over dimension {dim}, but the product adds values up over "
            "dimension -1.",
            f"Dimension {len(made.shape) - 2} of {list(made.shape)} is that of the queries. {run.where(product)} takes each "
            f"query's sum over the last one, where the weights add up to {sums.min():.2g} … {sums.max():.2g}; and each "
            "weight depends on the other queries, later ones among them, whatever is masked.",
            "Normalise over the keys: dim=-1.",
            step=step, site=site, related=[run.site(product)],
            evidence=[("sums over the keys", f"{sums.min():.3g} … {sums.max():.3g}"), ("dim", dim)],
            nodes=[key(made.id)],
            changes=_over_keys(run, step),
        )  # fmt: skip


def _are_scores(run: Run, event: OpRan) -> bool:
    """Whether a softmax is given a product of matrices, scaled or masked."""
    tensor = run.argument(event, "self")
    for _ in range(_FAR):
        if tensor == NOTHING or tensor not in run.tensors:
            return False
        _, maker = run.op_of(tensor)
        if "matrix_product" in run.traits(maker.op):
            return True
        matrix = run.tensors[tensor].info.shape[-2:]
        tensor = next((t for t in run.inputs(maker) if run.tensors[t].info.shape[-2:] == matrix), NOTHING)
    return False


def _product_with(run: Run, weights: int) -> int | None:
    """The step of the product that takes the weights from the left, themselves or after a dropout or a view of more dimensions;
    None where there is none."""
    for _ in range(_FAR):
        steps = run.consumers.get(weights, [])
        for step in steps:
            event = run.events[step]
            if isinstance(event, OpRan) and "matrix_product" in run.traits(event.op) and run.inputs(event)[0] == weights:
                return step
        alone = run.events[steps[0]] if len(steps) == 1 else None
        if not isinstance(alone, OpRan) or run.inputs(alone) != [weights] or len(alone.outputs) != 1:
            return None
        if "transposes" in run.traits(alone.op) or alone.outputs[0].shape[-2:] != run.tensors[weights].info.shape[-2:]:
            return None
        weights = alone.outputs[0].id
    return None


def _over_keys(run: Run, step: int) -> mending.Changes:
    """The changes that normalise over the last dimension, where the text names one."""
    site = run.site(step)
    for position in (1, 0):
        given = mending.argument_at(run, site, position, "dim")
        if given is not None and mending.text_at(run, given).lstrip("-").isdecimal():
            return mending.replaced(run, given, "-1")
    return []


@rule(132, MASK_INVERTED)
def mask_inverted(run: Run) -> Iterator[Finding]:
    """Scores are filled with large negative numbers exactly where the embedded indices are no padding."""
    told = set()
    for step, event in run.first_ops_of(run.having("masks")):
        site, mask = run.site(step), run.argument(event, "mask")
        if site in told or mask == NOTHING or not _far_below(run.setting(event, "value")):
            continue
        base = run.beneath_views(mask)
        left_out, made = run.values(base, step), run.site(run.tensors[base].born)
        if left_out is None or (looked_up := _padded(run, left_out, step)) is None:
            continue
        indices, padding = looked_up
        told.add(site)
        yield finding(
            run, MASK_INVERTED,
            f"The attention at {run.site_text(site)} leaves out every token and attends to the padding alone.",
            f"Where this mask is True, a position is left out. {run.segment(made) or 'It'} ({run.site_text(made)}) is True "
            f"exactly where {run.title(indices)} is no padding ({padding}).",
            f"Turn the mask around: True where {run.title(indices)} is {padding}.",
            step=step, site=site, related=[made],
            evidence=[("left out", f"{int(left_out.sum())} of {left_out.size} positions"), ("padding", str(padding))],
            nodes=[key(base), key(indices)],
            changes=_turned_around(run, made),
        )  # fmt: skip


def _far_below(value: str) -> bool:
    """Whether what is filled in makes a weight of zero."""
    try:
        return float(value) <= _NOTHING_LEFT
    except ValueError:
        return False


def _padded(run: Run, left_out: NDArray[Any], before: int) -> tuple[int, int] | None:
    """The indices that an embedding has been given before, and their padding, where all that are not the padding are left out,
    and nothing else; None where there are none."""
    if left_out.dtype != np.bool_ or left_out.all() or not left_out.any():
        return None
    for step, event in run.ops_of({"embedding"}):
        if step > before:
            break
        indices, text = run.argument(event, "indices"), run.setting(event, "padding_idx")
        values = run.values(indices, step) if indices != NOTHING else None
        if values is None or values.ndim != 2 or _long(values) != _long(left_out):
            continue
        rows = left_out.reshape(values.shape)  # a mask has a place for heads and queries, too
        padding = int(text) if text.isdecimal() else _fills_up(values, rows)
        if padding is not None and bool((rows == (values != padding)).all()):
            return indices, padding
    return None


def _long(values: NDArray[Any]) -> list[int]:
    return [size for size in values.shape if size != 1]


def _fills_up(values: NDArray[Any], left_out: NDArray[Any]) -> int | None:
    """The index that alone is not left out and fills up the ends of rows of several lengths; None where it is not so."""
    ends = (~left_out).sum(1)
    behind = np.arange(left_out.shape[1]) >= left_out.shape[1] - ends[:, None]
    if len(np.unique(ends)) < 2 or bool((behind == left_out).any()):
        return None
    return int(values[~left_out][0])


def _turned_around(run: Run, site: Site | None) -> mending.Changes:
    """The changes that have a comparison ask for the opposite."""
    found = mending.spot(run, site)
    node = found.node if found is not None else None
    if isinstance(node, ast.Assign | ast.Return | ast.AnnAssign):
        node = node.value
    match node:
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            where = mending.site_of(found.cell, node) if found is not None else None
            return mending.replaced(run, where, f"{ast.unparse(left)} == {ast.unparse(right)}")
    return []
