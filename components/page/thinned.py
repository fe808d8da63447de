"""What the page says of a recording that has grown thinner, and what gets an iteration of it whole."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from components.html.markup import tag, text
from components.page import tasks
from components.page.limits import limits_now
from components.page.selection import select, telling
from components.page.state import Page, page
from engine.diagnosis.gradcheck.check import program_of
from engine.experiments.rerecord import Again, rerecord
from engine.recording import Recording
from engine.recording.levels import iterations_of, tally
from engine.sandbox import Control

HELD = {"thin": "was recorded thinly (scalars, gradients' sizes)", "silent": "was not recorded, but for what it printed"}


@dataclass
class Windows:
    """The recordings of single iterations, and what they were taken from."""

    recording: Recording | None = None
    """The one that was made last,"""
    iteration: int = 0
    difference: str = ""
    """what tells it from the run that it was to repeat, "" for nothing,"""
    before: Any = None
    """and what was on show before: the run's result and texts, the opened recording, and the step."""


def counted(recording: Recording) -> str:
    """How many iterations a recording holds whole, as the status line says it; "" where it holds all."""
    whole, all_ = tally(recording)
    return f" · {whole:,} of {all_:,} iterations whole" if all_ else ""


def thinned(p: Page, recording: Recording, step: int) -> None:
    """A line below the graph, where the moment on show is not in the recording as a whole."""
    windows = p.memory(Windows)
    level = recording.level(step)
    with st.container(key="thinned", horizontal=True, vertical_alignment="center"):
        if recording is windows.recording:
            said = f"Iteration {windows.iteration:,}, recorded whole by running the program again. "
            said += f"This is another run: {windows.difference}" if windows.difference else "It gave the same numbers."
            st.html(tag("div", text(said), cls="gt-note"), width="stretch")
            st.button("Back to the whole run", key="thinned_back", on_click=back)
        elif level != "whole" and recording.unit:
            iteration = max(iterations_of(recording).at(step), 0)
            st.html(tag("div", text(f"Iteration {iteration:,} {HELD[level]}."), cls="gt-note"), width="stretch")
            st.button(
                "Record it whole", key="thinned_record", on_click=partial(record_whole, iteration),
                help="The program runs again up to this iteration, with the same random numbers",
            )  # fmt: skip


def record_whole(iteration: int) -> None:
    """Run the program again, with one of its iterations recorded whole, and put that on show."""
    p = page()
    recording, limits, control = p.recording, limits_now(), Control()
    if recording is None:
        return
    work = partial(rerecord, recording, program_of(recording), iteration, iteration, limits, control=control)
    what = f"Recording iteration {iteration:,}"
    arrived = partial(_arrived, recording, iteration)
    tasks.start("run", what, lambda stop: work(stop=stop), arrived, limits=limits, control=control)


def _arrived(recording: Recording, iteration: int, again: Again) -> None:
    p = page()
    made = again.result.recording
    if p.recording is not recording:
        return  # something else was opened meanwhile
    if made is None or iteration not in iterations_of(made).numbers:
        p.notice = f"Iteration {iteration:,} could not be recorded: " + (
            again.result.error.message if again.result.error is not None else "the program did not come to it again"
        )
        return
    windows = p.memory(Windows)
    windows.recording, windows.iteration, windows.difference = made, iteration, again.difference
    windows.before = p.result, p.ran, p.opened, p.step
    p.result, p.ran, p.opened = again.result, recording.source, None
    _show(made, iterations_of(made).steps[iterations_of(made).numbers.index(iteration)])


def back() -> None:
    """Put on show again what was there before an iteration was recorded."""
    p = page()
    windows = p.memory(Windows)
    if windows.before is None:
        return
    p.result, p.ran, p.opened, step = windows.before
    windows.recording = windows.before = None
    if p.recording is not None:
        _show(p.recording, step)


def _show(recording: Recording, step: int | None) -> None:
    p = page()
    p.step = None
    select(telling(recording), open=False)
    p.keep = None if step is None else {"run": p.run_id, "step": step, "selected": p.selected}
