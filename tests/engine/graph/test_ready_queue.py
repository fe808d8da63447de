"""The ready queue of every backward pass, read off a recording."""

from __future__ import annotations

import pytest

from components.menus.gallery import examples
from engine.graph import Queue, queues
from engine.recording import Recording
from engine.recording.events import NOTHING, NodeRan
from engine.recording.index import index_of
from tests.recorded import recorded


def names(recording: Recording, queue: Queue) -> list[str]:
    nodes = index_of(recording).nodes
    return [nodes[visit.node].info.name for visit in queue.visits]


def test_a_node_is_ready_when_all_that_lead_to_it_have_run() -> None:
    tape = recorded("import torch\nx = torch.ones(1, requires_grad=True)\na = x * 2\nb = x * 3\n(a + b).sum().backward()\n")
    (queue,) = queues(tape)
    assert names(tape, queue) == ["SumBackward0", "AddBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"]
    total, added, second, first, leaf = queue.visits
    assert total.ready == queue.began
    assert added.ready == total.ran
    assert second.ready == first.ready == added.ran
    assert leaf.ready == first.ran > second.ran
    assert leaf.arrivals == (second.ran, first.ran)


@pytest.mark.parametrize("name", examples())
def test_in_every_example_nodes_run_in_the_queues_order_and_not_before_they_are_ready(name: str) -> None:
    tape = recorded(examples()[name].text)
    nodes = index_of(tape).nodes
    for queue in queues(tape):
        ran = [visit for visit in queue.visits if visit.ran != NOTHING]
        assert [visit.ran for visit in ran] == sorted(visit.ran for visit in ran)
        for visit in ran:
            assert queue.began <= visit.ready < visit.ran
            assert visit.ready <= visit.began - 1 < visit.ran < queue.ended
            assert all(step <= visit.ready for step in visit.arrivals)
            event = tape.events[visit.ran]
            if isinstance(event, NodeRan):
                # The engine takes the ready node that was made last; AccumulateGrad comes before all others.
                others = [v for v in ran if v.ready < visit.ran <= v.ran and v is not visit]
                if nodes[visit.node].info.variable == NOTHING:
                    for other in others:
                        if nodes[other.node].info.variable == NOTHING:
                            assert nodes[other.node].info.sequence <= nodes[visit.node].info.sequence


def test_what_grad_returns_is_captured_and_never_runs() -> None:
    tape = recorded("import torch\nx = torch.ones(1, requires_grad=True)\ny = (x * 2).sum()\ng, = torch.autograd.grad(y, x)\n")
    (queue,) = queues(tape)
    assert names(tape, queue)[-1] == "AccumulateGrad"
    assert queue.visits[-1].ran == NOTHING
    assert queue.visits[-1].ready == queue.visits[-2].ran


def test_a_recorded_rule_begins_before_it_has_run() -> None:
    tape = recorded(
        "import torch\nx = torch.ones(1, requires_grad=True)\ny = x ** 3\ng, = torch.autograd.grad(y, x, create_graph=True)\n"
    )
    (queue,) = queues(tape)
    assert queue.visits[0].began < queue.visits[0].ran


def test_a_pass_that_fails_leaves_nodes_waiting() -> None:
    tape = recorded(
        "import torch\nx = torch.ones(1, requires_grad=True)\na = x * 3\ny = a.exp()\nz = y * 2\n"
        "y.add_(1)\nz.sum().backward()\n"
    )
    (queue,) = queues(tape)
    assert [visit.ran == NOTHING for visit in queue.visits] == [False, False, True, True, True]
    waiting = {name for name, visit in zip(names(tape, queue), queue.visits, strict=True) if visit.ready == NOTHING}
    assert waiting == {"MulBackward0", "AccumulateGrad"}


def test_a_pass_that_begins_at_a_leaf_has_no_node_in_its_queue() -> None:
    recording = recorded("import torch\nx = torch.ones(1, requires_grad=True)\nx.backward()\ny = x * 2\ny.backward()")
    assert [len(queue.visits) for queue in queues(recording)] == [0, 2]
