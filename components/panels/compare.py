"""Compare: the run on show against a pinned one, in words, as a table, and the two programs' texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.html.markup import moment, more, muted, nothing_yet, section, shortened, tag, text
from components.page.pinned import pin, show_both, unpin
from components.page.selection import select
from components.page.task_progress import again
from components.panels import Beside, panel
from engine.diagnosis.comparison.array_change import Change
from engine.diagnosis.comparison.compare import Comparison, Row, compare
from engine.diagnosis.comparison.line_diff import parts as line_parts
from engine.graph.numbers import ArrayTexts
from engine.lazy import Late
from engine.recording import Recording

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Late("pandas")

SIGNS = {"changed": "Δ", "added": "+", "removed": "−"}
_MAX_LINES = 40
_MAX_LINE = 400
"""Characters of one of them."""
ROWS = 1_000
"""Rows of the table."""
_MAX_SENTENCE = 600
_MAX_NAME = 200
"""Characters of a name in it."""


@dataclass
class Memory:
    """What the page keeps for the panel."""

    row: str | None = None
    """The node of the row that was chosen last: a row stays chosen in its table while other nodes are clicked."""


@panel("Compare", 80)
def compared(on: Beside) -> None:
    """The run beside the pinned one; the node of a row that was just chosen is selected."""
    p, memory = on.page, on.memory(Memory)
    chosen = compare_panel(
        p.pinned, on.recording, key="compare", name=p.pinned_name, both=p.both, on_pin=pin, on_unpin=unpin, on_both=show_both
    )
    if chosen == memory.row:
        return
    memory.row = chosen
    if chosen is not None and chosen != p.selected:
        select(chosen)
        again()


def compare_panel(
    pinned: Recording | None, recording: Recording, *, key: str, name: str, both: bool, on_pin: Callable[[], None],
    on_unpin: Callable[[], None], on_both: Callable[[bool], None],
) -> str | None:  # fmt: skip
    """Show the comparison; returns the graph's node for the row of the table that was just selected."""
    if pinned is None:
        st.html(
            nothing_yet(
                "Shows two runs in one graph and one table: what was added, removed and changed, and by how much.",
                "Pin this run, then change the program: in the editor, or with the knobs under What if.",
            )
        )
        st.button("Pin this run", key=f"{key}_pin", icon=":material/keep:", type="primary", width="stretch", on_click=on_pin)
        return None
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_bar"):
        shown = st.toggle("In the graph", value=both, key=f"{key}_both")
        st.space("stretch")
        st.button(
            "Pin", key=f"{key}_again", help="Compare with this run from now on", on_click=on_pin, disabled=pinned is recording
        )
        st.button("Unpin", key=f"{key}_unpin", on_click=on_unpin)
    if shown != both:
        on_both(shown)
        st.rerun(scope="fragment")
    if pinned is recording:
        st.html(muted(f"{name} is pinned as it is now. Change the program, or turn a knob under What if, to compare with it."))
        return None
    found = compare(pinned, recording)
    st.html(compare_html(found, pinned, recording))
    frame, keys = compare_frame(found, pinned, recording)
    if frame.empty:
        return None
    different = sum(row.status != "same" for row in found.rows)
    if different > ROWS:
        st.html(more(different, ROWS))
    # A selected row stays selected only while the rows are the same.
    rows_id = sha256(" ".join(keys).encode()).hexdigest()[:8]
    event = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="single-row", key=f"{key}_table_{rows_id}", width="stretch",
        height=min(420, 38 + 35 * len(frame)), column_config=_columns(), placeholder="",
    )  # fmt: skip
    rows = event.selection.rows if event is not None else []
    return keys[rows[0]] if rows and rows[0] < len(keys) else None


def compare_html(comparison: Comparison, pinned: Recording, recording: Recording) -> str:
    """The summary, the first difference with what went into it, and the changed lines."""
    first = comparison.first
    told = comparison.summary.partition(" The runs first differ")[0] if first else comparison.summary
    parts = [tag("div", text(told), cls="gt-answer")]
    if pinned.engine != recording.engine:
        sides = [side.replace("{0}", "the pinned run").replace("{1}", "this run") for side in comparison.sides]
        parts = [tag("div", text(f"{side[:1].upper()}{side[1:]}"), cls="gt-muted") for side in sides] + parts
    if first is not None:
        link = moment(first.step, first.title) if first.step >= 0 else text(first.title)
        parts += [tag("div", "First difference: ", link), tag("div", text(first.sentence, _MAX_SENTENCE), cls="gt-muted")]
    return section(tag("div", *parts, cls="gt-note"), diff_html(pinned.source, recording.source))


