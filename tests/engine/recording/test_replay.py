"""The state at any step is what the program had after that event."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from engine.recording import NOTHING, Recording, replay
from engine.recording.events import Accumulated, BackwardEnded, FlagSet, Named, NodeRan, OpRan
from tests.engine.recordings import Tape, chain, product, two_passes


def steps_of(recording: Recording, kind: type) -> list[int]:
    return [step for step, event in enumerate(recording.events) if isinstance(event, kind)]


@pytest.fixture
def recording() -> Recording:
    return two_passes().recording()


def item(recording: Recording, array: int) -> float | None:
    """The only element of a stored array."""
    found = recording.array(array)
    return None if found is None else found.item()


def grad_of(recording: Recording, name: str, step: int) -> float | None:
    state = replay(recording, step)
    return item(recording, state.tensor(state.names[name]).grad)


def test_before_the_first_event_there_is_nothing(recording: Recording) -> None:
    state = replay(recording, -1)
    assert (state.event, state.names, state.tensors, state.backward) == (None, {}, (), None)
    with pytest.raises(KeyError):
        state.tensor(0)


@pytest.mark.parametrize("step", [-2, 10_000])
def test_steps_outside_the_recording_are_refused(recording: Recording, step: int) -> None:
    with pytest.raises(IndexError):
        replay(recording, step)


def test_gradients_add_up_over_the_two_passes(recording: Recording) -> None:
    first, second = steps_of(recording, BackwardEnded)
    assert [grad_of(recording, name, first) for name in ("x1", "x2", "y1")] == [42, 23, None]
    assert [grad_of(recording, name, second) for name in ("x1", "x2", "y1")] == [84, 46, None]


def test_the_ledger_grows_with_the_steps(recording: Recording) -> None:
    end = len(recording.events) - 1
    rows = replay(recording, end).ledger(0)
    values = [(row.kind, row.number, row.line, item(recording, row.increment), item(recording, row.total)) for row in rows]
    assert values == [("backward", 1, 10, 42, 42), ("backward", 2, 10, 42, 84)]
    assert replay(recording, rows[0].step - 1).ledger(0) == []
    assert replay(recording, rows[0].step).ledger(0) == rows[:1]


def test_a_name_follows_the_loop_and_the_old_tensor_keeps_it(recording: Recording) -> None:
    first, second = (step for step in steps_of(recording, Named) if recording.events[step].name == "y1")  # type: ignore[union-attr]
    old, new = replay(recording, first).names["y1"], replay(recording, second).names["y1"]
    assert old != new
    assert "y1" not in replay(recording, first - 1).names
    assert replay(recording, second).tensor(old).name == "y1"
    assert replay(recording, second - 1).tensor(new).name == ""


def test_a_swap_swaps_the_names() -> None:
    tape = Tape()
    a, b = tape.leaf(1.0, name="a"), tape.leaf(2.0, name="b")
    tape.name("a", b)
    tape.name("b", a)
    state = replay(tape.recording(), len(tape.events) - 1)
    assert state.names == {"a": b.id, "b": a.id}
    assert [state.tensor(one.id).name for one in (a, b)] == ["b", "a"]


def test_a_parameter_of_a_function_does_not_rename_what_is_passed() -> None:
    tape = Tape()
    x = tape.leaf(1.0, name="x")
    tape.name("inside", x, function="f")
    state = replay(tape.recording(), len(tape.events) - 1)
    assert state.tensor(x.id).name == "x"
    assert state.names == {"x": x.id}
    assert state.locals("f") == {"inside": x.id}


def test_the_running_node_and_what_it_sends_are_known(recording: Recording) -> None:
    step = steps_of(recording, NodeRan)[0]
    backward = replay(recording, step).backward
    assert backward is not None
    assert backward.number == 1
    assert [(flow.edge, item(recording, flow.array)) for flow in backward.flowing] == [(0, 4), (1, 11)]
    assert backward.done == (backward.node,)
    assert backward.buffers.keys() == {flow.target for flow in backward.flowing}
    after = replay(recording, step + 1).backward
    assert after is not None
    assert after.node in backward.buffers
    assert after.node not in after.buffers


def test_a_gradient_waits_in_the_buffer_until_its_node_runs(recording: Recording) -> None:
    for step in range(len(recording.events)):
        backward = replay(recording, step).backward
        if backward is None:
            continue
        for node, arrivals in backward.buffers.items():
            assert not backward.has_run(node)
            assert arrivals == backward.received(node)
            assert all(arrival.step <= step for arrival in arrivals)


def test_outside_a_pass_there_is_no_backward_state(recording: Recording) -> None:
    began = [step for step in range(len(recording.events)) if replay(recording, step).backward]
    first, second = steps_of(recording, BackwardEnded)
    assert began == [*range(14, first), *range(37, second)]


def test_in_place_writes_change_value_version_and_node() -> None:
    tape = Tape()
    x = tape.leaf(2.0, name="x")
    y = product(tape, x, x, 1, "y")
    before = len(tape.events) - 1
    tape.write("mul_", y, [3], y.array * 3, lambda g: [g * 3])
    recording = tape.recording()
    old, new = replay(recording, before).tensor(y.id), replay(recording, before + 1).tensor(y.id)
    assert (item(recording, old.value), old.version) == (4, 0)
    assert (item(recording, new.value), new.version) == (12, 1)
    assert new.node == y.node != old.node


def test_flags_and_cleared_gradients_are_seen() -> None:
    tape = Tape()
    x = tape.leaf(2.0, name="x", requires_grad=False)
    tape.events.append(FlagSet(tensor=x.id, flag="requires_grad", value=True))
    flagged = len(tape.events) - 1
    x.requires_grad = True
    y = product(tape, x, x, 1, "y")
    tape.events.append(FlagSet(tensor=y.id, flag="retain_grad", value=True))
    tape.backward(y)
    tape.zero_grad(x)
    recording = tape.recording()
    end = len(recording.events) - 1
    assert [replay(recording, step).tensor(x.id).requires_grad for step in (flagged - 1, flagged)] == [False, True]
    assert [replay(recording, step).tensor(y.id).retains_grad for step in (flagged + 2, end)] == [False, True]
    assert [row.kind for row in replay(recording, end).ledger(x.id)] == ["backward", "zero_"]
    assert item(recording, replay(recording, end).tensor(x.id).grad) == 0
    assert replay(recording, 0).tensor(x.id).grad == NOTHING


def test_replay_agrees_with_playing_the_events_one_by_one() -> None:
    recording = two_passes().recording()
    values: dict[int, int] = {}
    grads: dict[int, int] = {}
    names: dict[str, int] = {}
    for step, event in enumerate(recording.events):
        match event:
            case OpRan():
                values |= {info.id: info.array for info in event.outputs}
            case Accumulated():
                grads[event.tensor] = event.total
            case Named():
                names[event.name] = event.tensor
            case _:
                pass
        state = replay(recording, step)
        assert {tensor.id: tensor.value for tensor in state} == values
        assert {tensor.id: tensor.grad for tensor in state if tensor.grad != NOTHING} == grads
        assert state.names == names


@pytest.mark.thorough
def test_a_state_of_a_long_recording_takes_milliseconds() -> None:
    recording = chain(34_000)
    assert len(recording.events) > 100_000
    replay(recording, 0)
    states = np.linspace(0, len(recording.events) - 1, 200).astype(int).tolist()
    start = perf_counter()
    for step in states:
        state = replay(recording, step)
        state.tensor(state.names["y"] if state.names else 0)
        assert state.ledger(0) is not None
        if state.backward:
            assert state.backward.flowing is not None
    assert (perf_counter() - start) / len(states) < 0.005
