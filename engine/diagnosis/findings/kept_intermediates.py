"""A rule about Functions whose backward is differentiated: what forward has computed and keeps is a constant there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...program.changes import TextChange
from ...recording.columns import columns_of
from ...recording.events import NOTHING, OpRan
from ..custom_functions import Custom, assigned, deliberate, functions_of, ran_in
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

INTERMEDIATE_KEPT = Kind(
    "intermediate_kept", "warning",
    "A custom backward is differentiated, and computes with what its forward has computed from an input: a constant there.",
    mechanical=True,
)  # fmt: skip

_LOOKED_AT = 400
"""Constants in backward passes that are looked at."""
_ELEMENTS = 16
"""Elements that tell whether values follow others."""
_SMOOTH = 0.35
"""Values that follow others differ so much less between neighbours than between any two of them."""


class _Kept(NamedTuple):
    """What `forward` computes and keeps."""

    name: str
    """How it is kept: `ctx.sig`, or the name in the call of save_for_backward."""
    value: ast.expr
    attribute: str
    """The attribute of ctx; "" where save_for_backward keeps it."""


@rule(176, INTERMEDIATE_KEPT)
def intermediate_kept(run: Run) -> Iterator[Finding]:
    """With create_graph a backward records what it computes, and takes a tensor that forward has made without a graph, from an
    input; a later pass goes through what it recorded."""
    functions = functions_of(paths_of(run.recording))
    graphs = {entry.number: entry for entry in run.passes if entry.event.create_graph} if functions else {}
    if not graphs:
        return
    ran = {number: list(ran_in(run, entry)) for number, entry in graphs.items()}
    columns = columns_of(run.recording)
    wanted = columns.op_is({"constant"}) & np.isin(columns.operations.in_backward, list(graphs))
    told: set[str] = set()
    for step, event in list(run.ops_where(wanted))[:_LOOKED_AT]:
        site = run.site(step)
        custom = next(
            (c for c in functions.values() if site is not None and site.cell == c.cell
             and c.backward.lineno <= site.line <= (c.backward.end_lineno or 0)), None,
        )  # fmt: skip
        if custom is None or custom.name in told or site is None or len(event.outputs) != 1:
            continue
        made = event.outputs[0]
        if made.requires_grad:
            continue  # a result of forward, which leads back to what it was computed from
        maker = next((op for after, op, _ in ran[event.in_backward] if after > step and op.op == custom.name), None)
        if maker is None or deliberate(run, maker) or not made.dtype.removeprefix("torch.").startswith(("float", "bfloat")):
            continue
        again = _differentiated(run, made.id)
        given = [a for a in maker.inputs if a.tensor != NOTHING and run.status(a.tensor, step).requires_grad]
        kept = _kept(run, custom, site.line, made.id, {a.name for a in given}) if again != NOTHING else None
        if kept is None or not any(_follows(run, made.array, of) for of in _arrays(run, maker, [a.tensor for a in given])):
            continue
        told.add(custom.name)
        text, of = ast.unparse(kept.value), " and ".join(a.name for a in given)
        yield finding(
            run, INTERMEDIATE_KEPT,
            f"{kept.name} is a constant in backward of {custom.name}, and backward is differentiated: the second derivative "
            "is wrong.",
            f"forward computes {text} from {of}, and nothing is recorded within forward. With create_graph=True the pass at "
            f"{run.where(graphs[event.in_backward].began)} records what backward computes, and that at {run.where(again)} goes "
            f"through it: what {kept.name} owes to {of} is missing there. The first derivative is right.",
            "Compute it anew in backward, from inputs that save_for_backward keeps; or return it from forward as a further "
            "result, which has a graph when it is saved.",
            step=step, site=site, related=[custom.site(kept.value), run.site(graphs[event.in_backward].began), run.site(again)],
            evidence=[("computed in forward", text), (f"requires_grad of {kept.name} in backward", "False")],
            nodes=[key(made.id), *(key(a.tensor) for a in given)],
            changes=_anew(custom, kept),
        )  # fmt: skip


def _differentiated(run: Run, tensor: int) -> int:
    """The step at which a later pass goes through what takes a tensor, or what is computed of it within the same backward."""
    queue = [tensor]
    for each in queue:
        for step in run.consumers.get(each, ()):
            event = run.events[step]
            if not isinstance(event, OpRan) or not event.in_backward:
                continue
            if event.node is None:
                queue += [made.id for made in event.outputs if len(queue) < _ELEMENTS]
                continue
            later = next((e for e in run.passes if e.number != event.in_backward and event.node.id in e.ran_at), None)
            if later is not None:
                return later.began
    return NOTHING


def _kept(run: Run, custom: Custom, line: int, tensor: int, inputs: set[str]) -> _Kept | None:
    """What a constant in backward is, by the text: it is computed in forward from an input that requires grad."""
    statement = paths_of(run.recording).source.innermost(custom.cell, line)
    if statement is None:
        return None
    values = {ast.unparse(target): value for node in ast.walk(custom.forward) if isinstance(node, ast.Assign)
              for target, value in assigned(node)}  # fmt: skip
    own = custom.backward.args.args[0].arg if custom.backward.args.args else ""
    context = custom.forward.args.args[0].arg if custom.forward.args.args else ""
    found: list[_Kept] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == own:
            value = values.get(f"{context}.{node.attr}")
            value = values.get(value.id) if isinstance(value, ast.Name) and value.id not in custom.inputs else value
            if value is not None and _computed(value, values, inputs):
                found.append(_Kept(f"{own}.{node.attr}", value, node.attr))
    position = _unpacked(run, statement, tensor)
    saved = [node for node in ast.walk(custom.forward) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Attribute) and node.func.attr == "save_for_backward"]  # fmt: skip
    if position is not None and len(saved) == 1 and position < len(saved[0].args):
        given = saved[0].args[position]
        value = values.get(given.id) if isinstance(given, ast.Name) and given.id not in custom.inputs else given
        if value is not None and _computed(value, values, inputs):
            found.append(_Kept(ast.unparse(given), value, ""))
    return found[0] if len(found) == 1 else None


def _unpacked(run: Run, statement: ast.stmt, tensor: int) -> int | None:
    """Which of the saved tensors a statement of backward binds a name of a tensor to."""
    if not isinstance(statement, ast.Assign) or "saved_tensors" not in ast.unparse(statement.value):
        return None
    target = statement.targets[0]
    name = run.tensors[tensor].first_name
    names = [ast.unparse(part) for part in target.elts] if isinstance(target, ast.Tuple | ast.List) else []
    return names.index(name) if name in names else None


def _computed(value: ast.expr, values: dict[str, ast.expr], inputs: set[str]) -> bool:
    """Whether an expression of forward is computed from an input, and is no input itself."""
    if isinstance(value, ast.Name) and value.id in inputs:
        return False
    seen: set[str] = set()
    queue: list[ast.AST] = [value]
    for node in queue:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                if part.id not in inputs and part.id in values:
                    queue.append(values[part.id])
    return bool(seen & inputs)


def _arrays(run: Run, maker: OpRan, tensors: list[int]) -> Iterator[int]:
    """The arrays of a Function's inputs, and of its results."""
    born = run.nodes[maker.node.id].born if maker.node is not None else NOTHING
    yield from (run.status(tensor, born).array for tensor in tensors)
    yield from (made.array for made in maker.outputs)


