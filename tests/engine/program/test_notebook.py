"""Notebooks as files: notes, their pictures and what a lesson keeps come back as they were, and nothing else gets in."""

from __future__ import annotations

import base64
import json
from typing import Any

import nbformat
import pytest

from engine import limits
from engine.export import export
from engine.opening import opened
from engine.program import Program, ProgramError
from engine.program.share import Link, LinkError, pack, program_of, unpack
from engine.recording import Recording
from engine.recording.story import Look, Note, Picture, Story
from engine.sandbox import run

PIXEL = base64.b64encode(b"\x89PNG not much of one").decode()


def markdown(text: str, **more: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text, **more}


def code(text: str, **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": metadata, "source": text, "outputs": [], "execution_count": None}


def program(*cells: dict[str, Any]) -> Program:
    data = json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).encode()
    return Program.from_file(data, "lesson.ipynb")


LESSON = program(
    markdown("# A title\n\n$x^2$ and ![mine](attachment:a.png)", attachments={"a.png": {"image/png": PIXEL}}),
    code("import torch\nx = torch.tensor(3.0, requires_grad=True)"),
    code("  \n"),
    markdown("Now:"),
    markdown("guess"),
    code("(x * x).backward()\nx.grad", gradtape={"predict": "x.grad", "selected": "x", "moment": 4}),
    markdown("The end"),
)


def test_notes_stand_between_the_cells() -> None:
    assert [(note.at, note.text) for note in LESSON.story.notes] == [
        (0, "# A title\n\n$x^2$ and ![mine](attachment:a.png)"), (1, "Now:"), (1, "guess"), (2, "The end"),
    ]  # fmt: skip
    assert LESSON.story.notes[0].pictures == (Picture("a.png", "image/png", base64.b64decode(PIXEL)),)
    assert LESSON.story.looks == (Look(1, 4, "x", "", "x.grad"),)
    parts = [part if isinstance(part, int) else part.text[:5] for part in LESSON.story.parts(2)]
    assert parts == ["# A t", 0, "Now:", "guess", 1, "The e"]
    assert [(len(notes), cell) for notes, cell in LESSON.story.pages(2)] == [(1, 0), (2, 1), (1, None)]


def test_a_notebook_comes_back_from_its_file_as_it_was() -> None:
    assert Program.from_file(LESSON.to_notebook().encode(), "lesson.ipynb") == LESSON
    assert opened(LESSON.to_notebook().encode(), "lesson.ipynb") == LESSON
    nbformat.validate(nbformat.reads(LESSON.to_notebook(), as_version=4))


def test_a_run_keeps_the_story_in_its_recording_and_hands_it_on() -> None:
    made = run(LESSON).recording
    assert made is not None
    assert made.story == LESSON.story
    recording = Recording.load(made.to_bytes())
    assert recording.story == LESSON.story
    again = Program.from_file(export(recording, "ipynb"), "lesson.ipynb")
    assert (again.cells, again.story) == (LESSON.cells, LESSON.story)
    book = nbformat.reads(export(recording, "ipynb").decode(), as_version=4)
    assert [cell.cell_type for cell in book.cells] == ["markdown", "code", "markdown", "markdown", "code", "markdown"]
    assert book.cells[4].outputs[0].data["text/plain"] == "tensor(6.)"


def test_a_link_holds_the_notes() -> None:
    link = Link(LESSON.cells, True, "lesson", story=LESSON.story)
    assert program_of(unpack(pack(link))).story == LESSON.story
    with pytest.raises(LinkError):
        unpack(pack(Link(("x = 1",), False, "no notebook", story=LESSON.story)))
    with pytest.raises(LinkError):
        unpack(pack(Link(("x = 1",), True, "nowhere", story=Story((Note(3, "far behind"),)))))


def test_pictures_within_the_text_become_attached_ones() -> None:
    (note,) = program(markdown(f"![a](data:image/png;base64,{PIXEL})"), code("1")).story.notes
    assert note.text == "![a](attachment:picture-1.png)"
    assert [picture.name for picture in note.pictures] == ["picture-1.png"]


@pytest.mark.parametrize(
    "attachments",
    [
        {"a.svg": {"image/svg+xml": PIXEL}}, {"a.png": {"text/html": PIXEL}}, {"a.png": 3}, {"a.png": {"image/png": 3}}, 3,
        {"a.png": {"image/png": "AAAA" * limits.PICTURES.value()}}, {"": {"image/png": PIXEL}},
        {"x" * 1_000: {"image/png": PIXEL}},
    ],
)  # fmt: skip
def test_what_is_no_picture_that_is_shown_is_left_out(attachments: Any) -> None:
    (note,) = program(markdown("![](attachment:a.png)", attachments=attachments), code("1")).story.notes
    assert note == Note(0, "![](attachment:a.png)")


@pytest.mark.parametrize("kept", [3, [], {"moment": -1}, {"moment": "x"}, {"predict": "x" * 9_999}, {"moment": 2**40}])
def test_a_lesson_that_makes_no_sense_is_none(kept: Any) -> None:
    assert program(code("1", gradtape=kept)).story == Story()


def test_notes_beyond_what_there_is_room_for_are_left_out() -> None:
    made = program(*[markdown("x" * 100_000)] * 7, code("1"))
    assert len(made.story.notes) == 5
    with pytest.raises(ProgramError, match="notes are too long"):
        Program.from_cells(("1",), story=Story((Note(0, "x" * 500_001),)))


def test_a_note_of_half_a_character_can_be_sent() -> None:
    assert program(markdown("\ud800"), code("1")).story.notes[0].text == "?"


def test_a_story_can_be_cut_and_changed() -> None:
    first = LESSON.story.until(1)
    assert [note.at for note in first.notes] == [0, 1, 1]
    assert first.looks == ()
    told = LESSON.story.looking(Look(0, 2)).looking(Look(1))
    assert told.looks == (Look(0, 2),)
    assert told.look(1) == Look(1)
