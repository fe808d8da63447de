"""Leaves in a program's text: a line that makes one, the entries of one that is a literal, and a drawn one made a literal."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..controls import knobs, shown
from ..controls.text import Edit, edited
from ..parsing import last_name
from .expressions import Span
from .parsed import Parsed, RefusedError

FILLS = {
    "values": "", "ones": "torch.ones", "zeros": "torch.zeros", "random, normal": "torch.randn", "random, 0 to 1": "torch.rand",
}  # fmt: skip
"""What a new leaf is filled with → the function that does it."""
_DATA = {"tensor", "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "as_tensor"}
MAX_WRITTEN = 100


class Entries(NamedTuple):
    """The literal entries of a leaf, row by row."""

    values: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]


def leaf_line(name: str, shape: Sequence[int], fill: str, values: Any = None, requires_grad: bool = True) -> str:
    """The line that makes a leaf; `values` are nested lists or a number."""
    grad = ", requires_grad=True" if requires_grad else ""
    if fill == "values":
        return f"{name} = torch.tensor({literal(values)}{grad})"
    size = ", ".join(map(str, shape)) if shape else "()"
    return f"{name} = {FILLS[fill]}({size}{grad})"


def literal(values: Any) -> str:
    """Nested lists as Python writes them: `[1., 2.]`, whole numbers short."""
    if isinstance(values, list | tuple):
        return f"[{', '.join(map(literal, values))}]"
    if isinstance(values, bool | int):
        return repr(values)
    if not math.isfinite(values):
        return f"float({str(float(values))!r})"
    return f"{int(values)}." if float(values).is_integer() and abs(values) < 1e15 else repr(float(values))


def creation(parsed: Parsed, span: Span) -> ast.Call:
    """The call that made a leaf."""
    for node in ast.walk(parsed.tree):
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) == span:
            return node
    raise RefusedError("The line that makes it has changed: run the program first.")


def entries(text: str, span: Span, count: int) -> Entries:
    """The literals of the leaf made at `span`, which has `count` elements; refused if it is not made of literals."""
    parsed = Parsed(text)
    call = creation(parsed, span)
    callee = last_name(call.func)
    if callee not in _DATA or not call.args:
        raise RefusedError(f"Its entries come from {parsed.source.of(call.func)}, not from the text.")
    start, end = parsed.source.span(call.args[0])
    values: list[float] = []
    spans: list[tuple[int, int]] = []
    for knob in knobs(text):
        inside = start <= knob.spans[0][0] and knob.spans[-1][1] <= end
        if inside and knob.kind in ("number", "int", "matrix"):
            values += knob.value if isinstance(knob.value, Sequence) else [knob.value]
            spans += knob.spans
    if len(values) != count:
        raise RefusedError("Its entries are not all plain numbers in the text.")
    order = sorted(range(count), key=spans.__getitem__)
    return Entries(tuple(values[i] for i in order), tuple(spans[i] for i in order))


def with_entries(text: str, old: Entries, new: Sequence[float], whole: bool = False) -> str:
    """The text with other entries; with `whole`, those of a tensor of integers."""
    if len(new) != len(old.values):
        raise RefusedError(f"It has {len(old.values)} entries.")
    edits = []
    for (start, end), before, value in zip(old.spans, old.values, new, strict=True):
        if not math.isfinite(value):
            raise RefusedError("An entry is a finite number.")
        if whole and value != int(value):
            raise RefusedError("It is a tensor of integers.")
        if value != before:
            number = int(value) if whole else float(value)
            edits.append(Edit(start, end, shown(number, text[start:end])))
    return edited(Parsed(text).program, edits)


def fixed(text: str, span: Span, values: Any) -> str:
    """The text with a drawn or filled leaf (`torch.randn(2)`) made of these values instead."""
    if _count(values) > MAX_WRITTEN:
        raise RefusedError(f"More than {MAX_WRITTEN} entries are not written out.")
    parsed = Parsed(text)
    call = creation(parsed, span)
    kept = [parsed.source.text[slice(*parsed.source.span(k))] for k in call.keywords if k.arg in ("requires_grad", "dtype")]
    start, end = parsed.source.span(call)
    return text[:start] + f"torch.tensor({', '.join([literal(values), *kept])})" + text[end:]


def _count(values: Any) -> int:
    return sum(map(_count, values)) if isinstance(values, list | tuple) else 1
