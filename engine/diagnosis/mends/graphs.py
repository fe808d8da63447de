"""What mends graphs that are gone or live too long, and tensors that were written while a graph needed them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from ...recording.events import NOTHING, OpRan, Raised, Site
from ...recording.index import Pass
from ..mending import (
    Changes,
    after,
    argument_at,
    before,
    beside,
    definition_of,
    dropped,
    enclosed,
    first_in,
    in_body,
    keyword,
    last_in,
    loop_around,
    moved,
    out_of_place,
    receiver_at,
    site_of,
    sites_at,
    spot,
    statement_at,
    statement_of,
    text_at,
    with_call,
)
from ..paths import paths_of
from ..run import Run
from .training import DOTTED

_USES = 100
"""Operations that take a parameter which are looked at."""


def unretained(run: Run, backward: Site | None) -> Changes:
    """backward() without retain_graph."""
    return keyword(run, backward, "retain_graph", None)


def retained(run: Run, backward: Site | None) -> Changes:
    """backward() with retain_graph=True."""
    return keyword(run, backward, "retain_graph", "True")


def detached_at(run: Run, name: str, site: Site | None) -> Changes:
    """A tensor without its graph in the expression at a site, where its name stands there once."""
    found = spot(run, site)
    nodes = [n for n in ast.walk(found.node) if isinstance(n, ast.expr) and ast.unparse(n) == name] if found is not None else []
    return with_call(run, site_of(found.cell, nodes[0]), "detach()") if found is not None and len(nodes) == 1 else []


def cut_each_iteration(run: Run, began: int, carried: Iterable[int]) -> Changes:
    """What an iteration takes over from the one before is detached at its beginning."""
    names = [name for tensor in carried if DOTTED.fullmatch(name := _carried_name(run, tensor, began))]
    names = list({_detached(name): name for name in names}.values())
    loop = loop_around(run, run.site(began))
    if loop is None:
        # The loop is elsewhere: the pass runs in a function that it calls.
        sites = [loop_around(run, site) for site in sites_at(run, began)]
        loop = next((site for site in sites if site is not None), None)
    values = paths_of(run.recording).source.values
    late = any(isinstance(v, ast.Constant) and v.value is None for name in names for _, _, v in values(name.partition("[")[0]))
    # What begins as None has something to detach at the end of the first iteration only.
    return (last_in if late else first_in)(run, loop, *map(_detached, names)) if names else []


class Held(NamedTuple):
    """A list that keeps a tensor with its graph, for later iterations."""

    name: str
    site: Site
    """Of the call that puts the tensor there."""
    call: str
    """The call that puts it there without its graph."""
    changes: Changes


def held_in(run: Run, tensor: int, step: int, name: str) -> Held | None:
    """The list that a tensor was put into, and from which the expression at a step takes it; None where it came otherwise."""
    source = paths_of(run.recording).source
    node = source.at(run.site(step))
    taken = {part.id if isinstance(part, ast.Name) else part.attr for part in ast.walk(source.statement(node) or node)
             if isinstance(part, ast.Name | ast.Attribute)} if node is not None else set()  # fmt: skip
    names = {name, *(event.name for _, event in run.namings if event.tensor == tensor)}
    for put in ("append", "appendleft", "add", "put"):
        for cell, call in source.calls.get(put, ()):
            if not isinstance(call.func, ast.Attribute) or len(call.args) != 1 or ast.unparse(call.args[0]) not in names:
                continue
            keeper = ast.unparse(call.func.value)
            if keeper.rpartition(".")[2] in taken:
                given = ast.unparse(call.args[0])
                return Held(
                    keeper, site_of(cell, call), f"{keeper}.{put}({given}.detach())",
                    with_call(run, site_of(cell, call.args[0]), "detach()"),
                )  # fmt: skip
    return None


class Kept(NamedTuple):
    """An attribute by which a statement takes what it left there the last time: `out, self.h = self.lstm(x, self.h)`."""

    name: str
    cut: str
    """The statement that cuts it off from its graph."""
    changes: Changes
    """That statement before the other one."""


def kept_in(run: Run, step: int, several: bool) -> Kept | None:
    """The attribute that the statement at a step both takes and sets, which holds `several` tensors or one; None where none."""
    source, site = paths_of(run.recording).source, run.site(step)
    node = source.at(site)
    statement = source.statement(node) if node is not None else None
    if site is None or not isinstance(statement, ast.Assign):
        return None
    taken = {ast.unparse(part) for part in ast.walk(statement.value) if isinstance(part, ast.Attribute)}
    targets = [part for target in statement.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    name = next((text for part in targets if isinstance(part, ast.Attribute) and (text := ast.unparse(part)) in taken), "")
    if not name:
        return None
    cut = _detached(f"{name}[0]" if several else name)
    return Kept(name, cut, before(run, site_of(site.cell, statement), cut))


def _detached(name: str) -> str:
    """The statement that cuts off what a name stands for; an element of a tuple, with all others of it."""
    whole, element, _ = name.partition("[")
    return f"{whole} = tuple(part.detach() for part in {whole})" if element else f"{name} = {name}.detach()"


def _carried_name(run: Run, tensor: int, step: int) -> str:
    """The name under which a tensor is carried over: the last that it was given."""
    names = [event.name for at, event in run.namings if event.tensor == tensor and at < step]
    return names[-1] if names else ""


def computed_in_loop(run: Run, entry: Pass, nodes: Iterable[int]) -> Changes:
    """What was computed once, before the loop, is computed in each iteration."""
    site = run.site(entry.began)
    loop = spot(run, loop_around(run, site))
    if loop is None or not isinstance(loop.node, ast.For | ast.While):
        return []
    around = site_of(loop.cell, loop.node)
    inside = site_of(loop.cell, loop.node.body[0])
    found = {in_body(run, beside(run, run.nodes[node].born, around), around) for node in nodes}
    statements = sorted((s for s in found if s is not None and s.line < around.line), key=lambda s: (s.line, s.column))
    return moved(run, *statements, before=inside)


def of_copies(run: Run, write: int) -> Changes:
    """What writes in place writes into a new tensor."""
    for site in sites_at(run, write):
        if changes := out_of_place(run, site):
            return changes
        made = definition_of(run, site)
        for call in (site, made):
            if (given := _inplace(run, call)) is not None:
                return keyword(run, given, "inplace", None)
        found = statement_of(run, site)
        targets = getattr(found.node, "targets", [getattr(found.node, "target", None)]) if found is not None else []
        if len(targets) == 1 and isinstance(targets[0], ast.Subscript) and found is not None:
            name = found.program.lines.of(targets[0].value)
            return before(run, site, f"{name} = {name}.clone()") if DOTTED.fullmatch(name) else []
    inplace = _calls_in_place(run)
    return keyword(run, inplace[0], "inplace", None) if len(inplace) == 1 else []


def not_in_place(run: Run, refused: int) -> Changes:
    """A write in place that was refused writes into a new tensor; where a layer writes, no layer is told to."""
    event, site = run.events[refused], run.site(refused)
    if isinstance(event, Raised) and event.layer:
        return [change for call in _calls_in_place(run) for change in keyword(run, call, "inplace", None)]
    return keyword(run, _inplace(run, site), "inplace", None) or out_of_place(run, site)


def _calls_in_place(run: Run) -> list[Site]:
    """The calls that tell a layer or a function to write in place."""
    calls = [(cell, call) for named in paths_of(run.recording).source.calls.values() for cell, call in named]
    return [site_of(cell, call) for cell, call in calls if any(k.arg == "inplace" for k in call.keywords)]


def _inplace(run: Run, site: Site | None) -> Site | None:
    """A call that is told to write in place."""
    found = spot(run, site)
    told = (
        isinstance(found.node, ast.Call) and any(k.arg == "inplace" for k in found.node.keywords)
        if found is not None
        else False
    )
    return site if told else None


def updated_unrecorded(run: Run, step: int) -> Changes:
    """A write to a leaf that is an update, or sets a value, is not recorded; a result of it is a new tensor."""
    site = run.site(step)
    found = statement_of(run, site)
    if found is None:
        return []
    text = found.program.lines.of(found.node)
    if ".grad" in text or not isinstance(found.node, ast.AugAssign):
        return enclosed(run, site, "with torch.no_grad():")
    return out_of_place(run, site)


def cloned_view(run: Run, step: int, name: str) -> Changes:
    """A view is copied before it is written."""
    return before(run, run.site(step), f"{name} = {name}.clone()") if DOTTED.fullmatch(name) else []


def expanded_copied(run: Run, expanded: int, step: int, name: str) -> Changes:
    """What was expanded is copied: where it is made, or before it is written, where it is one of several."""
    found = statement_of(run, run.site(expanded))
    several = found is None or any(isinstance(t, ast.Tuple) for t in getattr(found.node, "targets", ()))
    return cloned_view(run, step, name) if several else with_call(run, run.site(expanded), "clone()")


def as_numbers(run: Run, step: int) -> Changes:
    """What is added to a running total has no graph."""
    found = statement_of(run, run.site(step))
    if found is None:
        return []
    if isinstance(found.node, ast.AugAssign):
        return with_call(run, site_of(found.cell, found.node.value), "detach()")
    event = run.events[step]
    if not isinstance(event, OpRan) or not isinstance(found.node, ast.Assign) or not isinstance(found.node.value, ast.BinOp):
        return []
    target = found.node.targets[0].id if isinstance(found.node.targets[0], ast.Name) else ""
    sides = [side for side in (found.node.value.left, found.node.value.right) if not _named(side, target)]
    return with_call(run, site_of(found.cell, sides[0]), "detach()") if len(sides) == 1 else []


def _named(node: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def appended_as_numbers(run: Run, line: Site) -> Changes:
    """What a list collects has no graph."""
    statement = paths_of(run.recording).source.innermost(line.cell, line.line)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return []
    return with_call(run, argument_at(run, site_of(line.cell, statement), 0), "detach()")


def stepped_after(run: Run, write: int, began: int) -> Changes:
    """The optimizer steps after the backward pass whose graph needs the weights as they were; where this pass is another
    optimizer's, whose gradients would be added to those of the step, what it begins with is computed anew after the step."""
    for site in sites_at(run, write):
        target = in_body(run, beside(run, began, site), site)
        if target is not None and (target.line, target.column) > (site.line, site.column):
            return _anew_after(run, site, target) if steps_apart(run, write, began) else moved(run, site, after=target)
    return []


