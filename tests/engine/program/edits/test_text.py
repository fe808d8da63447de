"""Changes of a program's text: what they make, what they refuse, and that they never break it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.program.edits import RefusedError
from engine.program.edits.expressions import all_named, continued, named
from engine.program.edits.gradients import backward, descent, optimizer, printed, zero
from engine.program.edits.leaves import entries, fixed, leaf_line, literal, with_entries
from engine.program.edits.lines import after, appended, blocks, wrapped
from engine.program.edits.names import check, deleted, fresh, renamed, taken
from engine.program.edits.operands import Operand, operands
from engine.sandbox import run

EXAMPLES = sorted((Path(__file__).resolve().parents[4] / "assets" / "examples").glob("*.py"))


def refusal(change: object, *arguments: object) -> str:
    with pytest.raises(RefusedError) as caught:
        change(*arguments)  # type: ignore[operator]
    return str(caught.value)


# --- names


def test_a_name_is_proposed_that_nothing_has() -> None:
    assert fresh({"y", "z"}) == "u"
    assert fresh(set("abc"), "abc") == "t1"
    assert taken("import torch.nn as nn\ndef f(x): y = x\nfor i in z: pass\n") == {"nn", "f", "x", "y", "i", "z"}


@pytest.mark.parametrize("name", ["1a", "a b", "lambda", "", "__x", "torch", "print", "x" * 41, "x"])
def test_what_cannot_be_a_new_name_is_refused(name: str) -> None:
    refusal(check, name, {"x"})


def test_a_name_is_changed_everywhere_but_in_text() -> None:
    text = "x = 1  # x\nö = 'x' + str(x); y = x\nprint(x, y)\n"
    assert renamed(text, "x", "größe") == "größe = 1  # x\nö = 'x' + str(größe); y = größe\nprint(größe, y)\n"


def test_a_name_with_two_meanings_is_not_changed() -> None:
    assert refusal(renamed, "x = 1\ndef f(x):\n    return x\n", "x", "z") == "x is also a name of its own inside f."
    assert "global" in refusal(renamed, "x = 1\ndef f():\n    global x\n    x = 2\n", "x", "z")
    assert refusal(renamed, "x = 1\ny = 2\n", "x", "y") == "The program has a y already."
    assert "f-string" in refusal(renamed, "x = 1\nprint(f'{x = }')\n", "x", "z")


@given(st.sampled_from(EXAMPLES), st.integers(0, 50))
def test_renaming_there_and_back_changes_nothing(path: Path, place: int) -> None:
    text = path.read_text()
    names = sorted(n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    name = names[place % len(names)]
    try:
        other = renamed(text, name, "quite_new")
    except RefusedError:
        return
    assert name not in taken(other)
    assert renamed(other, "quite_new", name) == text


def test_a_line_is_deleted_only_if_nothing_uses_it() -> None:
    text = "import torch\nx = torch.ones(2)\ny = x * 2  # twice\nz = y\n"
    assert refusal(deleted, text, "x") == "x is used in line 3."
    assert refusal(deleted, text + "print(x)\nx\n", "x") == "x is used in lines 3, 5 and 6."
    assert deleted(text, "z") == "import torch\nx = torch.ones(2)\ny = x * 2  # twice\n"
    assert deleted("if 1:\n    a = 1\nb = 2\n", "a") == "if 1:\n    pass\nb = 2\n"
    assert deleted("a = (1 +\n     2)\nb = 2\n", "a") == "b = 2\n"
    assert refusal(deleted, "a = 1; b = 2\n", "a") == "Line 1 holds more than one statement."
    assert refusal(deleted, "a = 1\na = 2\n", "a") == "a is assigned more than once: lines 1 and 2."
    assert refusal(deleted, "a, b = 1, 2\n", "a") == "Line 1 does more than assign a."
    assert refusal(deleted, "a = 1\na += 1\n", "a") == "a is used in line 2."


# --- lines


def test_lines_are_added_below_and_torch_is_imported_once() -> None:
    assert appended("", "x = 1") == "import torch\nx = 1\n"
    assert appended("import torch\ny = 2", "x = 1") == "import torch\ny = 2\nx = 1\n"
    assert appended("import torch.nn as nn\n", "x = 1") == "import torch\n\nimport torch.nn as nn\nx = 1\n"
    assert appended('"""Doc."""\ny = 1\n', "x = 1") == '"""Doc."""\n\nimport torch\n\ny = 1\nx = 1\n'


def test_a_line_goes_right_below_the_one_that_makes_a_name() -> None:
    assert after("y = 1\nz = 2", "y", "y.retain_grad()") == "y = 1\ny.retain_grad()\nz = 2"
    assert after("for i in r:\n    y = 1\n", "y", "f(y)") == "for i in r:\n    y = 1\n    f(y)\n"
    assert refusal(after, "y = 1; z = 2\n", "y", "f(y)") == "Line 1 holds more than one statement."


def test_lines_are_put_in_a_block() -> None:
    text = "import torch\na = 1\n\nb = 2\nfor i in r:\n    c = 3\n    d = 4\n"
    head = "with torch.no_grad():"
    assert wrapped(text, 2, 4, head).startswith(f"import torch\n{head}\n    a = 1\n\n    b = 2\nfor")
    assert wrapped(text, 7, 7, head).endswith(f"    c = 3\n    {head}\n        d = 4\n")
    assert "not whole statements" in refusal(wrapped, text, 4, 6, head)
    assert "quotes" in refusal(wrapped, 'a = """\n  x"""\n', 1, 2, head)
    assert [block.text for block in blocks(text)][-3:] == ["for i in r:", "c = 3", "d = 4"]


@given(st.sampled_from(EXAMPLES), st.data())
def test_a_block_around_any_lines_keeps_every_statement(path: Path, data: st.DataObject) -> None:
    text = path.read_text()
    found = blocks(text)
    first = data.draw(st.sampled_from(found))
    last = data.draw(st.sampled_from([block for block in found if block.first >= first.first]))
    try:
        changed = wrapped(text, first.first, last.last, "for _ in range(2):")
    except RefusedError:
        return
    assert changed.count("\n") == text.count("\n") + 1
    assert [line.strip() for line in changed.split("\n") if line.strip() != "for _ in range(2):"] == [
        line.strip() for line in text.split("\n")
    ]
    ast.parse(changed)


# --- expressions


def test_an_expression_gets_a_name_on_a_line_of_its_own() -> None:
    text = "y1 = (5*x1) + (3*x2)\n"
    assert named(text, (1, 6, 1, 10), "u") == "u = 5*x1\ny1 = u + (3*x2)\n"
    assert named("if 1:\n    y = f((a + b))\n", (2, 11, 2, 16), "u") == "if 1:\n    u = a + b\n    y = f(u)\n"
    assert named("(3 * x).sum()  # s\n", (1, 0, 1, 13), "u") == "u = (3 * x).sum()  # s\n"
    assert named("y = (a +\n     b) * 2\n", (1, 5, 2, 6), "u") == "u = (a +\n     b)\ny = u * 2\n"
    assert named('s = "ä"; y = 1\nz = "ö" + a*b\n', (2, 11, 2, 14), "u") == 's = "ä"; y = 1\nu = a*b\nz = "ö" + u\n'


def test_several_expressions_of_a_line_get_names() -> None:
    text = "a = 1\ny = (5*x) + (3*w)\n"
    assert all_named(text, [((2, 5, 2, 8), "u"), ((2, 13, 2, 16), "v")]) == "a = 1\nv = 3*w\nu = 5*x\ny = u + v\n"
    assert "inside the other" in refusal(all_named, text, [((2, 4, 2, 17), "u"), ((2, 13, 2, 16), "v")])


@pytest.mark.parametrize(
    ("text", "span", "part"),
    [
        ("y = a if c else b * 2\n", (1, 16, 1, 21), "never, or more than once"),
        ("y = [b * 2 for i in r]\n", (1, 5, 1, 10), "never, or more than once"),
        ("while a * 2 < 3:\n    pass\n", (1, 6, 1, 11), "head of a block"),
        ("def f(x):\n    return x * 2\n", (2, 11, 2, 16), "inside a function"),
        ("y = c and b * 2\n", (1, 10, 1, 15), "never, or more than once"),
        ("y = x.add_(1) + x * 2\n", (1, 16, 1, 21), "add_() runs before it"),
        ("y = torch.randn(2) + torch.randn(2)\n", (1, 21, 1, 35), "randn() runs before it"),
        ("y = 1\n", (1, 5, 1, 9), "run the program first"),
        ("y = \n", (1, 4, 1, 4), "not Python"),
    ],
)  # fmt: skip
def test_an_expression_that_may_not_move_stays(text: str, span: tuple[int, int, int, int], part: str) -> None:
    assert part in refusal(named, text, span, "u")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_naming_any_expression_of_an_example_changes_nothing_it_prints(path: Path) -> None:
    text = path.read_text()
    before = run(text)
    assert before.recording is not None
    unnamed = [operand for operand in operands(before.recording, text) if not operand.name]
    for operand in unnamed[:4]:
        assert operand.span is not None
        try:
            changed = named(text, operand.span, "quite_new")
        except RefusedError:
            continue
        after_ = run(changed)
        assert (after_.status, _without_lines(after_.output)) == (before.status, _without_lines(before.output))


def _without_lines(output: str) -> str:
    return "\n".join(line for line in output.split("\n") if "Warning" not in line)


def test_a_line_goes_on_with_its_value() -> None:
    assert continued("y = 5 * x\n", "y", "{a} + 3") == "y = 5 * x + 3\n"
    assert continued("y = x + 3\n", "y", "{a} * 2") == "y = (x + 3) * 2\n"
    assert continued("y = (x + 3)  # c\n", "y", "torch.exp({a})") == "y = torch.exp((x + 3))  # c\n"
    assert continued("y = -x\n", "y", "{a}.sum()") == "y = (-x).sum()\n"
    assert refusal(continued, "y = x\nz = y\n", "y", "-{a}") == "y is used in line 2."
    assert refusal(continued, "y = x * 2\nw = x * 3\n", "y", "{a} + w") == "w is made below the line of y."
    assert refusal(continued, "for i in r:\n    y = x\n", "y", "-{a}") == "y is made inside a block."


# --- leaves


def test_leaves_are_made() -> None:
    assert leaf_line("x", (), "values", 1.5) == "x = torch.tensor(1.5, requires_grad=True)"
    assert leaf_line("x", (2,), "values", [1.0, -2.0], False) == "x = torch.tensor([1., -2.])"
    assert leaf_line("x", (2, 3), "random, normal") == "x = torch.randn(2, 3, requires_grad=True)"
    assert leaf_line("x", (), "ones") == "x = torch.ones((), requires_grad=True)"
    assert literal([[1.0, 0.1], [float("inf"), 3]]) == "[[1., 0.1], [float('inf'), 3]]"


def test_entries_are_found_and_rewritten_in_place() -> None:
    text = "x = torch.tensor([[1., 2.],\n                  [3., 4.]], requires_grad=True)  # ö\n"
    found = entries(text, (1, 4, 2, 48), 4)
    assert found.values == (1.0, 2.0, 3.0, 4.0)
    assert with_entries(text, found, [1, -2.5, 3, 10]) == text.replace("2.]", "-2.5]").replace("4.]", "10.]")


def test_entries_that_are_not_in_the_text_are_not_edited() -> None:
    assert refusal(entries, "x = torch.randn(2)\n", (1, 4, 1, 18), 2) == "Its entries come from torch.randn, not from the text."
    assert "not all plain numbers" in refusal(entries, "x = torch.tensor([a, 2.])\n", (1, 4, 1, 25), 2)
    text = "x = torch.tensor([1, 2])\n"
    found = entries(text, (1, 4, 1, 24), 2)
    assert refusal(with_entries, text, found, [1, 2.5], True) == "It is a tensor of integers."
    assert with_entries(text, found, [1, 7], True) == "x = torch.tensor([1, 7])\n"


def test_a_drawn_leaf_is_written_out() -> None:
    text = "a = torch.randn(2, requires_grad=True)\n"
    assert fixed(text, (1, 4, 1, 38), [0.5, 1.0]) == "a = torch.tensor([0.5, 1.], requires_grad=True)\n"
    assert (
        fixed("a = torch.ones((2,)).requires_grad_()\n", (1, 4, 1, 20), [1.0, 1.0])
        == "a = torch.tensor([1., 1.]).requires_grad_()\n"
    )


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.data())
def test_entries_written_are_the_entries_read(values: list[float], data: st.DataObject) -> None:
    line = leaf_line("x", (len(values),), "values", values)
    new = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(values), max_size=len(values)))
    length = len(line)
    found = entries(line + "\n", (1, 4, 1, length), len(values))
    assert list(found.values) == values
    changed = with_entries(line + "\n", found, new)
    assert list(entries(changed, (1, 4, 1, len(changed) - 1), len(values)).values) == new


# --- gradients


def test_gradient_lines_run() -> None:
    y = Operand(0, "y", "y", ())
    matrix = Operand(0, "m", "m", (2, 2))
    assert backward(y) == "y.backward()"
    assert backward(y, True) == "y.backward(retain_graph=True)"
    assert backward(matrix) == "m.backward(torch.ones_like(m))"
    assert backward(y, times=3) == "for _ in range(3):\n    y.backward(retain_graph=True)"
    program = "\n".join(
        [
            "import torch", "w = torch.ones(2, requires_grad=True)", "b = torch.ones(1, requires_grad=True)",
            "y = (w * 3 + b).sum()", backward(y, times=2), descent(["w", "b"], 0.1, True), optimizer(["w", "b"], 0.1, "opt"),
            "(w + b).sum().backward()", "opt.step()", zero(["w", "b"]), zero(["w"], "None"), printed(["w", "b"], "grad"),
        ]
    )  # fmt: skip
    result = run(program)
    assert result.status == "ok", result.error
    assert result.output == "None tensor([0.])\n"


# --- operands


def test_operands_are_the_names_and_the_expressions_of_the_last_run() -> None:
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nfor i in range(3):\n    y = (x * 2).sum()\n"
    text += "with torch.no_grad():\n    v = x[0]\n"
    result = run(text)
    found = operands(result.recording, text)
    assert [(o.name, o.code) for o in found] == [("v", "v"), ("y", "y"), ("x", "x"), ("", "x * 2")]
    assert found[3].label == "x * 2  [2] · line 4"
    assert operands(result.recording, text + "\n")[-1].name == "x", "another text has other places"
    assert operands(None, text) == []


def test_a_value_that_backward_still_needs_is_known() -> None:
    text = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nz = y ** 2\nq = x.view(2)\n"
    found = {operand.name: operand for operand in operands(run(text).recording, text)}
    assert found["y"].kept_by == "PowBackward0"
    assert found["z"].kept_by == ""
    assert found["q"].view_of_leaf == "x"
