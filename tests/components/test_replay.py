"""The replay's file as text: what is in it, and that its colours are the page's."""

from __future__ import annotations

import json
import re
import tomllib
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from components.replay import REPLAY, replay_html
from components.replay.page import FOLDER, STYLE, _lean, _styles
from components.replay.panels import MAX_MOMENTS, panels
from engine.export import Options
from engine.graph.rolled_graph import rolled_graph
from engine.graph.structure.moments import iteration_of
from engine.recording.events import Accumulated
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import recorded
from tests.recorded import recorded as of_program

ROOT = Path(__file__).resolve().parents[2]


def packed(page: str) -> dict[str, Any]:
    found = re.search(r'<template id="data">([A-Za-z0-9+/=]+)</template>', page)
    assert found is not None
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(found[1])))
    return data


def test_the_policy_names_the_one_script_by_its_hash() -> None:
    page = replay_html(recorded("repeated_backward"))
    (script,) = re.findall(r"<script type=\"module\">(.*?)</script>", page, re.DOTALL)
    policy = unescape(re.findall(r'Content-Security-Policy" content="([^"]+)"', page)[0])
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy


def test_styles_of_what_streamlit_draws_are_left_out_and_no_others() -> None:
    styles = _styles()
    assert "data-testid" in _lean(STYLE)
    assert ".st-key-headline button" not in styles
    for line in _lean(STYLE).splitlines():
        if "{" in line and not re.search(r"\.st[A-Z-]|data-testid|^@media|^\}", line):
            assert line in styles, line
    assert styles.count("{") == styles.count("}")


def test_nothing_is_named_that_would_be_fetched() -> None:
    page = replay_html(hostile(), Options(title="A title"))
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(src|href|action|data|poster)\s*=", markup)
    assert "url(http" not in page


def test_hostile_text_is_packed_or_escaped() -> None:
    page = replay_html(hostile(), Options(title=TAGS))
    assert TAGS not in page
    assert page.count("</script>") == 1
    assert packed(page)["source"][0].endswith("</script><script>window.hurt=1</script>")


def test_it_opens_at_the_wanted_step_and_view() -> None:
    data = packed(replay_html(recorded("repeated_backward"), Options(view="autograd", step=7, title="T")))
    assert (data["step"], data["view"], data["title"]) == (7, "autograd", "T")
    assert set(data["views"]) == {"tensors", "autograd"}
    assert REPLAY.make(recorded("broadcasting"), Options()).startswith(b"<!doctype html>")


def test_every_change_of_a_leaf_has_its_contents() -> None:
    recording = recorded("repeated_backward")
    made = panels(recording, ("tensors", "autograd"))
    filled = [(step, event.tensor) for step, event in enumerate(recording.events) if isinstance(event, Accumulated)]
    for step, tensor in filled:
        history = made["inspector"][f"t{tensor}"]
        assert step in [at for at, _ in history]
        assert all(0 <= place < len(made["texts"]) for _, place in history)
    assert set(made["ledgers"]) == {f"t{tensor}" for _, tensor in filled}
    assert len(made["texts"]) == len(set(made["texts"])) < MAX_MOMENTS


def test_the_two_views_know_each_others_nodes() -> None:
    twins = panels(recorded("repeated_backward"), ("tensors", "autograd"))["twins"]
    results = {tensor: node for tensor, node in twins.items() if tensor.startswith("t")}
    assert results
    assert all(twins[node] == tensor for tensor, node in results.items())


def test_colours_are_those_of_the_page() -> None:
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
    style = (FOLDER / "replay.css").read_text()
    light, dark = style.split("@media (prefers-color-scheme: dark)", 1)
    for part, colours in ((light, theme["light"]), (dark, theme["dark"])):
        defined = dict(re.findall(r"--gt-([a-z-]+): (#[0-9a-f]{6})", part))
        for name, colour in defined.items():
            first, *rest = name.split("-")
            assert colours[first + "".join(word.title() for word in rest)] == colour, name
        used = set(re.findall(r"var\(--gt-([a-z-]+-color)\b", STYLE.read_text()))
        assert used <= defined.keys()


