"""The console: what the program printed, its warnings, and how it ended."""

from __future__ import annotations

import streamlit as st

from components.html import copy, tag, text
from engine.sandbox import RunResult

STATUS = {
    "timeout": "Stopped: the program ran too long.",
    "memory": "Stopped: the program needed too much memory.",
    "too_large": "Stopped: the program printed or recorded too much.",
    "crashed": "The program's process ended abruptly.",
    "policy": "Not allowed here.",
}


def console(result: RunResult | None, *, key: str) -> None:
    """Show the output of a run."""
    with st.container(key=key, border=False):
        st.html(console_html(result))


def console_html(result: RunResult | None) -> str:
    """The console's contents as HTML."""
    if result is None:
        return tag("div", "Run the program to see what it prints.", cls="gt-console gt-muted")
    parts = []
    if result.output:
        parts.append(tag("div", copy(result.output, "the output"), output_html(result.output), cls="gt-copied"))
    if result.error is not None:
        parts.append(error_html(result))
    elif result.status != "ok":
        parts.append(tag("div", text(STATUS.get(result.status, result.status)), cls="gt-error"))
    if not parts:
        parts.append(tag("div", "The program printed nothing.", cls="gt-muted"))
    return tag("div", *parts, cls="gt-console", role="log", aria_label="output of the program")


def output_html(output: str) -> str:
    """Printed text, with warnings in their own colour."""
    lines = output.rstrip("\n").split("\n")
    shown = []
    inside = 0
    for line in lines:
        if _starts_warning(line):
            inside = 2
        shown.append(tag("span", text(line), cls="gt-warning" if inside else ""))
        inside = max(inside - 1, 0)
    return tag("pre", "\n".join(shown))


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
    if result.status in STATUS:
        parts.append(tag("div", text(STATUS[result.status])))
    whole = f"{error.type}: {error.message}" + (f"\n({where})" if where else "")
    parts.append(copy(whole, "the error"))
    parts.append(tag("div", tag("b", text(error.type)), text(f" · {where}" if where else "")))
    parts.append(tag("pre", text(error.message)))
    if error.help:
        parts.append(tag("div", text(error.help), cls="gt-muted"))
    return tag("div", *parts, cls="gt-error", role="alert")
