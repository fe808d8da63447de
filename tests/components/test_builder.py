"""The builder in Streamlit's own test harness: every panel is drawn for every example, and changes go into the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.builder import Picked, change, gradient
from components.menus.gallery import examples
from engine.program.edits.operations import OPERATIONS
from tests.components.conftest import page

ROOT = Path(__file__).resolve().parents[2]
EVIL = "<img src=x onerror=alert(1)>"


def opened(example: str = "repeated_backward", **widgets: str) -> AppTest:
    """The page with the builder open."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["example"] = example
    app.session_state["mode"] = "Build"
    for key, value in widgets.items():
        app.session_state[key] = value
    app.run()
    assert not app.exception
    return app


def pressed(app: AppTest, key: str) -> str:
    """What a button adds to the program."""
    before = page(app).edited[0]
    app.button(key=key).click().run()
    assert not app.exception
    return page(app).edited[0].removeprefix(before)


@pytest.mark.thorough
@pytest.mark.parametrize("example", examples())
def test_every_tab_is_drawn_for_every_example(example: str) -> None:
    app = opened(example)
    for tab in ("Operation", "Gradient", "Change"):
        app.session_state["build_kind"] = tab
        app.run()
        assert not app.exception, tab


@pytest.mark.parametrize("kind", OPERATIONS)
def test_every_kind_of_operation_is_drawn(kind: str) -> None:
    app = opened("broadcasting", build_kind="Operation", build_category=kind)
    buttons = [button for button in app.button if str(button.key).startswith("build_op_")]
    assert len(buttons) == len(OPERATIONS[kind]), "those that do not fit are shown as well"


@pytest.mark.parametrize("what", gradient.PANELS)
def test_everything_about_gradients_is_drawn_and_carried_out(what: str) -> None:
    app = opened(build_kind="Gradient", build_gradient=what)
    key = next(
        (str(button.key) for button in app.button if str(button.key).startswith("build_add") and not button.disabled), None
    )
    if key is not None:
        pressed(app, key)
        assert page(app).result is not None


CHANGES = {
    "Entries of a leaf": "build_set_entries", "Lines without gradients": "build_wrap", "Lines in a loop": "build_wrap",
    "Name of a tensor": "build_rename", "Delete a tensor": "build_delete",
}  # fmt: skip
"""The button that carries a change out."""


@pytest.mark.parametrize("what", change.PANELS)
def test_every_change_is_drawn(what: str) -> None:
    app = opened("mean_of_squares", build_kind="Change", build_change=what)
    assert [str(button.key) for button in app.button][-1] == CHANGES[what]


def test_a_line_is_added_taken_back_and_made_again() -> None:
    app = opened()
    before = page(app).edited[0]
    added = pressed(app, "build_add_leaf")
    assert "requires_grad=True" in added
    app.button(key="build_undo").click().run()
    assert page(app).edited[0] == before
    app.button(key="build_redo").click().run()
    assert page(app).edited[0] == before + added
    assert app.button(key="build_redo").disabled


def test_a_new_result_is_shown_and_proposed() -> None:
    app = opened()
    pressed(app, "build_add_leaf")
    p = page(app)
    assert p.recording is not None
    assert p.picked.run == p.run_id
    assert p.selected == f"t{p.picked.ids[0]}"
    assert p.command["select"] == p.selected


def test_what_a_drawn_leaf_holds_can_be_written_out() -> None:
    app = opened("sum_of_two_leaves", build_kind="Change", build_change="Entries of a leaf")
    if any(button.key == "build_fix" for button in app.button):
        pressed(app, "build_fix")
        assert "torch.tensor([[" in page(app).edited[0]


def test_a_program_that_is_no_python_is_explained() -> None:
    app = opened()
    page(app).edited[0] = f"x = = '{EVIL}'\n"
    app.run()
    assert not app.exception
    shown = [str(element.proto) for element in app.main if "gt-why" in str(element.proto)]
    assert any("not Python yet: see line 1" in each for each in shown)


def test_markup_in_an_error_stays_text() -> None:
    app = opened()
    page(app).edited[0] = f'raise ValueError("{EVIL}")\n'
    app.button(key="build_undo")
    state_page = page(app)
    assert state_page.edited[0].startswith("raise")
    next(button for button in app.button if button.label == "Run").click().run()
    assert not app.exception
    assert not [1 for element in app.main if "gt-why" in str(element.proto) and "<img" in str(element.proto)]


def test_a_click_adds_a_tensor_or_makes_it_the_last() -> None:
    picked = Picked()
    picked.propose("run", [7])
    picked.click("run", 1)
    assert picked.ids == [7, 1]
    picked.click("run", 7)
    assert picked.ids == [1, 7]
    picked.click("another run", 3)
    assert picked.ids == [3]
