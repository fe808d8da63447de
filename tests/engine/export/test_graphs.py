"""DOT, Mermaid and GraphML: what other tools read is the graph that the page shows, and nothing else."""

from __future__ import annotations

import io
import re
import warnings
from itertools import product

import networkx as nx
import pydot
import pytest

from engine.export import Options, export
from engine.export.mermaid import escaped
from engine.export.snapshot import snapshot
from engine.graph import VIEWS, View, build
from engine.recording import Recording
from tests.engine.export.hostile import NAMES as HOSTILE
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import NAMES, recorded

SCENES: list[tuple[str, View]] = [*product(NAMES, VIEWS), ("tiny_mlp", "grouped")]


def dot(recording: Recording, options: Options) -> pydot.Dot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydot's own, of the parser it uses
        (graph,) = pydot.graph_from_dot_data(export(recording, "dot", options).decode()) or [None]
    assert graph is not None
    return graph


def nodes(graph: pydot.Dot) -> dict[str, str]:
    """Names and labels."""
    found = {node.get_name().strip('"'): node.get_label() for node in graph.get_nodes()}
    return {name: label for name, label in found.items() if name not in ("node", "edge", "graph", "\\n")}


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "view"), SCENES)
def test_dot_is_read_with_all_nodes_and_edges(name: str, view: View) -> None:
    graph = dot(recorded(name), Options(view=view, rolled=False))
    drawn = build(recorded(name), view)
    assert set(nodes(graph)) == set(drawn)
    ends = [(e.get_source().strip('"'), e.get_destination().strip('"')) for e in graph.get_edges()]
    assert sorted(ends) == sorted((u, v) for u, v, _ in drawn.edges)


def test_dot_holds_hostile_names_in_quotes() -> None:
    graph = dot(hostile(), Options(title=HOSTILE[4]))
    assert set(nodes(graph)) == set(build(hostile()))
    labels = "".join(nodes(graph).values())
    assert "<img" in labels
    assert "\0" not in labels


@pytest.mark.parametrize(("name", "view"), SCENES)
def test_graphml_opens_again_with_the_same_nodes_and_attributes(name: str, view: View) -> None:
    recording = recorded(name)
    for step in (len(recording.events) // 2, None):
        options = Options(view=view, rolled=False, step=step)
        written = snapshot(recording, options)
        read = nx.read_graphml(io.BytesIO(export(recording, "graphml", options)), force_multigraph=True, edge_key_type=int)
        assert dict(read.nodes(data=True)) == dict(written.nodes(data=True))
        assert sorted(read.edges(data=True), key=str) == sorted(written.edges(data=True), key=str)


def test_graphml_holds_hostile_names() -> None:
    read = nx.read_graphml(io.BytesIO(export(hostile(), "graphml", Options(title=TAGS))), force_multigraph=True)
    assert any("<img" in title for _, title in read.nodes(data="title"))
    assert read.graph["title"] == TAGS


LINE = re.compile(
    r"""flowchart\ (LR|RL|TB|BT)
    |\ \ [tng]\d+\["[^"<>`\[\]{}|;]*(?:;[^"<>`\[\]{}|;]*|<br/>[^"<>`\[\]{}|;]*)*"\]:::[a-z]+
    |\ \ [tng]\d+\ (-->|-\.->)(\|"[^"|<>`]*"\|)?\ [tng]\d+
    |\ \ classDef\ [a-z]+\ [a-z:#0-9.,\- ]+
    |\ \ linkStyle\ [\d,]+\ [a-z:#0-9,\-]+""",
    re.VERBOSE,
)


@pytest.mark.parametrize(("name", "view"), [*SCENES, *(("", view) for view in VIEWS)])
def test_mermaid_keeps_to_its_grammar(name: str, view: View) -> None:
    recording = recorded(name) if name else hostile()
    for step in (len(recording.events) // 2, None):
        lines = export(recording, "mermaid", Options(view=view, rolled=False, step=step)).decode().rstrip("\n").split("\n")
        for line in lines:
            assert LINE.fullmatch(line), line
        shown = snapshot(recording, Options(view=view, rolled=False, step=step))
        assert sum("[" in line for line in lines) == len(shown)
        assert sum("-->" in line or "-.->" in line for line in lines) == shown.number_of_edges()


def test_mermaid_writes_signs_as_numbers() -> None:
    assert escaped('a"];end <b>') == "a#34;#93;#59;end #60;b#62;"
    assert escaped("x × 2.5 [1]") == "x × 2.5 #91;1#93;"


def test_mermaid_takes_no_name_for_mathematics() -> None:
    assert escaped("$$x$$") == "#36; #36;x#36; #36;"


def test_an_earlier_step_has_no_more_than_existed_then() -> None:
    recording = recorded("repeated_backward")
    sizes = [len(snapshot(recording, Options(step=step))) for step in range(len(recording.events))]
    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (1, 16)


def test_a_step_of_a_pass_says_what_flows() -> None:
    recording = recorded("repeated_backward")
    flowing = [snapshot(recording, Options(step=step)) for step in range(len(recording.events))]
    labels = {a["gradient"] for graph in flowing for _, _, a in graph.edges(data=True) if "gradient" in a}
    assert {"1", "4", "11", "22", "20"} & labels >= {"4", "11"}