TRAINING = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    loss = model(torch.ones(4, 2)).pow(2).mean()
    if step == 7:
        loss = loss * torch.log(torch.tensor(-1.0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def unpacked(page: str, id: str) -> list[Any]:
    found = re.search(rf'<template id="{id}">([A-Za-z0-9+/=\n]*)</template>', page)
    assert found is not None
    return [json.loads(zlib.decompress(b64decode(line))) if line else None for line in found[1].split("\n")]


@pytest.mark.thorough
def test_a_run_with_iterations_opens_rolled_and_has_what_happens_in_each() -> None:
    tape = of_program(TRAINING)
    page = replay_html(tape)
    rolled = packed(page)["rolled"]
    assert set(rolled["views"]) == {"tensors", "autograd"}
    assert set(packed(page)["views"]) == {"tensors", "autograd"}, "a short one is there unrolled, too"
    spans, windows = rolled["spans"], unpacked(page, "windows")
    assert len(spans) == len(windows) == 12
    assert [first for first, _ in spans] == [0, *(last + 1 for _, last in spans[:-1])]
    assert spans[-1][1] == len(tape.events) - 1
    for view, made in rolled["views"].items():
        drawn = {made["nodes"][row]["id"] for picture in made["pictures"].values() for row, _, _ in picture["nodes"]}
        edges = {made["edges"][row]["id"] for picture in made["pictures"].values() for row, _, _ in picture["edges"]}
        for (first, last), window in zip(spans, windows, strict=True):
            there = window["views"][view]
            assert window["window"] == [first, last]
            assert len(window["captions"]) == len(there["moments"]["focuses"]) == last - first + 1
            assert drawn <= there["nodes"].keys()
            assert there["edges"].keys() <= edges
    (weight,) = [key for key, a in rolled_graph(tape).graph.nodes(data=True) if a["title"] == "model.0.weight"]
    last = unpacked(page, "beside")[-1]
    (_, rows) = last["inspector"]["tensors"][weight][-1]
    said = "".join(last["texts"][row] for row in rows)
    assert "model.0.weight" in said
    assert '<div data-gt-over=""></div>' in said
    numbers = rolled["views"]["tensors"]["cards"]["of"][weight]
    assert numbers["names"] == ["‖grad‖", "‖w‖", "moved"]
    assert numbers["bad"] == [[row, "nan"] for row in range(7, 12)]
    assert [value is None for value in numbers["values"][0]] == [False] * 7 + [True] * 5


@pytest.mark.thorough
def test_what_does_not_fit_are_the_iterations_that_tell_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.replay.page.MAX_UNROLLED", 10)  # rolled alone, as a long run is
    tape = of_program(TRAINING.replace("range(12)", "range(24)").replace("== 7", "== 13"))
    whole = unpacked(replay_html(tape), "windows")
    size = max(len(b64encode(zlib.compress(json.dumps(each).encode(), 9))) for each in whole)
    monkeypatch.setattr("components.replay.rolled.ROOM", 10 * size)
    monkeypatch.setattr("components.replay.rolled.ROOM_BESIDE", 1)
    page = replay_html(tape)
    kept = [iteration_of(tape, window["window"][1]) for window in unpacked(page, "windows")]
    assert len(kept) < 18
    assert {0, 1, 12, 13, 14, 22, 23} <= set(kept), "both ends, the first NaN and the last good one, and those beside them"
    assert kept == sorted(kept)
    assert sum(each is not None for each in unpacked(page, "beside")) == 1, "what stands beside the graph has a room of its own"


@pytest.mark.thorough
def test_a_long_run_is_there_rolled_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.replay.page.MAX_UNROLLED", 10)
    data = packed(replay_html(of_program(TRAINING)))
    assert data["views"] == {}
    assert all(
        made["shared"]["rolled"]["alone"] and made["shared"]["rolled"]["fixed"] for made in data["rolled"]["views"].values()
    )
    assert packed(replay_html(of_program(TRAINING), Options(rolled=False)))["rolled"] is None
