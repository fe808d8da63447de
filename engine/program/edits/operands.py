"""The tensors of a run that its program can go on with: those with a name at its end, and expressions that could get one."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...recording import Recording, replay
from ...recording.events import NOTHING, NodeRan, OpRan
from ...recording.index import index_of
from ...recording.replay import State
from .expressions import Span
from .parsed import Parsed, RefusedError

MAX_OPERANDS = 200
MAX_NAME = 100
"""Characters of a name that is offered, and of an expression's text."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One tensor, as it is at the end of the run."""

    id: int
    name: str
    """The program's name for it, or "" for an expression without one."""
    code: str
    """The name, or the beginning of the expression's text."""
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    requires_grad: bool = False
    leaf: bool = True
    span: Span | None = None
    """Where it was made."""
    grad: bool = False
    """Whether its `.grad` is filled."""
    retained: bool = False
    view_of_leaf: str = ""
    """The leaf that requires grad and whose memory this is a view of."""
    kept_by: str = ""
    """A node of the graph that remembers its value and may still run."""
    value: int = NOTHING

    @property
    def label(self) -> str:
        """How it is called in a list of choices."""
        shape = f"[{', '.join(map(str, self.shape))}]"
        line = f" · line {self.span[0]}" if self.span and not self.name else ""
        return f"{_short(self.code)}  {shape}{line}"

    @property
    def floating(self) -> bool:
        """Whether it can have a gradient."""
        return self.dtype.startswith(("float", "bfloat"))


def operands(recording: Recording | None, text: str) -> list[Operand]:
    """The operands for the next line of the program `text`, the newest first, those with names before expressions.

    Expressions are offered only while the text is the one that ran, since they are found by their sites.
    """
    if recording is None or not recording.events:
        return []
    state = replay(recording, len(recording.events) - 1)
    kept = _kept(recording)
    found: dict[int, str] = {}
    for name, tensor in state.names.items():
        # A tensor of several names (`for p in (w, b)`) is called by its first.
        if len(name) <= MAX_NAME and name.isidentifier():
            found.setdefault(tensor, name)
    newest = sorted(found, reverse=True)[:MAX_OPERANDS]
    named = [_operand(recording, state, id, found[id], found[id], kept) for id in newest]
    unnamed = []
    if recording.source and recording.source[0] == text and len(recording.source) == 1:
        try:
            parsed = Parsed(text)
        except RefusedError:
            return named
        for id, code in _expressions(recording, state, parsed, set(found)):
            unnamed.append(_operand(recording, state, id, "", code, kept))
    return (named + unnamed[::-1])[:MAX_OPERANDS]


def _operand(recording: Recording, state: State, id: int, name: str, code: str, kept: dict[int, str]) -> Operand:
    tensor = state.tensor(id)
    return Operand(
        id, name, code, tensor.info.shape, tensor.info.dtype, tensor.requires_grad, tensor.is_leaf, _span(recording, tensor.op),
        tensor.grad != NOTHING, tensor.retains_grad, _leaf_under(state, id), kept.get(id, ""), tensor.value,
    )  # fmt: skip


def _span(recording: Recording, event: OpRan) -> Span | None:
    site = recording.site(event)
    if site is None or not site.line or site.cell:
        return None
    return (site.line, site.column, site.end_line, site.end_column)


def _expressions(recording: Recording, state: State, parsed: Parsed, named: set[int]) -> list[tuple[int, str]]:
    """Unnamed results at the program's own level, the last one made at each site, with their texts."""
    last: dict[Span, int] = {}
    for event in recording.events:
        if not isinstance(event, OpRan) or len(event.outputs) != 1 or event.in_backward:
            continue
        scope = recording.scopes[event.scope] if event.scope != NOTHING else None
        span = _span(recording, event)
        if span is None or (scope is not None and (scope.function or scope.module)):
            continue
        last[span] = event.outputs[0].id
    by_span = {
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset): node
        for node in parsed.parents
        if isinstance(node, ast.expr)
    }
    ever_named = {tensor for (_, _), track in index_of(recording).names.items() for tensor in track.values}
    found: list[tuple[int, ast.expr]] = []
    for span, id in last.items():
        node = by_span.get(span)
        if node is not None and id not in named and id not in ever_named:
            found.append((id, node))
    newest = sorted(found, key=lambda each: each[0])[-MAX_OPERANDS:]
    return [(id, _code(parsed, node)) for id, node in newest]


def _code(parsed: Parsed, node: ast.expr) -> str:
    """The beginning of an expression's text, in one line."""
    start, end = parsed.source.span(node)
    code = " ".join(parsed.text[start : min(end, start + 2 * MAX_NAME)].split())
    return code if len(code) <= MAX_NAME else code[: MAX_NAME - 1] + "…"


def _leaf_under(state: State, id: int) -> str:
    """The name of the leaf that requires grad and that a tensor is a view of."""
    base = state.tensor(id).info.view_of
    seen = set()
    while base != NOTHING and base not in seen and base in state:
        seen.add(base)
        tensor = state.tensor(base)
        if tensor.is_leaf and tensor.requires_grad and state.tensor(id).requires_grad:
            return tensor.name or "a leaf"
        base = tensor.info.view_of
    return ""


def _kept(recording: Recording) -> dict[int, str]:
    """Tensors whose values nodes have saved that no backward pass has run through yet."""
    ran = {event.node for event in recording.events if isinstance(event, NodeRan)}
    found = {}
    for event in recording.events:
        if isinstance(event, OpRan) and event.node is not None and event.node.id not in ran:
            for saved in event.node.saved:
                if saved.tensor != NOTHING:
                    found[saved.tensor] = event.node.name
    return found


def _short(code: str) -> str:
    return code if len(code) <= 28 else code[:27] + "…"
