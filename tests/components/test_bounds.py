"""What the page sends to the browser is bounded, whatever a program makes long: names, output, errors, tables, cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.builder.change import LINES
from components.html.diagnosis_html import findings_html, path_button
from components.html.diff_html import diff_html
from components.html.group_html import group_html
from components.html.inspector_html import inspector_html
from components.html.ledger_html import ledger_html
from components.html.markup import COPIED, copy, literal, tag, text
from components.menus.choices import both_ends
from components.page.console import LINES as OUTPUT_LINES
from components.page.console import MOST, cell_html, console_html, ends
from components.page.controls import newest_text
from components.page.history import MAX_BYTES, MAX_TEXTS, remember
from components.panels.compare import compare_frame, compare_html
from components.panels.findings import unread_html
from components.panels.tensors import tensors_html
from components.panels.whatif import MAX_RANGES, Memory, apply, look, whatif_data
from engine.diagnosis import findings
from engine.diagnosis.comparison.compare import compare
from engine.diagnosis.ledger import ledgers
from engine.graph.unrolled_graph import unrolled_graph
from engine.program import MAX_TEXT, Program
from engine.program.controls import MAX_KNOBS, MOST_KNOBS, knobs
from engine.program.parsing import BOUNDS
from engine.recording import Recording, replay
from engine.recording.index import index_of
from engine.sandbox import RunResult
from engine.sandbox.transport.messages import CellResult, RunError
from engine.sweep import choices
from tests.components.conftest import page
from tests.recorded import recorded

ROOT = Path(__file__).resolve().parents[2]
KB = 1_000
LONG = "n" * 20_000


def ended(output: str = "", error: RunError | None = None, cells: list[CellResult] | None = None) -> RunResult:
    return RunResult("ok" if error is None else "error", output, error, cells or [], None, 0.0)


# --- pieces of HTML -----------------------------------------------------------------------------------------------------------


def test_a_long_value_is_shown_by_its_beginning_and_says_so() -> None:
    assert text("<" * 3) == "&lt;&lt;&lt;"
    assert text("a" * 10, 4) == "aaaa… (6 characters more)"
    assert len(text("&" * 10**6)) < 30 * KB
    assert len(literal("*" * 10**6)) < 12 * KB
    assert len(tag("i", title="'" * 10**7)) < 7 * COPIED


def test_what_is_too_long_to_be_sent_has_no_copy_button() -> None:
    assert "data-gt-copy" in copy("a" * COPIED, "it")
    assert copy("a" * (COPIED + 1), "it") == ""


def test_lists_offer_both_ends_of_many_choices() -> None:
    assert both_ends(range(400)) == list(range(400))
    assert both_ends(range(10**6))[199:201] == [199, 10**6 - 200]


# --- output -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "output",
    [
        "<&>" * 700_000,
        "\n" * 2_000_000,
        "a\n" * 1_000_000,
        "<string>:1: UserWarning: \n" * 80_000,
        "é" * 2_000_000,
        "<\n" * 10**6,
    ],
)
def test_output_is_shown_by_its_ends(output: str) -> None:
    html = console_html(ended("first\n" + output + "last"))
    assert len(html) < 12 * MOST
    assert html.count("<span") <= OUTPUT_LINES + 2
    assert "first" in html
    assert "last" in html
    assert "are not shown here" in html


def test_short_output_is_shown_whole() -> None:
    output = "a\n\n  b <c>\n"
    assert ends(output, MOST, OUTPUT_LINES) == ("a\n\n  b <c>", "", "")
    assert "not shown" not in console_html(ended(output))
    head, between, tail = ends("".join(f"{n}\n" for n in range(5_000)), MOST, 100)
    assert (head.split("\n")[-1], tail.split("\n")[0]) == ("49", "4950")
    assert "(5,000 lines)" in between


def test_errors_and_values_of_cells_are_shown_by_their_beginning() -> None:
    error = RunError("E" * 25_000, "<" * 25_000, 1, help="&" * 25_000)
    assert len(console_html(ended(error=error))) < 400 * KB
    cell = CellResult("<\n" * 100_000, ">" * 100_000)
    result = ended(cells=[cell] * 20)
    assert sum(len(cell_html(result, n)) for n in range(20)) < 20 * 60 * KB
    assert cell_html(result, 20) == ""


# --- panels -------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_names() -> Recording:
    """A program whose names are as long as names can be, with a node of very many inputs."""
    return recorded(
        "import torch\n"
        f"{LONG} = torch.ones(2, requires_grad=True)\n"
        f"{LONG}2 = {LONG} * 2\n"
        f"optimizer = torch.optim.SGD([{LONG}], lr=0.0)\n"
        f"for i in range(5):\n    (({LONG} * 2) * {LONG}).sum().backward()\n    optimizer.step()\n"
        f"many = torch.stack([{LONG}2[0] for _ in range(700)])\n"
        "many.sum().backward(retain_graph=True)\n"
        f"z = {LONG}.detach()\n"
    )


def test_names_that_are_very_long_do_not_fill_the_panels(long_names: Recording) -> None:
    last = len(long_names.events) - 1
    index = index_of(long_names)
    made = replay(long_names, last).tensors
    assert len(tensors_html(long_names, last, None, "tensors", made[:100])) < 200 * KB
    assert "692 more" in tensors_html(long_names, last, None, "tensors", made[-100:]), "inputs beyond the first are counted"
    for key in [*(f"t{id}" for id in made[:3]), f"t{made[-1]}", *(f"n{id}" for id in list(index.nodes)[-4:])]:
        assert len(inspector_html(long_names, last, key)) < 250 * KB, key
    assert sum(len(ledger_html(long_names, last, tensor)) for tensor in ledgers(long_names)) < 100 * KB
    assert len(findings_html(long_names, findings(long_names))) < 300 * KB
    whole = unrolled_graph(long_names)
    groups = whole.groups("line")
    for id in list(groups.groups)[:5]:
        assert len(group_html(long_names, whole, groups, id, last)) < 300 * KB
    assert all(len(choice.label) < 200 for choice in choices(long_names, 1))


def test_tables_of_nodes_with_very_many_edges_are_cut(long_names: Recording) -> None:
    stack = next(id for id, node in index_of(long_names).nodes.items() if len(node.info.edges) >= 700)
    html = inspector_html(long_names, len(long_names.events) - 1, f"n{stack}")
    assert "and 660 more" in html
    assert html.count("<tr") < 200


def test_findings_marks_and_differences_are_cut(long_names: Recording) -> None:
    found = findings(long_names)
    assert found
    html = findings_html(long_names, found * 200)
    assert f"and {len(found) * 200 - 60:,} more" in html
    keys = [f"t{id}" for id in index_of(long_names).tensors] * 50
    assert len(path_button(long_names, keys, [("a", "b")] * 9_000, "x")) < 600 * KB
    assert len(diff_html(("a" * 10**5 + "\nb" * 10**5,), ("c" * 10**5 + "\nd" * 10**5,))) < 60 * KB
    other = recorded(f"import torch\n{LONG} = torch.ones(2, requires_grad=True) * 3\n")
    compared = compare(other, long_names)
    assert len(compare_html(compared, other, long_names)) < 100 * KB
    frame, keys = compare_frame(compared, other, long_names)
    assert len(frame) == len(keys) <= 1_000
    assert frame["tensor"].map(len).max() <= 250


def test_a_program_that_is_too_much_to_be_read_says_so_under_findings() -> None:
    assert unread_html(recorded("import torch\nx = torch.ones(1)\n")) == ""
    assert "longer than is read for findings (100,000 characters)" in unread_html(
        recorded("x = 1\n#" + "a" * BOUNDS.characters)
    )


# --- what if ------------------------------------------------------------------------------------------------------------------


def test_what_if_says_what_it_does_not_read() -> None:
    assert look(["x = 1\n"]).unread == ""
    assert "The program is longer than What if reads (100,000 characters)" in look(["x = 1\n" + "#" * BOUNDS.characters]).unread
    assert "nested more deeply than What if reads" in look(["x = " + "(" * 250 + "1" + ")" * 250]).unread
    assert f"the first {MOST_KNOBS:,} literals" in look(["x = 1\n" * 5_000]).unread
    assert look(["x = ("]).unread == "", "that is told elsewhere"
    assert "In [2]: The program is nested more deeply" in look(["x = 1\n", "x = " + "(" * 250, "y = 2\n"]).unread
    cells = look(["x = 1\n" * 30] * 500)
    assert "What if reads cells 1 to 34; the others" in cells.unread
    assert len(cells.knobs) == 34 * 30


def test_what_the_panel_is_sent_is_bounded() -> None:
    looked = look([f"{LONG}x = torch.tensor([" + "1.5, " * 390 + "])\n" + f"f({LONG}=1, b=[" + "2, " * 300 + "])\n"] * 2)
    memory = Memory()
    data = whatif_data(looked.knobs * 50, True, memory, looked.unread)
    shown = [knob for group in data["groups"] for knob in group["knobs"]]
    assert len(shown) <= 2 * MAX_KNOBS
    assert all(len(knob["label"]) < 100 and len(knob["id"]) < 120 for knob in shown)
    for n in range(3 * MAX_RANGES):
        whatif_data([(n, looked.knobs[0][1])], True, memory, "")
    assert len(memory.ranges) <= MAX_RANGES + 1


@pytest.mark.parametrize(
    "value", [[[]], ["a"] * 4, [None] * 4, [1e400] * 4, {"a": 1}, "x", None, [1] * 10**5, 10**400, -(10**400), float("nan"), []]
)
def test_what_no_control_sends_changes_nothing(value: object) -> None:
    program = "x = torch.tensor([1, 2, 3, 4])\nfor i in range(3): pass\n"
    for knob in knobs(program):
        changed = apply([program], {"cell": 0, "id": knob.id, "value": value})
        assert changed is None or len(changed[1]) < 1_000


# --- the page -----------------------------------------------------------------------------------------------------------------


def test_undo_forgets_what_there_is_no_room_for() -> None:
    texts: list[str] = []
    for n in range(3 * MAX_TEXTS):
        remember(texts, f"x = {n}")
    assert texts == [f"x = {n}" for n in range(2 * MAX_TEXTS, 3 * MAX_TEXTS)]
    for n in range(40):
        remember(texts, str(n) + "é" * 400_000)
    assert 1 < len(texts) <= MAX_BYTES // 400_000
    assert texts[-1].startswith("39")
    remember(texts, "😀" * 3_000_000)
    assert len(texts) == 1, "the last one is kept whatever it takes"


def test_an_editor_takes_no_more_than_a_program_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    import streamlit as st

    told: dict[str, Any] = {"e": {"text": {"text": "x" * (5 * MAX_TEXT), "rev": 1, "n": 1}}}
    monkeypatch.setattr(st, "session_state", told)
    newest = newest_text("e", 1)
    assert newest is not None
    assert len(newest) == MAX_TEXT + 1, "too long to run, and no longer"


def test_of_a_long_notebook_one_page_is_drawn(app: AppTest) -> None:
    p = page(app)
    p.program = Program.from_cells(tuple(f"x{n} = {n}\nprint(x{n})" for n in range(500)))
    p.edited = list(p.program.cells)
    p.rev += 1
    p.result = ended(cells=[CellResult("printed\n" * 1_000, "r" * 9_000)] * 500)
    app.run()
    assert not app.exception
    (chooser,) = (one for one in app.number_input if one.key == "cell_page_25")
    assert "Page of 25, 20 cells each" in chooser.label
    first = [html for html in app.get("html") if "Out[" in html.proto.body]
    assert len(first) == 20
    assert "Out[1]" in first[0].proto.body
    assert sum(len(html.proto.body) for html in app.get("html")) < 1_000 * KB
    chooser.set_value(25).run()
    last = [html for html in app.get("html") if "Out[" in html.proto.body]
    assert "Out[500]" in last[-1].proto.body
    assert p.edited[0] == "x0 = 0\nprint(x0)", "what is not drawn is kept"


def test_the_builder_offers_the_last_lines_of_a_long_program(app: AppTest) -> None:
    p = page(app)
    state_text = "import torch\n" + "x = 1  # " + "c" * 90 + "\n" + "y = 2\n" * 3_000
    p.program = Program.from_text(state_text)
    p.edited, p.rev, p.mode = [state_text], p.rev + 1, "Build"
    app.session_state["mode"] = "Build"
    app.session_state["build_kind"] = "Change"
    app.session_state["build_change"] = "Lines without gradients"
    app.run()
    assert not app.exception
    boxes = [box for box in app.selectbox if str(box.key).startswith("build_from")]
    assert len(boxes) == 1
    assert len(boxes[0].options) == LINES
    assert all(len(option) < 120 for option in boxes[0].options)
