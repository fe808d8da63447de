"""Subclasses of `torch.autograd.Function` in a program's text: their `forward` and `backward`, and what these do to their
arguments. A node tells of its class by its name: `Cube` makes `CubeBackward`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..recording.columns import columns_of
from ..recording.events import NOTHING, NodeRan, OpRan, Site
from ..recording.index import Pass
from .paths import Paths
from .program_ast import Source
from .run import Run


class Custom(NamedTuple):
    """A class with its own derivative, as it stands in the text."""

    name: str
    cell: int
    forward: ast.FunctionDef
    backward: ast.FunctionDef

    @property
    def inputs(self) -> list[str]:
        """The parameters of `forward` after `ctx`."""
        return _after_first(self.forward)

    def returns(self, which: ast.FunctionDef) -> ast.Return | None:
        """The last `return` of one of its functions."""
        found = [node for node in ast.walk(which) if isinstance(node, ast.Return)]
        return max(found, key=lambda node: node.lineno, default=None)

    def site(self, node: ast.expr | ast.stmt | None) -> Site:
        """Where a node of it stands; where its `backward` begins, if there is none."""
        at = self.backward if node is None else node
        last = at.lineno if at is self.backward else at.end_lineno or at.lineno
        end = at.col_offset + len("def backward") if at is self.backward else at.end_col_offset or 0
        return Site(self.cell, at.lineno, at.col_offset, last, end)


def custom_functions(source: Source) -> dict[str, Custom]:
    """The classes of a program that have a `forward` and a `backward` and are called as `Class.apply`."""
    applied = {ast.unparse(call.func.value).rpartition(".")[2]
               for _, call in source.calls.get("apply", ()) if isinstance(call.func, ast.Attribute)}  # fmt: skip
    applied |= {ast.unparse(value.value).rpartition(".")[2]
                for values in source.assigned.values() for _, _, value in values
                if isinstance(value, ast.Attribute) and value.attr == "apply"}  # fmt: skip
    found: dict[str, dict[str, tuple[int, ast.FunctionDef]]] = {}
    for name in ("forward", "backward"):
        for cell, function in source.functions.get(name, ()):
            owner = source.parents.get(function)
            if isinstance(owner, ast.ClassDef) and isinstance(function, ast.FunctionDef) and owner.name in applied:
                found.setdefault(owner.name, {})[name] = (cell, function)
    return {
        name: Custom(name, parts["forward"][0], parts["forward"][1], parts["backward"][1])
        for name, parts in found.items()
        if len(parts) == 2
    }


def is_custom(event: OpRan) -> bool:
    """Whether an operation is a Function of the program's own."""
    return event.node is not None and event.node.name == f"{event.op}Backward"


_MEANT = re.compile(r"ste|straight|surrogate|spike|revers|guided|quant|round|binar|sign|relprop|lrp", re.IGNORECASE)
"""In names of classes whose backward is meant to be another than the derivative."""


def deliberate(run: Run, event: OpRan) -> bool:
    """Whether a Function's backward is meant not to be the derivative of its forward, which only hands its input on: it turns,
    scales or clips gradients; or as its name says so."""
    if _MEANT.search(event.op):
        return True
    made = event.outputs[0] if len(event.outputs) == 1 else None
    taken = run.inputs(event)
    born = run.nodes[event.node.id].born if event.node is not None else 0
    return made is not None and bool(taken) and run.same(made.array, run.status(taken[0], born - 1).array)


def ran_in(run: Run, entry: Pass) -> Iterator[tuple[int, OpRan, NodeRan]]:
    """The nodes of such Functions that a pass went through: the step, the operation, and the node's run."""
    made = run.recording.once("nodes of custom functions", lambda: _nodes(run))
    for node, step in entry.ran_at.items() if made else ():
        maker = made.get(node)
        if maker is not None and isinstance(ran := run.events[step], NodeRan):
            yield step, maker, ran


