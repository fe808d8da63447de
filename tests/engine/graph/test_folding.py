"""Folding: every node is in its loop, module or call; a closed group stands for its members; opening shows just what is in
it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.graph import build, faces, gradients, layout
from engine.graph.shown.group_states import Kept, fold_faces
from engine.graph.shown.group_variation import varies
from engine.graph.shown.nonfinite import troubles
from engine.graph.structure.folding import (
    AT_FIRST,
    MODES,
    MOST,
    READABLE,
    Folding,
    folded,
    groups,
    groups_at_first,
    opened_at_first,
    spanned,
)
from engine.graph.structure.scopes import paths
from engine.recording import Recording
from tests.engine.graph.test_layout import check
from tests.recorded import recorded

MODEL = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.lin = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        return self.norm(x + torch.relu(self.lin(x)))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(4) for _ in range(3)])
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x)

net = Net()
for step in range(2):
    loss = net(torch.ones(2, 4)).pow(2).mean()
    net.zero_grad()
    loss.backward()
"""
RNN = """
import torch
w = torch.tensor([[0.5, 0.1], [0.2, 0.3]], requires_grad=True)
h = torch.zeros(2)
loss = torch.tensor(0.0)
for t in range({steps}):
    x = torch.tensor([1.0, {x}])
    h = torch.tanh(w @ h + x)
    loss = loss + h.pow(2).sum()
loss.backward()
"""


@pytest.fixture(scope="module")
def model() -> Recording:
    return recorded(MODEL)


def titles(graph: Any) -> list[str]:
    return [a["title"] for _, a in graph.nodes(data=True)]


def place(recording: Recording, graph: Any, folding: Folding, op: str) -> list[str]:
    key = next(key for key, a in graph.nodes(data=True) if a["op"] == op)
    return [folding.groups[id].title for id in folding.enclosing[key]]


def test_operations_are_in_the_modules_that_ran_them(model: Recording) -> None:
    paths = {model.scopes[e.scope].module for e in model.events if getattr(e, "op", "") == "relu"}
    assert paths == {"net.layers.0", "net.layers.1", "net.layers.2"}


def test_auto_goes_by_loop_iteration_and_module(model: Recording) -> None:
    graph = build(model)
    folding = groups(model, graph, "auto")
    assert place(model, graph, folding, "relu") == ["loop, line 26", "iteration 1", "net", "layers.0–2", "layers.0"]


LOOPS = """
import torch
from torch import nn
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(2, 2, bias=False) for _ in range(2)])
    def forward(self, x):
        made = 0
        for head in self.heads:
            made = made + head(x).sigmoid()
        return made
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.blocks = nn.ModuleList([Heads() for _ in range(3)])
        self.cell = nn.RNNCell(2, 2)
    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        for block in self.blocks:
            x = block(x)
        h = None
        for t in range(3):
            h = self.cell(x, h)
        return h.cos()
net = Net()
for step in range(2):
    net(torch.ones(1, 2)).sum().backward()
"""


def test_loops_are_where_they_run_among_the_modules() -> None:
    recording = recorded(LOOPS)
    graph = build(recording)
    placed = paths(recording, graph, "auto")

    def second(op: str, module: str) -> list[str]:
        """Where the second node of an operation in a module is."""
        there = [key for key, a in graph.nodes(data=True) if a["op"] == op and recording.scopes[a["scope"]].module == module]
        return [title for _, title, _ in placed[there[1]]]

    training = ["loop, line 29", "iteration 1"]
    # A layer and its activation are an iteration; blocks alone need none; a module that is called again and again does.
    assert second("tanh", "net") == [*training, "net", "loop, line 20", "iteration 2"]
    assert second("addmm", "net.layers.1")[2:-2] == ["net", "loop, line 20", "iteration 2"]
    assert second("sigmoid", "net.blocks.0") == [*training, "net", "blocks", "blocks.0", "loop, line 10", "iteration 2"]
    assert second("tanh", "net.cell") == [*training, "net", "cell", "loop, line 25", "iteration 2"]
    assert second("cos", "net") == ["loop, line 29", "iteration 2", "net"]