def steps_apart(run: Run, write: int, began: int) -> bool:
    """Whether the gradients of a pass do not belong to the step that came before it: those of the step are cleared between the
    two, or another optimizer steps after the pass."""
    for site in sites_at(run, write):
        backward = beside(run, began, site)
        owner = text_at(run, receiver_at(run, site))
        if backward is None or not owner or backward.line < site.line:
            continue
        cleared = [at for name, at in _called(run, site, "zero_grad") if name == owner and site.line < at.line <= backward.line]
        optimizers = {name for name, _ in _called(run, site, "zero_grad")}
        later = [name for name, at in _called(run, site, "step") if name in optimizers - {owner} and at.line > backward.line]
        return bool(cleared or later)
    return False


def _called(run: Run, site: Site, method: str) -> list[tuple[str, Site]]:
    """What a method is called on in the function of a site, and where."""
    source, here = paths_of(run.recording).source, spot(run, site)
    inside = source.function(here.node) if here is not None else None
    return [
        (ast.unparse(call.func.value), site_of(cell, call))
        for cell, call in source.calls.get(method, ())
        if cell == site.cell and isinstance(call.func, ast.Attribute) and source.function(call) is inside
    ]


def _anew_after(run: Run, step: Site, backward: Site) -> Changes:
    """What the backward pass begins with computed after the step, with all that goes into it by way of changed parameters."""
    body, name = _block(run, step), text_at(run, receiver_at(run, backward))
    last = next((k for k, node in enumerate(body) if site_of(step.cell, node) == statement_at(run, step)), 0)
    made = _needed(body[:last], name)
    changed = _taking(run, step.cell, {t for _, each in run.optimizer_steps for t in each.parameters}, made)
    again: list[ast.stmt] = []
    tainted: set[str] = set()
    for node in made:
        if node in changed or tainted & _names(node, ast.Load):
            again.append(node)
            tainted |= _names(node, ast.Store)
    found = spot(run, step)
    if found is None or name not in tainted:
        return []
    unread = not any(name in _names(node, ast.Load) for node in body[:last])
    return [
        *(dropped(run, site_of(step.cell, again[-1])) if unread else []),
        *after(run, step, *(found.program.lines.of(node) for node in again)),
    ]


