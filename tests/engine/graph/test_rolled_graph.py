"""A rolled graph: what its cards stand for, and what they show in a window of steps."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import numpy as np
import pytest

from engine.graph.rolled_graph import MOST, RolledGraph, rolled_graph, worth_rolling
from engine.graph.shown import run_index
from engine.graph.shown.node_states import faces
from engine.graph.shown.timeline import line_ends, steps
from engine.graph.structure.build import VIEWS, build
from engine.recording import Recording
from engine.recording.columns import columns_of
from engine.recording.events import NodeRan, Stepped
from engine.recording.index import index_of
from tests.recorded import recorded

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
for k in range(6):
    loss = model(x).square().mean()
    if k == 3:
        loss = loss + torch.log(loss - 100)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(TRAINING)


@pytest.fixture(scope="module", params=VIEWS)
def view(recording: Recording, request: pytest.FixtureRequest) -> RolledGraph:
    return rolled_graph(recording, request.param)


def card(view: RolledGraph, title: str, which: int = 0) -> str:
    """The card with a title, or in the view of the autograd graph with that name."""
    found = [key for key, a in view.graph.nodes(data=True) if title in (a["title"], a["badge"])]
    return found[which]


def test_a_card_stands_for_the_newest_of_its_members(recording: Recording) -> None:
    view = rolled_graph(recording)
    key = card(view, "loss")
    made = view.graph.nodes[key]["all"]
    loop = view.main
    assert loop is not None
    assert [view.member(key, end) for end in loop.ends.tolist()] == list(made)
    assert view.member(key, 0) == made[0]  # none yet: the first one to come


def test_a_node_of_the_run_has_a_moment_at_which_its_card_shows_it(view: RolledGraph) -> None:
    for key, a in view.graph.nodes(data=True):
        for node in a["all"]:
            moment = view.moment(node)
            assert view.member(key, len(view.recording.events) - 1 if moment is None else moment) == node


def test_a_window_is_an_iteration_and_its_neighbours(recording: Recording) -> None:
    view, loop = rolled_graph(recording), rolled_graph(recording).main
    assert loop is not None
    last = len(recording.events) - 1
    assert view.window(int(loop.starts[3])) == (0, last)  # a short run is sent whole
    assert view.within(0, 10 * MOST, 5) == (0, last)


def test_a_window_of_a_long_run_is_no_longer_than_one_may_be() -> None:
    recording = recorded("import torch\nx = torch.ones(1)\nfor k in range(900):\n    y = x + 1\n    z = y * 2\n    y = z - 1\n")
    view = rolled_graph(recording)
    total, loop = len(recording.events), view.main
    assert total > 2 * MOST
    assert loop is not None
    first, last = view.window(int(loop.starts[500]))
    assert (first, last) == (int(loop.starts[499]), int(loop.ends[501]))
    first, last = view.within(0, total, 3000)
    assert last - first < MOST
    assert first <= 3000 <= last


def shows_what_members_show(view: RolledGraph, first: int, last: int) -> None:
    whole = faces(view.recording, build(view.recording, view.view))
    part = view.faces(first, last)
    for key in view.keys:
        if not view.graph.nodes[key]["all"]:
            continue
        for step in range(first, last + 1):
            expected = whole.nodes.at(view.member(key, step), step)
            shown = part.nodes.at(key, step)
            # Titles are best names here, and what has passed is told further on.
            kept = [face and (face.grad if face.grad_label == "grad" else None) for face in (shown, expected)]
            told = [face and (face.value, grad, face.flow, face.state) for face, grad in zip((shown, expected), kept)]
            assert told[0] == told[1], (key, step)


def test_cards_show_what_their_newest_member_shows_in_the_unrolled_graph(view: RolledGraph) -> None:
    loop = view.main
    assert loop is not None
    shows_what_members_show(view, int(loop.starts[2]), int(loop.ends[3]))


def test_an_earlier_member_is_not_on_show_when_gradients_come_to_it() -> None:
    program = "import torch\nw = torch.ones(2, requires_grad=True)\nfor k in range(3):\n    h = torch.ones(2)\n"
    program += "    for t in range(4):\n        h = torch.tanh(h * w)\n    h.sum().backward()\n"
    recording = recorded(program)
    shows_what_members_show(rolled_graph(recording), 0, len(recording.events) - 1)


def test_edges_carry_what_those_of_the_run_carry(recording: Recording, view: RolledGraph) -> None:
    loop = view.main
    assert loop is not None
    first, last = int(loop.starts[2]), int(loop.ends[2])
    part = view.faces(first, last)
    whole = faces(recording, build(recording, view.view))
    sent = {step for edge in whole.edges for step, face in whole.edges[edge] if face.active and first <= step <= last}
    passing = {step for edge in view.graph.edges(keys=True) for step, face in part.edges[edge] if face.active}
    assert passing == sent
    assert sent


def test_every_step_is_about_the_cards_of_what_it_is_about(recording: Recording, view: RolledGraph) -> None:
    graph = build(recording, view.view)
    for step, told in enumerate(steps(recording, graph, captioned=False)):
        expected = {view.rolled.key_of[key] for key in told.focus}
        assert set(view.about(step)) == expected, (step, recording.events[step])


def test_visits_to_lines_end_where_they_do_event_by_event(recording: Recording) -> None:
    assert run_index.ends_of_lines(recording).tolist() == line_ends(recording)


def test_while_a_pass_runs_the_program_stands_at_the_call(recording: Recording) -> None:
    # Other engines may not say where the program stands while a node's rule runs.
    silent = [msgspec.structs.replace(e, site=-1) if isinstance(e, NodeRan) else e for e in recording.events]
    other = dataclasses.replace(recording, events=silent)
    sites = run_index.sites_of_steps(other)
    lines = {other.sites[sites[step]].line for step, event in enumerate(silent) if isinstance(event, NodeRan)}
    assert lines == {12}


def test_a_card_is_alarmed_since_its_first_nan(recording: Recording) -> None:
    view = rolled_graph(recording)
    index = index_of(recording)
    (log,) = (key for key, a in view.graph.nodes(data=True) if a["op"] == "log")
    assert view.troubles[log] == index.tensors[int(view.graph.nodes[log]["all"][0][1:])].born
    assert card(view, "loss") not in view.troubles


def test_an_optimizers_step_shows_its_rate_and_how_far_the_parameters_moved(recording: Recording) -> None:
    view = rolled_graph(recording)
    (key,) = (key for key, a in view.graph.nodes(data=True) if a["kind"] == "step")
    index = index_of(recording)
    leaves = [id for id, h in index.tensors.items() if h.info.is_parameter]
    first, second = [s for s, e in enumerate(recording.events) if isinstance(e, Stepped)][:2]

    def all_at(step: int) -> Any:
        arrays = [recording.array(index.tensors[id].status(step).array) for id in leaves]
        return np.concatenate([array.ravel() for array in arrays if array is not None])

    before, after = all_at(first), all_at(second)
    share = float(np.linalg.norm(after - before) / np.linalg.norm(before))
    assert view.series[key].grad[1] == pytest.approx(share, 1e-4)
    ((_, face),) = view.steps_of(key, second, second)
    assert (face.grad, face.grad_label, face.value_label) == (f"{share:.4g}", "moved", "lr")
    assert face.value == f"{columns_of(recording).steps.rate[1]:.4g}"
    assert view.series[key].value.tolist() == columns_of(recording).steps.rate.tolist()


def test_gradients_are_there_for_breakpoints(recording: Recording) -> None:
    view = rolled_graph(recording)
    key = card(view, "parameter")
    pairs = view.norms[key]
    ledger = index_of(recording).tensors[int(key[1:])].ledger
    assert ledger is not None
    assert [step for step, _ in pairs] == ledger.steps
    last = len(recording.events) - 1
    assert view.norms_between(0, last)[key] == pairs


def test_a_node_has_the_card_of_what_it_made(recording: Recording, view: RolledGraph) -> None:
    index = index_of(recording)
    for id in index.nodes:
        tensor = index.owners.get((id, 0), -1)
        key = f"n{id}" if view.flipped else f"t{tensor}"
        assert view.card_of_node(id) == view.rolled.key_of.get(key)


def test_rolling_is_worth_it_from_three_like_iterations_on(recording: Recording) -> None:
    assert worth_rolling(recording)
    assert not worth_rolling(recorded("import torch\nx = torch.ones(2)\nfor k in range(2):\n    y = x * 2\n"))
    assert not worth_rolling(recorded("import torch\nx = torch.ones(2)\n"))


def test_a_module_here_and_there_is_not_what_a_program_is_seen_as() -> None:
    layer = "lin = torch.nn.Linear(2, 2)\nlin(torch.ones(1, 2)).sum().backward()\n"
    small = "x = torch.ones(3, requires_grad=True)\ny = ((x * 2).exp() + x.sin()).sum()\ny.backward()\n"
    assert not worth_rolling(recorded("import torch\n" + (layer + 3 * small) * 4))
    assert worth_rolling(recorded("import torch\n" + layer * 20))


def test_a_first_view_leaves_modules_closed_that_hold_operations_alone(recording: Recording) -> None:
    view = rolled_graph(recording)
    groups = view.folding.groups
    assert all(groups[id].children for id in view.at_first if groups[id].kind == "module")
