"""Compare: the run on show against a pinned one, in words, as a table, and the two programs' texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.html.diff_html import diff_html
from components.html.markup import moment, more, muted, nothing_yet, section, shortened, tag, text
from components.page import controls
from components.page.pinned import choose, pin, show_both, unpin
from components.page.selection import select
from components.page.task_progress import again
from components.panels import Beside, panel
from components.panels.compare.charts import course_chart
from engine.diagnosis.comparison.array_change import Change
from engine.diagnosis.comparison.compare import Comparison, Row, compare
from engine.diagnosis.comparison.courses import Course, courses
from engine.graph.numbers import ArrayTexts
from engine.lazy import Late
from engine.recording import Recording

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = Late("pandas")

SIGNS = {"changed": "Δ", "added": "+", "removed": "−"}
ROWS = 1_000
"""Rows of the table."""
_MAX_SENTENCE = 600
_MAX_LOSSES = 4
"""Losses whose ends are told."""
_MAX_NAME = 200
"""Characters of a name in it."""
_WIDEST = 190
"""Pixels of a name's column, which is as wide as the names: what has changed is beside it."""


@dataclass
class Memory:
    """What the page keeps for the panel."""

    row: str | None = None
    """The node of the row that was chosen last: a row stays chosen in its table while other nodes are clicked."""


@panel("Compare", 80, timed=False)
def compared(on: Beside) -> None:
    """The run beside the pinned one; the node of a row that was just chosen is selected."""
    p, memory = on.page, on.memory(Memory)
    chosen = compare_panel(
        p.pinned, on.recording, key="compare", name=p.pinned_name, both=p.both, others=p.pins, on_pin=pin, on_unpin=unpin,
        on_both=show_both, on_choose=choose,
    )  # fmt: skip
    if chosen == memory.row:
        return
    memory.row = chosen
    if chosen is not None and chosen != p.selected:
        select(chosen)
        again()


def compare_panel(
    pinned: Recording | None, recording: Recording, *, key: str, name: str, both: bool,
    others: Sequence[tuple[str, Recording]] = (), on_pin: Callable[[], None], on_unpin: Callable[[], None],
    on_both: Callable[[bool], None], on_choose: Callable[[int, int], None] = lambda number, instead_of: None,
) -> str | None:  # fmt: skip
    """Show the comparison; returns the graph's node for the row of the table that was just selected.

    Args:
        others: further pinned runs, with their names, of which one can be chosen instead by its number, counted from 1.
        on_choose: called with that number and the `id()` of `pinned`.
    """
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
    names = run_names([(name, pinned), *others], recording)
    if others:
        held = id(pinned)
        _choose(names[:-1], key=f"{key}_with_{held}", on_choose=lambda number: on_choose(number, held))
    if pinned is recording:
        st.html(muted(f"{name} is pinned as it is now. Change the program, or turn a knob under What if, to compare with it."))
        return None
    found = compare(pinned, recording)
    ends = courses((pinned, recording))
    st.html(compare_html(found, pinned, recording, ends))
    _courses([(name, pinned), *others], recording, names, key=key)
    frame, keys = compare_frame(found, pinned, recording)
    if frame.empty:
        return None
    different = sum(row.status != "same" for row in found.rows)
    if different > ROWS:
        st.html(more(different, ROWS))
    # A selected row stays selected only while the rows are the same.
    event = st.dataframe(
        frame, hide_index=True, on_select="rerun", selection_mode="single-row", key=f"{key}_table_{_id_of(keys)}",
        width="stretch", height=min(420, 38 + 35 * len(frame)), column_config=_columns(frame["tensor"]), placeholder="",
    )  # fmt: skip
    rows = event.selection.rows if event is not None else []
    return keys[rows[0]] if rows and rows[0] < len(keys) else None


def _id_of(told: Sequence[str]) -> str:
    """A short name for what is told."""
    return sha256(" ".join(told).encode()).hexdigest()[:8]


