"""What the page has to say above everything: a notice, a program that waits for the user's word, or why it runs nothing."""

from __future__ import annotations

import streamlit as st

from components.html.markup import literal, tag, text
from components.page.runs import run_typed
from components.page.state import Page
from engine.sandbox.runner import HELP


def notices(p: Page) -> None:
    """What there is to say, at a place that is there even when it is nothing: parts below must not move."""
    with st.container(key="notices"):
        if p.notice:
            st.error(literal(p.notice), icon=":material/error:")
        if p.unrun is not None:
            with st.container(key="unrun", horizontal=True, vertical_alignment="center"):
                st.warning(
                    "This program came with a link. On this system Gradtape cannot shut programs in completely, so read it "
                    "before you run it.",
                    icon=":material/shield:",
                )
                run_button("Run this program", key="run_unrun")


def run_button(label: str, *, key: str) -> None:
    """Runs what the editors hold."""
    st.button(label, key=key, type="primary", icon=":material/play_arrow:", help="Ctrl+Enter in the editor", on_click=run_typed)


def refused(why: str) -> None:
    """The whole page of a server that may run nothing."""
    st.html(
        tag(
            "div",
            tag("h1", "Gradtape", cls="gt-brand"),
            tag("p", text(why)),
            tag("p", text(HELP), cls="gt-muted"),
            cls="gt-refused",
        )
    )
