"""When what stands at some lines of a program ran: what a rule goes by that reads the program's text.

A line that left nothing in the recording is not known to have run; what stands beside it in its block may have.
"""

from __future__ import annotations

import ast

import numpy as np
from numpy.typing import NDArray

from ..recording.columns import columns_of
from .paths import paths_of
from .run import Run

END = 10**9
"""A line below all lines."""


def steps_at(run: Run, cell: int, first: int, last: int = END) -> NDArray[np.int64]:
    """The steps at some lines of a cell, in order; both lines are among them."""
    sites = run.recording.tape.sites
    there = (sites["cell"] == cell) & (sites["line"] >= first) & (sites["line"] <= last)
    return np.flatnonzero(np.append(there, False)[columns_of(run.recording).events.site])


def first_step_at(run: Run, cell: int, first: int, last: int = END) -> int | None:
    """The first step at some lines of a cell; None where there is none."""
    steps = steps_at(run, cell, first, last)
    return int(steps[0]) if len(steps) else None


def first_step_beside(run: Run, cell: int, statement: ast.stmt, *, branches: bool = False) -> int | None:
    """The first step in the block around a statement, by which it is known to have run; None where there is none.

    Args:
        branches: a branch of an `if` is a block of its own, so that something of it has to have run. Else the loop or function
            around it is the block, for a statement that stands alone in its branch.
    """
    around = paths_of(run.recording).source.around(statement)
    block = next((a for a in around if isinstance(a, ast.stmt) and (branches or not isinstance(a, ast.If))), None)
    if block is None:
        return first_step_at(run, cell, 1)
    return first_step_at(run, cell, block.lineno, block.end_lineno or block.lineno)


def is_done(run: Run, cell: int, statement: ast.stmt) -> bool:
    """Whether a statement is known to have been carried out, though it may have left nothing in the recording itself: one that
    stands behind it in the same block left something, or it belongs to no block and the program ended well."""
    around = paths_of(run.recording).source.parents.get(statement)
    for block in (getattr(around, field, None) for field in ("body", "orelse", "finalbody")):
        if isinstance(block, list) and statement in block:
            later = block[block.index(statement) + 1 :]
            if any(first_step_at(run, cell, each.lineno, each.end_lineno or each.lineno) is not None for each in later):
                return True
    return isinstance(around, ast.Module) and run.raised is None
