"""A name that stood for a leaf and now stands for the result of an operation on it: `w = w * 2`, `w = w - lr * w.grad`."""

from __future__ import annotations

from ...recording.events import NOTHING, OpRan
from ..cuts import KINDS
from ..program_ast import contains
from ..reason import Reason
from .grad_query import Question

_EXPLICIT = KINDS.keys() - {"no_grad", "inference"}
"""Cuts that are the reason themselves."""
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
    tensors = q.run.tensors
    result = q.tensor
    for before in q.predecessors:
        if tensors[before].info.is_leaf:
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
                return _answer(q, q.tensor, t2, f"the leaf that {history.op.op} makes there")
    return None


def _answer(q: Question, result: int, leaf: int, leaf_text: str) -> Reason:
    run = q.run
    history = run.tensors[result]
    event: OpRan = history.op
    where = run.where(history.born)
    text = run.line(run.site(history.born)).strip()
    ledger = run.tensors[leaf].ledger
    got = [row for row in ledger.until(q.step) if row.kind == "backward"] if ledger is not None else []
    kept = f" The gradient went to {leaf_text}: {run.texts.describe(got[-1].total)}." if got else ""
    if not q.status.is_leaf:
        what = "is not a leaf any more" if leaf_text.endswith(")") else "is not a leaf"
        because = f"{q.name} {what}: {where} made {q.name} the result of {event.op} on {leaf_text}"
        explanation = f"backward() fills .grad of leaves only.{kept}"
    else:
        because = f"{where} made {q.name} the result of {event.op} on {leaf_text}, within no_grad, so it does not require grad"
        explanation = f"The result is a new tensor, of which autograd knows nothing.{kept}"
    if ".grad" in text or got:
        fix = f"Update in place: with torch.no_grad(): {q.name} -= …; the name then keeps the leaf."
    elif event.op == "to":
        fix = "Make the leaf in that dtype at once (dtype=…), or call .detach().requires_grad_() on the result."
    else:
        fix = (
            f"Give the result another name, or make the leaf of it: {q.name} = (…).detach().requires_grad_(), "
            "with requires_grad last."
        )
    if run.title(leaf) == run.title(result):
        same = (f"{q.name} of {run.where(run.tensors[leaf].born)}", "leaf")
    else:
        same = ("leaf", leaf_text)
    return q.because(
        "overwritten",
        f"{q.name}.grad is None because {because}",
        explanation,
        fix,
        step=history.born,
        nodes=[leaf, result, q.tensor],
        evidence=[same, ("statement", text), ("is_leaf", str(q.status.is_leaf))],
    )
