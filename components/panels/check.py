"""Check numerically: are the gradients of a backward pass right? A table of derivatives found in two ways, and an overlay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from components.html.markup import chip, moment, more, muted, nothing_yet, section, table, tag, text
from components.menus.choices import both_ends
from components.page import checking
from components.panels import Beside, panel
from engine.diagnosis.gradcheck.check_result import BAD, GOOD, KINK, ROUNDED, UNKNOWN, Check, Checked, Part
from engine.recording import Recording
from engine.recording.index import index_of

VERDICTS = {
    GOOD: ("right", "ok"),
    BAD: ("wrong", "bad"),
    KINK: ("kink", ""),
    ROUNDED: ("rounding", ""),
    UNKNOWN: ("unknown", ""),
}
"""Verdict -> what its chip says, and its tone."""
ROWS = 60
SENTENCES = 12


@panel("Check", 70, timed=False)
def check(on: Beside) -> dict[str, Any] | None:
    """The check of this run's backward passes."""
    recording = on.recording
    under_way = "check" in on.page.tasks
    return check_panel(recording, key="check", under_way=under_way, on_check=lambda n: checking.check(recording, n))


def check_panel(recording: Recording, *, key: str, under_way: bool, on_check: Callable[[int], None]) -> dict[str, Any] | None:
    """Offer the check and show its outcome; returns the marks for the graph, None for none.

    `on_check` has a backward pass checked; `under_way` tells that this is being done.
    """
    passes = index_of(recording).passes
    with st.container(key=key, height="stretch", border=False):
        if not passes:
            does = "Compares the gradients of a backward pass with finite differences of its root."
            st.html(nothing_yet(does, "There is no backward pass to check."))
            return None
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_bar"):
            number, offered = max(passes), both_ends(list(passes))
            if len(passes) > 1:
                number = st.selectbox(
                    "Backward pass", offered, index=len(offered) - 1, key=f"{key}_pass", width=150,
                    format_func=lambda n: f"{n} · {recording.line_text(passes[n].event)}",
                )  # fmt: skip
            if st.button(
                "Check numerically", key=f"{key}_run", icon=":material/rule:", type="primary", disabled=under_way,
                help="Runs the program again in float64, once for each nudge of an element, and compares the root",
            ):  # fmt: skip
                on_check(number)
                st.rerun()
        if under_way:
            st.html(muted("Nudging leaves …"))
            return None
        kept: dict[int, Check] = recording.checks
        outcome = kept.get(number)
        if outcome is None:
            st.html(
                muted("Compares the gradients of the pass with finite differences of its root, leaf by leaf and node by node.")
            )
            return None
        shown = st.toggle("In the graph", value=True, key=f"{key}_shown") if outcome.leaves or outcome.edges else False
        st.html(check_html(recording, outcome))
        return outcome.overlay() if shown else None


def check_html(recording: Recording, outcome: Check) -> str:
    """The outcome as HTML."""
    parts = []
    if outcome.problem:
        parts.append(tag("div", text(outcome.problem), cls="gt-note"))
    sentences = list(outcome.sentences())
    parts += [tag("div", text(sentence), cls="gt-note bad") for sentence in sentences[:SENTENCES]]
    parts.append(more(len(sentences), SENTENCES))
    if outcome.leaves or outcome.edges:
        parts.append(tag("div", chip(_summary(outcome), VERDICTS[outcome.verdict][1]), cls="gt-row"))
    if outcome.note:
        parts.append(muted(outcome.note))
    if outcome.leaves:
        parts.append(section(_leaves(outcome), label="leaves"))
    if outcome.edges:
        parts.append(section(_edges(recording, outcome), label="node by node"))
    if outcome.skipped:
        names = index_of(recording).nodes
        lines = [f"{names[int(k[1:])].info.name if k[0] == 'n' else k}: {why}" for k, why in outcome.skipped[:8]]
        parts.append(section(*(muted(line) for line in lines), label="not checked"))
    if outcome.tolerance:
        parts.append(section(muted(outcome.tolerance), label="what counts as right"))
    return "".join(parts)


def _summary(outcome: Check) -> str:
    count = sum(len(p.checked) for p in (*outcome.leaves, *outcome.edges))
    worst = max((p.error for p in (*outcome.leaves, *outcome.edges) if p.verdict == GOOD), default=0.0)
    if outcome.verdict == GOOD:
        return f"all {count} derivatives agree; largest relative error {worst:.1g}"
    wrong = sum(c.verdict == BAD for p in (*outcome.leaves, *outcome.edges) for c in p.checked)
    return f"{wrong} of {count} derivatives are wrong" if wrong else f"{count} derivatives, none wrong"


def _leaves(outcome: Check) -> str:
    rows = [(part, c) for part in outcome.leaves for c in sorted(part.checked, key=lambda c: c.verdict == GOOD)]
    head = ("tensor", "element", "recorded", "differences", "error", "")
    return table(head, [(c.verdict, _cells(part, c)) for part, c in rows[:ROWS]]) + more(len(rows), ROWS)


def _cells(part: Part, c: Checked) -> list[str]:
    element = "all ±" if c.all else str(list(c.element)) if c.element else ""
    recorded = c.analytic if c.recorded is None else c.recorded
    return [tag("code", text(part.title)), text(element), *map(_number, (recorded, c.numeric)), _error(c), _verdict(c.verdict)]


def _edges(recording: Recording, outcome: Check) -> str:
    parts = sorted(outcome.edges, key=lambda p: p.verdict == GOOD)
    rows = [(p, p.worst) for p in parts]
    head = ("edge", "line", "rule", "differences", "error", "")
    body = [
        (
            p.verdict,
            [
                tag("code", text(p.title)),
                _line(recording, p),
                _number(w.analytic),
                _number(w.numeric),
                _error(w),
                _verdict(p.verdict),
            ],
        )
        for p, w in rows[:ROWS]
        if w is not None
    ]
    return table(head, body) + more(len(rows), ROWS)


def _line(recording: Recording, part: Part) -> str:
    history = index_of(recording).nodes.get(int(part.key[1:]))
    return moment(history.born, part.line) if history is not None and part.line else ""


def _number(value: float) -> str:
    return text(f"{value:.6g}")


def _error(c: Checked) -> str:
    return text(f"{c.error:.1g}")


def _verdict(verdict: str) -> str:
    label, tone = VERDICTS[verdict]
    return chip(label, tone)