@pytest.mark.parametrize("view", ["tensors", "autograd"])
@pytest.mark.parametrize("mode", MODES)
def test_every_node_is_on_show_once(model: Recording, view: Any, mode: Any) -> None:
    graph = build(model, view)
    folding = groups(model, graph, mode)
    opened: set[str] = set()
    for id in ["", *folding.groups]:
        opened.add(id)
        made = folded(graph, folding, opened)
        shown = [m for key, a in made.nodes(data=True) for m in a.get("members", (key,))]
        assert sorted(shown) == sorted(graph.nodes)
        layout(made.reverse() if view == "autograd" else made)  # raises for a cycle
    assert set(made) == set(graph), "all open, all shown"


def test_a_closed_groups_edges_carry_what_its_members_do(model: Recording) -> None:
    graph = build(model)
    made = folded(graph, groups(model, graph, "loop"))
    inside = {m for _, a in made.nodes(data=True) for m in a.get("members", ())}
    carried = sorted(c for u, v, a in made.edges(data=True) for c in a["carries"])
    wanted = sorted(c for u, v, a in graph.edges(data=True) if not {u, v} <= inside for c in a["carries"])
    assert carried == wanted


def test_what_leaves_a_group_and_comes_back_makes_no_cycle() -> None:
    text = (
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x\n"
        + "def f(a):\n    return a * 2 + 1 + a\n"
        + "for k in range(3):\n    y = f(y)\n    z = y * 3\n    y = z.exp().sin() + 1\n"
        + "y.backward()\n"
    )
    recording = recorded(text)
    graph = build(recording)
    for mode in ("line", "function"):
        check(folded(graph, groups(recording, graph, mode)), "LR")


def test_small_graphs_open_unfolded_and_large_ones_folded() -> None:
    small, large = (build(recorded(RNN.format(steps=n, x="0.5"))) for n in (3, 60))
    assert len(small) <= READABLE < len(large)
    assert opened_at_first(small, "auto") == "none"
    assert opened_at_first(large, "auto") == "auto"
    assert opened_at_first(small, "loop") == "loop"


def test_a_large_unrolled_loop_opens_as_one_card_beside_its_weights() -> None:
    recording = recorded(RNN.format(steps=60, x="0.5"))
    graph = build(recording)
    made = folded(graph, groups(recording, graph))
    assert sorted(titles(made)) == ["loop, line 6 × 60", "w"]


def test_a_group_shows_its_last_loss_and_its_largest_gradient(model: Recording) -> None:
    graph = build(model)
    folding = groups(model, graph, "auto")
    made = folded(graph, folding)
    seen, norms = faces(model, graph), gradients(model, graph)
    history = fold_faces(graph, made, seen, norms).nodes["g:L26"]
    loss = next(key for key, a in reversed(list(graph.nodes(data=True))) if a["title"] == "loss")
    assert history[-1][1].value == f"loss = {seen.nodes[loss][-1][1].value}"
    weights = folded(graph, groups(model, graph, "module"))
    (card,) = (key for key, a in weights.nodes(data=True) if a["title"] == "net")
    largest = max(pairs[-1][1] for key, pairs in norms.items() if key in weights.nodes[card]["members"])
    assert fold_faces(graph, weights, seen, norms).nodes[card][-1][1].grad == f"≤ {largest:.4g}"


def test_a_group_is_running_when_one_of_its_members_is(model: Recording) -> None:
    graph = build(model)
    made = folded(graph, groups(model, graph, "loop"))
    seen = faces(model, graph)
    (card,) = (key for key, a in made.nodes(data=True) if a["kind"] == "group")
    states = dict(fold_faces(graph, made, seen, {}).nodes[card])
    for step, face in states.items():
        inside = set()
        for member in made.nodes[card]["members"]:
            now = [f for at, f in seen.nodes[member] if at <= step]
            inside.add(now[-1].state if now else "")
        assert (face.state == "running") == ("running" in inside)


