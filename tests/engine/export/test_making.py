"""Files are made in a process of their own: as they are made here, without opening anything, within limits that have a name."""

from __future__ import annotations

import io
import threading
from dataclasses import replace

import msgspec
import pytest
from PIL import Image

from engine.export import FORMATS, Options, export
from engine.export.isolated import FILE, Wanted, make_file, requested, sentence, written
from engine.progress import untold
from engine.recording import Recording
from engine.sandbox import Limits, run
from engine.sandbox.calls import CallError
from engine.sandbox.transport.receiver import Stopped
from tests.engine.export.hostile import hostile
from tests.engine.export.programs import recorded


def long() -> Recording:
    """Many thousand events, of which any file takes many megabytes to make."""
    made = run("import torch\nx = torch.ones(2)\nfor i in range(20000):\n    x = x + 1\n", Limits(seconds=60)).recording
    assert made is not None
    return made


LOOK = Options("autograd", "TB", 20, "dark", "Größe × 名", fonts=False)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "py"])
def test_another_process_makes_the_same_file(name: str) -> None:
    recording = recorded("repeated_backward" if name != "gif" else "broadcasting")
    assert make_file(name, recording, LOOK) == export(recording, name, LOOK)


def test_a_script_is_made_of_the_text_in_the_editors() -> None:
    assert make_file("py", None, Options(), ("x = torch.ones(2)", "x + 1")) == (
        b"import torch\n\n# %%\nx = torch.ones(2)\n\n# %%\nx + 1\n"
    )


@pytest.mark.parametrize("name", ["svg", "png", "pdf", "dot", "graphml", "json", "ipynb"])
def test_what_needs_letters_that_no_font_of_ours_has_opens_no_file_either(name: str) -> None:
    """Every process that makes a file is forked from one that has made a small one; this one has all that is unusual, too."""
    recording = Recording.load(hostile().to_bytes())  # as another process gets it, with long names cut
    assert make_file(name, recording, Options(title="漢字 🙂 \ud800"[:4])) == export(
        recording, name, Options(title="漢字 🙂 \ud800"[:4], fonts=False)
    )


def test_a_letter_that_no_font_has_is_a_box_in_an_image() -> None:
    def shown(title: str) -> bytes:
        return Image.open(io.BytesIO(make_file("png", recorded("broadcasting"), Options(title=title)))).convert("L").tobytes()

    assert shown("漢") == shown("字") != shown(" ")


def test_it_tells_how_far_it_is() -> None:
    told: list[float] = []
    make_file("pdf", recorded("tiny_mlp"), Options(), tell=told.append)
    assert len(told) > 20
    assert told == sorted(told)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limits", "status", "says"),
    [
        ({"seconds": 0.01}, "timeout", "took more than 0.01 seconds, which is the limit here. Save the recording itself"),
        ({"memory_mb": 1}, "memory", "needed more than 1 MB of memory, which is the limit here"),
        ({"output_mb": 0}, "too_large", "it would be larger than 0 MB, which is the limit here"),
    ],
)
def test_a_file_that_does_not_fit_ends_in_a_sentence_that_names_the_limit(
    limits: dict[str, int], status: str, says: str
) -> None:
    by = replace(FILE, **limits)  # type: ignore[arg-type]
    with pytest.raises(CallError) as raised:
        make_file("json", long(), Options(), by=by)
    assert raised.value.status == status
    assert says in sentence(raised.value, "JSON file", by)
    assert make_file("dot", recorded("broadcasting"), Options()).startswith(b"digraph"), "and the next one is made"


def test_a_step_that_there_is_not_is_refused() -> None:
    with pytest.raises(CallError, match="there is no step 999") as raised:
        make_file("svg", recorded("broadcasting"), Options(step=999))
    assert raised.value.status == "refused"
    assert sentence(raised.value, "SVG file").startswith("The SVG file could not be made: there is no step 999;")


def test_it_can_be_called_off() -> None:
    stop = threading.Event()
    with pytest.raises(Stopped):
        make_file("pdf", recorded("tiny_mlp"), Options(), stop=stop, tell=lambda _: stop.set())


def test_the_page_makes_no_copy_of_the_arrays_that_it_sends() -> None:
    recording = recorded("tiny_mlp")
    pieces = written(Wanted("svg"), recording)
    assert recording.arrays.pieces
    assert set(map(id, recording.arrays.pieces)) <= set(map(id, pieces))
    wanted, again = requested(memoryview(b"".join(pieces)), untold)
    assert wanted == Wanted("svg")
    assert again.to_bytes() == recording.to_bytes()


def test_what_is_wanted_is_typed() -> None:
    head = msgspec.msgpack.encode({"format": "svg", "view": "everything"})
    with pytest.raises(msgspec.ValidationError):
        requested(memoryview(len(head).to_bytes(4, "little") + head), untold)


def test_a_recording_is_handed_out_as_it_is() -> None:
    recording = recorded("broadcasting")
    assert Recording.load(make_file("gradtape", recording, Options())).to_bytes() == recording.to_bytes()
