"""The console: what the program printed, its warnings, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components.html.markup import copy, shortened, tag, text
from components.page.output_steps import UNKNOWN, OutputSteps, output_steps
from engine.diagnosis.failures import help_with
from engine.limits import OUTPUT
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.events import Printed
from engine.sandbox import RunResult
from engine.sandbox.transport.messages import HALTED

STATUS = {
    "timeout": "Stopped: the program ran too long.",
    "memory": "Stopped: the program needed too much memory.",
    "too_large": "Stopped: the program printed too much.",
    "crashed": "The program's process ended abruptly.",
    "policy": "Not allowed here.",
}
HOST = "HostError"
"""The type of errors that are not the program's."""

MOST = 40_000
"""Characters of a program's output that are shown, half of them from its end: all of it is sent with every run of the page."""
LINES = 1_000
MOST_CELL, LINES_CELL = 5_000, 200
"""Characters and lines shown of one notebook cell's output; many cells stand on the page."""
MOST_RESULT = 5_000
"""Characters of the value of a cell's last expression."""
MOST_MESSAGE = 10_000


Placed = Sequence[tuple[int, str]]
"""Figures as HTML, each after so many characters of the output."""


def console(result: RunResult | None, figures: Placed = (), *, key: str, run: str = "") -> None:
    """Show the output of a run, and its figures; `run` is what the player calls it."""
    with st.container(key=key, border=False):
        st.html(console_html(result, figures, run))
        if result is not None:
            whole_output(result.output, MOST, LINES, key=key)


def whole_output(output: str, most: int, most_lines: int, *, key: str) -> None:
    """A button to download an output of which only both ends are shown."""
    if ends(output, most, most_lines)[1]:
        st.download_button(
            "Download the whole output", lambda: output.encode(), "output.txt", "text/plain", key=f"{key}_whole",
            on_click="ignore", icon=":material/download:",
        )  # fmt: skip


def printed(recording: Recording) -> RunResult | None:
    """What the program of a recording from a file has printed, as the outcome of a run; None where the recording has none of
    it, as that of a block of the user's own PyTorch, of which nobody can say that it printed nothing."""
    output: str = recording.once("printed", lambda: _output(recording))
    return RunResult("ok", output, None, [], recording, 0.0) if output else None


def _output(recording: Recording) -> str:
    columns = columns_of(recording)
    steps = np.flatnonzero(columns.events.kind == columns.KIND[Printed]).tolist()
    parts, room = [], OUTPUT.value()  # one text of a file may be printed by a million events
    for step in steps:
        event = recording.events[step]
        assert isinstance(event, Printed)
        parts.append(event.text[:room])
        room -= len(parts[-1])
        if not room:
            break
    return "".join(parts)


def console_html(result: RunResult | None, figures: Placed = (), run: str = "") -> str:
    """The console's contents as HTML; parts name their steps, so that the player can tell what comes later."""
    if result is None:
        return tag("div", "Run the program to see what it prints.", cls="gt-console gt-muted")
    parts = []
    when = output_steps(result.recording)
    if result.output:
        head, between, tail = ends(result.output, MOST, LINES)
        copied = (
            copy(f"{head}\n{between}\n{tail}", "the output as it is shown") if between else copy(result.output, "the output")
        )
        parts.append(tag("div", copied, with_figures(result.output, figures, MOST, LINES, when), cls="gt-copied"))
    elif figures:
        parts += [_later(figure, when, number) for number, (_, figure) in enumerate(figures)]
    if result.error is not None:
        parts.append(error_html(result))
    elif result.status != "ok":
        parts.append(tag("div", text(STATUS.get(result.status, result.status)), cls="gt-error"))
    if not parts:
        parts.append(tag("div", "The program printed nothing.", cls="gt-muted"))
    return tag("div", *parts, cls="gt-console", role="log", aria_label="output of the program", data_gt_run=run or None)


