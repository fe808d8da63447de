"""A rule about attention among the samples of a batch, which a layer takes for the steps of a sequence."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...graph.numbers import shape_text
from ...recording.events import NOTHING, OpRan, Site
from ..mending import keyword
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sequences import is_for_each

BATCH_FIRST_MISSING = Kind(
    "batch_first_missing", "warning", "The samples of a batch attend to each other: batch_first is missing.", mechanical=True
)

_ATTENTION = "MultiheadAttention"
_LAYERS = ("TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer")
"""Classes that have attention within them, and pass batch_first on."""
_FAR = 16
"""Operations within a layer of attention, and between its input and encodings of positions."""
_LOOKED_AT = 8
"""Products at one place of the text that are looked at, of which the first may be another layer's."""
_MOST = 400
"""Tensors that are computed from the result of attention and looked at."""


@rule(177, BATCH_FIRST_MISSING)
def batch_first_missing(run: Run) -> Iterator[Finding]:
    """Attention goes over dimension 0, and yet dimension 1 is that of the sequence: a parameter has a row for each place of it,
    or the loss has a target for each of dimension 0 when dimension 1 has been averaged or picked from."""
    scopes = run.recording.scopes
    if not any(scope.module_class == _ATTENTION for scope in scopes):
        return
    told: set[Site | None] = set()
    for step, event in run.first_ops_of(run.having("matrix_product"), _LOOKED_AT):
        if event.scope < 0 or scopes[event.scope].module_class != _ATTENTION:
            continue
        made = _result(run, event)
        shape = run.tensors[made].info.shape if made != NOTHING else ()
        if len(shape) != 3 or shape[0] == shape[1] or min(shape[:2]) < 2:
            continue
        layer, calls = _makers(run, scopes[event.scope].module)
        site = site_of(*calls[0]) if len(calls) == 1 else None
        if not calls or (site or run.site(step)) in told or _is_turned(run, event, shape):
            continue
        table, read = _positions(run, event, shape), _read_for_each(run, made, shape)
        if table == NOTHING and read is None:
            continue
        told.add(site or run.site(step))
        yield finding(
            run, BATCH_FIRST_MISSING,
            f"{layer} takes dimension 0 for the sequence: the {shape[0]} samples attend to each other, not the {shape[1]} "
            "places of each.",
            f"Without batch_first=True an input is (sequence, samples, features), and here it is {shape_text(shape)}. "
            f"{_because(run, shape, table, read)} So what a sample gives depends on the others of its batch, and no place of "
            "its sequence knows of another one.",
            "Make the layer with batch_first=True.",
            step=step, site=site, related=[run.site(step), *([run.site(read)] if read is not None else [])],
            evidence=[("input", str(list(shape))), ("attention goes over", f"dimension 0, of {shape[0]}")], nodes=[key(made)],
            changes=keyword(run, site, "batch_first", "True") if site is not None else [],
        )  # fmt: skip


def _because(run: Run, shape: tuple[int, ...], table: int, read: int | None) -> str:
    """What says that the samples stand in dimension 0."""
    if read is not None:
        text = run.segment(run.site(read)) or "What follows"
        left_out = f"{text} at {run.where(read)} leaves dimension 1 out"
        return f"{left_out}, and the loss has {shape[0]} targets: dimension 0 is the samples."
    return f"{run.title(table)}, which is added to the tokens, has a row for each of the {shape[1]} places in dimension 1."


def _result(run: Run, event: OpRan) -> int:
    """What attention that was not told batch_first gives, the tensor that leaves its module; NOTHING for any other."""
    queue = [event.outputs[0].id] if event.outputs else []
    seen = set(queue)
    for tensor in queue:
        within = [
            later
            for step in run.consumers.get(tensor, ())[:_FAR]
            if isinstance(later := run.events[step], OpRan) and later.scope == event.scope
        ]
        history = run.tensors[tensor]
        if not within and len(history.info.shape) == 3 and history.op.op in run.having("shapes"):
            return tensor
        for later in within:
            made = [info.id for info in later.outputs if info.id not in seen]
            seen.update(made)
            queue += made if len(queue) < 4 * _FAR else []
    return NOTHING


