"""Every panel, for recordings of every kind; what else the page can show: menus, Build, the embedded page, and empty states."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.runtime.context import ContextProxy

from components.menus.gallery import DEFAULT, examples, lessons
from components.menus.help import KEYS
from components.network.file import PYVIS
from components.page import opening, selection, state, tasks
from components.page.visit import OPEN
from components.panels import Beside, Panel, panels
from components.replay import REPLAY
from engine.export import FORMATS
from engine.graph.unrolled_graph import unrolled_graph
from engine.program.share import Link, pack, unpack
from engine.recording.index import index_of
from engine.sandbox import run
from engine.sandbox import runner as sandbox
from tests.components.visits import Visit, visit_file
from tests.thorough import first_of

EXAMPLE = examples()[DEFAULT].text
NUMBERS = """import torch
a = torch.arange(6).reshape(2, 3)
print(a.sum())
"""
MISTAKE = """import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""
TRAINING = """import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for epoch in range(4):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
"""
NAN = """import torch
w = torch.tensor([0.0, 4.0], requires_grad=True)
loss = (w / w).sqrt().sum()
loss.backward()
"""
LARGE = """import torch
w = torch.ones(2, requires_grad=True)
y = torch.zeros(2)
for step in range(450):
    y = torch.tanh(y * 0.9 + w)
y.sum().backward()
"""
CELLS = (
    "import torch\nw = torch.tensor([1.0, 2.0], requires_grad=True)\nw * 2",
    "loss = (w ** 2).sum()\nloss.backward()\nprint(w.grad)",
)


def notebook(*cells: str) -> bytes:
    made = [{"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": made}).encode()


def recorded(program: str) -> bytes:
    recording = run(program).recording
    assert recording is not None
    return recording.to_bytes()


@dataclass(frozen=True)
class Case:
    """A file that a visit begins with, and for each panel what must be read there."""

    suffix: str
    content: bytes
    inspector: tuple[str, ...]
    findings: tuple[str, ...]
    ledger: tuple[str, ...]
    tensors: tuple[str, ...]
    whatif: tuple[str, ...]
    sweep: tuple[str, ...]
    check: tuple[str, ...]
    compare: tuple[str, ...] = ("Pin this run, then change the program",)

    def of(self, panel: str) -> tuple[str, ...]:
        """The words of a panel; one that has a test file of its own needs none here."""
        found: tuple[str, ...] = getattr(self, field_of(panel), ())
        return found


def field_of(panel: str) -> str:
    return panel.lower().replace(" ", "")


