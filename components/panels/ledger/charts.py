"""Charts of gradients over a run. Their marks are at moments of the tape; the rule is the moment that is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.html.markup import shortened
from components.html.scales import is_steep, thinned
from engine.diagnosis.ledger import Entry, Point
from engine.graph.numbers import norm
from engine.lazy import Late
from engine.recording import Recording
from engine.recording.events import NOTHING

if TYPE_CHECKING:
    import altair as alt
else:
    alt = Late("altair")

HEIGHT = 150
TALL = 215
"""With a legend below."""
SERIES = 12
"""Curves in one chart; the ones with the largest last values are kept."""


POINTS = 500
"""Points of one curve."""


def curves(points: Sequence[Point], step: int, what: str, *, key: str) -> None:
    """Curves over backward passes; hovering tells the values, scrolling zooms."""
    chart = drawn_curves(points, step, what)
    if chart is not None:
        st.altair_chart(chart, width="stretch", key=key)


def drawn_curves(points: Sequence[Point], step: int, what: str) -> Any:
    """The chart of those points that are finite; None without any, as an axis of nothing has no ends."""
    shown = _strongest([p for p in points if isfinite(p.y)])
    if not shown:
        return None
    rows = [{"pass": p.x, what: p.y, "of": shortened(p.series, 60), "line": p.line, "now": p.step <= step} for p in shown]
    scale = alt.Scale(type="log") if is_steep([p.y for p in shown]) else alt.Scale(zero=False)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("pass:Q", title="backward pass", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y(f"{what}:Q", title=None, scale=scale),
        color=alt.Color("of:N", title=None, legend=alt.Legend(orient="bottom", columns=4, labelLimit=90)),
        tooltip=["of:N", "pass:Q", alt.Tooltip(f"{what}:Q", format=".4g"), "line:Q"],
    )
    chart = base.mark_line(strokeWidth=1.6) + base.mark_point(size=18, filled=True).encode(
        opacity=alt.condition("datum.now", alt.value(1.0), alt.value(0.25))
    )
    return chart.properties(height=TALL, background="transparent").interactive()


def _strongest(points: Sequence[Point]) -> list[Point]:
    last = {p.series: p.y for p in points}
    kept = set(sorted(last, key=lambda name: -last[name])[:SERIES])
    shown = [p for p in points if p.series in kept]
    drawn = {name: set(thinned(count, POINTS)) for name, count in Counter(p.series for p in shown).items()}
    seen: Counter[str] = Counter()
    found = []
    for p in shown:
        if seen[p.series] in drawn[p.series]:
            found.append(p)
        seen[p.series] += 1
    return found


def ledger_chart(recording: Recording, entries: Sequence[Entry], step: int, *, key: str) -> None:
    """What each pass added (bars) and the running `.grad` (line): the number itself, or the norm where there are several."""
    rows, scalar = _rows(recording, entries)
    if len(rows) < 2 or not all(any(map(_finite, column)) for column in zip(*((row["adds"], row["total"]) for row in rows))):
        return  # an axis of nothing but NaN has no ends
    unit = "" if scalar else "norm of "
    base = alt.Chart(alt.InlineData(values=[{**row, "now": row["step"] <= step} for row in rows])).encode(
        x=alt.X("event:N", sort=None, title=None, axis=alt.Axis(labelAngle=-35, labelLimit=70)),
        opacity=alt.condition("datum.now", alt.value(1.0), alt.value(0.3)),
    )
    adds = base.mark_bar(size=14, color="#2f9e62").encode(
        y=alt.Y("adds:Q", title=None), tooltip=["event:N", alt.Tooltip("adds:Q", title=f"{unit}increment", format=".4g")]
    )
    total = base.mark_line(color="#e8772e", point={"size": 36, "filled": True, "color": "#e8772e"}, strokeWidth=1.8).encode(
        y=alt.Y("total:Q", title=None), tooltip=["event:N", alt.Tooltip("total:Q", title=f"{unit}.grad", format=".4g")]
    )
    st.altair_chart((adds + total).properties(height=HEIGHT, background="transparent"), width="stretch", key=key)
    st.caption(f"bars: {unit}what was added; line: {unit}.grad after it")


def _finite(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _rows(recording: Recording, entries: Sequence[Entry]) -> tuple[list[dict[str, Any]], bool]:
    """The chart's rows, and whether the gradient is a single number."""
    filled = [e for e in entries if e.kind != "updated"][-40:]
    arrays = [a for e in filled for a in (e.increment, e.total) if a != NOTHING]
    scalar = all(len(recording.arrays[a].shape) == 0 or recording.arrays[a].shape in ((1,), (1, 1)) for a in arrays)

    def value(array: int) -> float | None:
        if array == NOTHING:
            return None
        stored = recording.arrays[array].to_numpy() if scalar else None
        found = float(stored.item()) if stored is not None else norm(recording.arrays[array])
        return found if _finite(found) else None

    seen: dict[str, int] = {}
    rows = []
    for e in filled:
        seen[e.label] = seen.get(e.label, 0) + 1
        label = e.label if seen[e.label] == 1 else f"{e.label} ({seen[e.label]})"
        rows.append(
            {"event": label, "adds": value(e.increment), "total": 0.0 if e.total == NOTHING else value(e.total), "step": e.step}
        )
    return rows, scalar