def _makers(run: Run, module: str) -> tuple[str, list[tuple[int, ast.Call]]]:
    """The class of the layer that has attention within it, or that is it, and the calls that make one without batch_first; none
    where one is made with it."""
    around = module.rpartition(".")[0]
    owners = {scope.module_class for scope in run.recording.scopes if scope.module == around and around}
    calls = paths_of(run.recording).source.calls
    for name in (*(each for each in _LAYERS if each in owners), _LAYERS[-1] if owners & {*_LAYERS} else _ATTENTION):
        if found := calls.get(name, []):
            given = [k.value for _, call in found for k in call.keywords if k.arg == "batch_first"]
            plain = all(isinstance(value, ast.Constant) and value.value is False for value in given)
            return name, [*found] if plain else []
    return "", []


def _positions(run: Run, event: OpRan, shape: tuple[int, ...]) -> int:
    """A table that has a row for each of dimension 1 and is added to the tokens that attention is given; NOTHING where there is
    none."""
    for tensor in _behind(run, event):
        maker = run.tensors[tensor].op
        given = run.inputs(maker)
        if "additive" in run.traits(maker.op) and len(given) == 2:
            for table, tokens in (given, given[::-1]):
                if _is_table(run, table, shape) and _looked_up(run, tokens):
                    return table
    return NOTHING


def _behind(run: Run, event: OpRan) -> Iterator[int]:
    """What attention is computed from, the last first, along what is no parameter."""
    for _ in range(3 * _FAR):
        given = [t for t in run.inputs(event) if not run.tensors[run.beneath_views(t)].info.is_parameter]
        if not given:
            return
        yield given[0]
        event = run.tensors[given[0]].op


def _is_turned(run: Run, event: OpRan, shape: tuple[int, ...]) -> bool:
    """Whether the first two dimensions were swapped before attention: then somebody has thought of their order."""
    for tensor in _behind(run, event):
        maker = run.tensors[tensor].op
        turned = "transposes" in run.traits(maker.op) and run.tensors[tensor].info.shape[:2] == shape[:2]
        if turned and run.tensors[run.inputs(maker)[0]].info.shape[:2] == shape[1::-1]:
            return True
    return False


def _looked_up(run: Run, tensor: int) -> bool:
    """Whether a tensor is rows of an embedding, as they are or scaled."""
    for _ in range(3):
        maker = run.tensors[tensor].op
        given = run.inputs(maker)
        if maker.op == "embedding" or len(given) != 1:
            return maker.op == "embedding"
        (tensor,) = given
    return False


def _is_table(run: Run, tensor: int, shape: tuple[int, ...]) -> bool:
    """Whether a tensor is of one row for each of dimension 1, and depends on no data: a parameter, what is cut from one, or
    rows that are looked up by their numbers."""
    if run.tensors[tensor].info.shape not in ((1, *shape[1:]), shape[1:]):
        return False
    beneath = run.beneath_views(tensor)
    maker = run.tensors[beneath].op
    if maker.op == "embedding":
        indices = run.beneath_views(run.argument(maker, "indices"))
        return run.tensors[indices].op.op == "arange"
    return run.tensors[beneath].info.is_parameter


def _read_for_each(run: Run, made: int, shape: tuple[int, ...]) -> int | None:
    """The step that leaves out dimension 1 of what is computed from attention, where a loss then has a target for each of
    dimension 0; None where there is none."""
    count, flat = shape[0], shape[0] * shape[1]
    queue, seen = [made], {made}
    for tensor in queue:
        before = run.tensors[tensor].info.shape
        for step in run.consumers.get(tensor, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.outputs or "transposes" in run.traits(event.op):
                continue
            after = event.outputs[0].shape
            if _leaves_out(run, event, before, after):
                if is_for_each(run, event.outputs[0].id, count):
                    return step
            elif event.outputs[0].id not in seen and len(queue) < _MOST and (after[:2] == shape[:2] or after[:1] == (flat,)):
                seen.add(event.outputs[0].id)
                queue.append(event.outputs[0].id)
    return None


def _leaves_out(run: Run, event: OpRan, before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether an operation makes one row of each of dimension 0: it reduces dimension 1, picks one of it, or lays it beside the
    features."""
    if len(before) != 3 or len(after) != 2 or before[0] != after[0]:
        return False
    if event.op in run.having("same_values") and after[1] == before[1] * before[2]:
        return True
    return run.setting(event, "dim") in ("1", "(1,)") and after[1] == before[2]