FINE = ("Nothing looks wrong (", "rules looked")
NO_LEDGER = ("No backward pass has filled a .grad in this run.",)
UNCHECKED = ("Check numerically", "Compares the gradients of the pass with finite differences")
CASES = {
    "without gradients": Case(
        ".py", NUMBERS.encode(),
        inspector=("torch.arange(6).grad is None because torch.arange(6) is int64", "Make torch.arange(6) floating point",
                   "value 0 1 2 3 4 5"),
        findings=FINE,
        ledger=NO_LEDGER,
        tensors=("Tensors at step 5 of 5", "a [0 1 2; 3 4 5] None [2, 3] view arange 2", "sum 15 None [] sum a 3"),
        whatif=("arange(□)", "reshape(□, 3)", "line 2"),
        sweep=("arange(□) in a", "from", "to"),
        check=("There is no backward pass to check.",),
    ),
    "ends with an error": Case(
        ".py", MISTAKE.encode(),
        inspector=("x.grad is None because backward pass 1 at line 5 failed", "Fix: Write into a new tensor"),
        findings=("error y was changed in place after x.exp() had saved it for backward.", "saved by ExpBackward0 at line 3"),
        ledger=NO_LEDGER,
        tensors=("Tensors at step 11 of 11", "y [3.718 8.389] None [2] exp x AddBackward0 3"),
        whatif=("x", "add_(□)", "RuntimeError: one of the variables needed"),
        sweep=("x[0]", "The loss over a grid of values"),
        check=UNCHECKED,
    ),
    "training loop": Case(
        ".py", TRAINING.encode(),
        inspector=("model.0.weight.grad is the sum of 4 backward passes", "pass 4, line 9", "SGD.step 10"),
        findings=("error Gradients add up over iterations", "updates with old gradients 3"),
        ledger=("value of the root at each backward pass", "never cleared between passes: gradients add up", "backward 4 9"),
        tensors=("model.0.weight leaf", "[3, 2] Parameter 4", "MseLossBackward0 8"),
        whatif=("lr", "range(□)"),
        sweep=("Loss: root of backward pass", "model.0.weight[0, 0]", "model.0.weight[0, 1] from"),
        check=("Backward pass", *UNCHECKED),
    ),
    "NaN": Case(
        ".py", NAN.encode(),
        inspector=("w.grad is NaN: it began with", "into w.grad: 2 contributions, which add up"),
        findings=("error The first NaN comes from div at line 3.", "first harm loss, the root of backward pass 1"),
        ledger=("w.grad", "backward 1 4 +[nan 0] [nan 0]"),
        tensors=("w leaf [0 4] [nan 0] [2] tensor 2", "loss nan None [] sum sqrt SumBackward0 3"),
        whatif=("w",),
        sweep=("w[0]", "w[1] from"),
        check=UNCHECKED,
    ),
    "notebook": Case(
        ".ipynb", notebook(*CELLS),
        inspector=("w leaf requires_grad In [1] line 2", "set by backward pass 1, In [2], line 2"),
        findings=FINE,
        ledger=("w.grad", "backward 1 In [2] line 2 +[2 4] [2 4]"),
        tensors=("w leaf [1 2] [2 4] [2] tensor In [1] line 2", "loss 5 None [] sum pow SumBackward0 In [2] line 1"),
        whatif=("In [1], line 2", "In [2], line 1"),
        sweep=("w[0]", "w[1] from"),
        check=UNCHECKED,
    ),
    "large": Case(
        ".py", LARGE.encode(),
        inspector=("is a sum over 450 paths: w is used 450 times", "into w.grad: 450 contributions, which add up"),
        findings=FINE,
        ledger=("w.grad", "backward 1 6 +[0.1014 0.1014] [0.1014 0.1014]"),
        tensors=("Page of 14", "Tensors at step 3158 of 3158", "1353 tensors, 100 to a page"),
        whatif=("y * □ in y line 5", "range(□)"),
        sweep=("w[0]", "w[1] from"),
        check=UNCHECKED,
    ),
    "opened recording": Case(
        ".gradtape", recorded(EXAMPLE),
        inspector=("Click a card in the graph, or a row under Tensors",),
        findings=("hint y1.grad is None: y1 is the result of an operation, not a leaf.",),
        ledger=("x1.grad", "backward 2 12 +42 84", "x2.grad", "backward 2 12 +23 46"),
        tensors=("x1 leaf 1 84 [1] tensor 5", "z 44 None [1] mul y1, y2 MulBackward0 11"),
        whatif=("x1", "x2", "□ * x1 in y1 line 9", "requires_grad of x2"),
        sweep=("Loss: root of backward pass", "x1", "x2 from"),
        check=("Backward pass", *UNCHECKED),
    ),
}  # fmt: skip


PANELS = list(panels())


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Begins a visit to a page that was started with a file: that of a case, or a program's text."""

    def begun(what: str) -> Visit:
        case = CASES.get(what)
        file = tmp_path / f"file{case.suffix if case else '.py'}"
        file.write_bytes(case.content if case else what.encode())
        return visit_file(monkeypatch, file)

    return begun


def read(visit: Visit, panel: str) -> str:
    """What can be read in a panel; of the knobs, which are one component, what they are sent."""
    shown = visit.draw(panel_tab=panel).text("panel")
    if panel == "What if":
        data = visit.sent("whatif")
        knobs = [knob for group in data["groups"] for knob in group["knobs"]]
        shown += " ".join([data["note"], *(f"{knob['label']} {knob['where']}" for knob in knobs)])
    if panel == "Sweep":
        shown = re.sub(r"\\(.)", r"\1", shown)  # labels are Markdown, in which a leaf's name stands as it is
        shown += " ".join(option for box in visit.app.selectbox for option in box.options)
    return shown


