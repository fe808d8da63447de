"""A run with loops on the page: rolled, an iteration at a time, and unrolled again."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.routing import Match

from components.page import beside, rolling
from components.page.state import Page
from components.panels.findings import badge
from components.player import feed
from components.player.feed import LARGE, plain
from components.player.isolated import make
from components.player.picture import Wish, drawing
from components.player.protocol import Holds, RolledWish, Window, read
from components.server import serving, windows
from engine.diagnosis import findings
from engine.diagnosis.contributions import edge_lines
from engine.diagnosis.findings import findings_at_hand, known_findings
from engine.graph.rolled_graph import rolled_graph
from engine.program import Program
from engine.recording import Recording
from engine.sandbox.transport.call_messages import with_argument
from tests.components import messages
from tests.components.visits import Visit, visit_file
from tests.recorded import recorded

TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 3)
for k in range(ITERATIONS):
    loss = model(x).square().mean()
    if k == 3:
        loss = loss + torch.log(loss - 100)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


NEWLY = Holds()
"""A player that has nothing."""


@pytest.fixture(scope="module")
def short() -> Recording:
    return recorded(TRAINING.replace("ITERATIONS", "6"))


@pytest.fixture(scope="module")
def long() -> Recording:
    recording = recorded(TRAINING.replace("ITERATIONS", "120"))
    assert len(recording.events) > LARGE
    return recording


def sent(recording: Recording, window: Window | None = None, **wanted: Any) -> dict[str, Any]:
    """What a player is sent that has nothing."""
    return messages.sent(recording, Wish(rolled=True, **wanted), window=window, holds=NEWLY)


def news(recording: Recording, window: Window | None, had: Window | None, view: str = "tensors") -> dict[str, Any]:
    """What a player is sent that has the picture, and a window of it."""
    d = drawing(recording, Wish(view, rolled=True))
    holds = Holds(tape=d.wish.tape, rev=d.rev, window=had)
    return plain(feed.message(feed.parts_of(d, edge_lines(recording), window), holds))


def node(data: dict[str, Any], title: str) -> dict[str, Any]:
    return next(each for each in data["nodes"] if title in (each["title"], each["badge"]))


def at(history: list[Any], step: int) -> dict[str, Any]:
    face: dict[str, Any] = [face for born, face in history if born <= step][-1]
    return face


@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_a_payload_names_its_loops_curves_and_marks(short: Recording, view: str) -> None:
    rolled = sent(short, view=view)["rolled"]
    (loop,) = rolled["loops"]
    assert (rolled["main"], rolled["on"], rolled["worth"]) == (loop["id"], True, True)
    assert (loop["title"], loop["where"], loop["kind"], loop["total"], loop["shown"]) == (
        "for k in range(6)",
        "line 7",
        "time",
        6,
        True,
    )
    assert len(loop["starts"]) == len(loop["ends"]) == len(loop["outer"]) == 6
    assert [curve["name"] for curve in rolled["curves"]] == ["loss", "gradient norm"]
    assert [value is None for value in rolled["curves"][0]["values"]] == [False] * 3 + [True] + [False] * 2
    marks = {mark["kind"]: mark["iteration"] for mark in rolled["marks"]}
    assert marks.items() >= {"nan": 3, "last-good": 2, "shape": 3}.items()
    (frame,) = rolled["frames"]
    assert frame["loop"] == loop["id"]


def test_cards_lie_in_the_frame_of_their_loop(short: Recording) -> None:
    data = sent(short)
    (frame,) = data["rolled"]["frames"]
    left, right = frame["x"] - frame["w"] / 2, frame["x"] + frame["w"] / 2
    top, bottom = frame["y"] - frame["h"] / 2, frame["y"] + frame["h"] / 2
    for each in data["nodes"]:
        inside = left < each["x"] < right and top < each["y"] < bottom
        assert inside == bool(each["loop"]), each["title"]


def test_a_closed_module_has_its_parameters_in_its_card(short: Recording) -> None:
    data = sent(short)
    first = next(each for each in data["nodes"] if each.get("rows"))
    assert [row["title"] for row in first["rows"]] == ["weight", "bias"]
    key = first["rows"][0]["key"]
    view = rolled_graph(short)
    assert view.graph.nodes[key]["title"].endswith("weight")
    assert first["rows"][0]["spark"]["grad"] is not None
    assert first["h"] > 82 + 2 * 20


def test_what_only_some_iterations_have_says_so(short: Recording) -> None:
    data = sent(short)
    log = node(data, "log")
    assert log["some"] == "in 1 of 6 iterations"
    assert log["spark"]["bad"] == [[3, "nan"]]
    assert {each["some"] for each in data["nodes"]} == {"", "in 1 of 6 iterations"}


def test_parameters_come_back_from_the_step_along_carried_edges(short: Recording) -> None:
    data = sent(short)
    step = next(each for each in data["nodes"] if each["tone"] == "step")
    leaving = [edge for edge in data["edges"] if edge["from"] == step["id"]]
    assert leaving
    assert all(edge["carried"] for edge in leaving)


def test_a_card_shows_another_value_in_each_iteration(short: Recording) -> None:
    data = sent(short)
    ends = data["rolled"]["loops"][0]["ends"]
    loss = node(data, "loss")
    shown = [at(loss["history"], end)["value"] for end in ends]
    assert len(set(shown)) == 6
    assert [f"{value:.4g}" for value in loss["spark"]["value"]] == shown


def test_an_iteration_of_a_long_run_is_sent_with_its_neighbours(long: Recording) -> None:
    view = rolled_graph(long)
    loop = view.main
    assert loop is not None
    window = view.window(int(loop.starts[50]))
    assert window == (loop.starts[49], loop.ends[51])
    data = sent(long, window)
    assert data["rolled"]["window"] == list(window)
    for each in data["nodes"]:
        # What was there before begins just before the window.
        assert all(window[0] - 1 <= step <= window[1] for step, _ in each["history"]), each["title"]
        assert all(window[0] <= step <= window[1] for step in [*each["changes"], *each["made"][1:]]), each["title"]
    assert (data["captions_from"], len(data["captions"])) == (window[0], window[1] - window[0] + 1)
    assert len(data["focuses"]) == len(data["captions"])
    assert data["steps"]["total"] == len(long.events)


def test_what_is_sent_of_the_run_is_small(long: Recording) -> None:
    data = sent(long)
    parts = [msgspec.json.encode(data[name]) for name in ("steps", "segments", "lines")]
    assert sum(map(len, parts)) < 6 * len(long.events)


def test_a_picture_does_not_wait_for_findings_which_come_after_it(short: Recording, long: Recording) -> None:
    long.derived.pop("findings", None)
    first = sent(long)
    assert "findings" not in long.derived
    assert news(long, None, None).keys() == {"rev", "tape", "total", "large"}
    found = findings(long)
    told = news(long, None, None)["found"]
    marks = [mark["title"] for mark in told["marks"]]
    assert marks == [each.title for each in found if each.step >= 0]
    now = sent(long)
    assert [mark for mark in now["rolled"]["marks"] if mark not in first["rolled"]["marks"]] == told["marks"]
    assert {each["id"]: each["findings"] for each in now["nodes"] if each["findings"]} == told["nodes"]


@pytest.mark.parametrize("view", ["tensors", "autograd"])
def test_news_of_a_window_are_what_the_picture_has_of_it(long: Recording, view: str) -> None:
    of = rolled_graph(long, view)
    assert of.main is not None
    one, other = (of.window(int(of.main.starts[row])) for row in (10, 60))
    wish = Wish(view, rolled=True)
    whole, more = messages.sent(long, wish, window=other, holds=NEWLY, lines=edge_lines(long)), news(long, other, one, view)
    told = more["told"]
    assert told["window"] == list(other)
    assert {each["id"]: each["history"] for each in told["nodes"]} == {each["id"]: each["history"] for each in whole["nodes"]}
    rows = {row["key"]: row["history"] for each in whole["nodes"] for row in each.get("rows", ())}
    assert {row["key"]: row["history"] for each in told["nodes"] for row in each["rows"]}.items() >= rows.items()
    assert {each["id"]: each["history"] for each in told["edges"]} == {each["id"]: each["history"] for each in whole["edges"]}
    assert [queue["number"] for queue in more["running"]] == [60, 61, 62]
    for name in ("captions", "captions_from", "focuses", "running", "details"):
        assert more[name] == whole[name]
    assert "told" not in news(long, other, other, view), "it is there"


def fetched(address: str) -> tuple[int, Any]:
    """What the server answers at an address: its status, and the JSON that comes with 200."""
    made: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: MutableMapping[str, Any]) -> None:
        made.append(message)

    route = next(each for each in serving.ROUTES if each.path == windows.PATH)
    scope = {"type": "http", "method": "GET", "path": f"/{address}", "root_path": "", "headers": [], "query_string": b""}
    match, found = route.matches(scope)
    assert match == Match.FULL
    asyncio.run(route.handle({**scope, **found}, receive, send))
    body = b"".join(message.get("body", b"") for message in made)
    return made[0]["status"], json.loads(body) if made[0]["status"] == 200 else None


def test_a_window_is_fetched_without_the_page(long: Recording) -> None:
    drawn = drawing(long, Wish(rolled=True))
    loop = rolled_graph(long).main
    assert loop is not None
    first, last = int(loop.starts[40]), int(loop.ends[40])
    address = windows.offer(drawn)
    assert address == windows.offer(drawn)
    status, more = fetched(f"{address}/{first}/{last}")
    assert status == 200
    assert more["told"]["window"] == [first, last]
    assert len(more["moments"]["captions"]) == last - first + 1
    whole = sent(long, rolled_graph(long).window(first))
    shown = {each["id"]: at(each["history"], last) for each in whole["nodes"] if each["history"]}
    assert {each["id"]: at(each["history"], last) for each in more["told"]["nodes"] if each["history"]} == shown
    assert more["details"]


@pytest.mark.parametrize("window", ["5/4", "0/999999999999999999999999"])
def test_a_window_that_the_run_does_not_have_is_not_found(long: Recording, window: str) -> None:
    drawn = drawing(long, Wish(rolled=True))
    assert fetched(f"{windows.offer(drawn)}/{window}") == (404, None)


def test_pictures_have_secret_names_and_one_that_is_not_kept_has_none(long: Recording) -> None:
    drawn, other = drawing(long, Wish(rolled=True)), drawing(long, Wish(direction="TB", rolled=True))
    address = windows.offer(drawn)
    assert len(address) > 30
    assert address != windows.offer(other)
    assert fetched(f"{address}/0/9")[0] == 200
    del drawn
    gc.collect()
    assert fetched(f"{address}/0/9") == (404, None)


def test_a_window_that_takes_too_long_is_given_up(long: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawing(long, Wish(rolled=True))

    def endless(*_: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(feed, "of_window", endless)
    monkeypatch.setattr(windows, "LASTS", (0, 0))
    assert fetched(f"{windows.offer(drawn)}/0/9") == (503, None)


def test_a_player_with_nothing_is_told_of_the_step_on_show(long: Recording) -> None:
    view = rolled_graph(long)
    assert view.main is not None
    there, elsewhere = int(view.main.ends[60]), view.window(int(view.main.ends[10]))
    for window in (None, elsewhere):
        p = Page(Program.from_text(""), step=there, window=window, windowed="run")
        assert rolling.window_of(p, view, "run") == window
        assert rolling.window_on_show(p, view, "run") == view.window(there)
    p = Page(Program.from_text(""), step=elsewhere[0], window=elsewhere, windowed="run")
    assert rolling.window_on_show(p, view, "run") == elsewhere


def test_no_panel_waits_for_the_findings_of_a_long_run(short: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = recorded(TRAINING.replace("ITERATIONS", "120"))
    assert (badge(recording), known_findings(recording)) == ("Findings", None)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["engine.diagnosis.findings"], "LONG", 1_000)
        assert findings_at_hand(recording) == []
    drawn: list[None] = []
    monkeypatch.setattr(beside.st, "rerun", lambda: drawn.append(None))
    monkeypatch.setattr(beside, "check_by_itself", lambda recording: False)
    beside.find(recording)
    beside.find(recording)
    assert len(drawn) == 1, "and what tells of them is drawn anew once"
    assert badge(recording) != "Findings"
    assert findings_at_hand(recording) == known_findings(recording) == findings(recording) != []
    assert badge(short) == badge(recording)


def test_what_a_window_costs_does_not_depend_on_the_run(short: Recording, long: Recording) -> None:
    def bytes_of(recording: Recording) -> int:
        view = rolled_graph(recording)
        assert view.main is not None
        window = (int(view.main.starts[1]), int(view.main.ends[2]))
        data = sent(recording, window)
        return sum(len(json.dumps(each["history"])) for each in [*data["nodes"], *data["edges"]])

    assert bytes_of(long) < 1.3 * bytes_of(short)


def test_the_player_is_not_sent_what_it_has(long: Recording) -> None:
    view = rolled_graph(long)
    loop = view.main
    assert loop is not None
    one, other = (view.window(int(loop.starts[row])) for row in (10, 60))
    data = sent(long, one)
    assert {"steps", "nodes", "captions"} <= data.keys()
    elsewhere = Holds(tape=data["tape"], rev="otherwise opened", window=one)
    again = messages.sent(long, Wish(rolled=True), window=other, holds=elsewhere)
    assert {"nodes", "edges", "captions"} <= again.keys()
    assert "steps" not in again
    assert again["rev"] == data["rev"]
    assert not {"steps", "nodes", "captions"} & news(long, one, one).keys()


def test_a_turned_loop_has_its_iterations_side_by_side(short: Recording) -> None:
    data = sent(short, turned=("L7",))
    assert data["rolled"]["loops"][0]["kind"] == "depth"
    assert data["tape"] != sent(short)["tape"]
    assert not data["rolled"]["on"]


def test_nonsense_from_the_player_is_passed_over() -> None:
    assert read({"on": True, "turned": ["a"], "window": [1, 2]}, RolledWish) == RolledWish(True, ("a",), (1, 2))
    for told in (
        None,
        3,
        {},
        {"on": 1},
        {"on": True, "turned": "L7"},
        {"on": True, "window": [1]},
        {"on": True, "turned": ["a"] * 99},
    ):
        assert read(told, RolledWish) is None


def test_another_process_draws_the_same(long: Recording) -> None:
    view = rolled_graph(long)
    assert view.main is not None
    window = view.window(int(view.main.starts[5]))
    wish = Wish(run="run", rolled=True, file="train.py")
    file = long.to_bytes()
    order = msgspec.msgpack.encode({"wish": wish, "window": window, "size": len(file), "pinned": False})
    made = json.loads(make(memoryview(b"".join(with_argument(order, (file,)))), lambda _: None))["made"]["drawn"]
    findings(long)  # the other process does not leave them to the page
    here = messages.sent(long, wish, window=window, holds=NEWLY)
    assert made["nodes"] == here["nodes"]
    assert made["rolled"] == here["rolled"]


# --- the page --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def visit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visit:
    (tmp_path / "train.py").write_text(TRAINING.replace("ITERATIONS", "6"))
    return visit_file(monkeypatch, tmp_path / "train.py")


def told(visit: Visit, **state: Any) -> Visit:
    """The player has said this, and the page is drawn again."""
    at = {name: state.pop(name) for name in ("step", "selected") if name in state}
    return visit.draw(player=state | ({"moment": visit.moment(**at)} if at else {}))


def test_a_run_with_loops_is_rolled(visit: Visit) -> None:
    data = visit.sent("player")
    assert data["rolled"]["on"]
    assert data["rolled"]["file"].startswith("train")


def test_unrolled_is_one_click_and_so_is_the_way_back(visit: Visit) -> None:
    rolled = visit.sent("player")
    told(visit, rolled={"on": False, "turned": [], "window": None})
    unrolled = visit.sent("player")
    assert (unrolled["rolled"]["on"], unrolled["rolled"]["worth"]) == (False, True)
    assert len(unrolled["nodes"]) > len(rolled["nodes"])
    assert unrolled["rev"] != rolled["rev"]
    told(visit, rolled={"on": True, "turned": [], "window": None})
    assert visit.sent("player")["rev"] == rolled["rev"]


LOADED = """import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for (x,) in DataLoader(TensorDataset(torch.randn(12, 3)), batch_size=6):
        loss = model(x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


def test_a_card_for_many_is_opened_and_closed_and_what_else_is_open_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loaded.py").write_text(LOADED)
    visit = visit_file(monkeypatch, tmp_path / "loaded.py")
    before = visit.sent("player")
    many = next(each for each in before["nodes"] if each["times"] == 6)
    module = next(each["id"][2:] for each in before["nodes"] if each["title"] == "model.0")
    open_before = [each["id"] for each in before["fold"]["opened"]]
    told(visit, folds={"picture": before["picture"], "opened": [*open_before, module], "wanted": None})
    told(visit, rolled={"on": True, "turned": [many["id"], "nonsense"], "window": None})
    now = visit.sent("player")
    assert now["rolled"]["turned"] == [many["id"]]
    opened = {each["id"] for each in now["fold"]["opened"]}
    (mine,) = opened - {*open_before, module}
    assert mine.rpartition("/")[2] == many["id"]
    parts = [each for each in now["nodes"] if each["op"] == many["op"]]
    assert (len(parts), {each["times"] for each in parts}) == (6, {1})
    assert all(len({face["value"] for _, face in each["history"]}) > 3 for each in parts), "each shows the chosen iteration's"
    told(visit, selected=parts[2]["id"])
    assert visit.page.selected is not None
    assert visit.page.selected.startswith("t")
    told(visit, rolled={"on": True, "turned": [], "window": None})
    again = visit.sent("player")
    assert [each["id"] for each in again["nodes"] if each["times"] == 6] == [many["id"]]
    assert {each["id"] for each in again["fold"]["opened"]} == opened - {mine}


def test_a_run_without_loops_is_not_rolled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n")
    data = visit_file(monkeypatch, tmp_path / "one.py").sent("player")
    assert (data["rolled"]["on"], data["rolled"]["worth"]) == (False, False)


def test_a_selected_card_is_the_tensor_of_the_chosen_iteration(visit: Visit) -> None:
    recording = visit.page.recording
    assert recording is not None
    view = rolled_graph(recording)
    assert view.main is not None
    (key,) = (key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["op"] == "mean")
    for row in (1, 4):
        told(visit, step=int(view.main.ends[row]), selected=key)
        assert visit.page.selected == view.graph.nodes[key]["all"][row]
        made = recording.array(view.series[key].arrays[row])
        assert made is not None
        assert f"value {float(made):.4g}"[:9] in visit.text("panel")


def test_an_optimizers_step_can_be_selected(visit: Visit) -> None:
    told(visit, step=10, selected="o0")
    assert visit.page.selected is None


def test_the_inspector_goes_over_the_run(visit: Visit) -> None:
    recording = visit.page.recording
    assert recording is not None
    view = rolled_graph(recording)
    assert view.main is not None
    key = next(key for key, a in view.graph.nodes(data=True) if a["badge"] == "parameter")
    told(visit, step=int(view.main.ends[2]), selected=key)
    shown = visit.text("panel")
    assert "over the run" in shown
    assert "iteration ‖grad‖ ‖w‖ moved 0" in shown
    assert "gt-ridge bad" not in visit.markup("panel")
    assert "gradient value update" in shown
    group = next(each["id"] for each in visit.sent("player")["nodes"] if each.get("rows"))
    told(visit, step=int(view.main.ends[2]), selected=group)
    assert "operations in each iteration" in visit.text("panel")
    assert "over the run" in visit.text("panel")


def test_a_node_of_an_iteration_is_shown_where_its_card_shows_it(visit: Visit) -> None:
    recording = visit.page.recording
    assert recording is not None
    view = rolled_graph(recording)
    assert view.main is not None
    (key,) = (key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["op"] == "mean")
    wanted = view.graph.nodes[key]["all"][1]
    data = visit.sent("player")
    told(
        visit, step=len(recording.events) - 1, selected=None, folds={"picture": data["picture"], "opened": [], "wanted": wanted}
    )
    command = visit.sent("player")["cmd"]
    assert (command["select"], command["step"]) == (key, view.moment(wanted))


def test_marks_over_the_graph_are_laid_over_cards(short: Recording) -> None:
    view = rolled_graph(short)
    (key,) = (key for key, a in view.graph.nodes(data=True) if a["title"] == "loss" and a["op"] == "mean")
    tensor = view.graph.nodes[key]["all"][2]
    laid = rolling.marks(
        view, {"nodes": {tensor: {"tone": "bad"}}, "edges": {}, "links": [{"from": tensor, "to": "t0", "tone": "cut"}]}
    )
    assert laid is not None
    assert laid["nodes"] == {key: {"tone": "bad"}}
    assert laid["links"][0]["from"] == key


def test_a_fold_that_was_asked_for_unrolls(short: Recording) -> None:
    p = Page(Program.from_text(""))
    assert p.rolls(short)
    p.fold = "loop"
    assert not p.rolls(short)
    p.rolled = True
    assert p.rolls(short)


def test_an_optimizer_whose_parameters_have_no_gradients_moves_nothing() -> None:
    made = recorded(
        "import torch\nfrom torch import nn\nnet = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "x = torch.ones(4, 2)\nfor k in range(6):\n    loss = net(x).square().mean()\n"
        "    grads = torch.autograd.grad(loss, list(net.parameters()))\n    opt.step()\n"
    )
    data = sent(made)
    step = next(each for each in data["nodes"] if each["tone"] == "step")
    shown = [face for _, face in step["history"]]
    assert shown
    assert {(face["value"], face["grad"]) for face in shown} == {("0.1", "0")}
