"""pyvis's Network of a recording: nodes and edges as in the graph, texts that stay texts, and a page that fetches nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gradtape
from components.network import network
from components.network.file import PYVIS
from components.replay.making import REPLAYED
from engine.export import Options
from engine.export.isolated import make_file
from engine.export.snapshot import snapshot
from engine.graph import build, layout
from engine.graph.graph_view import View
from engine.recording import Recording
from engine.sandbox import run
from tests.components.conftest import ROOT
from tests.engine.export.hostile import NAMES, TAGS, hostile
from tests.engine.export.programs import recorded

VIEWS: tuple[View, ...] = ("tensors", "autograd", "grouped")
LOOP = """\
import torch
w = torch.ones(3, requires_grad=True)
for i in range(60):
    y = (w * i).tanh().sum()
    y.backward()
    w.grad = None
"""
CARRIED = """\
import torch
w = torch.ones(2, requires_grad=True)
h = torch.ones(2)
for i in range(9):
    h = torch.tanh(w * h)
h.sum().backward()
"""


def long() -> Recording:
    recording = run(LOOP).recording
    assert recording is not None
    return recording


def ends(net: Any) -> list[tuple[str, str]]:
    return sorted((edge["from"], edge["to"]) for edge in net.edges)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("step", [None, 5])
def test_nodes_and_edges_are_those_of_the_graph_at_a_step(view: View, step: int | None) -> None:
    recording = recorded("tiny_mlp")
    drawn = snapshot(recording, Options(view, step=step))
    net = network(recording, view, step=step)
    assert net.get_nodes() == list(drawn)
    assert [net.get_node(key) for key in net.get_nodes()] == net.nodes
    assert ends(net) == sorted((u, v) for u, v, _ in drawn.edges(keys=True))
    for key, a in drawn.nodes(data=True):
        node = net.get_node(key)
        assert (node["x"], node["y"], node["gradtape"]) == (a["x"], a["y"], a["title"])
        assert node["label"].startswith(a["title"][:4])


@pytest.mark.parametrize("view", VIEWS)
def test_a_graph_of_build_is_drawn_as_it_is(view: View) -> None:
    graph = build(long(), view)
    net = network(graph)
    assert net.get_nodes() == list(graph)
    assert ends(net) == sorted((u, v) for u, v, _ in graph.edges(keys=True))
    assert len({(node["x"], node["y"]) for node in net.nodes}) == len(graph)
    if view == "tensors":
        assert {node["id"]: (node["x"], node["y"]) for node in net.nodes} == {
            key: (round(x, 1), round(y, 1)) for key, (x, y) in layout(graph, "LR", 1.3).positions.items()
        }


def test_a_rolled_graph_says_what_is_carried_on() -> None:
    recording = run(CARRIED).recording
    assert recording is not None
    graph = build(recording, rolled=True)
    net = network(graph)
    assert net.get_nodes() == list(graph)
    carried = sorted((u, v) for u, v, a in graph.edges(data=True) if a["carried"])
    assert carried == sorted((each["from"], each["to"]) for each in net.edges if each["dashes"] == [9, 5])
    assert carried


def test_leaves_stand_first_in_both_views() -> None:
    for net in (network(recorded("tiny_mlp"), "autograd"), network(build(recorded("tiny_mlp"), "autograd"))):
        left, right = (min(n["x"] for n in net.nodes if n["kind"] == kind) for kind in ("accumulate", "node"))
        assert left < right


def test_nothing_moves_and_what_pyvis_offers_works(tmp_path: Path) -> None:
    net = network(recorded("repeated_backward"), direction="TB", theme="dark")
    assert not net.options.physics.enabled
    net.show_buttons(filter_=["physics"])
    net.add_node("mine", label="mine", x=0, y=0)
    net.add_edge("mine", "t0")
    net.write_html(str(tmp_path / "graph.html"))
    page = (tmp_path / "graph.html").read_text()
    assert '"id": "mine"' in page
    assert 'options.configure["container"]' in page


@pytest.mark.parametrize("menus", [False, True])
def test_the_page_names_no_other_server(menus: bool) -> None:
    net = network(recorded("repeated_backward"), title="A title")
    net.select_menu = net.filter_menu = net.neighborhood_highlight = menus
    page = net.generate_html()
    assert page.count("A title") == 1
    markup = re.sub(r"<!--.*?-->|(<script\b[^>]*>|<style\b[^>]*>).*?</(script|style)>", r"\1", page, flags=re.DOTALL)
    assert "://" not in markup
    assert not re.search(r"\b(src|href)\s*=", markup)
    assert not re.search(r"url\(\s*['\"]?http|@import", page)


def test_hostile_texts_stay_texts() -> None:
    page = network(hostile(), title=TAGS).generate_html()
    assert TAGS not in page
    assert escape(TAGS) in page.replace("&#34;", "&quot;")
    assert "window.hurt=1</script>" not in page
    net = network(hostile())
    shown = [node["title"] for node in net.nodes]
    assert not [text for text in shown if "<" in text]
    assert any("&lt;img src=x onerror=" in text for text in shown), "pyvis shows it as markup when any node has a link"
    assert max(len(line) for node in net.nodes for line in node["label"].split("\n")) < 60 < max(map(len, NAMES))


def test_it_is_made_in_a_process_that_opens_no_file() -> None:
    recording, look = recorded("repeated_backward"), Options("autograd", "TB", 11, "dark", "T")
    made = make_file("pyvis", recording, look, by=REPLAYED)
    assert made == PYVIS.make(recording, look)
    assert b"AccumulateGrad" in made


def test_it_is_there_under_gradtapes_name_too() -> None:
    recording = import_module("gradtape.engine.sandbox").run(LOOP).recording
    net = gradtape.network(recording, view="grouped")
    assert ends(net) == ends(network(long(), "grouped"))
    graph = import_module("gradtape.engine.graph").build(recording)
    assert len(gradtape.network(graph).nodes) == len(graph)


def test_it_does_not_take_longer_for_each_node_when_there_are_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyvis's own ways to add one look through all that there are."""
    for name in ("add_node", "add_edge", "get_nodes"):
        monkeypatch.setattr(f"pyvis.network.Network.{name}", None)
    assert len(network(recorded("repeated_backward")).nodes) > 3


def test_pyvis_comes_without_ipython_and_shows_networks_in_notebooks_all_the_same() -> None:
    script = (
        "import sys\n"
        "from components.network.pyvis_alone import Network\n"
        "print(any(name.split('.')[0] == 'IPython' for name in sys.modules))\n"
        "from pyvis.network import IFrame\n"
        "print(type(IFrame('graph.html', 1, 1)).__module__)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "IPython.lib.display"]
