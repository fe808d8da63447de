"""Help: the keys, and what of PyTorch is supported."""

from __future__ import annotations

from functools import cache

import streamlit as st

import engine
from components.html import muted, table, tag, text
from engine.nn import functional

KEYS = [
    ("← →", "one event back, one on"),
    ("Home End", "first step, last step"),
    ("Space", "play, pause"),
    ("Shift+← Shift+→", "one source line back, one on"),
    ("[ ]", "previous, next backward pass or forward part"),
    ("n p", "next, previous change of the selected tensor"),
    ("b", "breakpoint on the line of this step"),
    ("c Shift+C", "on, back to a breakpoint"),
    ("?", "these keys, over the graph"),
    ("+ - 0", "zoom in, zoom out, fit"),
    ("Ctrl+Enter", "run, in the editor"),
    ("F9", "breakpoint on the cursor's line, in the editor; or click its number"),
]


def help_panel() -> None:
    """Show the help."""
    st.html(help_html())


@cache
def help_html() -> str:
    """The help as HTML."""
    methods = [name for name in dir(engine.Tensor) if not name.startswith("_")]
    groups = {"torch": engine.supported(), "torch.nn.functional": functional.__all__, "methods of tensors": methods}
    keys = table(["key", "does"], [("", [tag("kbd", text(k)), text(does)]) for k, does in KEYS])
    lists = "".join(
        tag("details", tag("summary", text(f"{name} ({len(names)})")), tag("p", text(", ".join(names)), cls="gt-names"))
        for name, names in groups.items()
    )
    return keys + tag("h5", "What is supported") + lists + muted("Anything else says so by name when a program uses it.")
