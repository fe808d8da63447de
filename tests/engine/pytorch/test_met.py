"""A recording that begins with a loop meets there what was made before: it is not the first iteration's own."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from engine.graph.rolled_graph import rolled_graph
from engine.recording import Recording


class Trainer:
    """The model is an attribute, as it is in most libraries."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, x: Any, y: Any, optimizer: Any) -> None:
        for _ in range(6):
            loss = ((self.model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def plain(net: Any, x: Any, y: Any, optimizer: Any) -> None:
    for _ in range(6):
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def by_attribute(net: Any, x: Any, y: Any, optimizer: Any) -> None:
    Trainer(net).fit(x, y, optimizer)


def recorded(torch: ModuleType, train: Any) -> Recording:
    from engine.pytorch import record

    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record(level="values") as tape:
        train(net, torch.ones(2, 3), torch.zeros(2, 1), optimizer)
    return tape.recording


@pytest.mark.parametrize(("train", "name"), [(plain, "net"), (by_attribute, "model")])
def test_a_module_has_its_name_from_the_first_iteration_on(torch: ModuleType, train: Any, name: str) -> None:
    recording = recorded(torch, train)
    assert {scope.module.partition(".")[0] for scope in recording.scopes if scope.module} == {name}


def test_parameters_and_data_stand_outside_of_the_loop_that_met_them(torch: ModuleType) -> None:
    view = rolled_graph(recorded(torch, plain))
    nodes = dict(view.graph.nodes(data=True))
    outside = {a["title"] for a in nodes.values() if not a["loop"]}
    assert {"net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias", "x", "y"} <= outside
    assert [a["title"] for a in nodes.values() if a["loop"] and a["seen"] < a["of"]] == []


def test_what_each_iteration_brings_along_unseen_is_its_own(torch: ModuleType) -> None:
    from engine.pytorch import record

    with record(level="values") as tape:
        for k in range(5):
            given = torch.from_numpy(torch.full((2,), float(k)).numpy().copy())
            given.mul(2.0)
    nodes = rolled_graph(tape.recording).graph.nodes(data=True)
    assert [(a["seen"], a["of"], bool(a["loop"])) for _, a in nodes if a["op"] == "constant"] == [(5, 5, True)]


def test_modules_that_nothing_holds_go_by_their_classes(torch: ModuleType) -> None:
    from engine.pytorch import record

    x = torch.ones(2)
    with record(level="values") as tape:
        for kind in (torch.nn.Sigmoid, torch.nn.Tanh, torch.nn.ReLU) * 100:
            kind()(x)  # one has the `id()` of another that is gone
    assert [scope for scope in tape.recording.scopes if scope.module != scope.module_class] == []
