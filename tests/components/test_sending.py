"""What is sent to the player and to a replay: everything once, and large parts when the picture is there."""

from __future__ import annotations

from typing import Any

import msgspec

from components.menus.gallery import examples
from components.player import LARGE, _needed, knows
from components.player.folds import at_first, folding
from components.player.payload import drawing, late_details, packed, payload, plain, sketch
from components.player.tape import late_captions
from components.replay.openings import ALL_OPEN, FIRST, MOST, NOTHING_OPEN
from components.replay.pictures import pictures
from engine.diagnosis.contributions import edge_lines
from engine.graph.graph_view import whole
from tests.recorded import recorded

LAYERS = """import torch
from torch import nn
model = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(70)])
loss = model(torch.ones(1, 2)).sum()
loss.backward()
"""
EVERYTHING = {"tape": "T", "rev": "R", "total": LARGE, "steps": [], "segments": [], "lines": [], "queues": [], "index": {},
              "nodes": [], "edges": [], "network": {}, "legend": []}  # fmt: skip


def needed(holds: dict[str, Any] | None, **changes: Any) -> dict[str, Any]:
    late = {"captions": lambda: "captions", "details": lambda: "details"}
    return _needed({**EVERYTHING, **changes}, holds, late)


def test_a_small_recording_is_sent_whole() -> None:
    data = {**EVERYTHING, "total": LARGE - 1}
    assert needed({"tape": "T", "rev": "R"}, total=LARGE - 1) == data


def test_of_a_large_one_what_the_player_has_stays_behind_and_the_rest_follows() -> None:
    assert needed(None) == {**EVERYTHING, "large": True}
    assert needed({"tape": "T", "captions": False, "rev": "R", "details": False}) == {
        "tape": "T", "rev": "R", "total": LARGE, "legend": [], "large": True, "captions": "captions", "details": "details",
    }  # fmt: skip
    assert needed({"tape": "T", "captions": True, "rev": "R", "details": True}).keys() == {
        "tape", "rev", "total", "legend", "large",
    }  # fmt: skip
    another = needed({"tape": "T", "captions": True, "rev": "before", "details": True})
    assert "nodes" in another
    assert "steps" not in another
    assert "details" not in another


def test_a_sketch_is_the_picture_of_the_payload_and_is_sent_to_players_that_know_nothing() -> None:
    recording = recorded(LAYERS)
    drawn = drawing(recording, run="run", fold="auto", opened=None)
    outline, full = plain(packed(sketch(drawn))), plain(packed(payload(drawn)))
    about = outline.pop("focus")
    for part in ("nodes", "edges"):
        for one, whole_one in zip(outline.pop(part), full[part], strict=True):
            assert one.items() <= whole_one.items()
            assert "history" not in one
    assert outline.items() <= full.items()
    groups = {node["id"] for node in full["nodes"] if "members" in node}
    assert groups, "it is folded"
    assert set(about) <= {node["id"] for node in full["nodes"]}
    assert drawn.picture.stand(full["steps"][-1]["focus"][0]) == about[0], "what the last step is about, or its group"

    assert not knows(None, drawn.rev, drawn.tape)
    assert not knows({"tape": "of another run", "rev": drawn.rev}, drawn.rev, drawn.tape)
    assert knows({"sketch": drawn.rev}, drawn.rev, drawn.tape)
    assert knows({"tape": drawn.tape, "rev": "a group less"}, drawn.rev, drawn.tape)
    assert needed(None, steps=...) == {**EVERYTHING, "steps": ..., "large": True}
    bare = {part: value for part, value in EVERYTHING.items() if part != "steps"}
    assert _needed(bare, {"tape": "T", "rev": "R"}, {}) == {**bare, "large": True}, "nothing is left out of a sketch"


def test_what_comes_later_is_what_a_complete_payload_has() -> None:
    recording = recorded(examples()["repeated_backward"].text)
    lines = edge_lines(recording)
    full = plain(packed(payload(drawing(recording), details=lines)))
    short = plain(packed(payload(drawing(recording), details=lines, complete=False)))
    captions = msgspec.json.decode(late_captions(recording))
    assert [step["caption"] for step in full["steps"]] == captions
    assert [step["caption"] for step in short["steps"]][:-1] == [[]] * (len(captions) - 1)
    assert short["steps"][-1]["caption"] == captions[-1]
    assert "details" not in short
    details = late_details(recording, "tensors", "none", (), lines)
    assert full["details"] == msgspec.json.decode(msgspec.json.encode(details))
    assert any("= 22" in line for edge in details.values() for told in edge.values() for line in told)


def test_a_replays_pictures_are_those_of_the_page() -> None:
    recording = recorded(LAYERS)
    everything = pictures(recording, "tensors", "LR", "run", edge_lines(recording))
    made = msgspec.json.decode(msgspec.json.encode(everything))
    groups, first = folding(recording, "tensors", "auto"), at_first(recording, "tensors", "auto")
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
    page = plain(payload(drawing(recording, run="run", fold="auto", opened=None)))
    there = {made["nodes"][place]["id"]: (x, y) for place, x, y in made["pictures"][FIRST]["nodes"]}
    assert there == {node["id"]: (round(node["x"]), round(node["y"])) for node in page["nodes"]}
    whole_graph = {made["nodes"][place]["id"] for place, _, _ in made["pictures"][ALL_OPEN]["nodes"]}
    assert whole_graph == set(whole(recording, "tensors").graph)
