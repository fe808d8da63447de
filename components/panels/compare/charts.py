"""The losses of several runs in one chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from components.html.markup import shortened
from components.html.scales import is_steep, thinned
from engine.diagnosis.comparison.courses import Course
from engine.lazy import Late

if TYPE_CHECKING:
    import altair as alt
else:
    alt = Late("altair")

HEIGHT = 240
POINTS = 300
"""Points of one curve."""
COLOURS = ("#e8772e", "#3f78c2", "#8a63c7", "#2f9e62", "#9aa3af", "#b8860b")
"""Of this run, and of the pinned ones."""


def course_chart(course: Course, names: Sequence[str], *, key: str) -> None:
    """The curves of a loss, one for each run by its name; the last one is the run on show."""
    drawn = [(name, values) for name, values in zip(names, course.values) if len(values) > 1]
    finite = [value for _, values in drawn for value in values if value is not None]
    if not finite:
        return
    rows = []
    for name, values in drawn:
        rows += [{course.unit: at, "loss": values[at], "run": shortened(name, 60)} for at in thinned(len(values), POINTS)]
    order = [shortened(name, 60) for name, _ in drawn]
    colours = COLOURS[: len(order)][::-1]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.8)
        .encode(
            x=alt.X(f"{course.unit}:Q", title=course.unit, axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("loss:Q", title=None, scale=alt.Scale(type="log") if is_steep(finite) else alt.Scale(zero=False)),
            color=alt.Color(
                "run:N", title=None, sort=order, scale=alt.Scale(domain=order, range=colours),
                legend=alt.Legend(orient="bottom", labelLimit=180, columns=2),
            ),
            tooltip=["run:N", f"{course.unit}:Q", alt.Tooltip("loss:Q", title=course.name, format=".4g")],
        )
    )  # fmt: skip
    st.altair_chart(chart.properties(height=HEIGHT, background="transparent").interactive(), width="stretch", key=key)
