"""The visitor's work stays in the visitor's browser: what is on show is kept there, and a reload, a restarted server, Back
and the list of recent programs bring it back. No server stores anything.

Each text that ran is a *record*, and the records of one program are its versions; what is typed since is a record of its own
until it runs. The address names the text on show: an example, the text itself where it is short, else a record (`?here=`).
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from components.browser.component_loader import inline, sent
from components.page import address, controls
from components.page.keeping import bring
from components.page.keeping.record import FILES, MAX_FILES, PICTURES, RESULT, UNDONE, UNDONE_TEXT, told
from components.page.state import Page, new_id, page
from engine.recording.story import Story

KEY = "keeper"


def keep(p: Page) -> None:
    """Hand to the browser what is on show, and have the address name it; a word on whether it is kept stands here."""
    settle(p)
    _component()(data=sent(_data(p)), key=KEY, on_told_change=_heed)
    if files := _files(p):
        _component()(data=sent({"kind": "files", "work": p.work, "files": files}), key="keeper_files")


def keep_moment(p: Page) -> None:
    """The same of how the run is looked at, which changes far more often."""
    recording = p.recording
    last = len(recording.events) - 1 if recording is not None else -1
    step = None if p.step is None or p.step >= last else p.step
    picked = p.picked.ids if p.picked.run == p.run_id else []
    moment = {
        "step": step, "selected": p.node, "view": p.view, "direction": p.direction, "panel": p.panel, "mode": p.mode,
        "picked": picked[:20], "watched": p.watched, "hidden": p.chosen.hidden, "coloured": p.chosen.coloured,
    }  # fmt: skip
    _component()(data=sent({"kind": "moment", "moment": moment}), key="keeper_moment")


def list_of_works() -> None:
    """What this browser keeps, as a list to choose from, and the button that forgets it."""
    p = page()
    _component()(data=sent({"kind": "works", "work": p.work, "id": p.record}), key="works_list")


def settle(p: Page) -> None:
    """See which record the text on show belongs to: one that has run is not changed any more."""
    bring.settle(p)
    texts = tuple(p.edited)
    if p.sealed is not None and texts != p.sealed:
        turned = texts == p.turned_to
        if not (turned and p.turning):  # a slider's whole way is one version
            p.record = new_id()
        p.turning, p.sealed = turned, None
    if p.sealed is None and texts == p.ran:
        p.sealed = texts


def _data(p: Page) -> dict[str, Any]:
    """What is kept of the program, and what the browser is to know of this page."""
    large = _too_large(p)
    pinned = p.pinned
    undo: list[str] = []
    room = UNDONE_TEXT
    for each in reversed(p.undo[-UNDONE:]):
        room -= len(each)
        if room < 0:
            break
        undo.insert(0, each)
    record = {
        "id": p.record, "work": p.work, "query": address.query(p), "name": p.name, "cells": p.edited, "own": address.own(p),
        "story": _story(p), "unrun": p.unrun is not None, "arguments": p.arguments, "undo": undo,
        "file": p.file[0] if p.opened is not None and not p.dirty else "",
        "pinned": None
        if pinned is None
        else {"cells": pinned.source, "name": p.pinned_name, "seed": pinned.seed},
    }  # fmt: skip
    return {
        "kind": "program", "session": p.session, "heard": p.heard, "awaits": p.awaited, "record": record, "result": _result(p),
        "rev": p.rev, "large": large, "filed": bool(p.beside or p.file[1]) and not large,
    }  # fmt: skip


def _story(p: Page) -> Story:
    """What stands between the cells; without pictures where they are too large."""
    story = p.program.story
    size = sum(len(picture.data) for note in story.notes for picture in note.pictures)
    return story if size <= PICTURES else story.plain()


def _result(p: Page) -> str:
    """What the text on show came to, in a line; nothing where it has not run."""
    if p.result is None or p.dirty or p.opened is not None:
        return ""
    if p.result.error is not None:
        return f"{p.result.error.type}: {p.result.error.message}"[:RESULT]
    return (p.result.output.rstrip().rpartition("\n")[2])[:RESULT]


def _too_large(p: Page) -> str:
    """Why what is beside the text is not kept, if it is not."""
    size = sum(len(data) for _, data in p.beside) + len(p.file[1])
    if p.opened is not None and not p.file[1]:
        return "the recording is too large"
    return "its files are too large" if size > FILES or len(p.beside) > MAX_FILES else ""


def _files(p: Page) -> dict[str, str]:
    """What is beside the text and is not in the browser yet."""
    files = (p.file,) if p.file[1] else p.beside
    if not files or p.stored == (p.work, files) or p.awaited or _too_large(p):
        return {}
    return {path: base64.b64encode(data).decode() for path, data in files}


def _heed() -> None:
    """The browser tells of what it keeps."""
    message = told(controls.told(KEY, "told"))
    if message is not None:
        bring.take(message)
        if message.kind == "bring":
            controls.put("works", False)  # the list that it was chosen from


_component = inline("keeping", Path(__file__).parent / "keeping.js")
