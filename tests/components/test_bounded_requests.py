"""A request that tells more than a page of ours has is heard without it, and soon."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import StringArray, StringTriggerValue
from streamlit.proto.WidgetStates_pb2 import WidgetState

from components.page import attached
from components.server import bounded_requests
from components.server.bounded_requests import LONGEST, MOST, QUERY, THINGS, things, told_by
from engine.limits import ARGUMENTS
from tests.components.test_requests import Session, asked, click, value


def ids(*widgets: WidgetState, **more: Any) -> list[str]:
    request = asked(*widgets)
    request.MergeFrom(ClientState(**more))
    return [each.id for each in told_by(request)]


def test_what_a_page_tells_is_heard() -> None:
    told = [
        click("run"), value("text", json.dumps({"text": "x = [" + "1, " * 150_000 + "]\n", "rev": 1})),
        value("files", json.dumps({"files": {"a": "QUJD" * 1_000_000}})), WidgetState(id="title", string_value="A title"),
        WidgetState(id="watch", string_array_value=StringArray(data=["x.grad", "w"])), WidgetState(id="both", bool_value=True),
    ]  # fmt: skip
    assert ids(*told) == [each.id for each in told]


@pytest.mark.parametrize(
    "bad",
    [
        WidgetState(id="bad", json_trigger_value="[" + "[]," * THINGS + "1]"),
        WidgetState(id="bad", json_value="[" + '{"a":1},' * THINGS + "1]"),
        WidgetState(id="bad", json_value="[" + '"",' * (THINGS + 1) + "1]"),
        WidgetState(id="bad", json_value='["' + '\\"' * 9 + '",' + "[]," * (THINGS + 1) + "1]"),
        WidgetState(id="bad", string_value="x" * (LONGEST + 1)),
        WidgetState(id="bad", string_trigger_value=StringTriggerValue(data="x" * (LONGEST + 1))),
        WidgetState(id="bad", string_array_value=StringArray(data=[""] * (LONGEST + 1))),
        WidgetState(id="bad", string_array_value=StringArray(data=["x" * LONGEST, "x"])),
    ],
    ids=["lists", "maps", "texts", "lists behind a text", "a text", "a clicked text", "many texts", "long texts"],
)
def test_one_that_tells_more_is_left_out(bad: WidgetState) -> None:
    assert ids(value("before", "1"), bad, value("after", "1")) == ["before", "after"]


def test_what_stands_in_texts_is_no_thing() -> None:
    program = "a = [" + "1, " * THINGS + ']; b = {"\\": "\\\\"}\n'
    assert things(json.dumps({"text": program})) < 10
    assert things(json.dumps([program, "\\" * 9, [1, 2]])) < 20


def test_together_components_tell_so_much_and_no_more() -> None:
    part = "[" + "1," * (THINGS // 3) + "1]"
    assert ids(*(value(f"v{k}", part) for k in range(5))) == ["v0", "v1"]


def test_more_controls_than_a_page_has_are_none() -> None:
    assert ids(*(WidgetState(id=str(k), int_value=1) for k in range(MOST))) == [str(k) for k in range(MOST)]
    assert ids(*(WidgetState(id=str(k), int_value=1) for k in range(MOST + 1))) == []


def test_an_address_and_what_the_browser_holds_are_bounded() -> None:
    request = ClientState(query_string="a=1&" * QUERY, cached_message_hashes=["x"] * (MOST + 1))
    assert told_by(request) == []
    assert (request.query_string, list(request.cached_message_hashes)) == ("", [])


def test_sessions_hear_requests_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_requests, "THINGS", 10)
    session = Session()
    session.ask(asked(click("run"), value("text", "[" + "1," * 20 + "1]")))
    assert session.got == [("", ["run"])]


def test_arguments_that_are_too_long_are_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Page:
        notice = arguments = ""

    def no_run() -> None:
        raise AssertionError("run")

    page = Page()
    monkeypatch.setattr(attached, "page", lambda: page)
    monkeypatch.setattr(attached, "run_typed", no_run)
    monkeypatch.setattr(attached.controls, "value", lambda *_: "x" * (ARGUMENTS.value() + 1))
    attached._argued()
    assert page.arguments == ""
    assert "at most 10,000 characters of a program's arguments" in page.notice
