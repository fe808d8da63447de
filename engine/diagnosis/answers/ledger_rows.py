"""The rows of a gradient's ledger in an answer: their passes, lines and ways, and all of them as evidence."""

from __future__ import annotations

from ...graph.structure.moments import iterations_text
from ...recording.events import NOTHING, Site
from ...recording.index import LedgerRow, Pass
from .grad_query import Question


def pass_of(q: Question, row: LedgerRow) -> Pass:
    """The pass of a row."""
    return q.run.index.passes[row.number]


def site_of(q: Question, row: LedgerRow) -> Site | None:
    """Where the pass of a row began."""
    return q.run.site(pass_of(q, row).began)


def line_of(q: Question, row: LedgerRow) -> str:
    """The line of a row, with its iteration: where its pass began, or what else changed the gradient."""
    return q.run.moment(pass_of(q, row).began if row.number else row.step)


def every(q: Question, rows: list[LedgerRow]) -> str:
    """The line of passes that all began at one, with their iterations."""
    steps = [pass_of(q, row).began for row in rows]
    iterations = iterations_text(q.run.recording, steps) if len(set(steps)) > 1 else ""
    return f"{q.run.where(steps[-1])}, {iterations or 'each time'}"


def way_back(q: Question, row: LedgerRow) -> list[int]:
    """The tensors from the one that is asked about to where the pass of a row began."""
    entry = pass_of(q, row)
    for node in q.paths.nodes_of(q.tensor, entry.began):
        if node in entry.arrivals:
            return [q.tensor, *q.paths.backwards(entry, node)]
    return [q.tensor]


def ledger(q: Question) -> list[tuple[str, str]]:
    """The last rows of the ledger as evidence."""
    run = q.run
    found = []
    for row in q.rows[-8:]:
        if row.kind == "backward":
            what = f"pass {row.number}, {line_of(q, row)}"
            found.append((what, f"+ {run.texts.describe(row.increment)} → {run.texts.describe(row.total)}"))
        else:
            how = "set to None" if row.total == NOTHING else row.kind
            found.append((f"{how}, {run.where(row.step)}", run.texts.describe(row.total) or "None"))
    return found
