"""Mends of whole statements: one more, one less, in another place, in a block or out of it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ...program.changes import TextChange
from ...program.parsing import ProgramAst
from ...recording.events import Site
from ..paths import paths_of
from ..program_ast import site_of
from ..run import Run
from .spots import Changes, Spot, begin, end, spot

INDENT = "    "


class _Lines(NamedTuple):
    """The lines that one statement has to itself."""

    cell: int
    program: ProgramAst
    node: ast.stmt
    first: int
    last: int
    indent: str
    newline: str

    def whole(self) -> list[str]:
        """The lines, without their ends."""
        return [line.rstrip("\r\n") for line in self.program.lines.lines[self.first - 1 : self.last]]

    def above(self, text: str) -> TextChange:
        """Text in lines of its own above."""
        return TextChange(self.cell, self.first, 0, self.first, 0, text.replace("\n", self.newline) + self.newline)

    def below(self, text: str) -> TextChange:
        """Text in lines of its own below."""
        end = len(self.whole()[-1].encode())
        return TextChange(self.cell, self.last, end, self.last, end, self.newline + text.replace("\n", self.newline))

    def instead(self, text: str) -> TextChange:
        """Text in place of all of it, comments behind it included."""
        end = len(self.whole()[-1].encode())
        return TextChange(self.cell, self.first, 0, self.last, end, text.replace("\n", self.newline))


def _lines(run: Run, site: Site | None) -> _Lines | None:
    """The lines of the statement at a site, if nothing else stands on them."""
    found = spot(run, site)
    statement = paths_of(run.recording).source.statement(found.node) if found is not None else None
    if found is None or statement is None:
        return None
    decorators = getattr(statement, "decorator_list", [])
    first, last = min([statement.lineno, *(d.lineno for d in decorators)]), statement.end_lineno or statement.lineno
    lines = found.program.lines.lines
    column = statement.col_offset if first == statement.lineno else decorators[0].col_offset - 1
    indent = lines[first - 1].encode()[: max(column, 0)].decode(errors="replace")
    rest = lines[last - 1].encode()[statement.end_col_offset or 0 :].decode(errors="replace").strip()
    alone = not indent.strip() and (not rest or rest.startswith("#"))
    continued = first > 1 and lines[first - 2].rstrip("\r\n").endswith("\\")
    hanging = lines[first - 1][len(indent) :].startswith("elif")
    if not alone or continued or hanging:
        return None
    ends = lines[first - 1][len(lines[first - 1].rstrip("\r\n")) :]
    return _Lines(found.cell, found.program, statement, first, last, indent, ends or "\n")


def _indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line.strip() else line for line in text.split("\n"))


def before(run: Run, site: Site | None, *statements: str) -> Changes:
    """Statements before the one at a site, indented like it."""
    found = _lines(run, site)
    return [] if found is None else [found.above(_indented("\n".join(statements), found.indent))]


def after(run: Run, site: Site | None, *statements: str) -> Changes:
    """Statements after the one at a site, indented like it."""
    found = _lines(run, site)
    return [] if found is None else [found.below(_indented("\n".join(statements), found.indent))]


def first_in(run: Run, site: Site | None, *statements: str) -> Changes:
    """Statements at the beginning of the block (a loop's, a function's, a `with`'s) whose statement is at a site."""
    found = spot(run, site)
    body = getattr(found.node, "body", None) if found is not None else None
    if found is None or not isinstance(body, list) or not body:
        return []
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return after(run, site_of(found.cell, first), *statements)
    return before(run, site_of(found.cell, first), *statements)


def last_in(run: Run, site: Site | None, *statements: str) -> Changes:
    """Statements at the end of the block whose statement is at a site."""
    found = spot(run, site)
    body = getattr(found.node, "body", None) if found is not None else None
    if found is None or not isinstance(body, list) or not body:
        return []
    return after(run, site_of(found.cell, body[-1]), *statements)


def instead(run: Run, site: Site | None, *statements: str) -> Changes:
    """Statements in place of the one at a site, indented like it."""
    found = _lines(run, site)
    return [] if found is None else [found.instead(_indented("\n".join(statements), found.indent))]


def dropped(run: Run, site: Site | None) -> Changes:
    """The statement at a site left out, with a loop or a `with` around it in which nothing else stands."""
    found = _lines(run, site)
    if found is None:
        return []
    above = found.program.parents.get(found.node)
    alone = any(getattr(above, name, None) == [found.node] for name in ("body", "orelse", "finalbody"))
    if alone and isinstance(above, ast.For | ast.With) and not getattr(above, "orelse", None):
        return dropped(run, site_of(found.cell, above))
    if alone and not isinstance(above, ast.Module):
        return [found.instead(f"{found.indent}pass")]
    if found.last < len(found.program.lines.lines):
        return [TextChange(found.cell, found.first, 0, found.last + 1, 0, "")]
    return [found.instead("")]


def moved(run: Run, *sites: Site | None, before: Site | None = None, after: Site | None = None) -> Changes:
    """The statements at some sites written before or after another one instead, in this order and indented like that."""
    other = _lines(run, before or after)
    texts, changes = [], []
    for site in sites:
        found = _lines(run, site)
        if found is None or other is None or found.cell != other.cell:
            return []
        text = _reindented(found, other.indent)
        if text is None or _within(found.node, other) or _within(other.node, found):
            return []
        texts.append(text)
        changes += dropped(run, site)
    if other is None or not texts:
        return []
    text = "\n".join(texts)
    return [*changes, other.above(text) if before is not None else other.below(text)]


def swapped(run: Run, first: Site | None, second: Site | None) -> Changes:
    """Two statements, each in the other's place."""
    one, other = _lines(run, first), _lines(run, second)
    if one is None or other is None or one.cell != other.cell or _within(one.node, other) or _within(other.node, one):
        return []
    up, down = _reindented(other, one.indent), _reindented(one, other.indent)
    return [] if up is None or down is None else [one.instead(up), other.instead(down)]


def _within(node: ast.stmt, lines: _Lines) -> bool:
    return lines.first <= node.lineno <= lines.last


def _reindented(found: _Lines, indent: str) -> str | None:
    """A statement's lines with another indentation; None where a text in quotes spans them, whose spaces count."""
    lines = found.whole()
    if indent != found.indent and any(number in found.program.open_lines for number in range(found.first, found.last)):
        return None
    begins = found.indent
    return "\n".join(indent + line[len(begins) :] if line.strip() and line.startswith(begins) else line for line in lines)


def enclosed(run: Run, site: Site | None, header: str, last: Site | None = None) -> Changes:
    """A block around the statement at a site, or around those from it to another one, such as "with torch.no_grad():"."""
    one, other = _lines(run, site), _lines(run, last or site)
    if one is None or other is None or one.cell != other.cell or one.indent != other.indent or other.last < one.first:
        return []
    if one.program.parents.get(one.node) is not other.program.parents.get(other.node):
        return []
    whole = one._replace(last=other.last)
    inner = _reindented(whole, one.indent + INDENT)
    return [] if inner is None else [whole.instead(f"{one.indent}{header}\n{inner}")]


def unwrapped(run: Run, site: Site | None) -> Changes:
    """The block of a `with` without the `with`, whose statement or whose context's expression is at a site."""
    found = spot(run, site)
    around = paths_of(run.recording).source.around(found.node) if found is not None else ()
    node = next((n for n in (found.node, *around) if isinstance(n, ast.stmt)), None) if found is not None else None
    if found is None or not isinstance(node, ast.With):
        return []
    position = next((k for k, item in enumerate(node.items) if item.context_expr is found.node), None)
    lines = _lines(run, site_of(found.cell, node))
    if len(node.items) > 1:
        return _item_dropped(found, node, position) if position is not None else []
    inner = _lines(run, site_of(found.cell, node.body[0]))
    if lines is None or inner is None or inner.first <= lines.first or node.items[0].optional_vars is not None:
        return []
    first = inner.first
    while (above := lines.program.lines.lines[first - 2].strip()).startswith("#") or not above:
        first -= 1
    text = _reindented(inner._replace(first=first, last=lines.last), lines.indent)
    return [] if text is None else [lines.instead(text)]


def _item_dropped(found: Spot, node: ast.With, position: int) -> Changes:
    if node.items[position].optional_vars is not None or any(item.optional_vars is not None for item in node.items):
        return []
    here, first = node.items[position].context_expr, position == 0
    other = node.items[1 if first else position - 1].context_expr
    span = (*begin(here), *begin(other)) if first else (*end(other), *end(here))
    return [TextChange(found.cell, *span, "")]
