"""What if and Compare without a browser: texts that knobs make, what the page keeps, tables, payloads, markup as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.html.diff_html import diff_html
from components.menus.gallery import examples
from components.page import edits, pinned, selection, state, tasks
from components.panels.compare import compare_frame, compare_html
from components.panels.whatif import Memory, apply, whatif_data
from components.player.picture import Wish
from engine.diagnosis.comparison.compare import compare
from engine.graph import VIEWS
from engine.program.controls import knobs
from engine.recording.events import Accumulated
from tests.components.conftest import page
from tests.components.messages import sent
from tests.recorded import recorded

ROOT = Path(__file__).resolve().parents[2]
EVIL = "<img src=x onerror=alert(1)>"
DEFAULT = examples()["repeated_backward"].text


def data_of(text: str, memory: Memory | None = None) -> dict[str, Any]:
    return whatif_data([(0, knob) for knob in knobs(text)], False, memory or Memory(), "")


def knob_id(text: str, label: str) -> str:
    return next(knob.id for knob in knobs(text) if knob.label == label)


def test_what_the_browser_sends_becomes_text() -> None:
    text = "x = torch.tensor([[1., 2.], [3., 4.]])\nfor i in range(3): pass\n"
    changed = apply([text], {"cell": 0, "id": knob_id(text, "range(□)"), "value": 4.0})
    assert changed == (0, text.replace("range(3)", "range(4)"))
    grid = {"cell": 0, "id": knob_id(text, "x"), "value": [1, 2, 3, 5]}
    assert apply([text], grid) == (0, text.replace("4.]]", "5.]]"))


@pytest.mark.parametrize(
    "wanted",
    [
        {}, {"cell": 0}, {"cell": 7, "id": "x", "value": 1}, {"cell": "0", "id": "x", "value": 1},
        {"cell": 0, "id": "no such knob", "value": 1}, {"cell": 0, "id": "False x 1", "value": "import os"},
        {"cell": 0, "id": "False x 1", "value": None}, {"cell": 0, "id": "False x 1", "value": [1, 2]},
        {"cell": 0, "id": "False x 1", "value": float("nan")}, {"cell": 0, "id": "False x 1", "value": 2.0},
    ],
)  # fmt: skip
def test_what_fits_no_knob_changes_nothing(wanted: dict[str, Any]) -> None:
    assert knobs("x = 2.0")[0].id == "False x 1"
    assert apply(["x = 2.0"], wanted) is None


def test_a_slider_keeps_its_range_while_its_value_moves_within() -> None:
    memory = Memory()
    (before,) = data_of("x = 2.0", memory)["groups"][0]["knobs"]
    (moved,) = data_of("x = 0.25", memory)["groups"][0]["knobs"]
    assert (moved["low"], moved["high"], moved["step"]) == (before["low"], before["high"], before["step"])
    (beyond,) = data_of("x = 80.0", memory)["groups"][0]["knobs"]
    assert beyond["low"] <= -5 < 80 <= beyond["high"]


def test_sizes_are_folded_and_many_knobs_are_cut_off() -> None:
    data = data_of("\n".join(f"x{i} = {i}.5" for i in range(60)) + "\ny = torch.zeros(2, 3)\n")
    values, sizes = data["groups"]
    assert (values["open"], sizes["open"]) == (True, False)
    assert (len(values["knobs"]), data["hidden"], len(sizes["knobs"])) == (40, 20, 2)


def test_turning_a_knob_changes_the_program_and_stays_at_the_moment(app: AppTest) -> None:
    p = page(app)
    assert p.recording is not None
    step = next(s for s, e in enumerate(p.recording.events) if isinstance(e, Accumulated))
    p.step = step
    with_state(app, lambda: edits.vary(0, DEFAULT.replace("5 * x1", "6 * x1")))
    assert "6 * x1" in p.edited[0]
    assert p.keep is not None
    assert p.keep["step"] == step
    assert p.undo == [DEFAULT]


def test_a_sliders_whole_way_is_one_step_of_undo(app: AppTest) -> None:
    for factor in ("6", "7", "8"):
        with_state(app, lambda factor=factor: edits.vary(0, DEFAULT.replace("5 * x1", f"{factor} * x1")))
    assert page(app).undo == [DEFAULT]


def test_another_example_forgets_pin_and_ranges(app: AppTest) -> None:
    with_state(app, pinned.pin)
    page(app).memory(Memory).of(page(app).shown).ranges["0 x"] = (0, 1, 1)
    app.session_state["examples"] = True  # the menu is open
    app.run()
    app.button(key="example_broadcasting").click().run()
    assert page(app).pinned is None
    assert page(app).memory(Memory).of(page(app).shown).ranges == {}
    assert page(app).keep is None


LARGE = """import torch
a = torch.zeros(1)
w = torch.ones(1, requires_grad=True)
y = w
for k in range({steps}):
    y = y * 1.01
