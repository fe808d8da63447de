"""Formulas and the numerical check as the page shows them."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.html.formulas_html import (
    MOST,
    contributions_at,
    counted,
    edge_title,
    edges_on_show,
    heading,
    steps_html,
    total_html,
)
from components.menus.gallery import examples
from components.panels.check import check_html
from engine.diagnosis.gradcheck.check import check_numerically
from engine.recording import replay
from engine.recording.events import NodeRan
from tests.recorded import recorded

EVIL = "<img src=x onerror=alert(1)>"
REPEATED = examples()["repeated_backward"].text
WRONG = """\
import torch

class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        return grad * 7

x = torch.tensor([1.0, 2.0], requires_grad=True)
Cube.apply(x).sum().backward()
"""


def formulas_page(source: str, step: int, selected: str | None) -> None:
    from components.panels.inspector.formulas import formulas
    from engine.sandbox import run

    recording = run(source).recording
    assert recording is not None
    formulas(recording, step if step >= 0 else len(recording.events) - 1, selected, key="formulas")


def check_page(source: str) -> None:
    import streamlit as st

    from components.panels.check import check_panel
    from engine.diagnosis import check_numerically
    from engine.sandbox import run

    if "recording" not in st.session_state:
        st.session_state["recording"] = run(source).recording
    recording = st.session_state["recording"]

    def check(number: int) -> None:
        recording.checks[number] = check_numerically(recording, number)

    found = check_panel(recording, key="check", under_way=False, on_check=check)
    if found is not None:
        st.session_state["overlay"] = found


def shown(function: Any, *args: Any) -> AppTest:
    page = AppTest.from_function(function, args=args, default_timeout=30).run()
    assert not page.exception
    return page


def test_a_leaf_shows_what_reached_it_and_the_sum() -> None:
    recording = recorded(REPEATED)
    last = len(recording.events) - 1
    leaf = f"t{replay(recording, last).names['x1']}"
    into, edges = edges_on_show(recording, last, leaf)
    found = contributions_at(recording, edges, None)
    assert into == "x1"
    assert [c.label for c in found] == ["11 × 2 = 22", "4 × 5 = 20"]
    assert "22 + 20 = 42" in total_html(recording, into, found, 2, edges[0][1])
    assert counted(edges, found) == 2
    assert "2 contributions" in heading(recording, into, found, 2)


def test_of_thousands_of_contributions_the_first_few_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = "import torch\nw = torch.tensor(1., requires_grad=True)\ny = w\nfor k in range(2000):\n    y = y + w\ny.backward()"
    page = shown(formulas_page, loop, -1, "t0")
    shown_there = " ".join(html.proto.body for html in page.get("html"))
    assert "2001 contributions, which add up" in shown_there
    assert f"and {2001 - MOST} more" in shown_there
    assert "2001 terms = 2001" in shown_there
    assert len(page.latex) <= 2 * MOST
    recording = recorded(loop)
    _, edges = edges_on_show(recording, len(recording.events) - 1, "t0")
    written: list[int] = []
    monkeypatch.setattr("components.html.formulas_html.contributions", lambda _, node, *__: written.append(node) or [])
    contributions_at(recording, edges, None)
    assert len(written) == MOST


def test_the_step_of_a_node_comes_before_the_selection() -> None:
    recording = recorded(REPEATED)
    step = next(i for i, e in enumerate(recording.events) if isinstance(e, NodeRan))
    event = recording.events[step]
    assert isinstance(event, NodeRan)
    assert edges_on_show(recording, step, "t0") == ("", [(event.node, 1, -1)])
    assert edges_on_show(recording, 3, "t0") == ("", [])
    assert edges_on_show(recording, len(recording.events) - 1, "n99999") == ("", [])
    assert edges_on_show(recording, len(recording.events) - 1, "nonsense") == ("", [])


@pytest.mark.parametrize("selected", [None, "t0", "n1"])
def test_formulas_are_drawn_for_every_step_of_a_run(selected: str | None) -> None:
    recording = recorded(REPEATED)
    for step in range(len(recording.events)):
        into, edges = edges_on_show(recording, step, selected)
        for c in contributions_at(recording, edges, None):
            assert edge_title(recording, c)
            assert steps_html(c)
        assert isinstance(into, str)


def test_the_page_draws_symbols_and_numbers() -> None:
    page = shown(formulas_page, REPEATED, -1, "t0")
    texts = [latex.value for latex in page.latex]
    assert any(r"\cdot 2" in t for t in texts)
    assert any("= 22" in t for t in texts)


def test_an_element_of_a_large_tensor_can_be_chosen() -> None:
    source = "import torch\nx = torch.linspace(1, 2, 50, requires_grad=True)\n(x ** 2).sum().backward()"
    page = shown(formulas_page, source, -1, "t0")
    (axis,) = page.number_input
    assert axis.value == 49
    page = axis.set_value(0).run()
    assert not page.exception
    assert any("[0]" in latex.value and "= 2" in latex.value for latex in page.latex)


def test_what_a_program_names_stays_text() -> None:
    name = f"p['{EVIL}']"
    source = f'import torch\np = {{"{EVIL}": torch.tensor([1., 2.], requires_grad=True)}}\n(p["{EVIL}"] ** 2).sum().backward()'
    recording = recorded(source)
    into, edges = edges_on_show(recording, len(recording.events) - 1, "t0")
    found = contributions_at(recording, edges, None)
    html = heading(recording, into, found, len(found)) + "".join(edge_title(recording, c) + steps_html(c) for c in found)
    html += total_html(recording, into, [*found, *found], 2, edges[0][1])
    html += check_html(recording, check_numerically(recording))
    assert "<img" not in html
    assert "&lt;img" in html, name


def test_a_wrong_gradient_is_said_with_its_line() -> None:
    recording = recorded(WRONG)
    html = check_html(recording, check_numerically(recording))
    assert "CubeBackward → x (line 13) sends a wrong gradient at [0]: 7, but differences give 3." in html
    assert "what counts as right" in html


def test_the_button_checks_and_gives_the_overlay() -> None:
    page = shown(check_page, WRONG)
    assert "overlay" not in page.session_state
    page = page.button[0].click().run()
    assert not page.exception
    tones = {m["tone"] for m in page.session_state["overlay"]["edges"].values()}
    assert tones == {"good", "bad"}


def test_a_run_without_a_backward_pass_has_nothing_to_check() -> None:
    page = shown(check_page, "import torch\ntorch.ones(2)")
    assert not page.button
