"""A rule about numbers of which there is one for each sample, that broadcasting lays along the features instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...graph.numbers import shape_text
from ...graph.symbols import clip
from ...recording.events import NOTHING, OpRan
from ..mending import Changes, site_of, spot, wrapped
from ..reason import Finding, Kind
from ..run import MAX_LABEL, Run, finding, key
from .data import layers_of
from .registry import rule

ALONG_FEATURES = Kind(
    "along_features", "warning", "One number per sample is laid along the features: a batch is as long as a sample.",
    mechanical=True,
)  # fmt: skip

_BACK = 8
"""Operations between a number per sample and what tells that it is one."""
_USES = 40


class _Laid(NamedTuple):
    """An operation between one number per sample, `few`, and samples, `many`; `origin` says which sample is which."""

    step: int
    few: int
    many: int
    origin: int
    use: int
    """The step at which the numbers stand along the samples."""


@rule(166, ALONG_FEATURES)
def along_features(run: Run) -> Iterator[Finding]:
    """`table[t] * x` with `t` of shape [B] and `x` of shape [B, B]: elsewhere `t` gives rows of a batch, or is made a column.

    With a batch of another length it would be an error. What stands along the features on purpose comes again unchanged, and
    is used along no batch.
    """
    found: dict[int, list[_Laid]] = {}
    for step, event in run.first_ops_of(run.having("elementwise"), 2):
        laid = _laid(run, step, event)
        if laid is not None:
            found.setdefault(event.site, []).append(laid)
    by_origin: dict[int, list[_Laid]] = {}
    for same in found.values():
        if len(same) < 2 or not _constant(run, same[0].origin, same[1].origin):
            by_origin.setdefault(run.tensors[same[0].origin].op.site, []).append(same[0])
    for each in by_origin.values():
        first = each[0]
        few, many = (run.tensors[tensor].info for tensor in (first.few, first.many))
        text = _operand(run, first)
        name = text[0] if text is not None else clip(run.title(first.few), MAX_LABEL)
        wide = text is not None and isinstance(text[1], ast.BinOp | ast.UnaryOp)
        column = f"[:, {', '.join(['None'] * (len(many.shape) - 1))}]"
        changes = [change for one in each for change in _made_column(run, one, column)]
        yield finding(
            run, ALONG_FEATURES,
            f"{name} has one number per sample, and is laid along the last dimension of {run.title(first.many)}.",
            f"Shapes are matched from the right, so its {few.shape[0]} numbers go with the {many.shape[-1]} positions of "
            f"dimension {len(many.shape) - 1}. That {run.title(first.origin)} belongs to the samples shows at "
            f"{run.where(first.use)}, where it stands along dimension 0. There is no error only because the batch is as long "
            "as that dimension.",
            f"Give it dimensions behind the first: {f'({name})' if wide else name}{column}.",
            step=first.step, related=[run.site(one.step) for one in each[1:]] + [run.site(first.use)],
            evidence=[(name, shape_text(few.shape)), (run.title(first.many), shape_text(many.shape))],
            nodes=[key(first.few), key(first.many)],
            changes=changes if all(_operand(run, one) is not None for one in each) else [],
        )  # fmt: skip


def _laid(run: Run, step: int, event: OpRan) -> _Laid | None:
    """Whether an operation takes one number per sample along the last dimension of samples."""
    given = run.inputs(event)
    if len(given) != 2 or event.in_backward or not event.outputs:
        return None
    few, many = sorted(given, key=lambda tensor: len(run.tensors[tensor].info.shape))
    size, shape = run.tensors[few].info.shape, run.tensors[many].info.shape
    if len(size) != 1 or len(shape) < 2 or size[0] < 2 or not size[0] == shape[0] == shape[-1]:
        return None
    origins = _origins(run, few)
    known = next(((origin, use) for origin in origins if (use := _along_samples(run, origin, step)) != NOTHING), None)
    if known is None or not _samples(run, many, event.outputs[0].id):
        return None
    return _Laid(step, few, many, *known)


def _origins(run: Run, tensor: int) -> list[int]:
    """The tensors of the same length that a tensor is made of, number by number or by looking up; none where parameters are."""
    size = run.tensors[tensor].info.shape
    queue = [tensor]
    for each in queue:
        event = run.tensors[each].op
        given = run.inputs(event)
        if run.tensors[each].info.is_parameter or any(run.tensors[t].info.is_parameter for t in given):
            return []
        if len(queue) < _BACK:
            queue += [t for t in given if run.tensors[t].info.shape == size and t not in queue]
    return queue


def _along_samples(run: Run, origin: int, step: int) -> int:
    """The step at which numbers stand along the first dimension of a batch in the same iteration: as a column, as indices of
    its rows, or as its targets; NOTHING where they do not."""
    size = run.tensors[origin].info.shape
    for at in run.consumers.get(origin, ())[:_USES]:
        event = run.events[at]
        if not isinstance(event, OpRan) or run.loops(at) != run.loops(step):
            continue
        made = event.outputs[0].shape if event.outputs else ()
        others = [run.tensors[t].info.shape for t in run.inputs(event) if t != origin]
        column = event.op in run.having("same_values") and made[:1] == size and set(made[1:]) == {1}
        rows = len(others) == 1 and made == size + others[0][1:] and len(made) > 1 and "int" in run.tensors[origin].info.dtype
        targets = run.argument(event, "target") == origin and any(other[:1] == size and len(other) > 1 for other in others)
        if column or rows or targets:
            return at
    return NOTHING


def _samples(run: Run, many: int, result: int) -> bool:
    """Whether a tensor is a batch, its last dimension features: a layer takes the result, or has made the tensor."""
    if next(layers_of(run, result), None) is not None:
        return True
    queue = [many]
    for tensor in queue:
        event = run.tensors[tensor].op
        given = run.inputs(event)
        if event.op in run.having("matrix_product") | run.having("convolution"):
            return any(run.tensors[run.beneath_views(t)].info.is_parameter for t in given)
        if event.op in run.having("elementwise") | run.having("normalizes") and len(queue) < _BACK:
            queue += given
    return False


def _constant(run: Run, one: int, other: int) -> bool:
    """Whether what two iterations have are the same numbers."""
    first, second = (run.recording.array(run.tensors[tensor].info.array) for tensor in (one, other))
    return one == other or (first is not None and second is not None and np.array_equal(first, second))


def _operand(run: Run, laid: _Laid) -> tuple[str, ast.expr, int] | None:
    """The text of the numbers per sample where they are written beside an operator, with its place."""
    found, event = spot(run, run.site(laid.step)), run.events[laid.step]
    if found is None or not isinstance(found.node, ast.BinOp) or not isinstance(event, OpRan):
        return None
    left = (run.argument(event, "self") == laid.few) != ("swapped" in run.traits(event.op))
    node = found.node.left if left else found.node.right
    return found.program.lines.of(node), node, found.cell


def _made_column(run: Run, laid: _Laid, column: str) -> Changes:
    operand = _operand(run, laid)
    if operand is None:
        return []
    _, node, cell = operand
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return wrapped(run, site_of(cell, node), "(", f"){column}")
    return wrapped(run, site_of(cell, node), "", column)
