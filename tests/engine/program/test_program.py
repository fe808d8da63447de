"""Programs from files: what is accepted, and what is said of what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.program import MAX_TEXT, Program, ProgramError


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"cells": list(cells), "nbformat": 4}).encode()


def code(source: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source}


def test_a_python_file_is_one_cell() -> None:
    assert Program.from_file(b"\xef\xbb\xbfx = 1\r\ny = 2\r", "a.py").cells == ("x = 1\ny = 2\n",)


def test_a_path_works_as_well(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x = 1")
    assert Program.from_file(path) == Program(("x = 1",), "a.py")


def test_a_notebooks_code_cells_in_order() -> None:
    data = notebook(code(["a = 1\n", "b = 2"]), {"cell_type": "markdown", "source": "# text"}, code("a + b"), code("  \n"))
    program = Program.from_file(data, "n.ipynb")
    assert program.cells == ("a = 1\nb = 2", "a + b")
    assert program.notebook


def test_notebook_commands_become_comments() -> None:
    data = notebook(code("%matplotlib inline\n!pip install torch\nx = 1"), code("%%time\nx"))
    assert Program.from_file(data, "n.ipynb").cells == ("# %matplotlib inline\n# !pip install torch\nx = 1", "# %%time\nx")


def test_a_program_and_its_notebook_are_the_same() -> None:
    program = Program.from_cells(("x = '<b>'", "x"), "n.ipynb")
    assert Program.from_file(program.to_notebook().encode(), "n.ipynb") == program


BAD = {
    "no UTF-8": (b"\xff\xfe", "a.py", "UTF-8"),
    "null characters": (b"x\0", "a.py", "null"),
    "no JSON": (b"{", "n.ipynb", "JSON"),
    "deep JSON": (b"[" * 100_000, "n.ipynb", "JSON"),
    "a list": (b"[]", "n.ipynb", "no list of cells"),
    "cells that are no list": (b'{"cells": 3}', "n.ipynb", "no list of cells"),
    "an old format": (b'{"worksheets": []}', "n.ipynb", "format 3"),
    "only text": (notebook({"cell_type": "markdown", "source": ""}), "n.ipynb", "no code cells"),
    "a source that is a number": (notebook(code(3)), "n.ipynb", "neither text"),
    "a source of mixed lines": (notebook(code(["a", 3])), "n.ipynb", "neither text"),
    "too much text": (b"x" * (MAX_TEXT + 1), "a.py", "at most"),
    "too many cells": (notebook(*[code("x")] * 501), "n.ipynb", "at most 500"),
}


@pytest.mark.parametrize(("data", "name", "message"), BAD.values(), ids=BAD.keys())
def test_a_file_that_holds(data: bytes, name: str, message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        Program.from_file(data, name)
