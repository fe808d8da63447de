"""The ledger of one tensor: what was added to its `.grad`, by which pass, and when it was cleared."""

from __future__ import annotations

from collections.abc import Sequence

from components.html.markup import moment, muted, section, table, tag, text
from engine.diagnosis.ledger import Entry, ledgers
from engine.graph.numbers import UNMEASURED, ArrayTexts
from engine.recording import Recording, replay
from engine.recording.events import NOTHING

ROWS = 60
"""Rows of one ledger: the ones around the current step."""


def ledger_html(recording: Recording, step: int, tensor: int) -> str:
    """One tensor's ledger under its name."""
    made = section(ledger_table(recording, ledgers(recording)[tensor], step), label=f"{_name(recording, tensor, step)}.grad")
    return tag("div", made, data_gt_key=f"t{tensor}")


def _name(recording: Recording, tensor: int, step: int) -> str:
    now, final = replay(recording, step), replay(recording, len(recording.events) - 1)
    return (now.tensor(tensor).name if tensor in now else "") or final.tensor(tensor).name or "a tensor"


def ledger_table(recording: Recording, entries: Sequence[Entry], step: int) -> str:
    """One ledger as a table: what happened, on which line, what it added, and `.grad` after it. Rows after `step` are pale;
    a click on a row's first cell goes to its moment."""
    texts = ArrayTexts(recording)

    def shown_as(array: int) -> str:
        """The elements of a small array, the norm of a larger one."""
        whole = texts(array)
        length = texts.norm(array)
        return f"‖{length:.4g}‖" if whole.startswith("mean") and length is not None else whole

    shown, left_out = _around(entries, step)
    body = []
    for entry in shown:
        kind = "gt-now" if entry.step == step else "gt-later" if entry.step > step else ""
        adds = _added(shown_as(entry.increment)) if entry.increment != NOTHING else ""
        total = shown_as(entry.total) if entry.total != NOTHING else "None"
        body.append(
            (
                kind,
                [
                    moment(entry.step, entry.label),
                    text(recording.column_line(recording.events[entry.step])),
                    tag("span", text(adds), cls="gt-adds"),
                    text(total),
                ],
            )
        )
    note = muted(f"{left_out} rows more") if left_out else ""
    if any("‖" in cell for _, cells in body for cell in cells):
        note += muted("‖ ‖ is the Euclidean norm of a larger array")
    return table(["event", "line", "adds", ".grad"], body) + note + _accumulated(entries)


def _added(value: str) -> str:
    """What was added: a number that is not below zero has a sign, too."""
    return value if value.startswith("-") or value == UNMEASURED else f"+{value}"


def _around(entries: Sequence[Entry], step: int) -> tuple[Sequence[Entry], int]:
    """At most ROWS entries, with those around the step among them, and how many were left out."""
    if len(entries) <= ROWS:
        return entries, 0
    now = sum(e.step <= step for e in entries)
    first = min(max(now - ROWS // 2, 0), len(entries) - ROWS)
    return entries[first : first + ROWS], len(entries) - ROWS


def _accumulated(entries: Sequence[Entry]) -> str:
    """A note under a ledger whose passes add up."""
    passes = sum(e.kind == "backward" for e in entries)
    cleared = any(e.kind in ("cleared", "assigned") for e in entries)
    return muted("never cleared between passes: gradients add up") if passes > 1 and not cleared else ""
