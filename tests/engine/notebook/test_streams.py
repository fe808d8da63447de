"""What is printed is noted on its way."""

from __future__ import annotations

import io
import sys
import warnings
from types import SimpleNamespace

import pytest

from engine.notebook import streams
from engine.notebook.streams import listening


def test_whole_lines_are_noted_and_the_streams_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream(io.StringIO):
        pass

    out, err = Stream(), Stream()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    noted: list[tuple[str, str]] = []
    with listening(lambda text, name: noted.append((name, text)), lambda *_: None):
        assert sys.stdout is out
        print("a", "b")
        print("c", end="")
        sys.stderr.write("d\ne")
        assert noted == [("stdout", "a b\n"), ("stderr", "d\n")]
    assert noted[2:] == [("stderr", "e"), ("stdout", "c")]
    assert (out.getvalue(), err.getvalue()) == ("a b\nc", "d\ne")
    assert not vars(out)
    print("later")
    assert len(noted) == 4


def test_of_very_much_only_the_beginning_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ROOM", 5)
    monkeypatch.setattr(sys, "stdout", type("Stream", (io.StringIO,), {})())
    noted: list[str] = []
    with listening(lambda text, _: noted.append(text), lambda *_: None):
        print("a long line")
        print("another")
    assert "".join(noted) == "a lon"


def test_a_stream_that_cannot_be_listened_to_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        __slots__ = ()

        def write(self, text: str) -> int:
            return len(text)

    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(write=len))
    noted: list[str] = []
    with listening(lambda text, _: noted.append(text), lambda *_: None):
        print("unheard")
        sys.stderr.write("heard\n")
    assert noted == ["heard\n"]
    assert sys.stderr.write is len  # type: ignore[comparison-overlap]


def test_warnings_are_noted_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    noted: list[tuple[str, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        before = warnings.showwarning
        shown: list[str] = []
        warnings.showwarning = lambda message, *_, **__: shown.append(str(message))
        mine = warnings.showwarning
        with listening(lambda *_: None, lambda category, message: noted.append((category, message))):
            warnings.warn("odd", DeprecationWarning, stacklevel=1)
        assert warnings.showwarning is mine
        warnings.showwarning = before
    assert noted == [("DeprecationWarning", "odd")]
    assert shown == ["odd"]
