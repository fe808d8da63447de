"""A name that stood for a leaf and now stands for the result of an operation on it: `w = w * 2`, `w = w - lr * w.grad`."""

from __future__ import annotations

import ast

from ...recording.columns import columns_of
from ...recording.events import NOTHING
from ...recording.index import TensorHistory
from ..cuts import KINDS
from ..program_ast import contains
from ..reason import Reason
from .grad_query import Question
from .mended_init import leaf_last

_EXPLICIT = KINDS.keys() - {"no_grad", "inference"}
"""Cuts that are the reason themselves."""
_LONG = 160
"""Characters of an expression that is written out in a fix."""
_NEAR = 80
"""Tensors looked at between the result and the leaf."""


def overwritten(q: Question) -> Reason | None:
    """The reason if the tensor took the name of a leaf that requires grad, or was made of one in the same statement."""
    if q.flags("retains_grad") or q.history.info.grad_of != NOTHING:
        return None
    if q.status.is_leaf and (q.status.requires_grad or q.history.op.cut in _EXPLICIT or q.history.op.grad_mode):
        return None
    return _by_name(q) or (_in_one_statement(q) if not q.status.is_leaf else None)


def _by_name(q: Question) -> Reason | None:
    # In a loop the name goes from result to result; the first of them took it from the leaf.
    made = columns_of(q.run.recording)
    leaf, row_of = made.tensors.is_leaf, made.row_of
    result = q.tensor
    for before in q.predecessors:
        if leaf[row_of[before]]:
            status = q.run.status(before, q.step)
            if status.is_leaf and status.requires_grad:
                linked = _near(q, result, before) and (result == q.tensor or _near(q, q.tensor, q.predecessors[0]))
                return _answer(q, result, before, q.told(before)) if linked else None
        result = before
    return None


def _near(q: Question, tensor: int, wanted: int) -> bool:
    """Whether a tensor was computed from another, a few operations before."""
    run = q.run
    queue, seen = [tensor], {tensor}
    for t in queue:
        for source in run.inputs(run.tensors[t].op):
            if source == wanted:
                return True
            if source not in seen and len(seen) < _NEAR and run.tensors[source].info.grad_of == NOTHING:
                seen.add(source)
                queue.append(source)
    return False


def _in_one_statement(q: Question) -> Reason | None:
    run, source = q.run, q.paths.source
    node = source.at(run.site(q.history.born))
    statement = source.statement(node) if node is not None else None
    if statement is None or not (q.history.name(q.step) or q.history.first_name):
        return None
    queue, seen = [q.tensor], {q.tensor}
    for t in queue:
        for t2 in run.inputs(run.tensors[t].op):
            history = run.tensors[t2]
            site = run.site(history.born)
            if t2 in seen or site is None or not contains(statement, site) or len(seen) > _NEAR:
                continue
            seen.add(t2)
            queue.append(t2)
            if history.info.is_leaf and history.info.requires_grad and not history.first_name:
                return _answer(q, q.tensor, t2, run.title(t2))
    return None


def _answer(q: Question, result: int, leaf: int, leaf_text: str) -> Reason:
    run = q.run
    history = run.tensors[result]
    where = run.where(history.born)
    node = q.paths.source.at(run.site(history.born))
    statement = q.paths.source.statement(node) if node is not None else None
    text = q.paths.statement(history.born)
    ledger = run.tensors[leaf].ledger
    got = [row for row in ledger.until(q.step) if row.kind == "backward"] if ledger is not None else []
    kept = f" The gradient went to {leaf_text}: {run.texts.describe(got[-1].total)}." if got else ""
    if not q.status.is_leaf:
        what = "is not a leaf any more" if leaf_text.endswith(")") and run.tensors[leaf].first_name else "is not a leaf"
        because = f"{q.name} {what}: {where} made it the result of an operation on {leaf_text}"
        explanation = f"backward() fills .grad of leaves only.{kept}"
    else:
        because = (
            f"{where} made {q.name} the result of an operation on {leaf_text}, within no_grad, so it does not require grad"
        )
        explanation = f"The result is a new tensor, of which autograd knows nothing.{kept}"
    if run.title(leaf) == run.title(result):
        same = (f"{q.name} of {run.where(run.tensors[leaf].born)}", "leaf")
    else:
        same = ("leaf", leaf_text)
    return q.because(
        "overwritten",
        f"{q.name}.grad is None because {because}",
        explanation,
        _fix(q, leaf, history, statement),
        step=history.born,
        nodes=[leaf, result, q.tensor],
        evidence=[same, ("statement", text), ("is_leaf", str(q.status.is_leaf))],
    )


def _fix(q: Question, leaf: int, history: TensorHistory, statement: ast.stmt | None) -> str:
    """An update is to keep the leaf; an initialisation is to end with it; anything else is a result with a name of its own."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) else None
    name = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else q.name
    if value is not None and not any(part.attr == "grad" for part in ast.walk(value) if isinstance(part, ast.Attribute)):
        whole = leaf_last(value)
        if whole and len(whole) <= _LONG:
            return f"Let the result be the leaf: {name} = {whole}"
        if not q.run.uses_gradient(history.born, leaf) and not isinstance(statement, ast.AugAssign):
            made = ast.unparse(value)
            made = made if isinstance(value, ast.Call) else f"({made})"
            again = f", or make a leaf of it: {name} = {made}.detach().requires_grad_()" if len(made) <= _LONG else ""
            return f"Give the result another name{again}."
    step = _in_place(value, name) if value is not None else ""
    return f"Update in place, so that the name keeps the leaf: with torch.no_grad(): {step or f'{q.name} -= …'}"


def _in_place(value: ast.expr, name: str) -> str:
    """`w = w - 0.1 * w.grad` as an update in place; "" for what is written otherwise."""
    match value:
        case ast.BinOp(left, ast.Sub() | ast.Add() as sign, right) if ast.unparse(left).removesuffix(".data") == name:
            made = ast.unparse(right)
            if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Add | ast.Sub):
                made = f"({made})"
            return f"{name} {'-' if isinstance(sign, ast.Sub) else '+'}= {made}" if len(made) <= _LONG else ""
    return ""
