"""Rules about statements that do nothing: a method that is not called, a result that is lost, a comparison with itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from ...program.changes import TextChange
from ...recording.events import NOTHING, Site
from ...recording.index import Pass
from ..mending import Changes, loop_around, site_of, spot, statement_at
from ..paths import Paths, paths_of
from ..ran import first_step_beside
from ..reason import Finding, Kind
from ..run import Run, finding, key
from ..run import call as called
from .registry import rule

NOT_CALLED = Kind("not_called", "error", "A method is named and not called, so the statement does nothing.", mechanical=True)
LOSS_LOST = Kind(
    "loss_lost", "warning", "A loss is computed, and its name gets another value before anything uses it.", mechanical=True
)
VARIABLE_OF_LOOP = Kind(
    "variable_of_loop", "warning",
    "The variable of a loop over parameters gets a new tensor, which leaves the parameter as it was.", mechanical=True,
)  # fmt: skip
COMPARED_WITH_ITSELF = Kind(
    "compared_with_itself", "error", "A loss compares a tensor with itself: it is zero, and so are all gradients."
)

_ACTS = frozenset(("zero_grad", "step", "backward", "eval", "train", "retain_grad"))
"""Methods that are called for what they do; so are those whose name ends with an underscore."""


@rule(59, NOT_CALLED)
def not_called(run: Run) -> Iterator[Finding]:
    """`optimizer.zero_grad` is a statement, and a valid one; it gives the method and does not call it."""
    source = paths_of(run.recording).source
    for cell, spans in enumerate(source.spans):
        program = source.programs[cell]
        for node in spans.values():
            statement = source.parents.get(node)
            if not isinstance(node, ast.Attribute) or not isinstance(statement, ast.Expr) or program is None:
                continue
            name = node.attr
            if name not in _ACTS and not (name.endswith("_") and not name.endswith("__")):
                continue
            if len(run.recording.source) > 1 and statement is program.tree.body[-1]:
                continue  # a notebook shows it
            step = first_step_beside(run, cell, statement, branches=True)
            if step is None:
                continue
            text, site = ast.unparse(node), site_of(cell, node)
            yield finding(
                run, NOT_CALLED,
                f"{text} is named and not called: the statement does nothing.",
                f"Without its parentheses {text} gives the method itself, which Python drops. Nothing is called, and nothing "
                "says so.",
                f"Call it: {text}().",
                step=step, site=site, evidence=[("calls by this statement", "0")],
                changes=[TextChange(cell, site.end_line, site.end_column, site.end_line, site.end_column, "()")],
            )  # fmt: skip


# --- lost ---------------------------------------------------------------------------------------------------------------------


@rule(261, LOSS_LOST)
def loss_lost(run: Run) -> Iterator[Finding]:
    """Before a pass, in its iteration, the name of its root stood for another result, which nothing has used."""
    paths = paths_of(run.recording)
    used = {t for entry in run.passes for t in (*(r for r, _ in entry.event.roots), *entry.event.inputs)}
    began = {root: entry for entry in run.passes for root, _ in entry.event.roots if entry.event.via == "backward"}
    at: dict[Site, list[tuple[int, int, int, Pass, str]]] = {}
    for name, bindings in run.named_tensors.items():
        passes = [(entry, root) for _, root in bindings if (entry := began.get(root)) is not None]
        if not passes:
            continue
        for (step, tensor), (later, other) in pairwise(bindings):
            if tensor in used or NOTHING in (tensor, other) or tensor == other:
                continue
            entry = next((e for e, _ in passes if e.began > step), None)
            site = run.site(step)
            if entry is None or site is None or not _lost(run, paths, tensor, step, later, entry):
                continue
            if not _loaded(paths, name, site, run.site(later)):
                at.setdefault(site, []).append((step, tensor, later, entry, name))
    for site, found in at.items():
        step, tensor, later, entry, name = found[0]
        if len({entry.number for *_, entry, _ in found}) < min(2, len(run.passes)):
            continue
        again = run.site(later)
        yield finding(
            run, LOSS_LOST,
            f"The loss that is computed at {run.site_text(site)} is lost: {name} gets another value before backward().",
            f"{run.where(later)} gives {name} the next value, and nothing has used the one before. backward() at "
            f"{run.where(entry.began)} begins with the last one only, so what the others were computed from gets no gradient "
            "from them.",
            _added_up(run, name, again)[0],
            step=step, site=site, related=[again, run.site(entry.began)],
            evidence=[("losses that are lost", str(len(found)))],
            nodes=[key(tensor)], steps=[one[0] for one in found],
            changes=_added_up(run, name, again)[1],
        )  # fmt: skip


def _lost(run: Run, paths: Paths, tensor: int, step: int, later: int, entry: Pass) -> bool:
    """Whether a single number with a graph is used by nothing, and was made in the iteration of a pass."""
    if tensor in run.consumers or not run.knows("operations", step, later) or entry.began < later or paths.read_of(tensor):
        return False
    info = run.tensors[tensor].info
    if not run.status(tensor, step).requires_grad or info.is_leaf or any(size != 1 for size in info.shape):
        return False
    around = run.loops(entry.began)
    return bool(around) and run.loops(step)[: len(around)] == around


def _loaded(paths: Paths, name: str, first: Site, second: Site | None) -> bool:
    """Whether the program's text uses a name between two of its bindings, or within the loop that binds it again and again."""
    run = paths.run
    low, high = first.end_line + 1, (second.line - 1 if second is not None else 0)
    if second is None or second.cell != first.cell:
        return True
    loop = loop_around(run, first)
    if second.line <= first.line:
        if loop is None:
            return True
        low, high = loop.line, loop.end_line
    reads = (
        node.lineno
        for node in paths.source.spans[first.cell].values()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    )
    return any(low <= line <= high for line in reads)


