"""What the browser still holds of what it was sent: only that is referred to instead of being sent once more.

Streamlit's browser tells with each request which messages it holds, and lets go of those that no run has used for a while. It
may let go of one after it has told of it: a request made while a page is still being drawn is answered later. A reference to
it then stops the page for good, for the browser waits for that message before all that follow. So a message that this many
runs have not used is sent again: the browser, which waits twice as long before it lets go, has it either way.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

KEY = "messages_sent"
AGE = 60
"""Runs of the page or of a part of it after which a message is sent again; half of `global.maxCachedMessageAge`."""


class Sent:
    """When each message of a visit was sent last, or referred to, counted in runs."""

    def __init__(self) -> None:
        self.runs = 0
        self.last: dict[str, int] = {}

    def begin(self) -> None:
        """Another run begins: what is too old for it is forgotten."""
        self.runs += 1
        self.last = {hash: run for hash, run in self.last.items() if self.runs - run <= AGE}


class Held(frozenset[str]):
    """The messages that the browser said it held. Streamlit asks for one exactly when it is about to send it."""

    sent: Sent

    def __contains__(self, hash: object) -> bool:
        fresh = hash in self.sent.last
        self.sent.last[str(hash)] = self.sent.runs
        return fresh and super().__contains__(hash)


def count_on_what_is_held() -> None:
    """Have this run refer only to messages that the browser cannot have let go of."""
    context: Any = get_script_run_ctx()
    if context is None:
        return
    sent = st.session_state.setdefault(KEY, Sent())
    sent.begin()
    held = Held(context.cached_message_hashes)
    held.sent = sent
    context.cached_message_hashes = held
