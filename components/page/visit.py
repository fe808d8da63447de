"""How a visit begins: with the file that the page was started with, with what the address asks for, else with an example."""

from __future__ import annotations

import os
from pathlib import Path

from components.commands import FOLLOW
from components.menus.gallery import DEFAULT, example
from components.page import address
from components.page.following import follow
from components.page.opening import open_example, open_file, open_link
from components.page.state import Page, begin, has_begun, page
from engine.program.share import LinkError, unpack

OPEN = "GRADTAPE_OPEN"
"""The variable with the path of the file that a visit opens with; only who starts the page can set it."""


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
    try:
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
        open_file(data, name, otherwise=lambda: open_example(DEFAULT))
    return True


def _open_what_is_asked_for() -> None:
    """Open the link or the example that the address holds."""
    wanted = address.wanted_example(DEFAULT)
    packed = address.packed_link()
    notice = ""
    if packed is not None:
        try:
            open_link(unpack(packed))
            return
        except LinkError as error:
            notice = f"This link cannot be opened: {error}. Here is an example instead."
            address.forget_link()
    open_example(wanted if example(wanted) is not None else DEFAULT)
    page().notice = notice or page().notice
