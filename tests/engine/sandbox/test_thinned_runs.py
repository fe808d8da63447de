"""Programs run to their end: a recording that has no room for all of a run grows thinner."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import pytest

from engine.diagnosis import findings, why
from engine.graph import build
from engine.graph.shown.captions import captions
from engine.recording import Recording, replay
from engine.recording.events import Accumulated, BackwardBegan, GradSet, NodeRan, OpRan, Printed, Stepped, Thinned
from engine.sandbox import Limits, RunResult, run

HOSTED = Limits(seconds=60, events=10_000, parts=150_000, facts=16 * 2**20, array_bytes=16 * 2**20)
SMALL = Limits(seconds=60, events=2_000)

PROGRAMS = {
    "a recurrence": """
import torch
x = torch.ones(3)
for k in range(100_000):
    x = x * 0.999
print('end')
""",
    "a training": """
import torch
torch.manual_seed(0)
X, Y = torch.randn(8, 4), torch.randn(8, 1)
w = torch.zeros(4, 1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for step in range(5_000):
    loss = ((X @ w - Y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 1_000 == 0:
        print(step, loss.item())
print('end')
""",
    "scalars": """
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(-3.0, requires_grad=True)
for step in range(1_000):
    loss = 0
    for x in (0.5, 1.0, -1.0, 2.0):
        loss = loss + ((a * x + b).tanh() - 0.5) ** 2
    loss.backward()
    with torch.no_grad():
        a -= 0.01 * a.grad
        b -= 0.01 * b.grad
    a.grad = b.grad = None
print('end')
""",
    "no loop": "import torch\nkept = [torch.ones(1) + 1 for _ in range(20_000)]\nprint('end')\n",
    "epochs and batches": """
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randn(64, 1)), batch_size=8, shuffle=True)
for epoch in range(30):
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(epoch, sum(((model(x) - y) ** 2).mean() for x, y in loader).item())
print('end')
""",
    "a function that is called twice": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.001)
def train(n):
    for i in range(n):
        optimizer.zero_grad()
        (w * w).sum().backward()
        optimizer.step()
train(300)
for k in range(200):
    y = w.detach() * 2
train(300)
print('end')
""",
    "a graph that grows through all iterations": """
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
total = 0
for step in range(2_000):
    total = total + (w * w).sum() * 0.001
total.backward()
print('end')
""",
}


@cache
def ran(name: str, limits: Limits = SMALL) -> RunResult:
    return run(PROGRAMS[name].lstrip(), limits)


def recording_of(result: RunResult) -> Recording:
    assert result.status == "ok", result.error
    assert result.recording is not None
    return Recording.load(result.recording.to_bytes())


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_runs_to_its_end_and_its_recording_can_be_used(name: str) -> None:
    recording = recording_of(ran(name))
    assert ran(name).output.endswith("end\n")
    assert len(recording.events) <= SMALL.events
    assert any(isinstance(event, Thinned) for event in recording.events)
    for view in ("tensors", "autograd", "grouped"):
        build(recording, view=view)
    last = len(recording.events) - 1
    state = replay(recording, last)
    for tensor in state.tensors[-20:]:
        why(recording, tensor, last)
    assert len(captions(recording)) == last + 1
    findings(recording)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["a training", "epochs and batches", "a recurrence"])
def test_it_is_recorded_the_same_every_time(name: str) -> None:
    first, second = recording_of(ran(name)), recording_of(run(PROGRAMS[name].lstrip(), SMALL))
    kinds = [[(type(event), event.site, event.scope) for event in recording.events] for recording in (first, second)]
    assert kinds[0] == kinds[1]


@pytest.mark.thorough
def test_on_a_public_installation_five_thousand_steps_leave_their_curve() -> None:
    recording = recording_of(ran("a training", HOSTED))
    assert len(recording.events) <= 10_000
    assert recording.unit == (6, 0, 0)
    roots = [event for event in recording.events if isinstance(event, BackwardBegan)]
    losses = [loss for event in roots if (loss := recording.array(replay_value(recording, event))) is not None]
    assert len(losses) == len(roots) > 500
    changes = [event for event in recording.events if isinstance(event, Thinned) and event.unit]
    assert changes[0].level == "thin"
    assert [event.iteration for event in changes if event.level == "whole"][-1] == 4_999
    assert recording.level(0) == recording.level(len(recording.events) - 1) == "whole"