def ends(output: str, most: int, most_lines: int) -> tuple[str, str, str]:
    """The beginning of a text, what is left out after it in words, and its end; a short text is its own beginning."""
    output = output.rstrip("\n")
    lines = output.count("\n") + 1
    if len(output) <= most and lines <= most_lines:
        return output, "", ""
    head = "\n".join(output[: most // 2].split("\n", most_lines // 2)[: most_lines // 2])
    tail = "\n".join(output[-(most // 2) :].rsplit("\n", most_lines // 2)[-(most_lines // 2) :])
    left = len(output) - len(head) - len(tail)
    between = f"… {left:,} of {len(output):,} characters ({lines:,} lines) are not shown here …"
    return head, between, tail


def output_html(output: str, most: int = MOST, most_lines: int = LINES, when: OutputSteps = UNKNOWN, after: int = 0) -> str:
    """Printed text, with warnings in their own colour; of a long one both ends. It stands `after` so many characters of the
    output that `when` is of."""
    head, between, tail = ends(output, most, most_lines)
    first = tag("pre", _lines(head, most, when, after))
    if not between:
        return first
    rest = _lines(tail, most, when, after + len(output.rstrip("\n")) - len(tail))
    return first + tag("div", text(between), cls="gt-muted") + tag("pre", rest)


def with_figures(output: str, figures: Placed, most: int, most_lines: int, when: OutputSteps = UNKNOWN) -> str:
    """Printed text with figures in between; of much text around them both ends, everywhere."""
    if not figures:
        return output_html(output, most, most_lines, when)
    parts, began, share = [], 0, len(figures) + 1
    for number, (after, figure) in enumerate((*figures, (len(output), ""))):
        if output[began:after].strip("\n"):
            parts.append(output_html(output[began:after], most // share, max(most_lines // share, 2), when, began))
        parts.append(_later(figure, when, number))
        began = max(began, after)
    return "".join(parts)


def _later(figure: str, when: OutputSteps, number: int) -> str:
    """A figure with its step."""
    return tag("div", figure, data_gt_from=when.figures[number]) if figure and number < len(when.figures) else figure


def _lines(output: str, most: int, when: OutputSteps = UNKNOWN, after: int = 0) -> str:
    shown = []
    inside = 0
    for line in output.split("\n"):
        if _starts_warning(line):
            inside = 2
        kind = "gt-warning" if inside else ""
        parts = [
            tag("span", text(line[start - after : end - after], most), cls=kind, data_gt_from=step)
            for start, end, step in when.parts(after, after + len(line))
        ]
        shown.append("".join(parts) or tag("span", cls=kind))
        inside = max(inside - 1, 0)
        after += len(line) + 1
    return "\n".join(shown)


def cell_html(result: RunResult, cell: int, figures: Placed = ()) -> str:
    """What a notebook's cell printed, the value of its last expression, and its error; nothing if there is none of these."""
    if cell >= len(result.cells):
        return ""
    done, when = result.cells[cell], output_steps(result.recording, cell)
    shown = output_html(done.output, MOST_CELL, LINES_CELL, when) if done.output else ""
    shown += "".join(_later(figure, when, number) for number, (_, figure) in enumerate(figures))
    if done.result is not None:
        out = tag("span", text(f"Out[{cell + 1}]: "), cls="gt-out")
        shown += tag("pre", out, text(done.result, MOST_RESULT), data_gt_from=when.value)
    if result.error is not None and result.error.cell == cell:
        shown += error_html(result)
    return shown


def _starts_warning(line: str) -> bool:
    return line.startswith("<") and "Warning: " in line


def error_html(result: RunResult) -> str:
    """The error that ended a run: status, type, message, line and help."""
    error = result.error
    assert error is not None
    where = f"line {error.line}" if error.line else ""
    if error.cell and where:
        where = f"cell {error.cell + 1}, {where}"
    parts = []
    if result.status == "timeout" and error.type == HALTED:
        parts.append(tag("div", "Stopped: what was recorded is kept."))
    elif error.type == HOST:
        parts.append(tag("div", "The program could not be run to its end, which is not its fault."))
    elif result.status in STATUS:
        parts.append(tag("div", text(STATUS[result.status])))
    message = shortened(error.message, MOST_MESSAGE)
    whole = f"{error.type}: {message}" + (f"\n({where})" if where else "")
    parts.append(copy(whole, "the error"))
    parts.append(tag("div", tag("b", text(error.type)), text(f" · {where}" if where else "")))
    parts.append(tag("pre", text(message, 2 * MOST_MESSAGE)))
    help_text = error.help or help_with(error.message, error.type)
    if help_text:
        parts.append(tag("div", text(help_text), cls="gt-muted"))
    return tag("div", *parts, cls="gt-error", role="alert")
