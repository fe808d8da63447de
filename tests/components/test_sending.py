"""What is sent to the player and to a replay: everything once, and large parts when the picture is there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from components.menus.gallery import examples
from components.player import feed
from components.player.feed import LARGE, Parts
from components.player.picture import Wish, drawing
from components.player.protocol import Holds
from components.replay.openings import ALL_OPEN, FIRST, MOST, NOTHING_OPEN
from components.replay.pictures import pictures
from engine.diagnosis.contributions import edge_lines
from engine.graph.graph_view import graph_view
from tests.components.messages import sent
from tests.recorded import recorded

LAYERS = """import torch
from torch import nn
model = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(70)])
loss = model(torch.ones(1, 2)).sum()
loss.backward()
"""


def plain(thing: Any) -> Any:
    """Anything as JSON says it."""
    return msgspec.json.decode(msgspec.json.encode(thing))


PARTS = ("run", "drawn", "moments", "details", "outline", "sketch")


def needed(holds: Holds, total: int = LARGE, names: tuple[str, ...] = PARTS, **of: Any) -> list[str]:
    """Which parts a player that holds this is sent."""
    about: dict[str, Any] = {"rolled": False, "window": None} | of
    parts = Parts("R", "T", total, about["rolled"], about["window"], dict.fromkeys(names, list))
    return feed.next_parts(parts, holds)


def test_a_small_recording_is_sent_whole() -> None:
    assert needed(Holds(tape="T", rev="R"), LARGE - 1, ("run", "drawn", "details")) == ["run", "drawn", "details"]


def test_of_a_large_one_the_structure_comes_first_and_what_nobody_waits_for_last() -> None:
    assert needed(Holds()) == ["outline", "sketch"]
    assert needed(Holds(tape="of another run", rev="R")) == ["outline", "sketch"]
    assert needed(Holds(sketch="R")) == ["run", "drawn"]
    assert needed(Holds(tape="T", rev="R")) == ["moments", "details"]
    assert needed(Holds(tape="T", captions=True, rev="R")) == ["details"]
    assert needed(Holds(tape="T", captions=True, rev="R", details=True)) == []
    assert needed(Holds(tape="T", captions=True, rev="a group less", details=True)) == ["drawn"], "the run is there"


def test_of_a_rolled_one_the_chosen_iteration_comes_with_the_picture_and_others_when_they_are_asked_for() -> None:
    names = ("run", "drawn", "moments", "details", "told")
    assert needed(Holds(), names=names, rolled=True) == ["run", "drawn", "moments", "details"]
    assert needed(Holds(), names=(*names, "outline", "sketch"), rolled=True) == ["outline", "sketch"], "of a very long one"
    assert needed(Holds(sketch="R"), names=(*names, "outline", "sketch"), rolled=True) == ["run", "drawn", "moments", "details"]
    here = Holds(tape="T", rev="R", window=(0, 9))
    assert needed(here, names=names, rolled=True) == []
    assert needed(here, names=names, rolled=True, window=(0, 9)) == []
    assert needed(here, names=names, rolled=True, window=(9, 20)) == ["told", "moments", "details"]
    assert needed(here, names=(*names, "found"), rolled=True) == ["found"]
    told = Holds(tape="T", rev="R", window=(0, 9), found=True)
    assert needed(told, names=(*names, "found"), rolled=True) == []
    assert needed(Holds(tape="T", rev="a group less"), names=names, rolled=True) == ["drawn", "moments", "details"]


def test_a_sketch_is_the_picture_of_the_payload() -> None:
    recording, wish = recorded(LAYERS), Wish(run="run", fold="auto")
    d = drawing(recording, wish)
    parts = feed.parts_of(d, edge_lines(recording))
    outline, about = plain(feed.drawn(d)), parts.make["sketch"]().focus
    full = sent(recording, wish)
    for part in ("nodes", "edges"):
        for one, whole_one in zip(outline.pop(part), full[part], strict=True):
            assert one.items() <= whole_one.items()
            assert "history" not in one
    assert outline.items() <= full.items()
    groups = {node["id"] for node in full["nodes"] if "members" in node}
    assert groups, "it is folded"
    assert set(about) <= {node["id"] for node in full["nodes"]}
    assert d.view.stand(full["steps"][-1]["focus"][0]) == about[0], "what the last step is about, or its group"


def test_what_comes_later_is_what_a_complete_message_has(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(examples()["repeated_backward"].text)
    lines, wish = edge_lines(recording), Wish()
    full = sent(recording, wish, lines=lines)
    monkeypatch.setattr(feed, "LARGE", 1)
    held = Holds(sketch=full["rev"])
    first = sent(recording, wish, lines=lines, holds=held)
    later = sent(recording, wish, lines=lines, holds=Holds(tape=full["tape"], rev=full["rev"]))
    assert [step["caption"] for step in full["steps"]] == later["captions"]
    assert [step["caption"] for step in first["steps"]][:-1] == [[]] * (len(later["captions"]) - 1)
    assert first["steps"][-1]["caption"] == later["captions"][-1]
    assert "details" not in first
    assert full["details"] == later["details"]
    assert any("= 22" in line for edge in later["details"].values() for told in edge.values() for line in told)
    assert later.keys() == {"rev", "tape", "total", "large", "captions", "captions_from", "details"}


@pytest.mark.thorough
def test_a_replays_pictures_are_those_of_the_page() -> None:
    recording = recorded(LAYERS)
    everything = pictures(recording, "tensors", "LR", "run", edge_lines(recording))
    made = msgspec.json.decode(msgspec.json.encode(everything))
    shown = graph_view(recording, fold="auto")
    groups, first = shown.groups, shown.opened
    named = made["pictures"].keys() - {FIRST, NOTHING_OPEN, ALL_OPEN}
    inner = groups.groups.keys() - first
    assert len(named) == MOST < len(inner), "so many have a picture,"
    assert {id for id in inner if groups.groups[id].parent in first} < named < inner, "the outer ones all of them"
    for name, picture in made["pictures"].items():
        nodes = [made["nodes"][place]["id"] for place, _, _ in picture["nodes"]]
        edges = [made["edges"][place] for place, _, _ in picture["edges"]]
        assert len(set(nodes)) == len(nodes) > 0
        assert {end for edge in edges for end in (edge["from"], edge["to"])} <= set(nodes)
        assert len({edge["id"] for edge in edges}) == len(edges)
        assert (f"g:{name}" in nodes) is False
    page = sent(recording, Wish(run="run", fold="auto"))
    there = {made["nodes"][place]["id"]: (x, y) for place, x, y in made["pictures"][FIRST]["nodes"]}
    assert there == {node["id"]: (round(node["x"]), round(node["y"])) for node in page["nodes"]}
    whole_graph = {made["nodes"][place]["id"] for place, _, _ in made["pictures"][ALL_OPEN]["nodes"]}
    assert whole_graph == set(shown.structure.graph)
