"""A rule about attention: over what its weights add up to 1."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, OpRan
from .. import mending
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ATTENTION_AXIS = Kind(
    "attention_axis", "warning", "Attention weights add up to 1 over the queries, and then values are added up over the keys.",
    mechanical=True,
)  # fmt: skip
_FAR = 6
"""Operations between the scores and their softmax, and between that and the product with the values."""
_OFF = 1e-2
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
