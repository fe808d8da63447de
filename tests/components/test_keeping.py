"""What a browser says that it has kept is bad input: of known form and bounded size, or nothing."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from components.page.keeping.record import FILES, MAX_FILES, Moment, Told, files_of, sound_moment, told

RECORD: dict[str, Any] = {"id": "0123abcd", "work": "00000000", "query": "", "name": "mine", "cells": ["x = 1"]}
MESSAGE: dict[str, Any] = {"n": 7, "kind": "bring", "query": "", "record": RECORD, "files": {}}


def test_a_record_is_read() -> None:
    message = told(MESSAGE)
    assert message is not None
    assert message.record is not None
    assert (message.n, message.kind, message.record.cells, message.record.own) == (7, "bring", ("x = 1",), False)


@pytest.mark.parametrize(
    "change",
    [
        {"id": "../secret"}, {"id": "0123ABCD"}, {"work": ""}, {"cells": []}, {"cells": [1]}, {"cells": ["x" * 2_000_000]},
        {"name": "x" * 10_000}, {"query": "x" * 1_000_000}, {"undo": ["x"] * 1_000}, {"moment": {"step": -1}},
        {"moment": {"direction": "UP"}}, {"pinned": {"cells": []}}, {"arguments": 3}, {"own": "yes"},
    ],
)  # fmt: skip
def test_a_record_of_another_form_is_none(change: dict[str, Any]) -> None:
    message = told({**MESSAGE, "record": {**RECORD, **change}})
    assert message is not None, "what it is about is known"
    assert (message.kind, message.record, message.files) == ("bring", None, {})


@pytest.mark.parametrize("message", [None, 3, "told", [], {}, {"n": -1, "kind": "bring"}, {"n": 1, "kind": "eval"}, {"n": 1.5}])
def test_nonsense_is_nothing(message: object) -> None:
    assert told(message) is None


def test_too_many_files_come_with_nothing() -> None:
    message = told({**MESSAGE, "files": {f"{k}.txt": "" for k in range(MAX_FILES + 1)}})
    assert message is not None
    assert (message.record, message.files) == (None, {})


def test_files_are_what_was_kept_or_none_at_all() -> None:
    whole = {"a.txt": base64.b64encode(b"data").decode()}
    assert files_of(Told(1, "bring", files=whole)) == {"a.txt": b"data"}
    assert files_of(Told(1, "bring", files={**whole, "b.txt": "not base64!"})) == {}
    part = "A" * (FILES // 2)
    assert files_of(Told(1, "bring", files=dict.fromkeys("abc", part))) == {}


def test_a_moment_names_nothing_that_no_page_has() -> None:
    made = sound_moment(Moment(step=3, selected="<b>", view="elsewhere"))
    assert (made.step, made.selected, made.view) == (3, None, "tensors")
    assert sound_moment(Moment(selected="t3", view="autograd")) == Moment(selected="t3", view="autograd")
