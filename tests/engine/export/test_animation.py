"""An animation shows the steps of a short run or of one pass, each as its picture is, in one size and in the same colours."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.export import Options, export
from engine.export.animation import FEWEST, FRAMES, PIXELS, RESTS, scale_of, shown
from engine.export.picture import picture
from engine.export.png import png
from engine.graph.design import palette
from engine.recording import Recording
from engine.recording.index import index_of
from engine.sandbox import run


def frames(data: bytes) -> list[np.ndarray]:
    return [np.asarray(frame.convert("RGB")).astype(int) for frame in ImageSequence.Iterator(Image.open(io.BytesIO(data)))]


def made(text: str) -> Recording:
    recording = run(text).recording
    assert recording is not None
    return recording


SHORT = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x\ny.backward()\ny = x * 5\n(y + 1).backward()\n"


@pytest.fixture(scope="module")
def short() -> Recording:
    return made(SHORT)


def near(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two pictures are the same but for the colours that 256 do not have."""
    return float(np.abs(one - other).mean()) < 0.5


@pytest.mark.thorough
def test_a_short_run_is_shown_from_its_first_step_to_its_last(short: Recording) -> None:
    options = Options(theme="dark", title="square")
    made = frames(export(short, "gif", options))
    assert len(made) == len(short.events) < FRAMES
    (shape,) = {each.shape for each in made}
    assert shape[0] * shape[1] <= PIXELS * 1.1
    stage = np.array(list(bytes.fromhex(palette("dark").stage[1:])))
    assert all(np.abs(each[[2, -1, -1], [2, 2, -1]] - stage).max() == 0 for each in made), "the ground is never another"
    for step in (0, len(made) // 2, len(made) - 1):
        still = picture(short, Options(theme="dark", title="square", step=step))
        same = np.asarray(Image.open(io.BytesIO(png(still, scale_of(picture(short, options))))).convert("RGB")).astype(int)
        height, width, _ = same.shape
        assert near(made[step][:height, :width], same), step
    assert not near(made[0], made[-1])


@pytest.mark.thorough
def test_it_plays_again_and_again_and_rests_at_its_end(short: Recording) -> None:
    file = Image.open(io.BytesIO(export(short, "gif")))
    assert file.info["loop"] == 0
    lasts = []
    for frame in ImageSequence.Iterator(file):
        lasts.append(frame.info["duration"])
    assert lasts[-1] == RESTS > 3 * lasts[0] > 0
    assert set(lasts[:-1]) == {lasts[0]}


def test_of_a_longer_run_it_is_the_pass_on_show_or_the_last_one() -> None:
    recording = made(
        "import torch\nw = torch.tensor(1., requires_grad=True)\nfor i in range(6):\n    (w * 2 * 3 * 4 + i).backward()\n"
    )
    passes = list(index_of(recording).passes.values())
    assert len(recording.events) > FRAMES
    for step, wanted in ((len(recording.events) - 1, passes[-1]), (passes[1].began + 1, passes[1]), (0, passes[-1])):
        steps = list(shown(recording, step, FRAMES))
        assert steps == list(range(wanted.began - 1, min(wanted.ended, len(recording.events) - 1) + 1))
    assert list(shown(recording, passes[1].began, 2)) == [passes[1].began - 1, passes[1].ended]


def test_what_has_no_pass_is_shown_in_steps_far_apart() -> None:
    recording = made("import torch\nx = torch.ones(2)\nfor i in range(200):\n    x = x + 1\n")
    last = len(recording.events) - 1
    for most, count in ((FRAMES, FRAMES), (20, 20), (FEWEST, FEWEST)):
        steps = shown(recording, last, most)
        assert len(steps) == len(set(steps)) == count
        assert (steps[0], steps[-1]) == (0, last)
        assert list(steps) == sorted(steps)


def test_a_step_that_there_is_not_and_a_run_of_nothing(short: Recording) -> None:
    with pytest.raises(IndexError, match="there is no step 99"):
        export(short, "gif", Options(step=99))
    assert len(frames(export(made("1 + 1"), "gif"))) == 1