def _added_up(run: Run, name: str, again: Site | None) -> tuple[str, Changes]:
    """How the second loss is added to the first."""
    statement = spot(run, statement_at(run, again)) or spot(run, again)
    node = statement.node if statement is not None else None
    if statement is None or not isinstance(node, ast.Assign):
        return f"Add them up: {name} = {name} + …", []
    value = node.value
    text = statement.program.lines.of(node)
    plus = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd) and "=+" in text
    given = value.operand if isinstance(value, ast.UnaryOp) and plus else value
    whole = f"{name} = {name} + {statement.program.lines.of(given)}"
    change = TextChange(
        statement.cell, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, whole
    )
    return (f"Write +=, not =+: {name} += …" if plus else f"Add them up: {name} = {name} + …"), [change]


@rule(146, VARIABLE_OF_LOOP)
def variable_of_loop(run: Run) -> Iterator[Finding]:
    """`for p in model.parameters(): p = …` gives the name another tensor, which is gone with the next turn."""
    paths = paths_of(run.recording)
    for cell, loop, statement, name in _rebindings(paths):
        bindings = run.named_tensors.get(name, [])
        found: list[tuple[int, int, int]] = []
        for (_, old), (step, new) in pairwise(bindings):
            site = run.site(step)
            if site is None or site.cell != cell or not statement.lineno <= site.line <= (statement.end_lineno or 0):
                continue
            if NOTHING in (old, new) or old == new or new in run.consumers or not run.tensors[old].info.is_parameter:
                continue
            if old in run.inputs_at(run.tensors[new].born) or run.tensors[new].info.shape == run.tensors[old].info.shape:
                found.append((step, old, new))
        if not found or not run.knows("operations", found[0][0], found[-1][0]):
            continue
        step, old, new = found[0]
        value = ast.unparse(statement.value)
        copied = f"{name}.data.copy_({value})" if run.tensors[new].info.requires_grad else f"{name}.copy_({value})"
        yield finding(
            run, VARIABLE_OF_LOOP,
            f"{ast.unparse(statement.targets[0])} = … changes no parameter: it gives the loop's variable another tensor.",
            f"{run.title(old)} is as it was before {run.where(step)}: the name {name} goes on to the new tensor, which nothing "
            "uses, and the loop gives it the next parameter.",
            f"Write into the parameter: {copied}, within torch.no_grad().",
            step=step, site=site_of(cell, statement), related=[Site(cell, loop.lineno, loop.col_offset, loop.lineno, 0)],
            evidence=[("new tensors that nothing uses", str(len(found)))],
            nodes=[key(old), key(new)], steps=[one[0] for one in found],
            changes=[
                TextChange(
                    cell, statement.lineno, statement.col_offset,
                    statement.end_lineno or statement.lineno, statement.end_col_offset or 0, copied,
                )
            ],
        )  # fmt: skip


def _rebindings(paths: Paths) -> Iterator[tuple[int, ast.For, ast.Assign, str]]:
    """The assignments in loops to a variable of the loop that the loop does not read any more behind them."""
    source = paths.source
    for name, values in source.assigned.items():
        for cell, statement, _ in values:
            match statement:
                case ast.Assign(targets=[ast.Name(id=target)]) if target == name:
                    loop = next((a for a in source.around(statement) if isinstance(a, ast.For)), None)
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name) or loop is None:
                continue
            if name not in {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}:
                continue
            last = statement.end_lineno or statement.lineno
            loads = [n for n in ast.walk(loop) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
            if not any(n.lineno > last for n in loads):
                yield cell, loop, statement, name


# --- with itself --------------------------------------------------------------------------------------------------------------


@rule(188, COMPARED_WITH_ITSELF)
def compared_with_itself(run: Run) -> Iterator[Finding]:
    """A distance is taken of one and the same tensor."""
    told: set[int] = set()
    for step, event in run.ops_of(run.having("distance") | run.having("difference")):
        pair = run.inputs(event)[:2]
        if len(pair) != 2 or pair[0] != pair[1] or event.node is None or event.site in told or event.in_backward:
            continue
        text = run.expression(run.site(step))
        if event.op in run.having("difference") and ("(" not in text or "-" in text):
            continue  # a difference that the program writes itself: x - x is a way to zeros
        told.add(event.site)
        name, what = run.title(pair[0]), called(text) or event.op
        yield finding(
            run, COMPARED_WITH_ITSELF,
            f"{what} compares {name} with itself.",
            "The distance of a tensor from itself is zero whatever it holds, and so is its derivative: nothing learns.",
            f"Compare {name} with what it is to become.",
            step=step, evidence=[("distance", "0"), ("input and target", name)], nodes=[key(pair[0])],
        )  # fmt: skip
