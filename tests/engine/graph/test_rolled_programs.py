"""The rolled structure of programs as tutorials have them: names, cards, what stands aside, what is opened."""

from __future__ import annotations

from typing import Any

import pytest

from engine.graph import build
from engine.graph.rolled_graph import rolled_graph
from engine.graph.structure.folding import folded
from engine.graph.structure.loops import nests_of
from engine.graph.structure.rolled import Rolled, rolled
from engine.recording import Recording
from tests.engine.graph import training_programs as programs
from tests.engine.graph.test_rolled import check
from tests.recorded import recorded

EULER = """
import torch
from torch import nn
torch.manual_seed(0)
class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
    def forward(self, t, y):
        return self.net(y ** 3)
def odeint(func, y0, ts):
    ys, y = [y0], y0
    for t0, t1 in zip(ts[:-1], ts[1:]):
        y = y + (t1 - t0) * func(t0, y)
        ys.append(y)
    return torch.stack(ys)
func = Field()
optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
y0, ts, goal = torch.tensor([[2.0, 0.0]]), torch.linspace(0.0, 1.0, 5), torch.randn(5, 1, 2)
for itr in range(4):
    optimizer.zero_grad()
    loss = (odeint(func, y0, ts) - goal).abs().mean()
    loss.backward()
    optimizer.step()
    if itr % 2 == 0:
        with torch.no_grad():
            print((odeint(func, y0, ts) - goal).abs().mean().item())
"""
"""A neural ODE with Euler steps, evaluated now and then."""

PENALTY = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(i, 8), nn.LeakyReLU(0.2), nn.Linear(8, o))
    def forward(self, x):
        return self.body(x)
def penalty(D, real, fake):
    mix = (0.5 * real + 0.5 * fake).requires_grad_(True)
    grads = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()
generator, critic = Net(3, 2), Net(2, 1)
opt_g, opt_c = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
for epoch in range(2):
    for i, real in enumerate(torch.randn(16, 2).split(4)):
        fake = generator(torch.randn(4, 3))
        loss = critic(fake.detach()).mean() - critic(real).mean() + penalty(critic, real, fake.detach())
        opt_c.zero_grad()
        loss.backward()
        opt_c.step()
        if i % 2 == 0:
            opt_g.zero_grad()
            (-critic(fake)).mean().backward()
            opt_g.step()
"""
"""A GAN with a gradient penalty, whose networks hold nothing but one sequence of modules."""

MIXED = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
X, T = torch.randn(8, 6), torch.randint(0, 3, (8,))
for it in range(12):
    loss = criterion(model(torch.randn(8, 6)), torch.randint(0, 3, (8,)))
    if it % 5 == 4:
        loss = loss + 1e-3 * sum(p.abs().sum() for p in model.parameters())
    (loss / 4).backward()
    if (it + 1) % 4 == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        held_out = criterion(model(X)[:, :3], T)
"""
"""Accumulation, a penalty on all weights now and then, and a loss that is also used for evaluation."""

