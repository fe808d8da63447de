"""Several logs as one: what each numbers by itself is moved up, and what two of them have in common gets one id.

Nothing is decoded: each rule is one about columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from .arrays import Arrays
from .events import NOTHING, BackwardBegan
from .format2 import ARRAYS
from .log import Events, scopes_of, sites_of
from .recording import Recording
from .tables import KINDS, MAYBE_TEXT, TEXT, Numbers, Table, Tape, Texts, together, walk

Move: TypeAlias = Callable[[str, str, Numbers], Numbers]
"""Gets a column's path, its kind and its numbers; gives what they become."""
_MADE = ("outputs.id", "node.id", "accumulators.id", "nodes.id")
"""Where tensors and nodes come to be, by the ends of columns' paths."""
_IDS = (
    *_MADE, ".tensor", ".variable", ".view_of", ".grad_of", ".roots.0", "backward.inputs.", "step.parameters.", "step.idle.",
    "outputs.node", "written.node", "node.node", "sent.node", "accumulate.node", "hook.node", "edges.0", "root_nodes.0",
)  # fmt: skip
"""Where they are named."""
_PASSES = ("backward.number", "node.number", "accumulate.number", "backward_end.number", "op.in_backward")
_BELOW = ("node.received.", "roots.1")
"""Where arrays are named by no name of their own."""


class Bases(NamedTuple):
    """How many of everything the parts before have."""

    ids: int = 0
    sites: int = 0
    scopes: int = 0
    arrays: int = 0
    size: int = 0
    """Bytes of arrays."""
    passes: int = 0


class Part(NamedTuple):
    """A recording that is joined to others."""

    recording: Recording
    skipped: int = 0
    """So many events of its beginning are left out: they introduce what an earlier part has."""
    same: Mapping[int, int] = {}
    """Ids of tensors → those that they have in an earlier part,"""
    earlier: int = 0
    """which is the one with this number."""


def joined(parts: Sequence[Part]) -> Recording:
    """The events of several recordings, one after another. The head is that of the last one."""
    texts, array_texts = Texts(("",)), Texts()
    tapes: list[Tape] = []
    tables: list[Table] = []
    numbers: list[Numbers] = []
    bases = Bases()
    for part in parts:
        whole, stored = part.recording.tape, part.recording.stored
        ids = np.arange(_ids(whole)) + bases.ids
        if part.same:
            ids[list(part.same)] = numbers[part.earlier][list(part.same.values())]
        numbers.append(ids)
        tape = whole.part(part.skipped, whole.size)
        move = _mover(np.array(texts.numbers(tape.texts), np.int64), ids, bases)
        tapes.append(
            Tape(
                tape.kind,
                _up(tape.site, bases.sites),
                _up(tape.scope, bases.scopes),
                {kind: moved(table, kind.__struct_config__.tag, move) for kind, table in tape.tables.items()},
                tape.sites,
                moved(tape.scopes, "scopes", move),
                texts.list,
            )
        )
        move = _mover(np.array(array_texts.numbers(stored.texts), np.int64), ids, bases)
        tables.append(moved(stored.table, "arrays", move))
        bases = Bases(
            bases.ids + len(ids), bases.sites + tape.sites.size, bases.scopes + tape.scopes.size, bases.arrays + len(stored),
            bases.size + len(stored.data), bases.passes + int(whole.tables[BackwardBegan]["number"].max(initial=0)),
        )  # fmt: skip
    last = parts[-1].recording
    made = _together(tapes)
    arrays = Arrays(together(tables), array_texts.list, [part.recording.stored.data for part in parts])
    ops = {name: op for part in parts for name, op in part.recording.ops.items()}
    return Recording(
        last.source, Events(made), sites_of(made), scopes_of(made), arrays, ops, last.engine, names=last.names
    )  # fmt: skip


def moved(table: Table, path: str, move: Move) -> Table:
    """A table of which every column of values has become something else."""
    kinds = {field.name: field.kind for field in table.layout.fields}
    columns = {
        name: column if name in table.children or name == "there" else move(f"{path}.{name}", kinds[name], column)
        for name, column in table.columns.items()
    }
    children = {name: moved(child, f"{path}.{name}", move) for name, child in table.children.items()}
    return Table(table.layout, table.size, columns, children)


def _mover(texts: Numbers, ids: Numbers, bases: Bases) -> Move:
    """Moves what a log numbers by itself."""

    def move(path: str, kind: str, column: Numbers) -> Numbers:
        if kind in (TEXT, MAYBE_TEXT):
            return _of(texts, column)
        if path.startswith("arrays."):
            return _up(column, bases.size) if path == "arrays.start" else column
        if path.endswith(_IDS):
            return _of(ids, column)
        if path.rpartition(".")[2] in ARRAYS or path.endswith(_BELOW):
            return _up(column, bases.arrays)
        if path in _PASSES:
            return np.where(column > 0, column.astype(np.int64) + bases.passes, column)
        if path in ("op.opened", "scopes.calls.0"):
            return _up(column, bases.sites)
        return column

    return move


def _of(table: Numbers, column: Numbers) -> Numbers:
    """What a table has for each number; those below 0 stay what they are."""
    wide = column.astype(np.int64)
    found: Numbers = np.where(wide >= 0, table[np.maximum(wide, 0)], wide) if len(table) else wide
    return found


def _up(column: Numbers, base: int) -> Numbers:
    """Rows of a table that stand behind so many others; NOTHING stays what it is."""
    wide = column.astype(np.int64)
    moved_up: Numbers = np.where(wide >= 0, wide + base, wide)
    return moved_up


def _together(tapes: Sequence[Tape]) -> Tape:
    kind, site, scope = (np.concatenate([getattr(tape, name) for tape in tapes]) for name in ("kind", "site", "scope"))
    tables = {each: together([tape.tables[each] for tape in tapes]) for each in KINDS}
    sites, scopes = together([tape.sites for tape in tapes]), together([tape.scopes for tape in tapes])
    return Tape(kind, site, scope, tables, sites, scopes, tapes[-1].texts)


def _ids(tape: Tape) -> int:
    """How many ids of tensors and nodes there are."""
    most = NOTHING
    for kind, table in tape.tables.items():
        for path, below, name in walk(table, kind.__struct_config__.tag):
            if path.endswith(_MADE) and name not in below.children:
                most = max(most, int(below.columns[name].max(initial=NOTHING)))
    return most + 1
