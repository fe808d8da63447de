"""A notebook's file: code cells, the notes between them with their pictures, and what a lesson keeps in a cell's metadata."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from .. import limits
from ..recording.story import MIMES, Look, Note, Picture, Story
from .magics import without_magics

OURS = "gradtape"
"""The key of a cell's metadata under which a lesson is kept."""
WITHIN = re.compile(r"\((data:(image/[a-z]{1,8});base64,([A-Za-z0-9+/=]+))(?=[\s)])")
"""A picture that stands in a note's text itself; it becomes an attached one."""


class _Kept(msgspec.Struct, omit_defaults=True):
    """What is in the metadata: a `Look` with names, without its cell."""

    moment: int | None = None
    selected: str = ""
    view: str = ""
    predict: str = ""


def lines(text: str) -> str:
    """A text with ends of lines as Python has them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_cells(cells: Sequence[Any]) -> tuple[tuple[str, ...], Story]:
    """The code of a notebook's cells, and its story. Empty cells are left out; so is what there is no room for of notes.

    Raises:
        ValueError: for a code cell whose source is no text.
    """
    code: list[str] = []
    notes: list[Note] = []
    looks: list[Look] = []
    room, letters = limits.PICTURES.value(), limits.PROGRAM.value()
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown"):
            continue
        if cell["cell_type"] == "code":
            source = _source(cell)
            if source.strip():
                looks += _look(cell, len(code))
                code.append(without_magics(lines(source)))
            continue
        note = _note(cell, len(code), room)
        letters -= len(note.text)
        if note.text.strip() and letters >= 0 and len(notes) < limits.CELLS.value() and note.at <= limits.CELLS.value():
            notes.append(note)
            room -= sum(len(picture.data) for picture in note.pictures)
    return tuple(code), Story(tuple(notes), tuple(looks[: limits.CELLS.value()]))


def document_of(cells: Sequence[str], story: Story, outputs: Sequence[list[dict[str, Any]]] = ()) -> str:
    """The text of an .ipynb file, with the code cells' `outputs` where there are any."""
    made: list[dict[str, Any]] = []
    for part in story.parts(len(cells)):
        if isinstance(part, Note):
            attached = {each.name: {each.mime: base64.b64encode(each.data).decode()} for each in part.pictures}
            more = {"attachments": attached} if attached else {}
            made.append({"cell_type": "markdown", "metadata": {}, **more, "source": part.text})
            continue
        look = story.look(part)
        kept = msgspec.to_builtins(_Kept(look.moment, look.selected, look.view, look.predict))
        made.append(
            {
                "cell_type": "code",
                "execution_count": part + 1 if outputs else None,
                "metadata": {OURS: kept} if kept else {},
                "outputs": outputs[part] if outputs else [],
                "source": cells[part],
            }
        )
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}, indent=1)


def _look(cell: Mapping[str, Any], number: int) -> list[Look]:
    metadata = cell.get("metadata")
    try:
        kept = msgspec.convert(metadata[OURS] if isinstance(metadata, dict) else None, _Kept)
        look = msgspec.convert([number, kept.moment, kept.selected, kept.view, kept.predict], Look)
    except (KeyError, msgspec.ValidationError, RecursionError):
        return []
    return [look] if look != Look(number) else []


def _note(cell: Mapping[str, Any], at: int, room: int) -> Note:
    """A note with those of its pictures that there is room for."""
    try:
        text = lines(_source(cell))
    except ValueError:
        return Note(at, "")
    text = text.encode("utf-8", "replace").decode("utf-8")
    pictures: dict[str, Picture] = {}

    def attach(name: str, mime: str, encoded: Any) -> bool:
        nonlocal room
        if (
            mime not in MIMES
            or not isinstance(encoded, str)
            or not 0 < len(name) <= limits.NAME.value()
            or 3 * len(encoded) > 4 * room + 8
        ):
            return False
        try:
            data = base64.b64decode(encoded)
            name.encode()
        except (binascii.Error, ValueError):
            return False
        if len(data) > room:
            return False
        pictures[name] = Picture(name, mime, data)
        room -= len(data)
        return True

    attached = cell.get("attachments")
    for name, kinds in attached.items() if isinstance(attached, dict) else ():
        for mime, encoded in kinds.items() if isinstance(kinds, dict) else ():
            if attach(name, mime, "".join(encoded) if _is_lines(encoded) else encoded):
                break

    def outside(match: re.Match[str]) -> str:
        name = f"picture-{len(pictures) + 1}.{match[2].partition('/')[2]}"
        return f"(attachment:{name}" if attach(name, match[2], match[3]) else "("

    return Note(at, WITHIN.sub(outside, text), tuple(pictures.values()))


def _is_lines(source: Any) -> bool:
    return isinstance(source, list) and all(isinstance(part, str) for part in source)


def _source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if _is_lines(source):
        return "".join(source)
    if isinstance(source, str):
        return source
    raise ValueError("a cell's source is neither text nor a list of lines")
