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

from components.replay import REPLAY, replay_html
from components.replay.page import FOLDER, STYLE
from components.replay.panels import MAX_MOMENTS, panels
from engine.export import Options
from engine.recording.events import Accumulated
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import recorded

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
