"""Sweep: one or two leaves or literals over a grid, as a curve or a surface with gradients and the run's own path."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from components.html.markup import literal, muted, nothing_yet, tag, text
from components.menus.choices import both_ends
from components.page.edits import vary
from components.panels import Beside, panel
from components.panels.sweep.charts import picture
from components.server.held import count_on_what_is_held
from engine.experiments.sweep.messages import LAST, NONE
from engine.recording import Recording
from engine.recording.index import index_of
from engine.sandbox.settings import settings
from engine.sweep import Axis, Choice, Sweep, SweepError, begin, choices, last_pass

NOTHING_MORE = "—"
"""The second axis where there is none."""
PATIENCE = 0.4
"""Seconds that the page waits for a sweep before it is drawn with a bar: most are quicker, and nothing flickers."""
OFTEN = 0.5
"""Seconds between two looks at a longer one."""


@dataclass
class Memory:
    """What the page keeps for the panel."""

    sweep: Sweep | None = None
    recording: int = 0
    """id() of the recording that the sweep belongs to."""
    before: Sweep | None = None
    """The last sweep of the run before this one."""
    picked: tuple[Choice, ...] = ()
    """What its axes were made of."""
    notice: str = ""

    @property
    def earlier(self) -> Sweep | None:
        """The sweep before, if it is one over the same names."""
        if self.before is None or self.sweep is None or not self.before.done:
            return None
        names = [[axis.label.split(" · ")[0] for axis in sweep.axes] for sweep in (self.before, self.sweep)]
        return self.before if names[0] == names[1] else None


@panel("Sweep", 60, timed=False)
def swept(on: Beside) -> None:
    """The loss of this program over a grid."""
    sweep_panel(on.recording, key="sweep", memory=on.memory(Memory), session=on.page.session, on_change=vary)


def sweep_panel(
    recording: Recording,
    *,
    key: str,
    memory: Memory,
    session: str,
    on_change: Callable[[int, str], None] | None = None,
) -> None:
    """Offer a sweep and show it. `on_change(cell, text)` takes a text with the values of the best point."""
    if memory.recording != id(recording):
        if memory.sweep is not None:
            memory.sweep.cancel()
            memory.before = memory.sweep
        memory.sweep, memory.recording, memory.notice = None, id(recording), ""
    with st.container(key=key, height="stretch", border=False):
        number = _pass(recording, key)
        offered = choices(recording, number)
        if not offered:
            why = "There is nothing to sweep: no leaf gets a gradient, and the program has no number."
            st.html(nothing_yet("Draws the loss over a grid of two of the program's values.", why))
            return
        picked = _picked(offered, key)
        under_way = memory.sweep is not None and not memory.sweep.finished
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}_bar"):
            axes = _axes(picked, key)
            asked = st.button("Sweep", key=f"{key}_run", type="primary", icon=":material/grid_on:", disabled=under_way)
        if asked:
            numbers = not any(choice.is_leaf for choice in picked)
            wanted = LAST if numbers and number and number == last_pass(recording) else number
            memory.picked, memory.notice = picked, ""
            try:
                memory.sweep = begin(recording, axes, settings().limits, number=wanted, session=session)
            except SweepError as error:
                memory.sweep, memory.notice = None, str(error)
            else:
                _wait(memory.sweep, PATIENCE)
        if memory.notice:
            st.html(tag("div", text(memory.notice), cls="gt-note"))
        if memory.sweep is None:
            st.html(
                muted(
                    "The loss over a grid of values, the gradients at its points, and the way that the run took. "
                    "The program runs at each point up to the end of the backward pass."
                )
            )
        elif memory.sweep.finished:
            _shown(recording, memory, key, on_change)
        else:
            _moving(memory, memory.sweep, key)


# --- what to sweep ------------------------------------------------------------------------------------------------------------


def _pass(recording: Recording, key: str) -> int:
    """The backward pass whose root is the loss; 0 where there is none."""
    last = last_pass(recording)
    if last < 2:
        return last or NONE
    passes = index_of(recording).passes
    chosen: int = st.selectbox(
        "Loss: root of backward pass", both_ends(range(1, last + 1)), key=f"{key}_pass",
        format_func=lambda n: f"{n} · {recording.line_text(passes[n].event)}",
    )  # fmt: skip
    return chosen


def _picked(offered: Sequence[Choice], key: str) -> tuple[Choice, ...]:
    """The chosen leaves or literals."""
    by_label = {choice.label: choice for choice in offered}
    labels = list(by_label)
    left, right = st.columns(2, gap="small")
    with left:
        first = st.selectbox("Across", labels, key=f"{key}_x")
    with right:
        others = [NOTHING_MORE, *(label for label in labels if label != first)]
        two = len(others) > 1 and by_label[first].is_leaf and by_label[others[1]].is_leaf
        second = st.selectbox("Up", others, index=int(two), key=f"{key}_y")
    return tuple(by_label[label] for label in (first, second) if label in by_label)


def _axes(picked: Sequence[Choice], key: str) -> list[Axis]:
    """The axes of what was chosen: from where to where, in how many points."""
    ranges = []
    one = len(picked) == 1
    with st.popover("Range", icon=":material/straighten:"):
        points = st.slider("Points", 5, 201 if one else 61, 81 if one else 31, key=f"{key}_points{len(picked)}")
        for choice in picked:
            name = literal(choice.label.split(" · ")[0])  # which is anything, in a stranger's recording
            low, high = st.columns(2, gap="small")
            with low:
                a = st.number_input(f"{name} from", value=choice.low, format="%g", key=f"{key}_low_{choice.label}")
            with high:
                b = st.number_input("to", value=choice.high, format="%g", key=f"{key}_high_{choice.label}")
            ranges.append((min(a, b), max(a, b)) if a != b else (a - 1.0, a + 1.0))
    return [choice.axis(low, high, points) for choice, (low, high) in zip(picked, ranges, strict=True)]


# --- the outcome --------------------------------------------------------------------------------------------------------------


def _wait(sweep: Sweep, seconds: float) -> bool:
    """Let a sweep move for some time; whether there is more to come."""
    end = time.monotonic() + seconds
    while (more := sweep.advance(0.05)) and time.monotonic() < end:
        pass
    return more


def _moving(memory: Memory, sweep: Sweep, key: str) -> None:
    """How far a sweep is, with what has come; when it has finished the page is drawn anew."""

    @st.fragment(run_every=OFTEN)
    def look() -> None:
        count_on_what_is_held()
        if not _wait(sweep, OFTEN / 2):
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_progress"):
            st.progress(sweep.done / sweep.total, f"{sweep.done:,} of {sweep.total:,} points")
            st.button("Cancel", key=f"{key}_cancel", on_click=sweep.cancel, help="Keep what has come")
        if sweep.done:
            chart = picture(sweep, _loss(sweep), memory.earlier)
            st.altair_chart(chart, width="stretch", key=f"{key}_growing")

    look()


def _shown(recording: Recording, memory: Memory, key: str, on_change: Callable[[int, str], None] | None) -> None:
    sweep = memory.sweep
    assert sweep is not None
    if sweep.problem:
        st.html(tag("div", text(sweep.problem), cls="gt-note"))
    if sweep.done < sweep.total:
        missing = sweep.total - sweep.done
        st.button(
            "Go on", key=f"{key}_on", icon=":material/play_arrow:", on_click=sweep.go_on,
            help=f"{missing:,} of {sweep.total:,} points are missing",
        )  # fmt: skip
    if not sweep.done:
        return
    st.altair_chart(picture(sweep, _loss(sweep), memory.earlier), width="stretch", key=f"{key}_chart")
    st.html(muted(_legend(recording, sweep) + (" · dashed: the run before" if memory.earlier is not None else "")))
    _lowest(recording, memory, key, on_change)
    if sweep.errors:
        count, why = len(sweep.errors), next(iter(sweep.errors.values()))
        st.html(tag("div", text(f"{count:,} of {sweep.total:,} points have no loss (grey), such as: {why}"), cls="gt-note"))
    if sweep.drawn:
        st.html(muted("The program draws random numbers without a seed, so the sweep has its own: the same at every point."))


def _loss(sweep: Sweep) -> str:
    return "last number" if sweep.number == NONE else "loss"


def _legend(recording: Recording, sweep: Sweep) -> str:
    passes = index_of(recording).passes
    if sweep.number == NONE:
        parts = ["the last number that the program computes"]
    elif sweep.number == LAST:
        parts = ["root of each run's last backward pass"]
    else:
        parts = [f"root of backward pass {sweep.number} ({recording.site_text(recording.site(passes[sweep.number].event))})"]
    if np.isfinite(sweep.gradients).any():
        parts.append("green: slope by backward" if len(sweep.axes) == 1 else "arrows: downhill, against the gradient")
    if sweep.path:
        moved = len({spot.values for spot in sweep.path}) > 1
        parts.append("orange: the run's path, from the ring on" if moved else "orange: where the program stands")
    return " · ".join(parts)


def _lowest(recording: Recording, memory: Memory, key: str, on_change: Callable[[int, str], None] | None) -> None:
    """The lowest point, and the text with its values."""
    sweep = memory.sweep
    assert sweep is not None
    if not np.isfinite(sweep.loss).any():
        return
    lowest = np.unravel_index(int(np.nanargmin(np.where(np.isfinite(sweep.loss), sweep.loss, np.nan))), sweep.loss.shape)
    values = [axis.values[k] for axis, k in zip(sweep.axes, lowest, strict=True)]
    told = ", ".join(f"{axis.label.split(' · ')[0]} = {value:.4g}" for axis, value in zip(sweep.axes, values, strict=True))
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_lowest"):
        st.html(tag("div", text(f"lowest: {sweep.loss[lowest]:.5g} at {told}"), cls="gt-muted"))
        if on_change is not None and len(recording.source) == 1 and all(choice.written is not None for choice in memory.picked):
            st.space("stretch")
            if st.button("Set", key=f"{key}_set", help="Put these values into the program and run it"):
                texts = list(recording.source)
                for choice, value in zip(memory.picked, values, strict=True):
                    changed = choice.write(texts, value)
                    if changed is not None:
                        texts[changed[0]] = changed[1]
                on_change(0, texts[0])
                st.rerun()
