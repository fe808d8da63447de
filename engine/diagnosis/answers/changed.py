"""A gradient that a pass brought and the program then changed: clipped, scaled back, averaged, assigned anew."""

from __future__ import annotations

import ast

from ...recording.index import LedgerRow
from ..reason import Reason
from .grad_query import Question
from .ledger_rows import ledger, line_of


def changed(q: Question, added: list[LedgerRow], row: LedgerRow) -> Reason:
    """The answer where a write after the passes that `added` to it, which `row` is, made what it holds."""
    run = q.run
    how = "assigned anew" if row.kind == "assign" else f"changed in place ({row.kind})"
    text, more = run.segment(run.site(row.step)), ""
    if "clip_grad" in text:
        how = "scaled by gradient clipping"
    elif row.kind != "assign" and (scaler := _scaler(q, row.step)):
        how = f"scaled back by {text}"
        more = (
            f" {scaler} is a GradScaler: the loss was multiplied by its scale, and .grad is that large until it is scaled back."
        )
    return q.because(
        "changed",
        f"{q.name}.grad was set by backward pass {added[-1].number} ({line_of(q, added[-1])}) and then {how} at "
        f"{run.where(row.step)}",
        f"It was {run.texts.describe(added[-1].total)} and is {q.grad_text()} now.{more}",
        step=row.step,
        nodes=[q.tensor],
        evidence=ledger(q),
    )


def _scaler(q: Question, step: int) -> str:
    """The name of the GradScaler of which a method ran at a step; "" where none did."""
    call = q.paths.source.at(q.run.site(step))
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ""
    name = ast.unparse(call.func.value)
    made = [value for _, _, value in q.paths.source.values(name) if isinstance(value, ast.Call)]
    return name if any(ast.unparse(each.func).endswith("GradScaler") for each in made) else ""