def diff_html(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """The lines that differ, with their numbers."""
    lines: list[str] = []
    count = 0
    for cell in range(max(len(before), len(after))):
        old = before[cell].split("\n") if cell < len(before) else []
        new = after[cell].split("\n") if cell < len(after) else []
        for kind, a, b, c, d in line_parts(old, new):
            if kind != "equal":
                count += b - a + d - c
                lines += [_line("−", "gt-gone", i + 1, old[i]) for i in range(a, min(b, a + _MAX_LINES))]
                lines += [_line("+", "gt-new", i + 1, new[i]) for i in range(c, min(d, c + _MAX_LINES))]
                del lines[_MAX_LINES:]
    rest = [muted(f"{count - _MAX_LINES:,} more lines")] if count > _MAX_LINES else []
    return tag("div", *lines, *rest, cls="gt-diff") if lines else muted("The programs' texts are the same.")


def compare_frame(comparison: Comparison, pinned: Recording, recording: Recording) -> tuple[pd.DataFrame, list[str]]:
    """The table of what differs, and per row its node in the graph."""
    texts = ArrayTexts(pinned), ArrayTexts(recording)
    rows = [row for row in comparison.rows if row.status != "same"]
    order = list(SIGNS)
    rows.sort(key=lambda row: order.index(row.status))
    shown = rows[:ROWS]
    return pd.DataFrame([_cells(row, *texts) for row in shown]), [row.key for row in shown]


def _cells(row: Row, old: ArrayTexts, new: ArrayTexts) -> dict[str, object]:
    notes = (
        [row.flags, row.value.note, f"gradient: {row.grad.note}" if row.grad.note else ""] if row.status == "changed" else []
    )
    if not row.kept:
        notes.append("gradient only flowed through")
    return {
        "": SIGNS[row.status],
        "tensor": shortened(row.name, _MAX_NAME),
        "value": _from_to(row.status, row.value, old, new),
        "gradient": _from_to(row.status, row.grad, old, new),
        "Δ value": _delta(row.value),
        "Δ grad": _delta(row.grad),
        "relative": max((c.relative for c in (row.value, row.grad) if c.relative is not None), default=None),
        "line": row.line or None,
        "round": row.iteration,
        "op": row.op,
        "note": ", ".join(note for note in notes if note),
    }


def _from_to(status: str, change: Change, old: ArrayTexts, new: ArrayTexts) -> str:
    """`3 → 3.5`, or the one value of what is the same or only in one run."""
    before, after = old(change.before) or "None", new(change.after) or "None"
    if status == "added" or not change.changed:
        return after
    return before if status == "removed" else f"{before} → {after}"


def _delta(change: Change) -> float | None:
    """How far the values are apart, blank where they are not."""
    return change.largest if change.changed else None


def _columns() -> dict[str, Any]:
    delta = "The largest difference of two elements"
    return {
        "": st.column_config.TextColumn(width=28, help="Δ changed, + only in this run, − only in the pinned run"),
        "tensor": st.column_config.TextColumn(width=62),
        "value": st.column_config.TextColumn(width=88),
        "gradient": st.column_config.TextColumn(width=96),
        "Δ value": st.column_config.NumberColumn(format="%.4g", help=delta, width=68),
        "Δ grad": st.column_config.NumberColumn(format="%.4g", help=delta, width=68),
        "relative": st.column_config.NumberColumn(format="percent", help="The difference by the largest element before"),
        "line": st.column_config.NumberColumn(width=44),
        "round": st.column_config.TextColumn("iteration", help="The iteration that it was made in", width=74),
    }


def _line(sign: str, cls: str, number: int, code: str) -> str:
    return tag("div", tag("span", text(f"{number:>3} {sign} "), cls="gt-muted"), text(code, _MAX_LINE), cls=cls)
