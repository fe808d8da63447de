"""A notebook's notes, rendered by the visitor's own browser: Streamlit's Markdown lets no HTML of theirs through, and has KaTeX."""

from __future__ import annotations

import re
from base64 import b64encode

import streamlit as st

from engine.recording.story import Note

PICTURE = re.compile(r"!\[([^\]\n]{0,500})\]\(\s{0,9}<?([^)\s>]{1,2000})>?(?:\s[^)\n]{0,200})?\)")
"""A picture in a text."""
TAG = re.compile(r"<img\b[^>\n]{0,1000}?\bsrc\s?=\s?[\"']?attachment:([^\"'\s>]{1,500})[^>\n]{0,1000}>", re.IGNORECASE)
"""One that is written as HTML, as Jupyter does when it is resized."""
BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)


def prose(note: Note) -> None:
    """Show a note. Its pictures stand in the page itself, as data; those elsewhere are links, and nothing is fetched."""
    st.markdown(shown(note))


def shown(note: Note) -> str:
    """Its text, with the attached pictures in it."""
    pictures = {picture.name: picture for picture in note.pictures}

    def placed(match: re.Match[str]) -> str:
        words, where = match[1], match[2]
        if where.startswith("attachment:"):
            picture = pictures.get(where.removeprefix("attachment:"))
            if picture is None:
                return f"*{words or 'a picture that is not kept here'}*"
            return f"![{words}](data:{picture.mime};base64,{b64encode(picture.data).decode()})"
        if where.startswith("data:"):
            return match[0]
        return f"[{words or where}]({where})"

    text = TAG.sub(r"![](attachment:\1)", note.text)
    return PICTURE.sub(placed, BREAK.sub("  \n", text))