def test_a_recording_of_another_engine_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n").recording
    assert recording is not None
    recording.engine = "torch 2.13.0 <b>x</b>"
    recording.save(tmp_path / "there.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "there.gradtape")
    assert "recorded on torch 2.13.0 <b>x</b>" in visit.text("status")  # as text: tags are taken out


def test_the_files_of_a_project_have_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n").recording
    assert recording is not None
    recording.source, recording.names = (*recording.source, "y = 1\n"), ("train.py", "<b>model</b>.py")
    recording.save(tmp_path / "there.gradtape")
    visit = visit_file(monkeypatch, tmp_path / "there.gradtape")
    assert "2 files · train.py, <b>model</b>.py" in visit.text("notebook_bar")


@pytest.mark.parametrize("name", first_of(CASES, 2))
def test_every_panel_shows_what_the_recording_holds(begin: Any, name: str) -> None:
    visit = begin(name)
    recording = visit.page.recording
    assert recording is not None
    for panel in [each for each in PANELS if panels()[each].when(recording)]:
        shown = read(visit, panel)
        assert visit.page.panel == panel
        for words in CASES[name].of(panel):
            assert words in shown, panel
        for words in (*FINE, *NO_LEDGER):
            assert (words in shown) == (words in CASES[name].of(panel)), panel


def test_every_panel_of_the_page_is_tried() -> None:
    fields = {name for name in Case.__dataclass_fields__ if name not in ("suffix", "content")}
    others = {field_of(panel) for panel in PANELS} - fields
    assert len(fields | others) == len(PANELS)
    assert all(getattr(case, field) for case in CASES.values() for field in fields)
    wanted = {f"test_{panel}.py" for panel in others}
    missing = {name for name in wanted if not Path(__file__).with_name(name).exists()}
    assert not missing, "what these panels say is tried by no test of their own"


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_every_recording_has_a_graph_beside_the_panel_and_can_be_built_on(begin: Any, name: str) -> None:
    visit = begin(name)
    recording = visit.page.recording
    for view in ("tensors", "autograd"):
        player = visit.draw(view=view).sent("player")
        assert player["view"] == view
        assert player["total"] == len(recording.events)
        cards = [node for node in player["nodes"] if node["shape"] == "card"]
        assert bool(cards) == (view == "tensors" or name != "without gradients")
        assert player["rolled"]["on"] == (name in ("training loop", "large"))
        player = visit.draw(player={"rolled": {"on": False}}).sent("player")
        assert any(node.get("members") or node["id"].startswith("g:") for node in player["nodes"]) == (name == "large")
        visit.draw(player={"rolled": {"on": True}})
    if name != "notebook":
        build_is_drawn(visit, name)


def build_is_drawn(visit: Visit, name: str) -> None:
    visit.draw(mode="Build")
    assert visit.page.mode == "Build"
    shown = visit.text("builder")
    assert shown.startswith("Undo Redo New ")
    assert ("The program stops there, and lines below are not reached: line 5" in shown) == (name == "ends with an error")
    assert "Build Kind of tensor Name Filled with Entries requires_grad Add" in shown
    assert visit.sent("editor_0")["text"] == visit.page.edited[0]
    error = visit.page.result.error if visit.page.result is not None else None
    assert (error is not None) == (name == "ends with an error")


def test_a_panel_is_offered_for_the_recordings_that_it_is_for(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(on: Beside) -> None:
        st.html(f"{len(index_of(on.recording).passes)} passes")

    monkeypatch.setitem(panels(), "Passes", Panel("Passes", 99, draw, when=lambda recording: bool(index_of(recording).passes)))
    visit = begin(EXAMPLE).draw(panel_tab="Passes")
    assert "2 passes" in visit.text("panel")
    visit.page.edited[0] = NUMBERS
    visit.press("run")
    assert visit.page.panel == "Inspector", "the first one takes its place"
    assert "torch.arange(6).grad is None" in visit.text("panel")
    visit.page.edited[0] = EXAMPLE
    assert "2 passes" in visit.press("run").draw(panel_tab="Passes").text("panel")


# --- panels in the course of a visit ------------------------------------------------------------------------------------------


def test_a_panel_shows_the_step_that_the_player_stands_at(begin: Any) -> None:
    visit = begin("print('first')\n" + EXAMPLE).draw(panel_tab="Tensors")
    visit.draw(player={"moment": visit.moment(0)})
    assert "No tensor has been made yet at this step." in visit.text("panel")
    assert "Tensors at step 10 of 51" in visit.draw(player={"moment": visit.moment(9)}).text("panel")
    ledger = visit.draw(panel_tab="Ledger").markup("panel")
    assert ledger.count('class="gt-later"') == 4, "what is still to come is pale"


@pytest.mark.parametrize("fold", ["loop", "line"])
def test_a_closed_group_has_a_panel_of_its_own(begin: Any, fold: str) -> None:
    visit = begin("training loop").draw(fold=fold)
    recording = visit.page.recording
    id, group = next(iter(unrolled_graph(recording).groups(fold).groups.items()))
    visit.page.unfolded = ()
    visit.draw(player={"moment": visit.moment(selected=f"g:{id}")})
    shown = visit.draw(panel_tab="Inspector").text("panel")
    assert f"{group.title} {group.kind}" in shown
    assert f"{len(group.members)} nodes, {len(group.members)} of them made at this step." in shown
    assert "mse_loss 4" in shown


def test_a_check_is_offered_made_and_shown(begin: Any) -> None:
    visit = begin("opened recording").draw(panel_tab="Check").press("check_run")
    shown = visit.draw().text("panel")
    assert "derivatives agree" in shown
    assert "x1 [0] 42 42 " in shown
    assert visit.sent("player")["overlay"]["nodes"]
    assert "overlay" not in visit.draw(check_shown=False).sent("player")


def test_a_check_of_a_run_with_nan_says_what_it_could_not_do(begin: Any) -> None:
    shown = begin("NaN").draw(panel_tab="Check").press("check_run").draw().text("panel")
    assert UNCHECKED[1] not in shown
    assert "derivatives agree" not in shown


def test_a_sweep_is_offered_made_and_drawn(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from components.panels import sweep

    monkeypatch.setattr(sweep, "PATIENCE", 60.0)
    visit = begin("opened recording").draw(panel_tab="Sweep", sweep_y=sweep.NOTHING_MORE, sweep_points1=5).press("sweep_run")
    assert visit.page.memory(sweep.Memory).sweep.finished
    assert any(kind.endswith("vega_lite_chart") for kind in visit.kinds("panel"))
    assert "root of backward pass 1 (line 12)" in visit.text("panel")
    assert "green: slope by backward" in visit.text("panel")


def test_a_comparison_names_the_changed_line(begin: Any) -> None:
    visit = begin("training loop").draw(panel_tab="Compare").press("compare_pin")
    assert "is pinned as it is now" in visit.text("panel")
    assert len(visit.app.dataframe) == 0
    visit.page.edited[0] = TRAINING.replace("lr=0.1", "lr=0.2")
    visit.press("run")
    shown = visit.draw(panel_tab="Compare").text("panel")
    assert "First difference" in shown
    for sign, number in (("−", "0.1"), ("+", "0.2")):
        assert f"5 {sign} opt = torch.optim.SGD(model.parameters(), lr={number})" in shown.replace("= 0", "=0").replace(
            f"{number} )", f"{number})"
        )
    assert len(visit.app.dataframe) == 1
    assert visit.app.dataframe[0].value["tensor"].str.contains("model.0.weight").any()


def test_a_program_without_numbers_has_nothing_to_turn_or_to_sweep(begin: Any) -> None:
    visit = begin("import torch\nx = torch.eye(True)\n")
    for panel, words in (("What if", "Nothing to turn"), ("Sweep", "There is nothing to sweep")):
        visit.page.edited[0] = "import torch\nx = torch.rand([])\n"
        visit.press("run")
        assert words in visit.draw(panel_tab=panel).text("panel")


# --- the left side ------------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_every_cell_with_its_output(begin: Any) -> None:
    visit = begin("notebook")
    assert f"{visit.page.name} · 2 cells" in visit.text("program")
    assert [visit.sent(f"editor_{k}")["text"] for k in range(2)] == list(CELLS)
    assert "Out[1]: tensor([2., 4.], grad_fn=<MulBackward0>)" in visit.text("cell_0")
    assert "tensor([2., 4.])" in visit.text("cell_1")
    assert "Out[" not in visit.text("cell_1")


def test_an_error_is_in_the_console_and_at_its_line(begin: Any) -> None:
    visit = begin("ends with an error")
    assert "RuntimeError · line 5" in visit.text("console")
    (mark,) = visit.sent("editor_0")["diagnostics"]
    assert (mark["line"], mark["severity"]) == (5, "error")
    assert "11 events" in visit.text("status")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("\n", "An empty program"),
        ("print(1)\n", "No tensor was made"),
        ("1 / 0\n", "ZeroDivisionError on line 1"),
        ("if\n", "SyntaxError on line 1"),
        ("import socket; socket.socket()\n", "ended before its first tensor"),
        ("while True:\n    print('x' * 10_000)\n", "The program printed too much"),
    ],
)
def test_without_a_tensor_the_reason_stands_in_the_graphs_place(begin: Any, program: str, words: str) -> None:
    visit = begin(program)
    assert words in visit.text("body")
    with pytest.raises(AssertionError, match="0 parts are called panel"):
        visit.block("panel")


def test_while_a_program_runs_there_are_an_outline_and_cancel(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    visit = begin("print(1)\n")
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    visit.page.edited = ["while True: pass\n"]
    visit.press("run")
    assert "The graph appears when the program has run." in visit.text("body")
    assert "Running" in visit.text("status") or "Waiting" in visit.text("status")
    visit.press("task_run_cancel")
    assert not visit.page.tasks
    assert "No tensor was made" in visit.draw().text("body"), "the run before stays"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bad.gradtape", b"no recording", "not a recording: too short"),
        ("bad.ipynb", b"{", "the notebook is not valid JSON"),
        ("bad.py", b"\xff\xfe\x00", "the file is not text in UTF-8"),
    ],
)
def test_a_file_that_cannot_be_opened_leaves_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    visit = visit_file(monkeypatch, tmp_path / name)
    (notice,) = [each.value.replace("\\", "") for each in visit.app.error]
    assert notice == f"{name} cannot be opened: {words}"
    assert visit.page.edited == [EXAMPLE], "the default example stands beside it"


