"""A loop that turns more often: where a few steps do not tell which of two programs trains better, more of them do."""

from __future__ import annotations

import ast

from ...program.changes import TextChange
from ...recording.events import Site
from ...recording.recording import Recording
from ..mending import Changes, Spot, loop_around, sites_at, spot
from ..paths import paths_of
from ..run import Run

STEPS = 200
"""Backward passes from which on it shows what a program comes to."""
MOST = 50
"""How many times as often a loop turns at most."""


def lengthened(recording: Recording, line: int, passes: int) -> tuple[Changes, int]:
    """The text in which the loop around the passes that begin on a line turns more often, and how many times as often; no
    changes where it does not turn as often as a number in the text says."""
    run = paths_of(recording).run
    factor = min(-(-STEPS // max(passes, 1)), MOST)
    began = next((entry.began for entry in run.passes if (site := run.site(entry.began)) is not None and site.line == line), -1)
    if began < 0 or factor < 2:
        return [], 1
    for site in sites_at(run, began):
        for outermost in (True, False):
            number = _turns(run, loop_around(run, site, outermost=outermost))
            if number is not None:
                node = number.node
                span = (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)
                return [TextChange(number.cell, *span, str(int(number.text().replace("_", "")) * factor))], factor
    return [], 1


def _turns(run: Run, loop: Site | None) -> Spot | None:
    """The number in the text that says how often a loop turns."""
    found = spot(run, loop)
    match found.node if found is not None else None:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[stop] | [_, stop])):
            return _number(run, found, stop)
        case ast.While(test=ast.Compare(comparators=[stop], ops=[ast.Lt() | ast.LtE()])):
            return _number(run, found, stop)
    return None


def _number(run: Run, found: Spot | None, node: ast.expr) -> Spot | None:
    if found is None:
        return None
    if isinstance(node, ast.Name):
        values = paths_of(run.recording).source.values_of(node)
        if len(values) != 1 or values[0][0] != found.cell or not isinstance(values[0][1], ast.expr):
            return None
        node = values[0][1]
    known = isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0
    return Spot(found.cell, found.program, node) if known else None
