"""Recordings as JSON: documented, complete, and read with suspicion."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.export import export, from_json, schema
from engine.program import Program
from engine.recording import Recording, RecordingError, StoredArray, store
from engine.recording.store import DTYPES
from engine.sandbox import run
from tests.engine.export.hostile import hostile
from tests.engine.export.programs import NAMES, recorded


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_comes_back_as_it_was(name: str) -> None:
    recording = recorded(name)
    written = export(recording, "json")
    again = from_json(written)
    for field in dataclasses.fields(recording):
        if field.name != "derived":
            assert getattr(again, field.name) == getattr(recording, field.name)
    assert export(again, "json") == written
    assert from_json(written).to_bytes() == again.to_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_describes_what_is_written(name: str) -> None:
    import jsonschema  # for seconds: beside Jupyter it reads grammars of web addresses

    jsonschema.validate(json.loads(export(recorded(name), "json")), schema())


def test_a_notebooks_run_and_an_error_come_back() -> None:
    program = Program.from_cells(("import torch\nx = torch.ones(2, requires_grad=True)\nx", "x.backward()"))
    recording = run(program).recording
    assert recording is not None
    assert from_json(export(recording, "json")).events == recording.events


@pytest.mark.parametrize("dtype", list(DTYPES))
def test_arrays_of_every_dtype_come_back(dtype: str) -> None:
    values = np.array([[0, 1, 2], [3, 4, 5]]).astype(DTYPES[dtype])
    arrays = [store(values), store(values[0, 0]), store(values[:0])]
    recording = Recording(arrays=arrays)
    assert from_json(export(recording, "json")).arrays == arrays


def test_what_json_has_no_word_for_comes_back() -> None:
    values = np.array([1.5, math.nan, math.inf, -math.inf, -0.0, 1e-45], dtype=np.float32)
    complex_values = np.array([complex(math.nan, 1), complex(0, -math.inf)], dtype=np.complex64)
    arrays = [store(values), store(complex_values), store(np.full(50, math.nan), cap=10)]
    data = export(Recording(arrays=arrays), "json")
    assert json.loads(data)["arrays"][0]["data"][1:4] == ["NaN", "Infinity", "-Infinity"]
    again = from_json(data).arrays
    assert again[:2] == arrays[:2]
    assert again[2].summary is not None
    assert math.isnan(again[2].summary.mean)
    assert again[2].summary.nan == 50


def test_fields_have_names() -> None:
    document = json.loads(export(recorded("mean_of_squares"), "json"))
    event = next(event for event in document["events"] if event["kind"] == "accumulate")
    assert {"number", "tensor", "increment", "total"} <= event.keys()
    assert document["sites"][0].keys() <= {"cell", "line", "column", "end_line", "end_column"}


def test_hostile_text_comes_back_as_it_was() -> None:
    assert from_json(export(hostile(), "json")).events == hostile().events


def broken(change: Callable[[Any], object]) -> bytes:
    document = json.loads(export(recorded("mean_of_squares"), "json"))
    change(document)
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("events"),
        lambda d: d.update(version=99),
        lambda d: d.update(format="other"),
        lambda d: d.update(more=1),
        lambda d: d["events"][0].update(kind="unheard"),
        lambda d: d["events"][0].update(site=10**6),
        lambda d: d["events"][0].update(surprise=1),
        lambda d: d["arrays"][0].update(data=[[[[1]]]]),
        lambda d: d["arrays"][0].update(data="x"),
        lambda d: d["arrays"][0].update(data=None),
        lambda d: d["arrays"][0].update(dtype="object"),
        lambda d: d["arrays"][0].update(shape=[10**9, 10**9]),
        lambda d: d["arrays"][0].update(shape=[-1]),
        lambda d: d["arrays"].append({"dtype": "int8", "shape": [1], "data": [300]}),
        lambda d: d["arrays"].append({"dtype": "int64", "shape": [1], "data": [1.5]}),
        lambda d: d["arrays"].append({"dtype": "bool", "shape": [1], "data": [2]}),
        lambda d: d["arrays"].append({"dtype": "float32", "shape": [1], "data": [True]}),
        lambda d: d["arrays"].append({"dtype": "float32", "shape": [1], "data": ["one"]}),
    ],
)
def test_a_document_that_is_not_sound_is_refused(change: Callable[[Any], object]) -> None:
    with pytest.raises(RecordingError):
        from_json(broken(change))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format":"gradtape"}', b"[" * 100_000])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(RecordingError):
        from_json(data)


def test_arrays_are_whole_or_summaries() -> None:
    big = store(np.arange(100.0), cap=10)
    assert isinstance(big, StoredArray)
    assert from_json(export(Recording(arrays=[big]), "json")).arrays == [big]