def _block(run: Run, site: Site) -> list[ast.stmt]:
    """The statements of the block that a site stands in."""
    found = statement_of(run, site)
    above = found.program.parents.get(found.node) if found is not None else None
    blocks = (getattr(above, name, None) or [] for name in ("body", "orelse", "finalbody"))
    return next((block for block in blocks if found is not None and found.node in block), [])


def _needed(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    """The assignments of a block from which a name gets its value, in their order."""
    wanted, found = {name}, list[ast.stmt]()
    for node in reversed(body):
        if isinstance(node, ast.Assign) and _names(node, ast.Store) & wanted:
            found.append(node)
            wanted = (wanted - _names(node, ast.Store)) | _names(node, ast.Load)
    return found[::-1]


def _names(node: ast.AST, how: type[ast.expr_context]) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, how)}


def _taking(run: Run, cell: int, parameters: set[int], nodes: list[ast.stmt]) -> set[ast.stmt]:
    """The statements of some in which an operation takes one of some parameters."""
    lines = {line: node for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    found: set[ast.stmt] = set()
    for parameter in parameters:
        for step in run.consumers.get(parameter, ())[:_USES]:
            found |= {lines[site.line] for site in sites_at(run, step) if site.cell == cell and site.line in lines}
    return found


def crossings(run: Run, entry: Pass, earlier: Iterable[int]) -> list[int]:
    """The tensors by which a pass's graph leads over to nodes of earlier iterations."""
    old, found = set(earlier), []
    reached = paths_of(run.recording).reached(entry)
    for node in sorted(reached - old):
        for target, output in run.nodes[node].info.edges:
            if target in old and run.nodes[target].info.variable == NOTHING:
                tensor = run.index.owners.get((target, output), NOTHING)
                if tensor != NOTHING and tensor not in found:
                    found.append(tensor)
    return found
