"""Rules about weights that are kept to be put back: a state_dict() is no copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...program.changes import TextChange
from ...recording.events import NOTHING, Site
from ..paths import paths_of
from ..program_ast import Source
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

STATE_NOT_COPIED = Kind(
    "state_not_copied", "warning", "What state_dict() gave is kept for later, and the updates change it along with the model.",
    mechanical=True,
)  # fmt: skip


@rule(138, STATE_NOT_COPIED)
def state_not_copied(run: Run) -> Iterator[Finding]:
    """A state_dict() is bound to a name while the model is trained, and loaded when updates have gone on."""
    source = paths_of(run.recording).source
    for cell, call in source.calls.get("state_dict", ()):
        name, loop = _kept_as(source, call), _loop(source, call)
        if not name or loop is None or not isinstance(call.func, ast.Attribute):
            continue
        back = _loaded(source, cell, name, loop)
        updates = _updates_in(run, cell, loop)
        if back is None or len(updates) < 2:
            continue
        model, site = ast.unparse(call.func.value), _site(cell, call)
        copied = f"{{key: value.clone() for key, value in {ast.unparse(call)}.items()}}"
        yield finding(
            run, STATE_NOT_COPIED,
            f"{name} is no copy: it changes with {model}.",
            f"{ast.unparse(call)} at {run.site_text(site)} holds the parameters themselves. The optimizer goes on to change "
            f"them, so what {ast.unparse(back)} puts back at {run.site_text(_site(cell, back))} is what the model has already: "
            "the last weights, not those that were to be kept.",
            f"Copy it: {name} = copy.deepcopy({ast.unparse(call)}).",
            step=updates[-1],
            site=site,
            related=[_site(cell, back), run.site(updates[-1])],
            evidence=[("updates in that loop", str(len(updates)))],
            changes=[TextChange(cell, site.line, site.column, site.end_line, site.end_column, copied)],
        )  # fmt: skip


def _kept_as(source: Source, call: ast.Call) -> str:
    """The name under which a state is kept as it is: not when it is copied, saved or loaded."""
    node: ast.AST = call
    above = source.parents.get(node)
    if isinstance(above, ast.Attribute) and above.attr == "copy" and isinstance(source.parents.get(above), ast.Call):
        node = source.parents[above]  # a copy of the dictionary has the same tensors
        above = source.parents.get(node)
    match above:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
            return ast.unparse(target)
        case ast.Tuple(elts=values):
            match source.parents.get(above):
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if value is above and len(names) == len(values):
                    return ast.unparse(names[values.index(node)])  # type: ignore[arg-type]
    return ""


def _loop(source: Source, node: ast.AST) -> ast.For | ast.While | None:
    return next((above for above in source.around(node) if isinstance(above, ast.For | ast.While)), None)


def _loaded(source: Source, cell: int, name: str, loop: ast.For | ast.While) -> ast.Call | None:
    """The call, below a loop, that loads what is kept under a name."""
    for where, call in source.calls.get("load_state_dict", ()):
        given = call.args[0] if call.args else None
        if where == cell and call.lineno > (loop.end_lineno or 0) and given is not None and ast.unparse(given) == name:
            return call
    return None


def _updates_in(run: Run, cell: int, loop: ast.For | ast.While) -> list[int]:
    """The steps of optimizers in a loop of the text."""
    found = []
    for step, _ in run.optimizer_steps:
        number = run.events[step].scope
        scope = run.recording.scopes[number] if number != NOTHING else None
        if scope is not None and any(line == loop.lineno for line, _ in scope.loops):
            found.append(step)
    return found


def _site(cell: int, call: ast.Call) -> Site:
    return Site(cell, call.lineno, call.col_offset, call.end_lineno or call.lineno, call.end_col_offset or 0)