# --- the menus ----------------------------------------------------------------------------------------------------------------


def downloads(visit: Visit, key: str) -> list[str]:
    return [each.proto.label for each in visit.block(key) if each.type in ("button", "download_button")]


def test_the_menu_of_examples_has_all_of_them() -> None:
    visit = Visit()
    assert "example_" not in str([button.key for button in visit.app.button]), "what is closed is not drawn"
    visit.draw(examples=True)
    assert [button.label for button in visit.app.button if str(button.key).startswith("example_")] == [
        example.title for example in (*lessons().values(), *examples().values())
    ]


def test_open_offers_a_place_for_files() -> None:
    visit = Visit().draw(opening=True)
    assert "A program (.py), notebook (.ipynb), session (.txt) or recording (.gradtape)" in visit.text("opening")


def test_save_offers_every_format_for_a_run_and_the_script_without_one(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = downloads(begin("training loop").draw(save=True), "save_menu")
    assert sorted(offered) == sorted([*(format.label for format in FORMATS.values()), PYVIS.label, REPLAY.label])
    monkeypatch.delenv(OPEN)
    monkeypatch.setattr(opening, "isolated", lambda: False)
    not_run = Visit(p=pack(Link((EXAMPLE,), False, "", None, None, "tensors")))
    assert downloads(not_run.draw(save=True), "save_menu") == [FORMATS["py"].label]


def test_share_gives_a_link_that_holds_the_program() -> None:
    visit = Visit().draw(share=True)
    copied = re.findall(r'data-gt-copy="([^"]*)"', visit.markup("share_panel"))
    address = next(each for each in copied if "?p=" in each and "iframe" not in each)
    link = unpack(address.partition("?p=")[2])
    assert (link.cells, link.selected) == ((EXAMPLE,), visit.page.node)
    assert any("embed=true" in each for each in copied)


def test_what_is_too_long_for_a_link_is_offered_as_a_file(begin: Any) -> None:
    noise = "\n".join(f"# {k * 7919 % 104729} {k**3 % 99991}" for k in range(20_000))
    visit = begin(f"import torch\nx = torch.ones(2)\n{noise}\n").draw(share=True)
    assert "No link this time" in visit.text("share_panel")
    assert downloads(visit, "share_panel") == ["Program (.py)", "Recording (.gradtape)"]


def test_help_starts_the_tour_and_lists_what_there_is() -> None:
    visit = Visit().draw(help=True)
    assert "What is supported" in visit.text("help")
    assert "torch.nn.functional (" in visit.text("help")
    assert set(KEYS) <= set(re.findall(r"[A-Z][\w ]+", json.dumps(visit.sent("shortcuts"))))
    visit.press("help_tour")
    assert visit.page.tour == 1
    assert len(visit.sent("tour")["stops"]) == 5


# --- other pages --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_embedded_there_are_source_graph_and_a_way_to_the_whole_page(
    begin: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(ContextProxy, "is_embedded", property(lambda _: True))
    visit = begin(name)
    assert visit.sent("player")["total"] == len(visit.page.recording.events)
    assert [visit.sent(f"editor_{k}")["text"] for k in range(len(visit.page.edited))] == visit.page.edited
    assert "Open in Gradtape" in visit.text("embedded")
    assert "?p=" in visit.markup("source_bar")
    for part in ("header", "panel", "console"):
        with pytest.raises(AssertionError, match=f"0 parts are called {part}"):
            visit.block(part)


def test_embedded_without_a_tensor_the_reason_is_shown(begin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ContextProxy, "is_embedded", property(lambda _: True))
    assert "No tensor was made" in begin("print(1)\n").text("embedded")


@pytest.mark.parametrize("embedded", [False, True])
@pytest.mark.parametrize("selected", [None, "t1"])
def test_where_programs_are_not_shut_in_a_link_waits_for_the_users_word(
    monkeypatch: pytest.MonkeyPatch, embedded: bool, selected: str | None
) -> None:
    monkeypatch.setattr(opening, "isolated", lambda: False)
    monkeypatch.setattr(ContextProxy, "is_embedded", property(lambda _: embedded))
    visit = Visit(p=pack(Link((EXAMPLE,), False, "A stranger's", 3, selected, "autograd")))
    assert visit.page.result is None
    assert "read it before you run it" in visit.app.warning[0].value
    assert "Not run yet" in visit.text("embedded" if embedded else "body")
    visit.press("run_unrun")
    assert visit.page.result is not None
    assert not visit.app.warning
    player = visit.sent("player")
    assert (player["view"], player["cmd"]["step"]) == ("autograd", 3)
    assert player["cmd"]["select"] == selection.translated(visit.page.recording, selected or "t0", "autograd") != selected


def test_a_server_that_may_run_nothing_says_so_and_shows_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "refusal", lambda: "No programs here & now.")
    visit = Visit()
    (shown,) = [each.proto.body for each in visit.app.main if each.type == "html" and "gt-refused" in each.proto.body]
    assert "No programs here &amp; now." in shown
    assert sandbox.HELP.split()[0] in shown
    assert state.KEY not in visit.app.session_state