def _nodes(run: Run) -> dict[int, OpRan]:
    columns = columns_of(run.recording)
    names = {name[: -len("Backward")] for name in columns.node_names if name.endswith("Backward")}
    return {event.node.id: event for _, event in run.ops_of(names) if event.node is not None and is_custom(event)}


def given_none(run: Run) -> dict[int, tuple[int, OpRan]]:
    """The tensors that require grad and got None from a `backward` of the program's own: the step, and the operation."""
    found: dict[int, tuple[int, OpRan]] = {}
    for entry in run.passes:
        for step, maker, ran in ran_in(run, entry):
            node = maker.node
            tensors = run.inputs(maker)
            if node is None or len(ran.sent) != len(node.edges) or len(tensors) != len(node.edges):
                continue
            for tensor, sent, (target, _) in zip(tensors, ran.sent, node.edges, strict=True):
                if sent is None and target != NOTHING:
                    found.setdefault(tensor, (step, maker))
    return found


class InPlace(NamedTuple):
    """A change in place of what a function was given."""

    node: ast.expr | ast.stmt
    name: str
    """The parameter that is changed, or another name of it."""


def changes_in_place(function: ast.FunctionDef) -> InPlace | None:
    """The first change in place of a parameter after the first, as far as the text says so: `x.mul_(…)`, `x[…] = …`, `x += …`,
    under its own name or one that it is given."""
    names = set(_after_first(function))
    for statement in _in_order(function.body):
        for node in _own(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _named(node.func.value) in names:
                method = node.func.attr
                if method.endswith("_") and not method.endswith("__") and not method.startswith("requires_grad"):
                    return InPlace(node, _named(node.func.value))
        if isinstance(statement, ast.AugAssign) and _named(statement.target) in names:
            return InPlace(statement, _named(statement.target))
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and _named(target) in names:
                    return InPlace(statement, _named(target))
            same = isinstance(statement.value, ast.Name) and statement.value.id in names
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    (names.add if same else names.discard)(target.id)
    return None


def kept_on_context(custom: Custom) -> Iterator[tuple[ast.Assign, str, str]]:
    """What `forward` keeps as an attribute of `ctx` though it is one of its inputs or results: the statement, the name, and
    "input" or "result"."""
    context = custom.forward.args.args[0].arg if custom.forward.args.args else "ctx"
    returned = custom.returns(custom.forward)
    results = [returned.value] if returned is not None and returned.value is not None else []
    results = [part for value in results for part in (value.elts if isinstance(value, ast.Tuple) else [value])]
    names = {part.id for part in results if isinstance(part, ast.Name)}
    for statement in _in_order(custom.forward.body):
        if not isinstance(statement, ast.Assign):
            continue
        for target, value in assigned(statement):
            if isinstance(target, ast.Attribute) and _named(target.value) == context and isinstance(value, ast.Name):
                name = value.id
                if name in custom.inputs or name in names:
                    yield statement, name, "input" if name in custom.inputs else "result"


def assigned(statement: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What an assignment gives to what, one by one."""
    for target in statement.targets:
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple) \
                and len(target.elts) == len(statement.value.elts):  # fmt: skip
            yield from zip(target.elts, statement.value.elts, strict=True)
        else:
            yield target, statement.value


def functions_of(paths: Paths) -> dict[str, Custom]:
    """The Functions of a run's program, found once."""
    return paths.run.recording.once("custom functions", lambda: custom_functions(paths.source))


def _after_first(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in [*function.args.posonlyargs, *function.args.args][1:]]


def _named(node: ast.expr) -> str:
    """The name at the beginning of `x`, `x[…]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _in_order(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function in the order of the text, those in blocks too."""
    for statement in body:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _in_order([one for one in getattr(statement, name, ()) if isinstance(one, ast.stmt)])


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of the statements in its blocks."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr | ast.withitem):
            yield from ast.walk(child)
