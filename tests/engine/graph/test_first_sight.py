"""What a training run looks like before anything is touched: no wider than a page, with the model's parts by names that can be
told apart, and cards that say what an iteration has brought them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from engine.graph.graph_view import CANVAS, GraphView, graph_view
from engine.graph.shown.node_states import PASSED_LABEL
from engine.graph.structure.aside import brief
from engine.graph.structure.layout_shape import LEGIBLE, ROOM
from engine.graph.structure.module_cards import told_apart
from engine.recording import Recording
from engine.recording.index import index_of
from tests.engine.graph.training_programs import ACCUMULATION, GPT, MAML, NESTED, REINFORCE, RNN, SCRIPT
from tests.recorded import recorded

GAN = """
import torch
from torch import nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(sizes[0], sizes[1]), nn.ReLU(), nn.Linear(sizes[1], sizes[2]))
    def forward(self, x):
        return self.body(x)
generator, critic = Net(2, 4, 3), Net(3, 4, 1)
criterion = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=0.01)
opt_d = torch.optim.Adam(critic.parameters(), lr=0.01)
for step in range(4):
    ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
    made = generator(torch.randn(8, 2))
    g_loss = criterion(critic(made), ones)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    real_loss = criterion(critic(torch.randn(8, 3)), ones)
    fake_loss = criterion(critic(made.detach()), zeros)
    d_loss = (real_loss + fake_loss) / 2
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
"""

POOLING = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.fc = nn.Linear(8, 3)
    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.conv(x)), 2)
        return self.fc(torch.flatten(x, 1))
def evaluate(model, loader):
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(images).argmax(1) == labels).sum().item()
    return correct
loader = DataLoader(TensorDataset(torch.randn(16, 1, 6, 6), torch.randint(0, 3, (16,))), batch_size=8)
model, criterion = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(evaluate(model, loader))
"""

