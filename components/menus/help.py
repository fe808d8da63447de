"""Help: the keys, the tour, and what of PyTorch is supported."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import streamlit as st

import engine
from components.html.markup import COPIED, muted, tag, text
from engine.nn import functional
from engine.tensor import public_names

KEYS = {
    "Time": [
        ("←  →", "one event back or on"),
        ("Shift ←  Shift →", "one source line back or on"),
        ("[  ]", "to the backward pass or forward part before or after"),
        ("Home  End", "to the first or last step"),
        ("g", "type where to go: a step, a line, an iteration"),
        ("Space", "play and pause"),
    ],
    "Iterations of a rolled run": [
        (",  .", "to the previous or next iteration"),
        ("<  >", "the same of the loop around it"),
        ("{  }", "the same of the loop in it"),
        ("N", "to the first NaN"),
        ("G  L", "to the largest gradient, the last good iteration"),
        ("S", "to where the shape changes"),
        ("u", "rolled or unrolled"),
    ],
    "Selected tensor and breakpoints": [
        ("n  p", "to the next or previous time it changes"),
        ("b", "set or remove a breakpoint on the line of this step"),
        ("c  Shift C", "go on, or back, to the next breakpoint"),
    ],
    "Graph": [
        ("+  −", "zoom in or out"),
        ("0", "fit everything"),
        ("/", "find a node"),
        ("Enter  x", "open the selected group, close the one around the selected node"),
        ("h  Shift H", "hide the selected card, show all that are hidden"),
        ("k", "give the selected card a colour, or the next one; the other mouse button has both, and Watch"),
        ("z  Shift Z", "back to what was selected, opened and looked at before, and on again"),
        ("f", "focus on the selected node, one distance further each time"),
        ("w", "width of edges by the norm of their gradients"),
    ],
    "With fingers": [
        ("Tap", "select a card; on the timeline, go to the step"),
        ("Tap twice", "open a group, else zoom in"),
        ("Hold", "what a pointer would show; once more, what can be done with the card"),
        ("Swipe", "on the timeline, or the words below it: a step at a time"),
    ],
    "Program": [
        ("Ctrl Enter", "run"),
        ("Ctrl Z  Ctrl Y", "undo, redo; under Build there are buttons"),
        (
            "Alt drag",
            "a number to the right or left, in the code or on a card that it makes: another one, and the program runs; with "
            "Shift in finer steps",
        ),
        ("Ctrl F", "search"),
        ("Ctrl /", "make the line a comment"),
        ("F8", "to the next line with a finding; Alt ↓ to what can be done about it"),
        ("F9", "breakpoint on the cursor's line; or click its number"),
        ("Ctrl F10", "run to here: to the next step on the cursor's line; or Alt and a click on its number"),
        ("Tab", "leave the editor; once something is typed, indent"),
        ("Esc  Tab", "leave the editor after typing, too"),
    ],
    "Lesson": [
        ("←  →", "to the page before or after; Page Up and Page Down do as well"),
        ("Shift ←  Shift →", "one source line back or on"),
        ("Esc", "back to the whole notebook"),
    ],
    "Page": [
        ("?", "these keys"),
        ("Tab  Shift Tab", "to the next or previous control"),
        ("←  →", "along the tabs of a panel, when one has the focus"),
        ("F", "focus mode: the graph alone, and back"),
        ("Esc", "close what is open, end the focus mode"),
    ],
}
"""Group -> keys, two spaces between alternatives, and what they do."""


def help_panel(on_tour: Callable[[], None]) -> None:
    """Show the help; `on_tour` starts the tour."""
    with st.container(horizontal=True, key="help_buttons", gap="small"):
        st.html(tag("button", "Keys ", tag("kbd", "?"), cls="gt-button", type="button", data_gt_open="keys"), width="content")
        st.button("Take the tour", key="help_tour", icon=":material/tour:", on_click=on_tour)
    st.html(help_html())


@cache
def help_html() -> str:
    """What is supported, as HTML."""
    methods = public_names()
    groups = {"torch": engine.supported(), "torch.nn.functional": functional.__all__, "methods of tensors": methods}
    lists = "".join(
        tag("details", tag("summary", text(f"{name} ({len(names)})")), tag("p", text(", ".join(names), COPIED), cls="gt-names"))
        for name, names in groups.items()
    )
    return tag("h3", "What is supported") + lists + muted("Anything else says so by name when a program uses it.")
