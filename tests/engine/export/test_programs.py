"""Scripts run on PyTorch and print the same; notebooks are valid, hold their outputs and open again."""

from __future__ import annotations

import nbformat
import pytest

from engine.export import export
from engine.export.programs import script
from engine.program import Program
from engine.sandbox import run
from tests.engine.export.hostile import TAGS, hostile
from tests.engine.export.programs import NAMES, recorded
from tests.on_pytorch import OnPyTorch
from tests.recorded import printed

FAILS = {"in_place_trouble"}


@pytest.mark.parametrize("name", NAMES)
def test_a_script_prints_the_same_on_pytorch(pytorch: OnPyTorch, name: str) -> None:
    ran = pytorch(export(recorded(name), "py").decode())
    assert (ran.returncode != 0) == (name in FAILS), ran.stderr
    assert ran.stdout == printed(recorded(name))


def test_cells_stand_under_markers() -> None:
    assert script(("import torch\n", "x = 1\n")) == "# %%\nimport torch\n\n# %%\nx = 1\n"


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("x = torch.ones(2)", True),
        ("import torch\nx = torch.ones(2)", False),
        ("import torch.nn as nn\nimport torch.nn\nx = torch.ones(2)", False),
        ("import numpy as torch\nx = torch.ones(2)", False),
        ("print(1)", False),
        ("this is ( no program", False),
    ],
)
def test_import_torch_is_added_only_where_it_is_missing(text: str, added: bool) -> None:
    assert script((text,)) == ("import torch\n\n" if added else "") + text + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_valid_and_opens_again(name: str) -> None:
    data = export(recorded(name), "ipynb")
    nbformat.validate(nbformat.reads(data.decode(), as_version=4))
    assert Program.from_file(data, "again.ipynb").cells == recorded(name).source


def test_a_notebook_holds_what_its_cells_showed() -> None:
    cells = ("import torch\nx = torch.ones(2)\nprint('one')\nprint('two')\nx", "x / nothing")
    recording = run(Program.from_cells(cells)).recording
    assert recording is not None
    book = nbformat.reads(export(recording, "ipynb").decode(), as_version=4)
    first, second = (cell.outputs for cell in book.cells)
    assert [(o.output_type, o.get("text", o.get("data"))) for o in first] == [
        ("stream", "one\ntwo\n"),
        ("execute_result", {"text/plain": "tensor([1., 1.])"}),
    ]
    assert [(o.output_type, o.ename) for o in second] == [("error", "NameError")]


def test_hostile_output_is_plain_text_in_a_notebook() -> None:
    book = nbformat.reads(export(hostile(), "ipynb").decode(), as_version=4)
    (output,) = book.cells[0].outputs
    assert output.output_type == "stream"
    assert TAGS in output.text
