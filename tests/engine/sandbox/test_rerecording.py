"""Any iteration can be had: the program runs again with the seed of the first run, and with that iteration whole."""

from __future__ import annotations

import pytest

from engine.experiments.rerecord import Again, rerecord, scalars
from engine.program import Program
from engine.recording import Recording
from engine.recording.events import NodeRan, Thinned
from engine.recording.levels import iterations_of
from engine.sandbox import Limits, run

SMALL = Limits(seconds=60, events=2_000)
TRAINING = """import random
import numpy as np
import torch
X, Y = torch.randn(8, 4), torch.randn(8, 1)
w = torch.zeros(4, 1, requires_grad=True)
rng = np.random.default_rng()
optimizer = torch.optim.SGD([w], lr=0.01)
for epoch in range(10):
    for step in range(40):
        noise = random.random() + np.random.rand() + rng.random()
        loss = ((X @ w - Y) ** 2).mean() * noise
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def again(text: str, iteration: int) -> tuple[Recording, Again, Recording]:
    """A run that was recorded thinly, and what became of it when an iteration was wanted whole."""
    program = Program.from_text(text)
    thin = run(program, SMALL).recording
    assert thin is not None
    opened = Recording.load(thin.to_bytes())
    assert opened.seed == thin.seed is not None
    made = rerecord(opened, program, iteration, iteration, SMALL)
    assert made.result.status == "ok", made.result.error
    assert made.result.recording is not None
    return opened, made, Recording.load(made.result.recording.to_bytes())


def test_an_unseeded_program_runs_again_as_it_ran() -> None:
    first = run(
        "import torch, random\nimport numpy as np\nprint(torch.randn(1), random.random(), np.random.default_rng().random())"
    )
    assert first.recording is not None
    source = first.recording.source[0]
    assert run(source, seed=first.recording.seed).output == first.output
    assert run(source).output != first.output


@pytest.mark.parametrize("iteration", [137, 399])
def test_an_iteration_that_was_not_recorded_is_had_whole(iteration: int) -> None:
    before, made, after = again(TRAINING, iteration)
    assert before.unit == (9, 0, 0)
    iterations = iterations_of(after)
    first = iterations.steps[iterations.numbers.index(iteration)]
    assert after.whole(first)
    inside = [event for step, event in enumerate(after.events) if iterations.at(step) == iteration]
    assert sum(isinstance(event, NodeRan) for event in inside) >= 4
    assert iterations.numbers[-1] == iteration
    assert after.scopes[inside[-1].scope].loops[1:] == ((9, iteration % 40),)
    assert made.same, made.difference
    assert len(scalars(before).keys() & scalars(after).keys()) > 5


def test_a_run_that_depends_on_the_time_is_another_run() -> None:
    text = TRAINING.replace("import random\n", "import random, time\n").replace(
        "noise =", "noise = time.perf_counter() * 1e6 % 1 +"
    )
    _, made, _ = again(text, 137)
    assert not made.same
    assert made.difference.startswith("In iteration 0, line 13, the root of the backward pass is ")


def test_iterations_are_counted_over_all_runs_of_their_loop() -> None:
    recording = run(TRAINING, SMALL).recording
    assert recording is not None
    iterations = iterations_of(recording)
    for step, number in zip(iterations.steps, iterations.numbers, strict=True):
        event = recording.events[step]
        if not isinstance(event, Thinned):
            (_, epoch), (_, k), *_ = recording.scopes[event.scope].loops
            assert number == 40 * epoch + k


def test_a_recording_that_holds_everything_has_nothing_to_record_again() -> None:
    recording = run("import torch\nx = torch.ones(1)").recording
    assert recording is not None
    with pytest.raises(ValueError, match="holds all of its run"):
        rerecord(recording, Program.from_text("import torch"), 1, 1)