def test_nan_shines_through() -> None:
    recording = recorded(RNN.format(steps=60, x="float('nan') if t == 40 else 0.0"))
    graph = build(recording)
    seen = faces(recording, graph)
    assert min(troubles(recording, seen).values()) == min(
        step
        for step, e in enumerate(recording.events)
        if any("nan" in repr(recording.array(o.array)) for o in getattr(e, "outputs", ()))
    )


def test_what_varies_is_told() -> None:
    recording = recorded(
        "import torch\nx = torch.ones(2, 2, requires_grad=True)\n"
        "for n in (2, 3, 2):\n    y = x.repeat(n, 1)\n    z = (y * 2).sum()\n    z.backward()\n"
    )
    graph = build(recording)
    folding = groups(recording, graph, "loop")
    found = varies(graph, folding, folding.groups["L3"])
    assert [each.what for each in found] == ["type and shape of repeat", "type and shape of mul"]
    assert str(found[0]) == "float32 [4×2], float32 [6×2]"


def test_what_is_alike_is_told_to_be(model: Recording) -> None:
    graph = build(model)
    folding = groups(model, graph, "loop")
    assert varies(graph, folding, folding.groups["L26"]) == []


def test_an_unknown_way_to_fold_is_refused(model: Recording) -> None:
    with pytest.raises(ValueError, match="unknown way to fold 'colour'"):
        groups(model, build(model), "colour")  # type: ignore[arg-type]


def test_what_stands_side_by_side_in_great_number_is_put_into_ranges() -> None:
    recording = recorded(RNN.format(steps=150, x="0.5"))
    graph = build(recording)
    folding = groups(recording, graph, "loop")
    (loop,) = (g for g in folding.groups.values() if g.kind == "loop")
    assert loop.times == 150
    ranges = [folding.groups[id] for id in loop.children]
    assert ranges[0].title == "iterations 1–13"
    assert {g.kind for g in ranges} == {"range"}
    assert sum(len(g.children) for g in ranges) == 150
    assert max(len(g.children) for g in [loop, *ranges]) <= MOST


def test_nodes_without_a_place_of_their_own_are_put_into_ranges_too() -> None:
    recording = recorded("import torch\nx = torch.tensor(1.0, requires_grad=True)\n" + "x = x * 2\n" * 150)
    graph = build(recording)
    folding = groups(recording, graph, "module")
    assert len(folded(graph, folding)) <= 2 * MOST
    (leaf,) = set(graph) - {m for g in folding.groups.values() for m in g.members}
    assert graph.nodes[leaf]["title"] == "x", "what is not alike stands by itself"
    assert len({g.title for g in folding.groups.values()}) <= 2, "the others are called by what they are"


def test_what_is_alike_and_numbered_goes_by_its_numbers() -> None:
    recording = recorded(
        "import torch\nws = [torch.tensor(float(k), requires_grad=True) for k in range(60)]\n"
        "total = ws[0]\nfor w in ws[1:]:\n    total = total * w + torch.sin(w)\ntotal.backward()\n"
    )
    graph = build(recording)
    titles = [a["title"] for _, a in folded(graph, groups(recording, graph, "module")).nodes(data=True)]
    assert titles[0].startswith("ws[0–")
    assert titles[0].endswith("]")
    assert spanned(["h.28", "h.29", "h.34"]) == "h.28–34"
    assert spanned(["iteration 1", "iteration 36"]) == "iterations 1–36"
    assert spanned(["encoder", "decoder"]) == "encoder … decoder"