def _follows(run: Run, array: int, other: int) -> bool:
    """Whether the values of an array follow those of another one of its shape, as a smooth function of them does: where these
    are close, those are. Masks and signs, which have few values, do not, nor does noise."""
    values, by = run.recording.array(array), run.recording.array(other)
    if values is None or by is None or values.shape != by.shape or values.size < _ELEMENTS or by.dtype.kind != "f":
        return False
    flat = values.astype(np.float64).ravel()[np.argsort(by.astype(np.float64), axis=None, kind="stable")]
    if not np.isfinite(flat).all() or len(np.unique(flat)) < _ELEMENTS // 2:
        return False
    near, far = np.abs(np.diff(flat)).mean(), np.abs(flat - np.roll(flat, len(flat) // 2)).mean()
    return bool(near < _SMOOTH * far)


def _anew(custom: Custom, kept: _Kept) -> list[TextChange]:
    """The changes that compute in backward what forward kept as an attribute, where backward has the names for that."""
    local = {
        *custom.inputs,
        *(ast.unparse(t) for n in ast.walk(custom.forward) if isinstance(n, ast.Assign) for t, _ in assigned(n)),
    }
    named = {node.id for node in ast.walk(kept.value) if isinstance(node, ast.Name)} & local
    known = {n.id for n in ast.walk(custom.backward) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if not kept.attribute or not named or not named <= known:
        return []
    own, text = custom.backward.args.args[0].arg, ast.unparse(kept.value)
    text = text if isinstance(kept.value, ast.Call) else f"({text})"
    uses = [node for node in ast.walk(custom.backward) if isinstance(node, ast.Attribute) and node.attr == kept.attribute
            and isinstance(node.value, ast.Name) and node.value.id == own]  # fmt: skip
    return [
        TextChange(custom.cell, n.lineno, n.col_offset, n.end_lineno or n.lineno, n.end_col_offset or 0, text) for n in uses
    ]
