"""Share: a link that opens the program at this moment, the snippet that puts it into a course page, or a file."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from components.html.markup import COPIED, copy, muted, tag, text
from components.menus.export import stem
from engine.program.share import Link, LinkError, pack
from engine.recording import Recording
from engine.sandbox.settings import settings

PARAMETER = "p"
"""The address's parameter that holds a program."""
CLOSED = " This installation lets no other site show it yet: its operator names those that may in GRADTAPE_EMBED."


def share_panel(link: Link, recording: Recording | None, *, page: str, key: str) -> None:
    """Offer what is on show as a link to `page` and for embedding; what is too long for a link, as a file."""
    with st.container(key=key, width=380):
        try:
            address = address_of(link, page)
        except LinkError as error:
            st.html(tag("div", text(f"No link this time: {error}. A file holds it; open it there with Open."), cls="gt-note"))
            _files(link, recording)
            return
        st.html(muted(_what(link)) + _line(address, "the link"))
        st.html(
            muted("For a course page: graph, timeline and source, without the rest." + ("" if settings().embed else CLOSED))
            + _line(snippet(address, link.name), "the HTML")
        )
        st.html(muted("The link holds the program itself; nothing is stored anywhere."))


def address_of(link: Link, page: str) -> str:
    """The address that opens a link's program on the page served at `page`.

    Raises:
        LinkError: when the program does not fit into a link.
    """
    parts = urlsplit(page)
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/", f"{PARAMETER}={pack(link)}", ""))


def snippet(address: str, name: str = "") -> str:
    """HTML that shows the program of a link inside another page."""
    title = f"Gradtape: {name}" if name else "Gradtape"
    return (
        f'<iframe src="{text(address + "&embed=true", COPIED)}" title="{text(title)}" '
        'width="100%" height="450" style="border: 0" loading="lazy"></iframe>'
    )


def _line(whole: str, what: str) -> str:
    """The beginning of a long text, and a button that copies all of it."""
    return tag("div", tag("code", text(whole, COPIED)), copy(whole, what), cls="gt-line")


def _what(link: Link) -> str:
    moment = "its end" if link.step is None else f"step {link.step + 1}"
    return (
        f"Opens this program at {moment}, with the same node selected." if link.selected else f"Opens this program at {moment}."
    )


def _files(link: Link, recording: Recording | None) -> None:
    if len(link.cells) == 1:
        st.download_button(
            "Program (.py)", link.cells[0], f"{stem(link.name)}.py", "text/x-python", width="stretch", key="share_program"
        )
    if recording is not None:
        st.download_button(
            "Recording (.gradtape)", recording.to_bytes, f"{stem(link.name)}.gradtape", "application/octet-stream",
            width="stretch", key="share_recording",
        )  # fmt: skip
