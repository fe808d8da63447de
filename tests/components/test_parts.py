"""The page's parts, without a browser: what they show is what the recording holds, and markup stays text."""

from __future__ import annotations

import re

import pytest

from components.html.arrays import array_table
from components.html.inspector_html import inspector_html
from components.html.ledger_html import ledger_html
from components.html.markup import tag, text
from components.menus.gallery import examples
from components.page.console import console_html
from components.panels.tensors import tensors_html
from components.player.picture import Wish
from engine.diagnosis.ledger import ledgers
from engine.graph import VIEWS, build
from engine.recording import Recording, replay
from engine.sandbox import run
from tests.components.messages import sent
from tests.on_pytorch import OnPyTorch
from tests.recorded import recorded

DEFAULT = examples()["repeated_backward"]
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(DEFAULT.text)


def named(recording: Recording, name: str) -> str:
    return f"t{replay(recording, len(recording.events) - 1).names[name]}"


def test_there_are_examples_with_a_title_and_an_explanation() -> None:
    assert len(examples()) >= 8
    for example in examples().values():
        assert example.title
        assert len(example.about) > 20


@pytest.mark.parametrize("name", examples())
def test_an_example_prints_what_pytorch_prints(pytorch: OnPyTorch, name: str) -> None:
    program = examples()[name].text
    result = run(program)
    theirs = pytorch(program)
    ours = "".join(line for line in result.output.splitlines(keepends=True) if "Warning" not in line)
    ours = ours.replace("  print(y1.grad)\n", "")
    assert ours == theirs.stdout
    assert (result.error is not None) == (theirs.returncode != 0)
    if result.error is not None:
        assert theirs.stderr.strip().splitlines()[-1] == f"{result.error.type}: {result.error.message}"


@pytest.mark.parametrize("name", examples())
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_every_example_has_a_picture(name: str, view: str, direction: str) -> None:
    tape = recorded(examples()[name].text)
    data = sent(tape, Wish(view, direction))
    assert len(data["steps"]) == len(tape.events)
    ids = {n["id"] for n in data["nodes"]}
    assert len(ids) == len(data["nodes"]) > 0
    assert all(e["from"] in ids and e["to"] in ids and len(e["route"]) >= 2 for e in data["edges"])
    assert {n["id"] for n in data["network"]["nodes"]} == ids
    assert data["segments"][0]["from"] == 0
    assert data["segments"][-1]["to"] == len(tape.events) - 1


def test_the_inspector_shows_the_moment(recording: Recording) -> None:
    x1 = named(recording, "x1")
    last = len(recording.events) - 1
    assert ">84<" in inspector_html(recording, last, x1)
    assert "backward() has not been called yet" in inspector_html(recording, 1, x1)
    assert "has not been made yet" in inspector_html(recording, 0, named(recording, "z"))
    assert "Click a card" in inspector_html(recording, last, None)


def test_the_inspector_shows_nodes_with_edges_and_saved_values(recording: Recording) -> None:
    data = sent(recording, Wish("autograd"))
    product = next(n["id"] for n in data["nodes"] if n["title"] == "MulBackward0" and n["tone"] == "root")
    shown = inspector_html(recording, len(recording.events) - 1, product)
    assert "AddBackward0" in shown
    assert "_saved_other" in shown


def test_the_ledger_tells_each_pass(recording: Recording) -> None:
    shown = ledger_html(recording, len(recording.events) - 1, min(ledgers(recording)))
    assert shown.count("+42") == 2
    assert ">84<" in shown
    assert "gradients add up" in shown


def test_the_table_of_tensors_has_every_tensor(recording: Recording) -> None:
    last = len(recording.events) - 1
    shown = tensors_html(recording, last, "t0", "tensors", replay(recording, last).tensors)
    rows = shown.split("<tr")[2:]
    assert len(rows) == 16
    assert 'class="gt-now"' in rows[0]
    assert 'aria-current="true"' in rows[0]
    for part in ('data-gt-select="t0"', ">x1</button>", "<td>1</td><td>84</td>", "[1]", "leaf"):
        assert part in rows[0]
    assert not any("aria-current" in row for row in rows[1:])
    product = next(row for row in rows if ">z</button>" in row)
    assert "<td>mul</td><td>y1, y2</td><td>MulBackward0</td>" in product


def test_the_table_names_the_nodes_of_the_view_on_show(recording: Recording) -> None:
    last = len(recording.events) - 1
    shown = tensors_html(recording, last, None, "autograd", replay(recording, last).tensors)
    keys = set(build(recording, "autograd"))
    named = re.findall(r'data-gt-select="(\w+)"', shown)
    assert len(named) == 16
    assert set(named) <= keys


def test_markup_is_escaped_wherever_a_program_can_put_it() -> None:
    program = (
        f"import torch\nimport warnings\nprint('{EVIL}')\nwarnings.warn('{EVIL}')\n"
        f"d = {{'{EVIL}': torch.ones(2, requires_grad=True)}}\n(d['{EVIL}'] * 2).sum().backward()\nraise ValueError('{EVIL}')\n"
    )
    result = run(program)
    tape = result.recording
    assert tape is not None
    last = len(tape.events) - 1
    leaf = next(iter(replay(tape, last).tensors))
    for shown in (
        console_html(result),
        inspector_html(tape, last, f"t{leaf}"),
        ledger_html(tape, last, leaf),
        tag("p", text(EVIL), title=EVIL),
    ):
        assert "<img" not in shown


def test_arrays_large_and_odd_have_a_table() -> None:
    tape = recorded(
        "import torch\na = torch.arange(100.).reshape(10, 10)\nb = torch.ones(2, 3, 4)\n"
        "c = torch.tensor([float('nan'), float('inf'), 1.])\n"
        "d = torch.ones(300, 300)\ne = torch.tensor([True, False])\nf = torch.zeros(0, 3)\n"
    )
    state = replay(tape, len(tape.events) - 1)
    shown = {name: array_table(tape.arrays[state.tensor(t).value]) for name, t in state.names.items()}
    assert "⋮" in shown["a"]
    assert "mean 49.5" in shown["a"]
    assert "slice [0, :, :]" in shown["b"]
    assert "nan" in shown["c"]
    assert "too large to keep whole" in shown["d"]
    assert "True" in shown["e"]
    assert "empty" in shown["f"]
