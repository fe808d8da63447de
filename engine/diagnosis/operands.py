"""What the expression that failed was given: the tensors, each with the text that stands for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ..graph.numbers import shape_text
from ..recording.events import NOTHING, OpRan, Site
from .paths import Paths
from .run import Run

_BACK = 2_000
"""Steps before the failure in which the result of an expression is looked for."""
_MOST = 4
"""Tensors of one expression that are told of."""
_LONGEST = 60
"""Characters of an expression that stand in a sentence."""


class Operand(NamedTuple):
    """A tensor that an expression takes."""

    text: str
    tensor: int
    site: Site | None


def operands(paths: Paths, step: int) -> list[Operand]:
    """The tensors that the expression at a step takes, as far as the text and the recording know them."""
    run, site = paths.run, paths.run.site(step)
    found: dict[str, Operand] = {}
    for part in _parts(expression(paths, step)):
        at = paths.source.site_of(part, site)
        text = shown(run, at)
        tensor = _tensor(paths, part, at, step)
        if tensor != NOTHING and text:
            found.setdefault(text, Operand(text, tensor, at))
    return list(found.values())[:_MOST]


def expression(paths: Paths, step: int) -> ast.AST | None:
    """The expression at a step; of a statement the one that is computed."""
    node = paths.source.at(paths.run.site(step))
    if isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign | ast.Return):
        return node.value
    return node


def subject(paths: Paths, step: int) -> str:
    """The text of what an attribute, an item or a call is asked of, "" if the expression at a step is none of these."""
    node, site = expression(paths, step), paths.run.site(step)
    match node:
        case ast.Call(func=ast.Attribute(value=value)) | ast.Attribute(value=value) | ast.Subscript(value=value):
            return shown(paths.run, paths.source.site_of(value, site))
        case ast.Call(func=value) | ast.For(iter=value):
            return shown(paths.run, paths.source.site_of(value, site))
        case _:
            return ""


def called(paths: Paths, step: int) -> str:
    """The text of what is called at a step, "" if nothing is."""
    node = expression(paths, step)
    if not isinstance(node, ast.Call):
        return ""
    return shown(paths.run, paths.source.site_of(node.func, paths.run.site(step)))


def shown(run: Run, site: Site | None) -> str:
    """The text at a site, if it is short enough to stand in a sentence."""
    text = run.segment(site)
    return text if len(text) <= _LONGEST and site is not None and site.line == site.end_line else ""


def described(run: Run, operand: Operand, step: int) -> tuple[str, str]:
    """An operand as a fact: shape, dtype, and device where it is not the processor."""
    info = run.tensors[operand.tensor].info
    return operand.text, " ".join(part for part in (shape_text(info.shape), info.dtype, info.device) if part)


def _parts(node: ast.AST | None) -> Iterator[ast.expr]:
    """The expressions that one takes, in the order in which they are written."""
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Attribute):
                yield func.value
            for given in (*args, *(keyword.value for keyword in keywords)):
                yield from given.elts if isinstance(given, ast.List | ast.Tuple) else (given,)
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.AugAssign(target=target, value=value):
            yield from (target, value)
        case ast.Compare(left=left, comparators=others):
            yield from (left, *others)
        case ast.Subscript(value=value, slice=index):
            yield value
            yield from index.elts if isinstance(index, ast.Tuple) else (index,)
        case ast.Attribute(value=value) | ast.UnaryOp(operand=value):
            yield value
        case ast.If(test=value) | ast.While(test=value):
            yield value


def _tensor(paths: Paths, part: ast.expr, site: Site | None, step: int) -> int:
    run = paths.run
    if isinstance(part, ast.Name | ast.Attribute):
        bound = run.named_at(ast.unparse(part), step)
        if bound != NOTHING:
            return bound
    if isinstance(part, ast.Constant | ast.Name):
        return NOTHING
    return _result(run, site, step)


def _result(run: Run, site: Site | None, step: int) -> int:
    """What an expression gave last: the result of the last operation at its site, or of a call from there."""
    sites, scopes = run.recording.sites, run.recording.scopes
    for earlier in range(step - 1, max(step - _BACK, -1), -1):
        event = run.events[earlier]
        if not isinstance(event, OpRan) or not event.outputs:
            continue
        inside = scopes[event.scope].calls if event.scope >= 0 else ()
        if run.site(earlier) == site or any(row >= 0 and sites[row] == site for row, _ in inside):
            return event.outputs[0].id
    return NOTHING