def run_names(runs: Sequence[tuple[str, Recording]], recording: Recording) -> list[str]:
    """What pinned runs are called, the run on show last: by their programs' names, those of one name by their numbers."""
    plain = [f"{name or 'program'}{' (on show)' if run is recording else ''}" for name, run in runs]
    told = [f"{len(runs) - at} · {each}" if len(runs) > 1 else f"pinned: {each}" for at, each in enumerate(plain)]
    return [*told, "this run"]


def _choose(names: Sequence[str], *, key: str, on_choose: Callable[[int], None]) -> None:
    """With which of the pinned runs to compare; `key` is another one for each run that is compared with, which is chosen then.
    What is held here stays for the whole visit: no recording.

    Other names make another control: of one that stayed the browser would go on telling a name that is none any more, and
    the list would be shut under whoever has just opened it."""
    key = f"{key}_{_id_of(names)}"
    st.selectbox(
        "Compare with", range(len(names)), format_func=names.__getitem__, key=key,
        on_change=lambda: on_choose(controls.value(key, 0)), help="Runs that were pinned, the last one first",
    )  # fmt: skip


def _courses(runs: Sequence[tuple[str, Recording]], recording: Recording, names: Sequence[str], *, key: str) -> None:
    """The first loss of all these runs and of the one on show, in one chart."""
    others = [(name, run) for name, (_, run) in zip(names, runs) if run is not recording]
    found = courses([*(run for _, run in others), recording])
    if found:
        course_chart(found[0], [*(name for name, _ in others), names[-1]], key=f"{key}_losses")


def _begun(told: str) -> str:
    """As a sentence begins; a name of the program's stays as it is."""
    return f"F{told[1:]}" if told.startswith("final ") else told


def compare_html(comparison: Comparison, pinned: Recording, recording: Recording, ends: Sequence[Course] = ()) -> str:
    """The summary, what the losses came to, the first difference with what went into it, and the changed lines."""
    first = comparison.first
    told = comparison.summary.partition(" The runs first differ")[0] if first else comparison.summary
    came = [text(shortened(f"{_begun(course.told)}.", _MAX_NAME)) for course in ends[:_MAX_LOSSES]]
    parts = [*(tag("div", each, cls="gt-answer") for each in came), tag("div", text(told), cls="gt-answer")]
    if pinned.engine != recording.engine:
        sides = [side.replace("{0}", "the pinned run").replace("{1}", "this run") for side in comparison.sides]
        parts = [tag("div", text(f"{side[:1].upper()}{side[1:]}"), cls="gt-muted") for side in sides] + parts
    if first is not None:
        link = moment(first.step, first.title) if first.step >= 0 else text(first.title)
        parts += [tag("div", "First difference: ", link), tag("div", text(first.sentence, _MAX_SENTENCE), cls="gt-muted")]
    return section(tag("div", *parts, cls="gt-note"), diff_html(pinned.source, recording.source))


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


def _columns(names: pd.Series[str]) -> dict[str, Any]:
    widest = max(map(len, names), default=0)
    delta = "The largest difference of two elements"
    return {
        "": st.column_config.TextColumn(width=28, help="Δ changed, + only in this run, − only in the pinned run"),
        "tensor": st.column_config.TextColumn(width=min(max(62, 16 + 7 * widest), _WIDEST)),
        "value": st.column_config.TextColumn(width=88),
        "gradient": st.column_config.TextColumn(width=96),
        "Δ value": st.column_config.NumberColumn(format="%.4g", help=delta, width=68),
        "Δ grad": st.column_config.NumberColumn(format="%.4g", help=delta, width=68),
        "relative": st.column_config.NumberColumn(format="percent", help="The difference by the largest element before"),
        "line": st.column_config.NumberColumn(width=44),
        "round": st.column_config.TextColumn("iteration", help="The iteration that it was made in", width=74),
    }
