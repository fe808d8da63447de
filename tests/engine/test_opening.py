"""Files that people open are read in a process of its own: what comes back is small, and a bad one ends in a sentence."""

from __future__ import annotations

import json
import threading
import tracemalloc
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from engine import opening
from engine.limits import CELLS, MB, PROGRAM, UPLOAD
from engine.opening import Asked, opened, sentence
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import Thinned
from engine.sandbox import Limits, run
from engine.sandbox.calls import CallError
from engine.sandbox.settings import Settings
from engine.sandbox.transport.receiver import Stopped

LARGE = 3_000_000
"""Bytes of a file that would unfold to a hundred megabytes."""
ENOUGH = 20_000_000
"""Bytes that this process may take for any file: the file itself is a part of it."""


def recording(text: str = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n") -> Recording:
    found = run(text, Limits(seconds=60)).recording
    assert found is not None
    return found


def why(data: bytes, name: str) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(CallError) as raised:
        opened(data, name)
    return sentence(raised.value, name)


@pytest.mark.thorough
def test_a_programs_text_comes_back() -> None:
    assert opened(b"\xef\xbb\xbfx = 1\r\ny = 2\r", "a.py") == Program(("x = 1\ny = 2\n",), "a.py")


def test_a_notebooks_cells_come_back_as_they_are_read_here() -> None:
    cells = [
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch"]},
        {"cell_type": "markdown", "source": "text"},
        {"cell_type": "code", "source": "x = '\ud800名'", "outputs": [{"data": {"image/png": "A" * 1000}}]},
    ]
    data = json.dumps({"cells": cells}).encode()
    assert opened(data, "a.ipynb") == Program.from_file(data, "a.ipynb")


def test_a_recording_comes_back_whole() -> None:
    made = recording()
    found = opened(made.to_bytes(), "a.gradtape")
    assert isinstance(found, Recording)
    assert found.to_bytes() == made.to_bytes()


HOSTILE: dict[str, tuple[bytes, str]] = {
    "lists": (b'{"cells":[' + b"[]," * (LARGE // 3) + b"[]]}", "no code cells"),
    "deep": (b"[" * LARGE + b"]" * LARGE, "not valid JSON"),
    "objects": (b'{"a":' * (LARGE // 5) + b"1" + b"}" * (LARGE // 5), "not valid JSON"),
    "cells": (b'{"cells":[' + b",".join([b'{"cell_type":"code","source":"1"}'] * 60_000) + b"]}", f"at most {CELLS.value()}"),
    "text": (b'{"cells":[{"cell_type":"code","source":"' + b"x" * LARGE + b'"}]}', f"at most {PROGRAM.value():,}"),
    "pieces": (b'{"cells":[{"cell_type":"code","source":[' + b'"x",' * (LARGE // 4) + b'"x"]}]}', "at most 500,000"),
    "keys": (b"{" + b'"cells":[],' * (LARGE // 11) + b'"cells":3}', "no list of cells"),
    "number": (b'{"cells":[' + b"9" * LARGE + b"]}", "not valid JSON"),
    "utf-16": ('{"cells":[]}'.encode("utf-16"), "not text in UTF-8"),
    "half": (b'{"cells":[{"cell_type":"code","source":"\xed\xa0\x80"}]}', "not text in UTF-8"),
    "zip": (b"PK\x03\x04" + b"\0" * LARGE, "null characters"),
    "source": (b'{"cells":[{"cell_type":"code","source":{"a":1}}]}', "neither text nor a list of lines"),
    "nothing": (b"", "not valid JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_notebook_is_refused_with_a_sentence_and_takes_nothing_here(name: str) -> None:
    data, says = HOSTILE[name]
    opened(b"1", "a.py")  # what reads them runs
    tracemalloc.start()
    try:
        told = why(data, "a.ipynb")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert told.startswith("a.ipynb cannot be opened: ")
    assert says in told
    assert peak < ENOUGH


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"seconds": 0.001}, "reading it took more than 0.001 seconds, which is the limit here"),
        ({"memory_mb": 40}, "reading it needed more than 40 MB of memory, which is the limit here"),
    ],
)
def test_what_does_not_fit_ends_in_a_sentence_that_names_the_limit(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, Any], says: str
) -> None:
    monkeypatch.setattr(opening, "PROGRAM", replace(opening.PROGRAM, **limits))
    assert says in why(HOSTILE["lists"][0], "a.ipynb")


def test_a_recording_must_keep_to_what_a_run_may_record_where_strangers_come(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Settings(hosted=True, events=20)
    monkeypatch.setattr(opening, "settings", lambda: hosted)
    fits = recording()
    assert len(fits.events) <= 20
    assert isinstance(opened(fits.to_bytes(), "a.gradtape"), Recording)
    long = recording("import torch\nx = torch.ones(2)\nfor i in range(30):\n    x = x * 2\n")
    told = why(long.to_bytes(), "a.gradtape")
    assert "at most 20 events" in told
    assert "`gradtape open`" in told


def test_a_run_that_grew_thinner_at_a_limit_is_opened_where_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Settings(hosted=True, events=50)
    monkeypatch.setattr(opening, "settings", lambda: hosted)
    result = run("import torch\nx = torch.ones(2)\nfor i in range(2000):\n    x = x * 0.5\n", hosted.limits)
    assert result.recording is not None
    assert any(isinstance(event, Thinned) for event in result.recording.events)
    found = opened(result.recording.to_bytes(), "a.gradtape")
    assert isinstance(found, Recording)
    assert len(found.events) == len(result.recording.events)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "too short"),
        (b"GRADTAPE" + b"\0" * 100, "version 0"),
    ],
)
def test_what_is_no_recording_is_refused(data: bytes, says: str) -> None:
    assert says in why(data, "a.gradtape")


def test_a_damaged_recording_is_refused() -> None:
    data = recording().to_bytes()
    assert "truncated" in why(data[:100], "a.gradtape")
    middle = len(data) // 2
    assert "checksum does not fit" in why(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :], "a.gradtape")
    assert "bytes after its end" in why(data + b"1", "a.gradtape")


def test_a_recording_that_was_cut_off_opens_up_to_where_it_ends() -> None:
    found = opened(recording().to_bytes()[:-30], "a.gradtape")
    assert isinstance(found, Recording)
    assert not found.events, "a short one is one chunk"


def test_a_file_that_is_too_large_is_not_even_sent() -> None:
    class Large(bytes):
        def __len__(self) -> int:
            return UPLOAD.value() + 1

    assert "64 MB" in why(Large(), "a.ipynb")


def test_reading_can_be_called_off() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        opened(HOSTILE["lists"][0], "a.ipynb", stop=stop)


def test_what_comes_back_is_bounded() -> None:
    asked = msgspec.msgpack.encode(Asked("a.py"))
    assert len(asked) < 200
    with pytest.raises(msgspec.ValidationError):
        opening._decode_cells(msgspec.msgpack.encode({"cells": ["1"] * (CELLS.value() + 1), "notebook": True}))
    # A notebook's notes come with the text, and the pictures in them: still less than may be taken here for a file.
    assert opening.PROGRAM.output_mb * MB < ENOUGH
