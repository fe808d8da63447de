"""What the player is sent is what its protocol says, and its JavaScript knows the same protocol."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import pytest

from components.menus.gallery import examples
from components.player import GraphState, feed, protocol, stands
from components.player.picture import DRAWN_BY_VIS, Wish, drawing
from components.player.protocol import Holds, Message
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.recording import Recording
from tests import declarations
from tests.recorded import recorded

CODE = [
    path
    for folder in ("components", "engine", ".")
    for path in (declarations.PAGE.parents[4] / folder).glob("**/*" if folder != "." else "app.py")
    if path.suffix in (".py", ".js") and "node_modules" not in path.parts
]
SOURCES = {path.name: path.read_text() for path in declarations.PAGE.parent.glob("*.js")}
LOOP = """import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range({}):
    loss = (w * k).square().sum().log()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def loop() -> Recording:
    return recorded(LOOP.format(12))


def sent(recording: Recording, wish: Wish, holds: Holds, pinned: Recording | None = None, **asked: Any) -> list[str]:
    """The names of what is sent, once it is known that all of it is in the protocol, and in its types."""
    parts = feed.parts_of(drawing(recording, wish, pinned), edge_lines(recording), asked.pop("window", None))
    written = msgspec.json.encode({**feed.message(parts, holds, **asked), "key": "player"})
    read = msgspec.json.decode(written, type=Message)
    as_sent, typed = msgspec.json.decode(written), msgspec.json.decode(msgspec.json.encode(read))
    assert typed == as_sent
    return list(as_sent)


def test_declarations_are_those_of_the_protocol() -> None:
    assert declarations.PAGE.read_text(encoding="utf-8") == declarations.declarations(), "run `make bundles`"


@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_a_message_about_a_small_run_is_in_the_protocol(loop: Recording, view: str) -> None:
    there = {"rev", "tape", "total", "run", "drawn", "details", "key"}
    assert set(sent(recorded(examples()["repeated_backward"].text), Wish(view, "TB", fold="auto"), Holds())) == there
    assert set(sent(loop, Wish(view, fold="loop"), Holds())) == there
    assert set(sent(loop, Wish(view, rolled=True), Holds())) == {*there, "moments"}
    assert set(sent(loop, Wish(view), Holds(), recorded(LOOP.format(11)))) == {*there, "overlay"}


def test_every_part_of_a_large_run_is_in_the_protocol(loop: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "LARGE", 10)
    monkeypatch.setattr(feed, "ROLLED_SKETCH", 10)
    findings(loop)
    seen: set[str] = set()
    for wish in (Wish(fold="auto"), Wish(rolled=True), Wish("autograd", rolled=True)):
        d = drawing(loop, wish)
        for holds in (Holds(), Holds(sketch=d.rev), Holds(tape=wish.tape, rev=d.rev)):
            seen.update(sent(loop, wish, holds, window=(4, 20)))
    assert seen >= {"sketch", "run", "drawn", "moments", "details", "told", "found"}


def test_what_the_page_wants_is_in_the_protocol(loop: Recording) -> None:
    wanted: dict[str, Any] = {
        "cmd": {"n": 1, "run": "r", "step": 3, "until": 9, "select": "t1", "open": False},
        "keep": {"run": "r", "step": 4, "selected": None, "grown": True},
        "overlay": {
            "nodes": {"t1": {"tone": "error", "value": 0.5}}, "dim": False,
            "links": [{"from": "t1", "to": "t2", "tone": "cut"}],
        },
        "breakpoints": {
            "lines": [{"cell": 0, "line": 3}], "tensors": [{"node": "t1", "name": "w", "when": "set", "value": None}],
        },
    }  # fmt: skip
    assert set(sent(loop, Wish(), Holds(), **wanted)) >= wanted.keys()


def test_types_that_scripts_name_are_declared() -> None:
    declared = set(re.findall(r"^export interface (\w+)", declarations.PAGE.read_text(), re.MULTILINE))
    named = {name for text in SOURCES.values() for name in re.findall(r"import\('\./protocol'\)\.(\w+)", text)}
    assert {"Message", "Holds", "VisNetwork", "Overlay", "Loop"} <= named <= declared


def test_all_that_is_told_has_a_name_in_the_protocol() -> None:
    told = {name for text in SOURCES.values() for name in re.findall(r"\btell\('(\w+)',", text)}
    assert told == set(protocol.Reports.__struct_fields__)


def test_only_what_vis_network_draws_is_sent_to_it() -> None:
    chain = "import torch\nx = torch.ones(1, requires_grad=True)\nfor i in range({}):\n    x = x * 2\n"
    few = feed.drawn(drawing(recorded(chain.format(20)), Wish()))
    assert few.network is not None
    assert [(node.id, node.x, node.y) for node in few.network.nodes] == [(card.id, card.x, card.y) for card in few.nodes]
    assert [(edge.from_, edge.to) for edge in few.network.edges] == [(line.from_, line.to) for line in few.edges]
    assert few.network.options["physics"]["enabled"] is False
    many = feed.drawn(drawing(recorded(chain.format(DRAWN_BY_VIS + 1)), Wish()))
    assert many.network is None


def test_the_road_that_contributing_tells_of_is_there() -> None:
    text = (declarations.PAGE.parents[4] / "CONTRIBUTING.md").read_text()
    road = text.partition("### From the recording to the pixels")[2].partition("## The rooms")[0]
    rows = re.findall(r"^\| (\d+)(?:–(\d+))? \| ([^|]*) \|", road, re.MULTILINE)
    stops, file = 0, ""
    for first, last, told in rows:
        names = re.findall(r"`(\w+)`(?: \((?:`([\w./-]+)`|the same file)\))?", told)
        assert int(first) == stops + 1
        assert int(last or first) == stops + len(names)
        stops += len(names)
        for at, (name, _) in enumerate(names):
            file = next((where for _, where in names[at:] if where), file)
            found = [path for path in CODE if str(path).endswith(f"/{file}")]
            assert len(found) == 1, file
            assert re.search(rf"(def|function) {name}\(|^    {name}(\(|:)", found[0].read_text(), re.MULTILINE), (name, file)
    assert stops == 15


@pytest.mark.parametrize(
    "case", json.loads((declarations.PAGE.parents[1] / "test" / "stands.json").read_text()), ids=lambda case: case["what"]
)
def test_the_page_takes_the_player_to_stand_where_it_does_without_being_told(case: dict[str, Any]) -> None:
    told = protocol.read(case["told"], protocol.Moment)
    assert stands(told, case["message"]) == GraphState(case["step"], case["selected"])


def test_before_anything_is_told_the_page_knows_best_what_is_selected() -> None:
    assert stands(None, {"tape": "b|tensors", "total": 3}, "t4") == GraphState(2, "t4")
    assert stands(protocol.Moment("a", 0, "t1"), {"tape": "b|tensors", "total": 3}, "t4") == GraphState(2, None)


@pytest.mark.parametrize("nonsense", [{"step": -1}, {"step": 1e99}, {"selected": "x" * 10_000}, {"run": 3}, {"n": "1"}])
def test_nonsense_about_where_the_player_stands_is_nothing(nonsense: dict[str, Any]) -> None:
    assert protocol.read({"run": "b", "step": 1, "selected": None, "n": 0} | nonsense, protocol.Moment) is None
