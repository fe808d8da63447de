"""How a visit begins: with the file that the page was started with, with what the address asks for, else with an example."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from components.commands import FOLLOW
from components.menus.gallery import DEFAULT
from components.page import address
from components.page.following import follow
from components.page.opening import open_asked, open_example, open_file
from components.page.ranks import open_together
from components.page.state import Page, begin, has_begun, page
from engine import limits
from engine.sandbox.settings import settings

OPEN = "GRADTAPE_OPEN"
"""The variable with the path of the file that a visit opens with, or of several; only who starts the page can set it."""


def visitors_page() -> Page:
    """This visitor's page; on a first visit something is opened in it and run."""
    if not has_begun():
        begin()
        if not _open_operators_file():
            _open_what_is_asked_for()
    return page()


def _open_operators_file() -> bool:
    """Open the file that the page was started with (`gradtape open`), unless the address names something else."""
    path = os.environ.get(OPEN)
    if not path or address.asks():
        return False
    p, name = page(), Path(path).name
    p.edited = list(p.program.cells)  # empty, until the file has been read
    if os.pathsep in path:
        return _open_several([Path(each) for each in path.split(os.pathsep)])
    try:
        if os.environ.get(FOLLOW) and os.stat(path).st_size > limits.UPLOAD.value(settings().hosted):
            follow(Path(path), -1)  # which reads it piece by piece
            return True
        data = Path(path).read_bytes()
    except OSError as error:
        if os.environ.get(FOLLOW):
            follow(Path(path), -1)  # it may come yet
            return True
        open_example(DEFAULT)
        p.notice = f"{name} cannot be read: {error.strerror or error}"
    else:
        if os.environ.get(FOLLOW):
            follow(Path(path), len(data))
        open_file(data, name, otherwise=lambda: open_example(DEFAULT), query="")
    return True


def _open_several(paths: list[Path]) -> bool:
    """Open several recordings side by side."""
    try:
        files = {path.name: path.read_bytes() for path in paths}
    except OSError as error:
        open_example(DEFAULT)
        page().notice = f"{error.filename} cannot be read: {error.strerror or error}"
        return True
    open_together(files, otherwise=lambda: open_example(DEFAULT), query="")
    return True


def _open_what_is_asked_for() -> None:
    """Open the link or the example that the address holds."""
    p, asked = page(), address.asked()
    if address.HERE in asked and not st.context.is_embedded:
        p.awaited, p.edited = asked[address.HERE], list(p.program.cells)  # empty, until the browser has handed it over
    elif why := open_asked(asked, DEFAULT):
        open_example(DEFAULT)
        p.notice = why
