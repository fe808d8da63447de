"""What closed groups do, read from columns, is what the liveliest of their members does."""

from __future__ import annotations

import pytest

from engine.graph.graph_view import GraphView, graph_view
from engine.graph.shown.group_states import STATES, group_history
from engine.recording import Recording
from engine.sandbox import run
from tests.engine.graph.test_first_sight import PAGES, tape

ODD = {
    "written in place": """
        w = torch.ones(3, requires_grad=True)
        for k in range(4):
            x = w * 2
            x.mul_(3)
            x[0] = 1
            y = torch.tanh(x).sum()
            y.backward()
            with torch.no_grad():
                w -= w.grad
    """,
    "a pass within a pass": """
        x = torch.ones(2, requires_grad=True)
        z = torch.ones(2, requires_grad=True)
        def inside(grad):
            (z * z).sum().backward()
            return grad * 2
        for k in range(3):
            y = x * x
            y.register_hook(inside)
            y.sum().backward()
    """,
    "a pass that fails": """
        x = torch.ones(2, requires_grad=True)
        y = torch.exp(x)
        y.retain_grad()
        loss = (y * y).sum()
        y.mul_(2)
        loss.backward()
    """,
    "second derivatives and several outputs": """
        x = torch.ones(4, requires_grad=True)
        for k in range(3):
            a, b = torch.unbind((x * x).reshape(2, 2))
            first, = torch.autograd.grad((a * b).sum(), x, create_graph=True)
            first.pow(2).sum().backward()
    """,
}


def recorded(text: str) -> Recording:
    lines = [line[8:] for line in text.splitlines()]
    made = run("\n".join(["import torch", *lines, ""])).recording
    assert made is not None
    return made


@pytest.fixture(params=[*sorted(PAGES), *ODD])
def recording(request: pytest.FixtureRequest) -> Recording:
    return recorded(ODD[request.param]) if request.param in ODD else tape(request.param)


@pytest.fixture(params=["tensors", "autograd"])
def view(request: pytest.FixtureRequest, recording: Recording) -> GraphView:
    return graph_view(recording, request.param, rolled=True, opened=())


def windows(view: GraphView) -> list[tuple[int, int]]:
    assert view.rolled is not None
    last = len(view.recording.events) - 1
    starts = range(0, last, max(1, last // 9))
    return [view.rolled.window(last), *((step, min(step + 40, last)) for step in starts), *((step, step) for step in starts)]


def groups_of(view: GraphView) -> list[list[list[str]]]:
    """The closed groups; and all cards as if they were one."""
    assert view.rolled is not None
    closed = [list(members) for _, members in view.graph.nodes(data="members") if members is not None]
    return [closed, [list(view.rolled.keys)]]


@pytest.mark.thorough
def test_a_group_does_what_the_liveliest_of_its_members_does(view: GraphView) -> None:
    rolled = view.rolled
    assert rolled is not None
    seen = set()
    for first, last in windows(view):
        every = rolled.faces(first, last)
        asked = groups_of(view)
        told_of = [states for groups in asked for states in rolled.liveliest(first, last, groups)]
        for members, states in zip([members for groups in asked for members in groups], told_of, strict=True):
            expected = {}
            for step in range(first, last + 1):
                faces = [every.nodes.at(key, step) for key in members]
                doing = {face.state for face in faces if face is not None}
                expected[step] = next((state for state in STATES if state in doing), "")
            told = {step: next((what for at, _, what in reversed(states) if at <= step), "") for step in expected}
            assert told == expected, (first, last)
            seen.update(told.values())
    assert "running" in seen


@pytest.mark.thorough
def test_what_is_on_show_shows_the_same_whatever_else_is_looked_at(view: GraphView) -> None:
    rolled = view.rolled
    assert rolled is not None
    for first, last in windows(view):
        every, shown = rolled.faces(first, last), view.faces((first, last))
        norms = rolled.norms_between(first, last)
        for key, a in view.graph.nodes(data=True):
            if "members" not in a:
                assert a["kind"] == "step" or shown.nodes[key] == every.nodes[key]
                continue
            expected = group_history(rolled.graph, a["members"], every, norms)
            gone_through = [(face.grad, face.grad_label) for step, face in expected if step <= last]
            assert [(face.grad, face.grad_label) for _, face in shown.nodes[key]][-1:] == gone_through[-1:]
        for u, v, k, parts in view.graph.edges(keys=True, data="parts"):
            if parts is None or len(parts) == 1:
                assert shown.edges[u, v, k] == every.edges[(u, v, k) if parts is None else parts[0]]


def test_what_is_in_a_closed_group_is_there_when_it_is_asked_for() -> None:
    view = graph_view(tape("script"), rolled=True)
    assert view.rolled is not None
    window = view.rolled.window(len(view.recording.events) - 1)
    every, shown = view.rolled.faces(*window), view.faces(window)
    hidden = [key for key in view.rolled.keys if view.stand(key) != key]
    assert len(hidden) > 3
    assert {key: shown.nodes[key] for key in hidden} == {key: every.nodes[key] for key in hidden}
    with pytest.raises(KeyError):
        shown.nodes["t-1"]