y.backward()
"""


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (DEFAULT, DEFAULT.replace("5 * x1", "6 * x1"), True),
        (DEFAULT, LARGE.format(steps=3), False),
        (DEFAULT, LARGE.format(steps=6_000), False),
        (LARGE.format(steps=6_000), LARGE.format(steps=6_001), True),
    ],
)  # fmt: skip
def test_the_selection_stays_as_long_as_the_program_is_the_same(app: AppTest, before: str, after: str, same: bool) -> None:
    p = page(app)

    def ran(text: str) -> None:
        with_state(app, lambda: edits.vary(0, text))
        p.tasks and p.tasks["run"].ticket.result(60)
        with_state(app, tasks.settle)
        assert p.edited[0] == text
        assert p.ran == (text,)

    ran(before)
    p.step, p.selected = 3, "t0"
    ran(after)
    assert selection.telling(p.recording) == ("t0" if before is DEFAULT and same else "t1")
    assert p.selected == ("t0" if same else "t1")


def test_pinning_and_changing_shows_the_comparison(app: AppTest) -> None:
    app.session_state["panel_tab"] = "Compare"
    app.run()
    app.button(key="compare_pin").click().run()
    assert page(app).pinned is page(app).recording
    with_state(app, lambda: edits.vary(0, DEFAULT.replace("z = y1 * y2", "z = y1 * y1")))
    app.run()
    assert not app.exception
    assert len(app.dataframe) == 1
    assert any("First difference" in str(e.proto) for e in app.main)
    app.button(key="compare_unpin").click().run()
    assert page(app).pinned is None
    assert not app.exception


def test_of_what_runs_were_called_the_browser_tells_no_more(app: AppTest) -> None:
    app.session_state["panel_tab"] = "Compare"
    app.run()
    for key, factor in (("compare_pin", 6), ("compare_again", 7)):
        app.button(key=key).click().run()
        with_state(app, lambda factor=factor: edits.vary(0, DEFAULT.replace("z = y1 * y2", f"z = y1 * {factor}")))
        app.run()
    with_state(app, pinned.pin)
    on_show = next(box for box in app.run().selectbox if box.label == "Compare with")
    assert on_show.options[0].endswith("(on show)")
    with_state(app, lambda: edits.vary(0, DEFAULT))
    chooser = next(box for box in app.run().selectbox if box.label == "Compare with")
    assert chooser.options[0] == on_show.options[0].removesuffix(" (on show)")
    assert chooser.id != on_show.id, "a control that stayed would be told a name that is none any more"


def test_a_removed_node_is_inspected_as_it_was(app: AppTest) -> None:
    with_state(app, pinned.pin)
    gone = DEFAULT.replace("    y2 = 2 * x1 + 1 * x2\n", "").replace("y1 * y2", "y1 * y1")
    with_state(app, lambda: edits.vary(0, gone))
    p = page(app)
    assert p.pinned is not None
    assert p.recording is not None
    key = next(row.key for row in compare(p.pinned, p.recording).rows if row.status == "removed")
    assert selection.translated(p.recording, key, "autograd") == key
    assert key.startswith("bt")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_the_merged_picture_is_whole(view: str, direction: str) -> None:
    before, after = recorded(DEFAULT), recorded(DEFAULT.replace("    y2 = 2 * x1 + 1 * x2\n", "").replace("y1 * y2", "y1 * y1"))
    data = sent(after, Wish(view, direction, "run"), pinned=before)
    ids = {node["id"] for node in data["nodes"]}
    assert all(edge["from"] in ids and edge["to"] in ids and len(edge["route"]) >= 2 for edge in data["edges"])
    assert set(data["overlay"]["nodes"]) <= ids
    assert set(data["overlay"]["edges"]) <= {edge["id"] for edge in data["edges"]}
    assert {entry["tone"] for entry in data["overlay"]["legend"]} == {"added", "removed", "changed"}
    assert len(data["steps"]) == len(after.events)
    gone = [node for node in data["nodes"] if node["tone"] == "removed"]
    assert len(gone) == 6
    assert all(node["born"] < 0 and node["id"].startswith("b") for node in gone)
    if view == "tensors":
        assert all(node["history"] for node in gone)


def test_the_table_says_from_what_to_what() -> None:
    before, after = recorded(DEFAULT), recorded(DEFAULT.replace("[2.0]", "[3.0]"))
    frame, keys = compare_frame(compare(before, after), before, after)
    x2 = frame[frame["tensor"] == "x2"].iloc[0]
    assert (x2["value"], x2["Δ value"], x2["gradient"], x2["Δ grad"]) == ("2 → 3", 1.0, "46 → 58", 12.0)
    assert len(keys) == len(frame)


def test_markup_from_programs_stays_text() -> None:
    program = f"import torch\nd = {{'{EVIL}': torch.ones(2, requires_grad=True)}}\ny = d['{EVIL}'] * 2\n"
    before, after = recorded(program), recorded(program.replace("* 2", "* 3") + f"# {EVIL}\nraise ValueError('{EVIL}')\n")
    shown = compare_html(compare(before, after), before, after) + diff_html((EVIL,), (f"{EVIL} 2",))
    assert "<img" not in shown
    assert "&lt;img" in shown


def test_a_changed_line_is_shown_whole_and_of_a_very_long_one_what_was_changed() -> None:
    short, long = ("    x = f(" + "a, " * count + "{})" for count in (20, 90))
    for line, shown in ((short, short.format("")[4:-1]), (long, "a, a, <mark>1</mark>)")):
        html = diff_html((line.format(1),), (line.format(2),))
        assert "    <span>" in html, "the spaces ahead of the code are kept"
        assert shown in html
    assert html.count("…") == 2


def with_state(app: AppTest, action: Any) -> None:
    """Run something of `components.page` on this visitor's page."""
    from unittest.mock import patch

    with patch.object(state.st, "session_state", {state.KEY: page(app)}):
        action()
