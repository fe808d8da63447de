"""Rules about attention: over what its weights add up to 1, and what its mask leaves out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

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
CAUSAL_MASK_INVERTED = Kind(
    "causal_mask_inverted", "warning", "A causal mask leaves out each place and those before it, and leaves what comes after."
)
ROWS_MASKED = Kind(
    "rows_masked", "warning", "A mask of padding leaves out queries where it is to leave out keys: whole rows of scores are "
    "filled."
)  # fmt: skip
_PLACES = 4
"""Places of a sequence from which on a triangle is no chance."""
_FAR = 6
"""Operations between the scores and their softmax, and between that and the product with the values."""
_OFF = 1e-2
_NOTHING_LEFT = -1e4
"""A score of which the softmax is 0."""
_DIM = re.compile(r"-?\d")


@rule(131, ATTENTION_AXIS)
def attention_axis(run: Run) -> Iterator[Finding]:
    """Scores of queries and keys, a softmax over the queries, the heads or the batch, and a product that adds up over the keys.

    Weights that are divided by their sum over the keys are meant so (slot attention), and so are those of what is no product.
    """
    told = set()
    for step, event in run.first_ops_of(run.having("normalizes")):
        site = run.site(step)
        made = event.outputs[0] if len(event.outputs) == 1 else None
        if made is None or len(made.shape) < 2 or site in told:
            continue
        dim = run.setting(event, "dim")
        over, last = int(dim) % len(made.shape) if _DIM.fullmatch(dim) else NOTHING, len(made.shape) - 1
        if over in (NOTHING, last) or made.shape[last] < 2:
            continue
        product = _product_with(run, made.id)
        values = run.recording.array(made.array)
        if product is None or values is None or values.shape != tuple(made.shape) or not _are_scores(run, event):
            continue
        sums = values.sum(-1)
        if not np.allclose(values.sum(over), 1, atol=_OFF) or np.allclose(sums, 1, atol=_OFF):
            continue
        told.add(site)
        same = run.tensors[product.weights].info.shape[-2:] == tuple(made.shape[-2:])
        of, others = "not that of the keys", "samples of the batch, or on the other heads"
        if same and over == last - 1:
            of, others = "that of the queries", "queries, later ones among them, whatever is masked"
        yield finding(
            run, ATTENTION_AXIS,
            f"The weights at {run.site_text(site)} add up to 1 over dimension {dim}, but the product adds values up over "
            "dimension -1.",
            f"Dimension {over} of {list(made.shape)} is {of}. {run.where(product.step)} takes each query's sum over the last "
            f"one, where the weights add up to {sums.min():.2g} … {sums.max():.2g}; and each weight depends on the other "
            f"{others}.",
            "Normalise over the keys: dim=-1.",
            step=step, site=site, related=[run.site(product.step)],
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
        keys = run.tensors[tensor].info.shape[-1:]
        tensor = next((t for t in run.inputs(maker) if run.tensors[t].info.shape[-1:] == keys), NOTHING)
    return False


class _Product(NamedTuple):
    """A product that takes weights from the left."""

    step: int
    weights: int
    """As it takes them."""


def _product_with(run: Run, weights: int) -> _Product | None:
    """The product that takes the weights from the left, themselves or after a dropout or a view that leaves the keys where they
    are; None where there is none."""
    for _ in range(_FAR):
        steps = run.consumers.get(weights, [])
        for step in steps:
            event = run.events[step]
            if isinstance(event, OpRan) and "matrix_product" in run.traits(event.op) and run.inputs(event)[0] == weights:
                return _Product(step, weights)
        alone = run.events[steps[0]] if len(steps) == 1 else None
        if not isinstance(alone, OpRan) or run.inputs(alone) != [weights] or len(alone.outputs) != 1:
            return None
        if "transposes" in run.traits(alone.op) or alone.outputs[0].shape[-1:] != run.tensors[weights].info.shape[-1:]:
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
            changes=_turned_around(run, made) or _negated(run, site, base, step),
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


def _negated(run: Run, site: Site | None, mask: int, step: int) -> mending.Changes:
    """The change that gives the opposite of a mask where it is given by its name: other lines may take it as it is."""
    found = mending.spot(run, site)
    call = mending.call_of(found)
    if found is None or call is None:
        return []
    for given in [*call.args, *(keyword.value for keyword in call.keywords)]:
        if isinstance(given, ast.Name) and run.beneath_views(run.named_at(given.id, step)) == mask:
            return mending.replaced(run, mending.site_of(found.cell, given), f"~{given.id}")
    return []


@rule(132, CAUSAL_MASK_INVERTED)
def causal_mask_inverted(run: Run) -> Iterator[Finding]:
    """Attention weights of every sequence and head are zero on and below the diagonal, and nowhere else, so that the last place
    has nothing left to attend to. A sequence that is read from its end has the diagonal; one without it starts with nothing."""
    told = set()
    for step, event, weights in _attended(run):
        site, places = run.site(step), weights.shape[-1]
        if site in told or not _sees_what_comes(weights) or _is_read_backwards(run, step):
            continue
        told.add(site)
        last = weights[..., -1, :]
        nothing = "NaN" if np.isnan(last).any() else f"1/{places} for all places alike" if last.any() else "zeros"
        yield finding(
            run, CAUSAL_MASK_INVERTED,
            f"The attention at {run.site_text(site)} sees nothing but what comes after each place.",
            f"Its weights are zero on and below the diagonal, in every sequence and head: place 0 attends to places 1 to "
            f"{places - 1}, and the last one, of which everything is left out, to nothing; its weights are {nothing}. A causal "
            "mask is to leave out what comes after; so a model that is to say the next token is given it.",
            "Turn the mask around. masked_fill and nn.MultiheadAttention take True where a score is left out, "
            "torch.triu(torch.ones(n, n), diagonal=1) == 1; scaled_dot_product_attention takes True where it stays, or "
            "is_causal=True.",
            step=step, site=site, related=[_masked_at(run, event)],
            evidence=[
                ("weights of place 0", _row(weights, 0)),
                ("of the last place", _row(weights, -1)),
            ],
            nodes=[key(made.id) for made in event.outputs[:1]],
        )  # fmt: skip


def _attended(run: Run) -> Iterator[tuple[int, OpRan, NDArray[Any]]]:
    """The weights of attention between as many places as there are; where they are not seen, those that a mask leaves."""
    for step, event in run.first_ops_of(run.having("normalizes"), 1):
        made = event.outputs[0] if len(event.outputs) == 1 else None
        if made is None or len(made.shape) < 2 or event.node is None or _DIM.fullmatch(run.setting(event, "dim")) is None:
            continue
        places, dim = made.shape[-1], int(run.setting(event, "dim"))
        if made.shape[-2] != places or places < _PLACES or dim % len(made.shape) != len(made.shape) - 1:
            continue
        weights = run.recording.array(made.array) if _product_with(run, made.id) is not None else None
        if weights is not None and _from_product(run, event):
            yield step, event, weights
    for step, event in run.first_ops_of({"scaled_dot_product_attention"}, 1):
        mask = run.argument(event, "attn_mask")
        values = run.values(mask, step) if mask != NOTHING else None
        if values is not None and values.ndim > 1 and values.shape[-1] == values.shape[-2] >= _PLACES:
            kept = values if values.dtype == np.bool_ else values > _NOTHING_LEFT
            yield step, event, kept / np.maximum(kept.sum(-1, keepdims=True), 1)


def is_causal(run: Run) -> bool:
    """Whether attention between the places of a sequence lets none see what comes after it, wherever it is computed."""
    seen = [not np.triu(weights, 1).any() and bool(np.tril(weights, -1).any()) for _, _, weights in _attended(run)]
    for _, event in run.first_ops_of({"scaled_dot_product_attention"}, 1):
        if run.argument(event, "attn_mask") == NOTHING:
            seen.append(run.setting(event, "is_causal") == "True")
    return bool(seen) and all(seen)


def _from_product(run: Run, event: OpRan) -> bool:
    """Whether what a softmax is given comes from a product of matrices, whatever was done to it together with a mask."""
    queue = [run.argument(event, "self")]
    for tensor in queue:
        if tensor == NOTHING or len(queue) > 4 * _FAR:
            return False
        maker, matrix = run.tensors[tensor].op, run.tensors[tensor].info.shape[-2:]
        if "matrix_product" in run.traits(maker.op):
            return True
        queue += [t for t in run.inputs(maker) if run.tensors[t].info.shape[-2:] == matrix and t not in queue]
    return False


def _row(weights: NDArray[Any], place: int) -> str:
    row = weights.reshape(-1, *weights.shape[-2:])[0, place]
    return ", ".join(f"{each:.2g}" for each in row[:6].tolist()) + ", …" * (len(row) > 6)


def _sees_what_comes(weights: NDArray[Any]) -> bool:
    """Whether the weights of all but the last place are zero on and below the diagonal and nowhere else, and nothing is chosen
    by those of the last place."""
    places = weights.shape[-1]
    each = weights.reshape(-1, places, places)
    below, last = np.tri(places, dtype=bool)[:-1], each[:, -1]
    if not bool(((each[:, :-1] == 0) == below).all()):
        return False
    return bool(np.isnan(last).all() or np.allclose(last, 1 / places) or not last.any())


def _masked_at(run: Run, event: OpRan) -> Site | None:
    """Where the scores of a softmax got their mask; None where that is not seen."""
    tensor = run.argument(event, "self")
    for _ in range(_FAR):
        if tensor == NOTHING:
            break
        born, maker = run.op_of(tensor)
        if "masks" in run.traits(maker.op):
            return run.site(born)
        tensor = next(iter(run.inputs(maker)), NOTHING)
    return None


def _is_read_backwards(run: Run, step: int) -> bool:
    """Whether the targets of a loss after a step are the tokens that an embedding was given before it, or those before them: a
    model that reads a sequence from its end, or is to fill in what it does not see."""
    tokens = [
        values
        for at, event in run.first_ops_of({"embedding"}, 1)
        if at < step and (values := run.values(run.argument(event, "indices"), at)) is not None and values.ndim == 2
    ]
    for at, event in run.first_ops_of({"nll_loss", "nll_loss2d"}, 1):
        values = run.values(run.argument(event, "target"), at) if at > step else None
        for given in tokens:
            if values is not None and values.size == given.size:
                wanted = values.reshape(given.shape)
                if np.array_equal(wanted, given) or np.array_equal(wanted[:, 1:], given[:, :-1]):
                    return True
    return False


# --- rows ---------------------------------------------------------------------------------------------------------------------


@rule(132, ROWS_MASKED)
def rows_masked(run: Run) -> Iterator[Finding]:
    """Scores of which a mask fills whole rows, those of the queries that it names, and a softmax over the keys behind it."""
    for step, event in run.first_ops_of({"masked_fill"}, 1):
        mask, scores = run.argument(event, "mask"), run.argument(event, "self")
        if NOTHING in (mask, scores) or not event.outputs or not _far_below(run.setting(event, "value")):
            continue
        wide, given = run.tensors[scores].info.shape, run.tensors[mask].info.shape
        of_rows = len(given) == len(wide) > 2 and given[-1] == 1 < wide[-1] and given[-2] == wide[-2] == wide[-1]
        behind = [run.events[at] for at in run.consumers.get(event.outputs[0].id, ())]
        softmax = [e for e in behind if isinstance(e, OpRan) and e.op in run.having("normalizes")]
        values = run.values(mask, step)
        if not of_rows or not softmax or values is None or not values.any() or values.all():
            continue
        text, made = run.title(mask), run.site(run.tensors[mask].born)
        yield finding(
            run, ROWS_MASKED,
            f"The mask at {run.where(step)} fills whole rows of scores: it names queries, and the padding is attended to as "
            "before.",
            f"Scores are {list(wide)}, queries by keys, and {text} is {list(given)}: one value for all keys of a query. The "
            "softmax over the keys of a row that is filled with one number gives each key the same weight; no key is left out "
            "anywhere.",
            "Let the mask vary along the last dimension, that of the keys: unsqueeze(1).unsqueeze(2) of a mask [batch, keys].",
            step=step, related=[made],
            evidence=[("shape of the scores", str(list(wide))), ("shape of the mask", str(list(given)))],
            nodes=[key(mask), key(scores)],
        )  # fmt: skip
