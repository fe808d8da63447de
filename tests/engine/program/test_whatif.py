"""Knobs: every literal is found under the program's names, and turning one changes nothing but its own characters."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.menus.gallery import examples
from engine.program.controls import Knob, knobs, shown, with_value, without
from engine.sandbox import run

PROGRAM = '''\
"""A program of 3 lines and 2 parts."""
import torch  # 2.0

x = torch.tensor([1., -2.5], requires_grad=True)   # two: 2
w = torch.tensor([[1, 2.0], [3.0,  # a comment inside
                  4.0]])
rate, steps = 1e-3, 5
opt = torch.optim.SGD([x], lr=rate, momentum=0.9, nesterov=False)
for i in range(2):
    y = 5 * x ** 2 + (x - 1.5).sum(dim=0)
    print("y is", 7, f"{y[0]:.3f}")
    opt.zero_grad()  # each time
    y.sum().backward(retain_graph=True)
    with torch.no_grad():
        z = torch.zeros(3, 4).reshape(2, 6)[1, 2:]
ä = "ü" ; b = torch.tensor(4.0).detach() * x.data.exp()
'''


def found(text: str) -> dict[str, Knob]:
    return {knob.label: knob for knob in knobs(text)}


def test_leaves_and_hyperparameters_go_by_the_programs_names() -> None:
    labels = found(PROGRAM)
    values = {label: knob.value for label, knob in labels.items() if knob.group == "values"}
    assert values == {
        "x[0]": 1.0,
        "x[1]": -2.5,
        "w": (1, 2.0, 3.0, 4.0),
        "rate": 0.001,
        "steps": 5,
        "momentum in SGD(…)": 0.9,
        "range(□)": 2,
        "□ * x ** 2 in y": 5,
        "x ** □ in y": 2,
        "x - □ in y": 1.5,
        "tensor(□) in b": 4.0,
    }
    assert labels["w"].shape == (2, 2)
    assert labels["range(□)"].kind == "int"
    assert labels["□ * x ** 2 in y"].kind == "number", "a factor may be any number"


def test_switches_are_truth_values_and_what_cuts_or_clears_gradients() -> None:
    switches = [knob.label for knob in knobs(PROGRAM) if knob.group == "switches"]
    assert switches == [
        "requires_grad of x",
        "nesterov in SGD(…)",
        "opt.zero_grad()",
        "retain_graph in backward(…)",
        "with torch.no_grad():",
        ".detach()",
        ".data",
    ]


def test_sizes_and_dimensions_are_a_group_of_their_own() -> None:
    assert [(knob.line, knob.value) for knob in knobs(PROGRAM) if knob.group == "sizes"] == [
        (10, 0), (15, 3), (15, 4), (15, 2), (15, 6), (15, 1), (15, 2),
    ]  # fmt: skip


def test_text_that_is_no_computation_has_no_knob() -> None:
    assert knobs('"""3"""\n"4"\nprint(5, "6")\nassert 7 == 7\nraise ValueError(8)\n') == []
    assert knobs("x = (") == []
    assert knobs("x = " + "(" * 5000 + "1" + ")" * 5000) == []
    assert knobs("x = " + "-" * 100_000 + "1") == []


def test_knobs_come_in_the_order_of_the_text() -> None:
    lines = [knob.line for knob in knobs(PROGRAM)]
    assert lines == sorted(lines)
    assert len({knob.id for knob in knobs(PROGRAM)}) == len(lines)


@settings(deadline=None)
@given(st.data())
def test_a_new_value_touches_only_its_literal(data: st.DataObject) -> None:
    knob = data.draw(st.sampled_from([k for k in knobs(PROGRAM) if k.kind in ("number", "int", "bool")]))
    numbers = {
        "int": st.integers(-1000, 1000),
        "bool": st.booleans(),
        "number": st.floats(-1e6, 1e6, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-6),
    }
    value = data.draw(numbers[knob.kind])
    text = with_value(PROGRAM, knob, value)
    (start, end), after = knob.spans[0], len(text) - (len(PROGRAM) - knob.spans[0][1])
    assert text[:start] == PROGRAM[:start]
    assert text[after:] == PROGRAM[end:]
    ast.parse(text)
    (again,) = (k for k in knobs(text) if k.id == knob.id)
    assert again.value == value, "what was written is what is read"
    (back,) = (k for k in knobs(with_value(text, again, knob.value)) if k.id == knob.id)
    assert back.value == knob.value


@settings(deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=4, max_size=4))
def test_a_grid_keeps_what_is_between_its_entries(values: list[float]) -> None:
    knob = found(PROGRAM)["w"]
    values[0] = float(round(values[0]))
    text = with_value(PROGRAM, knob, [int(values[0]), *values[1:]])
    assert "# a comment inside" in text
    assert found(text)["w"].value == (int(values[0]), *values[1:])


@pytest.mark.parametrize("text", [PROGRAM, *(example.text for example in examples().values())])
def test_the_same_value_gives_the_same_text(text: str) -> None:
    for knob in knobs(text):
        assert with_value(text, knob, knob.value) == text


@pytest.mark.parametrize("text", [PROGRAM, *(example.text for example in examples().values())])
def test_what_is_left_out_comes_back_byte_for_byte(text: str) -> None:
    for toggle in (knob for knob in knobs(text) if knob.kind == "toggle"):
        less = without(text, toggle)
        ast.parse(less)
        assert less != text
        assert less.count("\n") == text.count("\n"), "lines keep their numbers"
        (again,) = (knob for knob in knobs(less) if knob.id == toggle.id)
        assert not again.value
        assert with_value(less, again, True) == text


@settings(deadline=None)
@given(st.permutations(range(4)), st.permutations(range(4)))
def test_pieces_go_and_come_back_in_any_order(out: list[int], back: list[int]) -> None:
    text = "y = (x.detach() * 2.5 + w.data).exp().detach()  # why\nopt.zero_grad()\n"
    ids = [knob.id for knob in knobs(text) if knob.kind == "toggle"]
    assert len(ids) == 4
    changed = text
    for place in out:
        changed = without(changed, next(knob for knob in knobs(changed) if knob.id == ids[place]))
    for place in back:
        changed = with_value(changed, next(knob for knob in knobs(changed) if knob.id == ids[place]), True)
    assert changed == text


def test_a_piece_finds_its_place_again_after_a_literal_before_it_has_changed() -> None:
    text = "y = 2.5 * x.detach() + 1\n"
    less = without(text, found(text)[".detach()"])
    assert less == "y = 2.5 * x + 1  # without .detach() @11\n"
    turned = with_value(less, next(k for k in knobs(less) if k.value == 2.5), -12.25)
    (toggle,) = (k for k in knobs(turned) if k.kind == "toggle")
    assert with_value(turned, toggle, True) == "y = -12.25 * x.detach() + 1\n"


def test_no_comment_is_put_into_a_string() -> None:
    text = 's = x.detach() + """\n""" + f"""{y.detach()}\n"""\nz = x.detach()\n'
    assert [knob.line for knob in knobs(text) if knob.kind == "toggle"] == [4]


def test_the_only_line_of_a_block_leaves_a_pass() -> None:
    text = "for i in range(3):\n    opt.zero_grad()\n"
    less = without(text, found(text)["opt.zero_grad()"])
    assert less == "for i in range(3):\n    pass  # without: opt.zero_grad()\n"
    assert with_value(less, found(less)["opt.zero_grad()"], True) == text


def test_marks_inside_strings_are_text() -> None:
    text = 's = "# without: opt.zero_grad()"\nq = """\n# without: a.zero_grad()\n"""\n'
    assert knobs(text) == []


