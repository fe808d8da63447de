"""No text of a log is longer than a recording shows, whoever wrote it: where names and messages come in, long ones are cut.

Our recorders write none, but a file or a process may be a stranger's, and one text stands on every card, in every row and in
every sentence about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from ..limits import NAME, RULE, TEXT, VALUE, Row, shortened
from .events import BackwardEnded, CellEnded, Drew, Printed, Raised, Warned
from .op_info import OpInfo
from .tables import TEXT_KINDS, Numbers, Table, Tape, narrow

MESSAGES: Mapping[tuple[type, str], Row | None] = {
    (BackwardEnded, "error"): TEXT,
    (CellEnded, "result"): VALUE,
    (Drew, "figure"): None,
    (Printed, "text"): None,
    (Raised, "help"): TEXT,
    (Raised, "message"): TEXT,
    (Warned, "message"): TEXT,
}
"""What is longer than a name; None for what has a limit of its own, on the whole run or where it is read."""


def with_shown_texts(tape: Tape) -> Tape:
    """The log, in which long texts are cut as our recorders cut them; the same one where there are none."""
    lengths = np.fromiter(map(len, tape.texts), np.int64, len(tape.texts))
    if not bool((lengths > NAME.value()).any()):
        return tape
    cut = _Cut(tape.texts, lengths)
    tables = {
        kind: cut.table(table, {field: row for (of, field), row in MESSAGES.items() if of is kind})
        for kind, table in tape.tables.items()
    }
    scopes = cut.table(tape.scopes, {})
    if len(cut.texts) == len(tape.texts):
        return tape
    return Tape(tape.kind, tape.site, tape.scope, tables, tape.sites, scopes, cut.texts)


def with_shown_words(ops: Mapping[str, OpInfo]) -> dict[str, OpInfo]:
    """The table of operations likewise."""
    return {shortened(name, NAME): _shown(op) for name, op in ops.items()}


def _shown(op: OpInfo) -> OpInfo:
    rows = {"name": NAME, "symbol": NAME, "template": RULE, "doc": RULE}
    long: dict[str, Any] = {
        field: shortened(getattr(op, field), row) for field, row in rows.items() if len(getattr(op, field)) > row.value()
    }
    if any(len(name) > NAME.value() for name in op.outputs):
        long["outputs"] = tuple(shortened(name, NAME) for name in op.outputs)
    return msgspec.structs.replace(op, **long) if long else op


class _Cut:
    """Texts with those that are cut behind them."""

    def __init__(self, texts: list[str], lengths: Numbers) -> None:
        self.texts, self._lengths = list(texts), lengths
        self._known: dict[str, int] = {}

    def table(self, table: Table, messages: Mapping[str, Row | None]) -> Table:
        """A table in which no text is longer than a name, but for its `messages`."""
        columns, children = dict(table.columns), dict(table.children)
        for field in table.layout.fields:
            if field.child is not None:
                children[field.name] = self.table(table.children[field.name], {})
            elif field.kind in TEXT_KINDS and table.size:
                row = messages.get(field.name, NAME)
                if row is not None:
                    columns[field.name] = self._column(columns[field.name].astype(np.int64), row)
        return Table(table.layout, table.size, columns, children)

    def _column(self, column: Numbers, row: Row) -> Numbers:
        # The number of no text, -1, finds the last one's length, and is looked at again below.
        long = np.flatnonzero((self._lengths[column] > row.value()) & (column >= 0))
        for number in np.unique(column[long]).tolist():
            column[long[column[long] == number]] = self._number(number, row)
        return narrow(column)

    def _number(self, number: int, row: Row) -> int:
        """The number of what is left of a text."""
        short = shortened(self.texts[number], row)
        if short not in self._known:
            self._known[short] = len(self.texts)
            self.texts.append(short)
        return self._known[short]
