"""A rule about loops that are to train and never go round."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from ...graph.symbols import clip
from ...recording.events import Site
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..ran import first_step_at, is_done
from ..reason import Finding, Kind
from ..run import MAX_LABEL, Run, finding, key
from .registry import rule

EMPTY_LOOP = Kind("empty_loop", "warning", "The loop in which backward() stands never goes round: nothing is trained.")

_MOST = 200
"""Parameters that are named as those that do not learn."""


@rule(281, EMPTY_LOOP)
def empty_loop(run: Run) -> Iterator[Finding]:
    """backward() stands in a loop that was come to, and that left nothing in the recording, and no pass ran."""
    if run.passes:
        return
    source = paths_of(run.recording).source
    for cell, call in source.calls.get("backward", ()):
        loop = next((each for each in source.around(call) if isinstance(each, ast.For | ast.FunctionDef)), None)
        if not isinstance(loop, ast.For) or not is_done(run, cell, loop):
            continue
        last = loop.body[-1]
        if first_step_at(run, cell, loop.body[0].lineno, last.end_lineno or last.lineno) is not None:
            continue
        given = clip(ast.unparse(loop.iter), MAX_LABEL)
        dropping = _dropping(source, loop.iter)
        why, fix = "It holds nothing.", f"Look at what {given} is made of: print(len({given}))."
        if dropping is not None:
            why = (
                "drop_last=True leaves out the last batch if it is smaller than batch_size, and here all samples together are."
            )
            fix = "Take a batch_size that the data fills, or drop_last=False."
        at = site_of(cell, loop)
        parameters = (each for each, history in run.tensors.items() if history.info.is_parameter)
        yield finding(
            run, EMPTY_LOOP, f"The loop over {given} at {run.site_text(at)} never goes round, so backward() is not called.",
            why, fix, step=len(run.events) - 1, site=dropping or site_of(cell, loop.iter), related=[at],
            nodes=[key(each) for each in islice(parameters, _MOST)],
        )  # fmt: skip
        return


def _dropping(source: Source, given: ast.expr) -> Site | None:
    """Where what a loop goes through is made with drop_last=True."""
    inside = [each for each in ast.walk(given) if isinstance(each, ast.Name)]
    for name in inside:
        for cell, value in source.values_of(name):
            if not isinstance(value, ast.Call):
                continue
            for keyword in value.keywords:
                if keyword.arg == "drop_last" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
                    return site_of(cell, value)
    return None