RESNET = """
import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(2, 2, 3, padding=1), nn.Conv2d(2, 2, 3, padding=1)
        self.act = nn.Softplus()
    def forward(self, x):
        out = self.act(self.conv1(x))
        return self.act(self.conv2(out) + x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3, padding=1)
        self.layer1 = nn.Sequential(Block(), Block())
        self.head = nn.Linear(2, 3)
    def forward(self, x):
        return self.head(self.layer1(self.conv1(x)).mean((2, 3)))
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = nn.functional.cross_entropy(model(torch.randn(2, 1, 4, 4)), torch.tensor([0, 2]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

PAGES = {
    "script": SCRIPT, "rnn": RNN, "gpt": GPT, "maml": MAML, "accumulation": ACCUMULATION, "nested": NESTED, "gan": GAN,
    "reinforce": REINFORCE, "pooling": POOLING, "resnet": RESNET,
}  # fmt: skip


@cache
def tape(name: str) -> Recording:
    return recorded(PAGES[name])


def first(name: str) -> GraphView:
    return graph_view(tape(name), rolled=True)


def titles(view: GraphView, **wanted: Any) -> list[str]:
    nodes = view.graph.nodes(data=True)
    return [a["title"] for _, a in nodes if all(a.get(name) == value for name, value in wanted.items())]


# --- how large it is ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"maml"}))  # a loop in a loop in a loop, each with a margin of its own
def test_it_is_no_wider_than_a_canvas_on_which_it_can_be_read(name: str) -> None:
    assert first(name).placed.width <= 1.08 * ROOM * CANVAS / LEGIBLE


def test_a_long_graph_that_is_not_rolled_fills_the_canvas_all_the_same() -> None:
    chain = recorded(
        "import torch\nx = torch.ones(2, requires_grad=True)\n" + "x = torch.sin(x)\n" * 400 + "x.sum().backward()\n"
    )
    placed = graph_view(chain).placed
    assert 0.5 * CANVAS < placed.width / placed.height < 2 * CANVAS


def test_what_only_evaluation_and_generation_hold_stands_below() -> None:
    view = first("gpt")
    frames = view.placed.frames
    assert view.rolled is not None
    main = frames[view.rolled.rolled.main]
    for loop, (_, top, _, _) in frames.items():
        if loop != view.rolled.rolled.main and all(
            a["side"] for _, a in view.graph.nodes(data=True) if loop in a.get("frames", ())
        ):
            assert top >= main[1] + main[3]


# --- what is there ------------------------------------------------------------------------------------------------------------


def test_a_loss_and_what_is_called_more_than_once_are_cards_of_their_own() -> None:
    view = first("gan")
    assert {"g_loss", "real_loss", "fake_loss", "d_loss"} <= set(titles(view))
    assert "criterion" not in titles(view)
    ops = [a["op"] for _, a in first("resnet").graph.nodes(data=True)]
    assert ops.count("softplus") == 4, "two in each block, not one with two ways in and out"


def test_an_activation_that_is_called_twice_closes_no_cycle() -> None:
    view = first("resnet")
    opened = graph_view(tape("resnet"), rolled=True, opened=view.groups.groups)
    assert not any(a["write"] and not a["carried"] for _, _, a in opened.graph.edges(data=True))


def test_parameters_by_hand_stand_in_the_loop_that_uses_them() -> None:
    graph = first("rnn").graph
    inner = next(a["frames"] for _, a in graph.nodes(data=True) if a["title"] == "h" and a["kind"] == "result")
    assert len(inner) == 2
    assert {a["title"]: a["frames"] for _, a in graph.nodes(data=True) if a["kind"] == "leaf"} == dict.fromkeys("WUbV", inner)


def test_evaluation_does_not_hang_on_every_parameter() -> None:
    view = first("pooling")
    (aside,) = (key for key, a in view.graph.nodes(data=True) if a["title"] == "evaluate(model, loader)")
    assert view.graph.nodes[aside]["side"]
    users = {view.graph.nodes[u]["title"] for u, _ in view.graph.in_edges(aside)}
    assert not users & {"conv", "fc"}
    assert view.structure.graph.number_of_edges() > view.graph.number_of_edges()
    again = graph_view(tape("pooling"), rolled=True, opened={*view.opened, view.graph.nodes[aside]["group"]})
    assert any(not again.graph.nodes[u]["side"] and again.graph.nodes[v]["side"] for u, v in again.graph.edges()), (
        "opened, it says"
    )


def test_results_that_nobody_takes_are_left_out() -> None:
    view = first("pooling")
    ops = [a["op"] for _, a in view.structure.graph.nodes(data=True)]
    assert "max_pool2d_with_indices" in ops
    assert [
        a["kind"] for _, a in view.structure.graph.nodes(data=True) if a["op"] == "max_pool2d_with_indices" and not a["side"]
    ] == ["result"]


def test_an_inner_loop_of_learning_is_seen_from_within() -> None:
    shown = titles(first("maml"))
    assert {"inner", "meta_loss"} <= set(shown)
    assert "torch.autograd.grad(…)" in shown


# --- names --------------------------------------------------------------------------------------------------------------------


def test_modules_of_two_models_can_be_told_apart() -> None:
    shown = titles(first("gan"), kind="group")
    assert {"generator.body.0", "generator.body.2", "critic.body.0", "critic.body.2"} <= set(shown)
    assert len(set(shown)) == len(shown)


def test_layers_of_the_same_name_say_whose_they_are_and_others_are_short() -> None:
    view = graph_view(tape("resnet"), rolled=True)
    groups = view.groups.groups.values()
    shown = {group.title for group in groups if group.kind == "module" and not group.children}
    assert {"conv1", "layer1.0.conv1", "layer1.1.conv1", "layer1.1.conv2", "head"} <= shown


def test_so_much_of_a_path_is_said_as_tells_it_from_others() -> None:
    assert told_apart(["a.x.fc", "b.x.fc"]) == {"a.x.fc": "a.x.fc", "b.x.fc": "b.x.fc"}
    assert told_apart(["m.h.0.fc", "m.h.1.fc"]) == {"m.h.0.fc": "h.0.fc", "m.h.1.fc": "h.1.fc"}
    assert told_apart(["m.fc", "m.h.fc"]) == {"m.fc": "fc", "m.h.fc": "h.fc"}
    assert told_apart(["m.0.fc", "m.1.fc"]) == {"m.0.fc": "m.0.fc", "m.1.fc": "m.1.fc"}


def test_data_go_by_the_names_that_a_loop_gives_them() -> None:
    view = graph_view(tape("pooling"), rolled=True)
    assert [group.title for group in view.groups.groups.values() if group.kind == "data"] == ["images, labels"]


def test_what_stands_aside_is_named_in_few_words() -> None:
    assert brief("torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)") == "clip_grad_norm_(…)"
    assert brief("model.generate(x, 6, do_sample=False)") == "model.generate(…)"
    assert brief("loss = criterion(pred[:, :-future], target)") == "loss = criterion(…)"
    assert brief("evaluate(model, loader)") == "evaluate(model, loader)"
    assert brief("for param, m in zip([Wxh, Whh], mem)") == "for param, m in zip([Wx…"


# --- what an iteration has brought --------------------------------------------------------------------------------------------


def test_when_a_pass_is_over_cards_show_the_gradient_that_came() -> None:
    recording, view = tape("script"), first("script")
    assert view.rolled is not None
    loop = view.rolled.main
    assert loop is not None
    end = int(loop.ends[5])
    shown = view.faces(view.rolled.window(end))
    key = next(key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["root"])
    face = next(face for step, face in reversed(shown.nodes[key]) if step <= end)
    assert (face.grad, face.grad_label) == ("1", PASSED_LABEL)
    passed = [face for key in view.graph for step, face in shown.nodes[key][-1:] if face.grad_label == PASSED_LABEL]
    assert len(passed) > 3
    # A parameter has its `.grad`, which is something else.
    parameter = next(key for key, a in view.structure.graph.nodes(data=True) if a["title"] == "model.fc1.weight")
    assert shown.nodes[parameter][-1][1].grad_label == "grad"
    assert index_of(recording).tensors[int(parameter[1:])].grad(end) >= 0


def test_it_is_the_same_whatever_window_it_is_looked_at_in() -> None:
    view = first("script")
    assert view.rolled is not None
    loop = view.rolled.main
    assert loop is not None
    end, start = int(loop.ends[5]), int(loop.starts[5])
    wide, narrow = view.faces((start, end)), view.faces((end, end))
    for key in view.rolled.keys:
        at = [face for step, face in wide.nodes[key] if step <= end]
        assert [face for _, face in narrow.nodes[key]] == at[-1:], key


def test_before_its_pass_a_card_of_the_iteration_says_nothing_of_the_one_before() -> None:
    view = first("script")
    assert view.rolled is not None
    key = next(key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["root"])
    members = view.structure.graph.nodes[key]["all"]
    born = index_of(tape("script")).tensors[int(members[4][1:])].born
    shown = view.faces((born, born)).nodes[key]
    assert [(face.grad, face.grad_label) for _, face in shown] == [(None, "grad")]


TIED = """
import torch
from torch import nn
torch.manual_seed(0)
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
    def forward(self, x):
        return x * self.w
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.emb.weight
        self.inner = Inner()
    def forward(self, x):
        return self.head(torch.tanh(self.inner(self.emb(x)))) + 0.01 * self.inner.w.sum()
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for k in range(3):
    loss = nn.functional.cross_entropy(net(torch.tensor([1, 2])), torch.tensor([0, 4]))
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_a_parameter_stands_in_the_module_that_it_belongs_to() -> None:
    view = graph_view(recorded(TIED), rolled=True)
    rows = {
        group.title: [view.structure.graph.nodes[key]["title"] for key in group.rows] for group in view.groups.groups.values()
    }
    assert rows["emb"] == ["net.emb.weight"]
    assert rows["inner"] == ["net.inner.w"]


def test_a_group_shows_what_it_kept_from_before_in_every_window() -> None:
    view = first("script")
    assert view.rolled is not None
    loop = view.rolled.main
    assert loop is not None
    start = int(loop.starts[5])
    wide, narrow = view.faces((start - 40, start + 40)), view.faces((start, start + 40))
    for key in view.graph:
        now = [[face for step, face in shown.nodes[key] if step <= start][-1:] for shown in (wide, narrow)]
        assert [(face.value, face.grad) for face in now[0]] == [(face.value, face.grad) for face in now[1]], key


def test_what_an_iteration_has_not_made_yet_is_known_as_old() -> None:
    view = first("script")
    assert view.rolled is not None
    loop = view.rolled.main
    assert loop is not None
    start, end = int(loop.starts[5]), int(loop.ends[5])
    key = next(key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["root"])
    before, made = view.rolled.made(key, start, end)
    assert before < start < made < end
    assert view.rolled.made(key, made + 1, end) == [made], "in a window that begins later, too"
    assert [step for step, _ in view.faces((start, end)).nodes[key] if step < start] == [start - 1]