SPLIT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(14, 3)), batch_size=4)
for epoch in range(2):
    for (x,) in loader:
        loss = model(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
"""Batches that a loader puts together, the last one smaller than the others."""

TREES = """
import torch
from torch import nn
torch.manual_seed(0)
embed, combine = nn.Embedding(10, 4), nn.Linear(8, 4)
opt = torch.optim.SGD([*embed.parameters(), *combine.parameters()], lr=0.1)
def encode(tree):
    if isinstance(tree, int):
        return embed(torch.tensor(tree))
    both = torch.cat([encode(part) for part in tree])
    return torch.tanh(combine(both))
for epoch in range(2):
    for tree in [((1, 2), (3, 4)), (5, (6, 7)), (3, 3)]:
        loss = encode(tree).pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
"""A recursive network over trees of several sizes."""


def cards(recording: Recording, **wanted: Any) -> dict[str, dict[str, Any]]:
    """What is on show at first, by its title."""
    view = rolled_graph(recording, **wanted)
    return {a["title"]: a for _, a in folded(view.graph, view.folding, view.at_first).nodes(data=True)}


def titled(made: Rolled, title: str) -> list[dict[str, Any]]:
    return [a for _, a in made.graph.nodes(data=True) if a["title"] == title]


def group(made: Rolled, title: str) -> Any:
    return next(each for each in made.folding.groups.values() if each.title == title)


# --- opened cards -----------------------------------------------------------------------------------------------------------


def opened(recording: Recording, view: Any = "tensors") -> tuple[Rolled, str, Rolled]:
    """The graph with the card that stands for most, its key, and the graph with that opened."""
    made = rolled(recording, view)
    key = max(made.graph, key=lambda key: made.graph.nodes[key]["times"])
    return made, key, rolled(recording, view, [key])


def test_a_card_for_many_of_an_iteration_can_be_opened_into_a_card_for_each() -> None:
    recording = recorded(SPLIT)
    made, key, now = opened(recording)
    assert (made.graph.nodes[key]["title"], made.graph.nodes[key]["times"]) == ("select dim=0", 4)
    check(recording, "tensors", now)
    parts = [a for _, a in now.graph.nodes(data=True) if a["within"] == key]
    assert [(a["times"], a["seen"], a["of"]) for a in parts] == [(1, 8, 8), (1, 8, 8), (1, 6, 8), (1, 6, 8)]
    assert sorted(one for a in parts for one in a["all"]) == sorted(made.graph.nodes[key]["all"])
    assert set(made.graph) - {key} <= set(now.graph), "all other cards keep their names"


def test_the_first_of_an_opened_card_has_its_key_and_all_stand_in_a_group_of_their_own_that_is_open() -> None:
    recording = recorded(SPLIT)
    _, key, now = opened(recording)
    view = rolled_graph(recording, "tensors", [key])
    (mine,) = (each for each in now.folding.groups.values() if each.kind == "opened")
    assert mine.id.rpartition("/")[2] == key
    assert mine.members[0] == key
    assert mine.id in view.at_first


@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_a_card_of_a_function_that_calls_itself_can_be_opened(view: Any) -> None:
    recording = recorded(programs.RECURSION)
    made, key, now = opened(recording, view)
    check(recording, view, now)
    assert len(now.graph) == len(made.graph) + made.graph.nodes[key]["times"] - 1


def test_a_name_that_is_no_cards_opens_nothing() -> None:
    recording = recorded(SPLIT)
    made = rolled(recording)
    assert list(rolled(recording, "tensors", ["pt999999", "pn3", "p", "pt", "ptx"]).graph) == list(made.graph)


def test_cards_keep_their_keys_when_a_loop_is_turned() -> None:
    recording = recorded(programs.RNN)
    made = rolled(recording)
    inner = next(loop.id for loop in made.loops if loop.title == "for t in range(12)")
    now = rolled(recording, "tensors", [inner])
    assert set(made.graph) <= set(now.graph)


# --- names ------------------------------------------------------------------------------------------------------------------


def test_a_module_that_holds_one_other_goes_by_both_their_names() -> None:
    made = rolled(recorded(PENALTY))
    outermost = {each.title for each in made.folding.groups.values() if each.kind == "module" and not each.parent}
    assert outermost == {"generator.body", "critic.body"}
    assert group(made, "critic.body").children
    parts = {made.folding.groups[id].title for id in group(made, "critic.body").children}
    assert parts == {"critic.body.0", "critic.body.1", "critic.body.2"}, "generator.body.0 is there, too"


def test_a_module_that_a_loop_passes_over_goes_by_its_own_name() -> None:
    program = programs.ENSEMBLE.replace("nn.Linear(3, 1)", "nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))")
    made = rolled(recorded(program))
    modules = [each.title for each in made.folding.groups.values() if each.kind == "module"]
    assert modules == [f"models[{k}]{part}" for k in range(5) for part in ("", ".0", ".2")]
    loop = next(loop.id for loop in made.loops if loop.title == "for m in models")
    rolled_up = rolled(recorded(program), "tensors", [loop]).folding.groups.values()
    assert [each.title for each in rolled_up if each.kind == "module"] == ["models[…]", "models[…].0", "models[…].2"]


# --- modules and what stands aside --------------------------------------------------------------------------------------------


def test_parameters_stand_in_their_modules_card_whoever_else_looks_at_them() -> None:
    found = cards(recorded(MIXED))
    assert [len(found[title]["rows"]) for title in ("model.0", "model.2")] == [2, 2]
    assert found["model.0"]["badge"] == "Linear 6→12"


def test_a_loss_module_that_evaluates_too_stands_aside_there() -> None:
    made = rolled(recorded(MIXED))
    assert all(made.graph.nodes[key]["side"] for key in made.graph if made.graph.nodes[key]["title"] == "held_out")
    assert not any(made.graph.nodes[key]["side"] for key in group(made, "criterion").members)


def test_evaluation_by_the_same_function_stands_aside_and_steps_of_a_solver_are_time() -> None:
    recording = recorded(EULER)
    assert {loop.kind for loop in nests_of(recording).loops} == {"time"}
    found = cards(recording)
    assert found["odeint(func, y0, ts)"]["side"]
    assert not any(found[title]["side"] for title in ("net.0", "net.2", "loss"))


def test_what_a_pass_records_and_nobody_uses_is_under_the_pass() -> None:
    found = cards(recorded(PENALTY))
    asked = [a for title, a in found.items() if title.startswith("torch.autograd.grad(")]
    assert [(a["badge"], a["side"]) for a in asked] == [("backward", False)]


def test_a_function_that_calls_itself_has_each_operation_once_however_seldom() -> None:
    recording = recorded(TREES)
    made = rolled(recording)
    check(recording, "tensors", made)
    assert [(a["times"], a["seen"], a["of"]) for a in titled(made, "both")] == [(2, 6, 6)]
    assert [a["op"] for _, a in made.graph.nodes(data=True)].count("tanh") == 1


def test_layers_are_put_together_with_what_stands_between_them() -> None:
    layers = ", ".join(["nn.Linear(4, 4), nn.ReLU()"] * 5)
    made = rolled(recorded(f"import torch\nfrom torch import nn\nnn.Sequential({layers})(torch.ones(1, 4)).sum().backward()"))
    (repeat,) = (each for each in made.folding.groups.values() if each.kind == "repeat")
    inside = [made.graph.nodes[key]["op"] for key in repeat.members]
    assert (repeat.times, inside.count("relu"), inside.count("addmm")) == (5, 4, 5)


def test_the_first_gradient_of_a_parameter_is_no_other_shape() -> None:
    program = """
import torch
ws = [torch.ones(2, 2, requires_grad=True) for _ in range(3)]
for epoch in range(5):
    h = torch.ones(1, 2)
    for w in ws:
        h = torch.tanh(h @ w)
    h.sum().backward()
    with torch.no_grad():
        for w in ws:
            w -= 0.1 * w.grad
            w.grad.zero_()
"""
    view = rolled_graph(recorded(program))
    assert not [mark for mark in view.timeline().marks if mark.kind == "shape"]
    assert len(build(view.recording, rolled=True)) == len(view.graph)


def test_a_step_comes_after_the_loss_and_after_the_clipping_that_stands_aside() -> None:
    made = rolled(recorded(MIXED))
    nodes = made.graph.nodes
    after = {(nodes[u]["title"], nodes[v]["title"]) for u, v in made.graph.graph["after"]}
    assert ("÷ 4", "optimizer.step()") in after
    assert "clamp" in {nodes[u]["op"] for u, v in made.graph.graph["after"] if v == "o0" and nodes[u]["side"]}


def test_blocks_are_opened_all_or_none() -> None:
    block = "nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))"
    program = f"""
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(4), {block}
        self.register_buffer("scale", torch.ones(4) * 2)
    def forward(self, x):
        return x + self.mlp(self.norm(x) * self.scale)
blocks = nn.ModuleList([Block() for _ in range(9)])
opt = torch.optim.SGD(blocks.parameters(), lr=0.1)
for step in range(3):
    x = torch.randn(2, 4)
    for block in blocks:
        x = block(x)
    loss = x.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
    recording = recorded(program)
    view = rolled_graph(recording)
    groups = view.folding.groups
    for part in ("mlp", "norm"):
        assert len({id in view.at_first for id, each in groups.items() if each.title.endswith(f".{part}")}) == 1
    assert "blocks.8.mlp.2.weight" in [a["title"] for _, a in view.graph.nodes(data=True)]
    scales = [key for key, a in view.graph.nodes(data=True) if a["title"].endswith(".scale")]
    assert [view.graph.nodes[key]["title"] for key in scales] == [f"blocks.{k}.scale" for k in range(9)]
    assert len({view.folding.enclosing[key] for key in scales}) == 9, "each stands in its own block"
    assert all(a["side"] for _, a in view.graph.nodes(data=True) if a["op"] in ("ones", "mul") and a["title"] == "ones")