def test_what_is_done_between_layers_stands_in_the_range_of_the_one_before() -> None:
    recording = recorded(
        "import torch\nlayers = []\nfor _ in range(100):\n    layers += [torch.nn.Linear(2, 2), torch.nn.Tanh()]\n"
        "model = torch.nn.Sequential(*layers)\nmodel(torch.randn(3, 2)).pow(2).mean().backward()\n"
    )
    graph = build(recording)
    folding = groups(recording, graph, "module")
    (repeat,) = (id for id, group in folding.groups.items() if group.kind == "repeat")
    ranges = [folding.groups[id] for id in folding.groups[repeat].children]
    assert [group.title for group in ranges] == [f"model.{k}–{k + 18}" for k in range(0, 200, 20)]
    for group in ranges:
        ops = Counter(graph.nodes[key]["op"] for key in group.members)
        assert ops["addmm"] == 10
        assert ops["tanh"] == 10 - (group is ranges[-1]), "the last one comes after them all"
    made = folded(graph, folding, {repeat, *(path[0] for path in folding.enclosing.values())})
    assert not any(a["write"] for _, _, a in made.edges(data=True)), "a chain, with no way back"


def test_blocks_alike_are_opened_all_or_none() -> None:
    recording = recorded(
        "import torch\nfrom torch import nn\nclass Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.up, self.down = nn.Linear(2, 2), nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return x + self.down(torch.tanh(self.up(x)))\n"
        "model = nn.Sequential(*[Block() for _ in range(12)])\nmodel(torch.ones(1, 2)).sum().backward()\n"
    )
    graph = build(recording)
    folding = groups(recording, graph, "module")
    opened = groups_at_first(folding, graph)
    titles = [a["title"] for _, a in folded(graph, folding, opened).nodes(data=True)]
    assert [title for title in titles if title.startswith("model.")] == [f"model.{k}" for k in range(12)]


@pytest.mark.parametrize("steps", [60, 150, 400])
def test_the_first_view_opens_outer_groups_up_to_what_can_be_read(steps: int) -> None:
    recording = recorded(RNN.format(steps=steps, x="0.5"))
    graph = build(recording)
    folding = groups(recording, graph, "loop")
    opened = groups_at_first(folding, graph)
    made = folded(graph, folding, opened)
    assert 5 < len(made) <= AT_FIRST
    assert set(build(recording, "grouped")) == set(folded(graph, groups(recording, graph), groups_at_first(folding, graph)))
    assert all(folding.groups[id].parent in ("", *opened) for id in opened)


def test_a_small_recordings_grouped_view_has_everything(model: Recording) -> None:
    assert set(build(model, "grouped")) == set(build(model))


def test_an_edge_that_stands_for_several_is_active_whenever_one_of_them_is() -> None:
    recording = recorded(RNN.format(steps=40, x="0.5"))
    graph = build(recording)
    made = folded(graph, groups(recording, graph, "loop"))
    seen = faces(recording, graph)
    shown = fold_faces(graph, made, seen, {})
    for u, v, k, parts in made.edges(keys=True, data="parts"):
        if parts is not None:
            wanted = {step for part in parts for step, face in seen.edges[part] if face.active}
            assert {step for step, face in shown.edges[u, v, k] if face.active} == wanted


def test_histories_are_made_once(model: Recording) -> None:
    graph = build(model)
    made = folded(graph, groups(model, graph, "loop"))
    kept: Kept = {}
    first = fold_faces(graph, made, faces(model, graph), {}, kept)
    again = fold_faces(graph, made, faces(model, graph), {}, kept)
    assert again.nodes.keys() == set(made)
    assert all(again.nodes[key] is first.nodes[key] for key in made)
    assert again.edges.keys() == set(made.edges(keys=True))
    assert all(again.edges[edge] is first.edges[edge] for edge in made.edges(keys=True))
    assert all(fold_faces(graph, made, faces(model, graph), {}).edges[edge] == first.edges[edge] for edge in first.edges)
