"""Rules about weights that are kept to be put back: a state_dict() is no copy, nor is another name for the model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...program.changes import TextChange
from ...recording.events import NOTHING
from .. import mending
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..ran import first_step_beside
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

STATE_NOT_COPIED = Kind(
    "state_not_copied", "warning", "What is kept of a model for later is no copy: the updates change it along with the model.",
    mechanical=True,
)  # fmt: skip
STATE_NOT_LOADED = Kind(
    "state_not_loaded", "warning", "Entries of what state_dict() gave are set and never loaded, or a state is given to it to "
    "load.",
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
        model, site, there = ast.unparse(call.func.value), site_of(cell, call), site_of(cell, back)
        copied = f"{{key: value.clone() for key, value in {ast.unparse(call)}.items()}}"
        yield finding(
            run, STATE_NOT_COPIED,
            f"{name} is no copy: it changes with {model}.",
            f"{ast.unparse(call)} at {run.site_text(site)} holds the parameters themselves. The optimizer goes on to change "
            f"them, so what {ast.unparse(back)} puts back at {run.site_text(there)} is what the model has already: "
            "the last weights, not those that were to be kept.",
            f"Copy it: {name} = copy.deepcopy({ast.unparse(call)}).",
            step=updates[-1],
            site=site,
            related=[there, run.site(updates[-1])],
            evidence=[("updates in that loop", str(len(updates)))],
            changes=[TextChange(cell, site.line, site.column, site.end_line, site.end_column, copied)],
        )  # fmt: skip


@rule(138, STATE_NOT_COPIED)
def model_not_copied(run: Run) -> Iterator[Finding]:
    """`if loss < best: best_model = model` in a loop that goes on to train the model, and the name is used behind the loop."""
    source = paths_of(run.recording).source
    for cell, assign, name, model in _other_names(source):
        around = list(source.around(assign))
        branch = next((above for above in around if isinstance(above, ast.If)), None)
        loop = _loop(source, assign)
        if loop is None or branch is None or branch.lineno < loop.lineno or _ends(branch) or _bound_in(source, loop, model):
            continue
        later = _used_behind(source, name, loop)
        own = _parameters(run, model)
        updates = _updates_in(run, cell, loop, own)
        if later is None or not own or len(updates) < 2:
            continue
        site, there = site_of(cell, assign), site_of(cell, later)
        yield finding(
            run, STATE_NOT_COPIED,
            f"{name} is no copy: it is another name for {model}.",
            f"{ast.unparse(assign)} at {run.site_text(site)} copies nothing. The optimizer goes on to change the one model "
            f"that there is, so what is used at {run.site_text(there)} has the last weights, not those that were to be kept.",
            f"Copy it: {name} = copy.deepcopy({model}), with import copy.",
            step=updates[-1],
            site=site,
            related=[there, run.site(updates[-1])],
            evidence=[("updates in that loop", str(len(updates)))],
            changes=[
                *mending.replaced(run, site_of(cell, assign.value), f"copy.deepcopy({model})"), *_importing_copy(source, cell),
            ],
        )  # fmt: skip


def _other_names(source: Source) -> Iterator[tuple[int, ast.Assign, str, str]]:
    """The statements that only give a name to what another one stands for, with both names."""
    for name, bindings in source.assigned.items():
        for cell, statement, _ in bindings:
            match statement:
                case ast.Assign(targets=[ast.Name() | ast.Attribute()], value=ast.Name(id=model)) if model != name:
                    yield cell, statement, name, model


def _importing_copy(source: Source, cell: int) -> list[TextChange]:
    """The change that imports `copy` above all, where no line does."""
    if any(alias.name == "copy" for node in source.parents if isinstance(node, ast.Import) for alias in node.names):
        return []
    return [TextChange(cell, 1, 0, 1, 0, "import copy\n")]


def _ends(branch: ast.If) -> bool:
    """Whether a branch leaves the loop, so that nothing is changed behind it."""
    return any(isinstance(node, ast.Break | ast.Return | ast.Raise) for node in ast.walk(branch))


def _bound_in(source: Source, loop: ast.For | ast.While, name: str) -> bool:
    """Whether a name is given something else in a loop: then each iteration has a model of its own."""
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in ast.walk(loop))


def _used_behind(source: Source, name: str, loop: ast.For | ast.While) -> ast.expr | None:
    """Where a name is read below a loop, in the block that the loop stands in."""
    block = source.parents[loop]
    for node in ast.walk(block):
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if node.lineno > (loop.end_lineno or 0) and ast.unparse(node) == name:
            return node
    return None


def _parameters(run: Run, model: str) -> frozenset[int]:
    """The parameters of what a name stands for."""
    return frozenset(
        e.tensor for _, e in run.namings if e.name.startswith(f"{model}.") and run.tensors[e.tensor].info.is_parameter
    )


@rule(139, STATE_NOT_LOADED)
def state_not_loaded(run: Run) -> Iterator[Finding]:
    """`target.state_dict()[key] = …`: an entry of the dictionary is another tensor then, and the model has the one before."""
    source = paths_of(run.recording).source
    for cell, call in source.calls.get("state_dict", ()):
        above = source.parents.get(call)
        match above:
            case ast.Assign(targets=[ast.Name(id=name)]) if isinstance(call.func, ast.Attribute):
                written = _only_written(source, name, above.targets[0])
            case _:
                continue
        step = next((found for node in written if (found := _ran(run, cell, source.statement(node))) is not None), None)
        if step is None or [*source.around(written[0])][-1] is not [*source.around(call)][-1]:
            continue
        model, first = ast.unparse(call.func.value), source.statement(written[0])
        assert first is not None
        made, entry = site_of(cell, call), site_of(cell, written[0])
        behind = mending.in_body(run, entry, made) or site_of(cell, first)
        yield finding(
            run, STATE_NOT_LOADED,
            f"{ast.unparse(written[0])} = … changes a dictionary, and {model} stays as it is.",
            f"{ast.unparse(call)} at {run.site_text(made)} is a dictionary of {model}'s tensors. What is put there"
            f" in the place of one is another tensor, which {model} knows nothing of, and {name} is never loaded.",
            f"Load it: {model}.load_state_dict({name}). Or write into the tensors: {ast.unparse(written[0])}.copy_(…).",
            step=step, site=entry, related=[made],
            evidence=[(f"loads of {name} in the program", "0")],
            changes=mending.after(run, behind, f"{model}.load_state_dict({name})"),
        )  # fmt: skip


@rule(139, STATE_NOT_LOADED)
def state_given_to_state_dict(run: Run) -> Iterator[Finding]:
    """`model.state_dict(best)` as a statement: it fills what it is given and loads nothing."""
    source = paths_of(run.recording).source
    for cell, call in source.calls.get("state_dict", ()):
        given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "destination"), None)
        statement = source.parents.get(call)
        if given is None or not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute):
            continue
        step = first_step_beside(run, cell, statement)
        if step is None:
            continue
        model, state, site = ast.unparse(call.func.value), ast.unparse(given), site_of(cell, call)
        yield finding(
            run, STATE_NOT_LOADED,
            f"{ast.unparse(call)} loads nothing: {model} stays as it is, and {state} gets its weights.",
            f"state_dict() gives the weights of {model}; into a dictionary that it is given it writes them, over what was "
            "kept.",
            f"Load it: {model}.load_state_dict({state}).",
            step=step, site=site, evidence=[("what the statement gives is used", "nowhere")],
            changes=mending.replaced(run, site, f"{model}.load_state_dict({state})"),
        )  # fmt: skip


def _only_written(source: Source, name: str, bound: ast.expr) -> list[ast.Subscript]:
    """The entries of a dictionary that are set, where nothing else is done with it but to read entries and go through it."""
    found: list[ast.Subscript] = []
    for node in source.parents:
        if not isinstance(node, ast.Name) or node.id != name or node is bound:
            continue
        match source.parents[node]:
            case ast.Subscript(ctx=ast.Store()) as entry if isinstance(source.parents[entry], ast.Assign):
                found.append(entry)
            case ast.Subscript(ctx=ast.Load()) as entry if not isinstance(source.parents[entry], ast.Attribute):
                pass
            case ast.For(iter=iterated) if iterated is node:
                pass
            case ast.Attribute(attr="items" | "keys"):
                pass
            case _:
                return []
    return found


def _ran(run: Run, cell: int, statement: ast.stmt | None) -> int | None:
    """The first step of a statement; None where it did nothing."""
    if statement is None:
        return None
    for step, _ in run.ops:
        site = run.site(step)
        if site is not None and site.cell == cell and statement.lineno <= site.line <= (statement.end_lineno or 0):
            return step
    return None


def _kept_as(source: Source, call: ast.Call) -> str:
    """The name under which a state is kept as it is: not when it is copied, saved or loaded."""
    node: ast.AST = call
    above = source.parents.get(node)
    if isinstance(above, ast.Attribute) and above.attr == "copy" and isinstance(source.parents.get(above), ast.Call):
        node = source.parents[above]  # a copy of the dictionary has the same tensors
        above = source.parents.get(node)
    elif (anew := _same_entries(source, call)) is not None:
        node, above = anew, source.parents.get(anew)
    match above:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
            return ast.unparse(target)
        case ast.Tuple(elts=values):
            match source.parents.get(above):
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value) if value is above and len(names) == len(values):
                    return ast.unparse(names[values.index(node)])  # type: ignore[arg-type]
    return ""


def _same_entries(source: Source, call: ast.Call) -> ast.AST | None:
    """A new dictionary with the tensors of a state: `dict(…)`, `{key: value for key, value in ….items()}`."""
    above = source.parents.get(call)
    match above:
        case ast.Call(func=ast.Name(id="dict"), args=[given], keywords=[]) if given is call:
            return above
        case ast.Attribute(attr="items"):
            items = source.parents.get(above)
            loop = source.parents.get(items) if items is not None else None
            made = source.parents.get(loop) if loop is not None else None
            match made:
                case ast.DictComp(value=ast.Name(id=value), generators=[ast.comprehension(target=ast.Tuple(elts=[_, each]))]):
                    return made if isinstance(each, ast.Name) and each.id == value else None
    return None


def _loop(source: Source, node: ast.AST) -> ast.For | ast.While | None:
    return next((above for above in source.around(node) if isinstance(above, ast.For | ast.While)), None)


def _loaded(source: Source, cell: int, name: str, loop: ast.For | ast.While) -> ast.Call | None:
    """The call, below a loop, that loads what is kept under a name."""
    for where, call in source.calls.get("load_state_dict", ()):
        given = call.args[0] if call.args else None
        if where == cell and call.lineno > (loop.end_lineno or 0) and given is not None and ast.unparse(given) == name:
            return call
    return None


def _updates_in(run: Run, cell: int, loop: ast.For | ast.While, of: frozenset[int] = frozenset()) -> list[int]:
    """The steps of optimizers in a loop of the text; where parameters are given, those that move some of them."""
    found = []
    for step, event in run.optimizer_steps:
        scope = run.recording.scopes[event.scope] if event.scope != NOTHING else None
        inside = scope is not None and any(line == loop.lineno for line, _ in scope.loops)
        if inside and (not of or not of.isdisjoint(event.parameters)):
            found.append(step)
    return found