def replay_value(recording: Recording, event: BackwardBegan) -> int:
    """The array of a pass's root."""
    ((root, _),) = event.roots
    return next(t.array for e in recording.events if isinstance(e, OpRan) for t in e.outputs if t.id == root)


def test_a_thin_iteration_says_who_was_cleared_got_a_gradient_and_was_stepped() -> None:
    recording = recording_of(ran("a training"))
    first = next(step for step, event in enumerate(recording.events) if isinstance(event, Thinned))
    after = next(step for step in range(first + 1, len(recording.events)) if isinstance(recording.events[step], Thinned))
    thin = recording.events[first + 1 : after]
    iterations = recording.events[after].iteration - recording.events[first].iteration  # type: ignore[union-attr]
    for kind in (BackwardBegan, Accumulated, Stepped, GradSet):
        assert sum(isinstance(event, kind) for event in thin) == iterations, kind
    assert not any(isinstance(event, NodeRan) for event in thin)
    (w,) = {event.tensor for event in thin if isinstance(event, Accumulated)}
    writes = [event for event in thin if isinstance(event, OpRan) and event.written]
    assert [[write.tensor for write in event.written] for event in writes] == [[w]] * iterations
    glimpsed = [event for event in thin if isinstance(event, OpRan) and event.outputs]
    assert [event.op for event in glimpsed] == ["mean"] * iterations
    assert {recording.line(event) for event in glimpsed} == {7}
    card = build(recording).nodes[f"t{glimpsed[-1].outputs[0].id}"]
    assert (card["kind"], card["badge"]) == ("result", "thinly recorded")
    assert replay(recording, after - 1).tensor(glimpsed[-1].outputs[0].id).name == "loss"


def test_values_of_thin_iterations_are_those_of_a_whole_run() -> None:
    program = PROGRAMS["a training"].lstrip().replace("5_000", "400")
    whole, thin = recording_of(run(program, Limits(seconds=60))), recording_of(run(program, SMALL))
    assert not any(isinstance(event, Thinned) for event in whole.events)

    def losses(recording: Recording) -> dict[int, float]:
        found = {}
        for event in recording.events:
            if isinstance(event, BackwardBegan):
                array = recording.array(replay_value(recording, event))
                assert array is not None
                found[recording.scopes[event.scope].loops[0][1]] = float(array)
        return found

    some, every = losses(thin), losses(whole)
    assert len(every) == 400
    assert 40 < len(some) < 400
    assert some.items() <= every.items()


def test_the_first_nan_makes_the_next_iterations_whole() -> None:
    program = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for step in range(300):
    loss = (w * w).sum()
    if step == 155:
        loss = loss * float('nan')
    loss.backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
    w.grad.zero_()
"""
    recording = recording_of(run(program, Limits(seconds=60, events=3_000)))
    changes = [event for event in recording.events if isinstance(event, Thinned)]
    whole = [a.iteration for a, b in pairwise(changes) if a.level == "whole"]
    assert 156 in whole
    roots = [recording.array(replay_value(recording, event)) for event in recording.events if isinstance(event, BackwardBegan)]
    assert any(value is not None and math.isnan(value) for value in roots)


def test_what_is_printed_is_kept_however_little_is_recorded() -> None:
    result = run("import torch\nx = torch.ones(2)\nfor k in range(5_000):\n    x = x + 1\n    print(k)\n", SMALL)
    assert result.status == "ok"
    assert result.output == "".join(f"{k}\n" for k in range(5_000))
    assert result.recording is not None
    assert sum(isinstance(event, Printed) for event in result.recording.events) < 1_500


def test_an_error_after_a_thin_part_has_its_line() -> None:
    result = run(
        "import torch\nx = torch.ones(2)\nfor k in range(5_000):\n    x = x + 1\nraise ValueError(x.sum().item())", SMALL
    )
    assert (result.status, result.error and result.error.line) == ("error", 5)


def test_a_run_that_fits_is_not_thinned() -> None:
    program = PROGRAMS["a training"].lstrip().replace("5_000", "30")
    recording = recording_of(run(program, SMALL))
    assert not any(isinstance(event, Thinned) for event in recording.events)
    assert recording.unit == ()
