"""What a run may use: settings where programs are the visitor's own, and what holds where they are strangers'."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import streamlit as st

from components.html.markup import muted, tag, text
from components.page import controls
from components.page.state import page
from engine.limits import EVENTS, MEMORY, SECONDS, Row
from engine.sandbox import Limits
from engine.sandbox.settings import settings

FIELDS: dict[str, tuple[Row, str, str]] = {
    "seconds": (SECONDS, "Seconds", "The program is stopped after so many seconds; what it recorded until then is shown."),
    "memory_mb": (MEMORY, "Memory in MB", "The program ends when it needs more."),
    "events": (EVENTS, "Events", "The recording grows thinner towards so many events; the program runs to its end."),
}
"""What can be chosen: the limit, its label, and what happens there."""
WIDTH = 250


def limits_now() -> Limits:
    """What a run or a check may use: as chosen on the page, where programs are the visitor's own."""
    return page().limits or settings().limits


def choose_limits(wanted: Limits | None) -> None:
    """Have the next runs use these limits, or the usual ones; only where programs are the visitor's own."""
    if not settings().hosted:
        page().limits = wanted


def limits_menu(chosen: Limits, usual: Limits, *, fixed: bool, key: str, on_change: Callable[[Limits | None], None]) -> None:
    """Show what a run may use, and unless it is fixed let it be chosen.

    Args:
        chosen: what holds now.
        usual: what holds where nothing was chosen.
        on_change: takes what was chosen; None for the usual.
    """
    with st.container(key=key, border=False, width=WIDTH):
        if fixed:
            st.html(tag("dl", *(_line(name, usual) for name in FIELDS), cls="gt-limits"))
            st.html(muted("Where Gradtape runs for everybody, these are the same for all."))
            return

        def changed() -> None:
            # As a callback: when the menu is closed at the same moment, its fields are not drawn any more.
            on_change(msgspec.structs.replace(usual, **{name: _told(name, chosen, key) for name in FIELDS}))

        for name in FIELDS:
            _field(name, chosen, key, changed)
        st.html(muted("They hold for the next run, until the page is closed."))
        st.button(
            "Back to the usual", key=f"{key}_usual", disabled=chosen == usual, on_click=lambda: _reset(key, usual, on_change)
        )


def _line(name: str, limits: Limits) -> str:
    row, label, _ = FIELDS[name]
    return tag("dt", text(label)) + tag("dd", text(row.shown(getattr(limits, name))))


def _field(name: str, chosen: Limits, key: str, changed: Callable[[], None]) -> None:
    row, label, help_text = FIELDS[name]
    value = getattr(chosen, name)
    kind = type(value)
    step, form = (1.0, "%g") if kind is float else (1, "%d")
    least, most = kind(min(row.least, value)), kind(max(row.most or value, value))  # an operator may have set more
    controls.begin_with(f"{key}_{name}", value)
    st.number_input(
        label, least, most, step=step, format=form, key=f"{key}_{name}", help=f"{help_text} {_range(row)}", on_change=changed
    )  # fmt: skip


def _told(name: str, chosen: Limits, key: str) -> float | int:
    """What the browser says, within what the table allows."""
    row, value = FIELDS[name][0], getattr(chosen, name)
    told = controls.value(f"{key}_{name}", value)
    bounded = min(max(float(told), row.least), row.most or 0.0) if told != value else value
    return int(bounded) if isinstance(value, int) else float(bounded)


def _range(row: Row) -> str:
    return f"From {row.shown(row.least)} to {row.shown(row.most or 0)}."


def _reset(key: str, usual: Limits, on_change: Callable[[Limits | None], None]) -> None:
    for name in FIELDS:
        controls.put(f"{key}_{name}", getattr(usual, name))
    on_change(None)