@pytest.mark.parametrize("text", ["opt.zero_grad(); y = x", "if a: opt.zero_grad()", "y = (x\n     .data\n     .detach(\n))"])
def test_what_cannot_be_left_out_line_by_line_is_not_offered(text: str) -> None:
    labels = [knob.label for knob in knobs(text) if knob.kind == "toggle"]
    assert labels in ([], [".data"])


def test_a_negative_base_of_a_power_gets_parentheses_once() -> None:
    text = with_value("y = 5 ** 2", next(k for k in knobs("y = 5 ** 2") if k.value == 5), -3)
    assert text == "y = (-3) ** 2"
    assert with_value(text, next(k for k in knobs(text) if k.value == -3), -4) == "y = (-4) ** 2"


def test_numbers_are_written_in_the_manner_of_the_literal() -> None:
    assert shown(2.0, "1.") == "2."
    assert shown(2.0, "1.0") == "2.0"
    assert shown(2.0, "1") == "2"
    assert shown(2.5, "1") == "2.5"
    text = "x = torch.tensor(1.0)"
    assert with_value(text, knobs(text)[0], 3) == "x = torch.tensor(3.0)", "a float stays a float"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2.5])
def test_values_that_fit_no_literal_are_refused(value: float) -> None:
    knob = found(PROGRAM)["range(□)"]
    with pytest.raises(ValueError, match=r"finite|integer"):
        with_value(PROGRAM, knob, value)


@pytest.mark.parametrize("knob", [k for k in knobs(PROGRAM) if k.kind in ("number", "int")], ids=lambda k: k.label)
def test_a_slider_reaches_around_its_value(knob: Knob) -> None:
    assert isinstance(knob.value, int | float)
    assert knob.low <= knob.value <= knob.high
    assert 0 < knob.step <= (knob.high - knob.low) / 5


def test_examples_run_without_what_is_left_out() -> None:
    text = examples()["cutting_the_graph"].text
    result = run(without(text, found(text)["with torch.no_grad():"]))
    assert result.status == "ok"
    assert "False True" in result.output


@pytest.mark.parametrize("number", ["5e-324", "1e-308", "-2e-310"])
def test_a_number_at_the_edge_of_what_floats_hold_has_a_slider(number: str) -> None:
    (knob,) = knobs(f"x = {number}\n")
    assert knob.low <= float(number) <= knob.high
    assert knob.step > 0
