"""The notebook from which the project started runs cell by cell with the outputs that PyTorch once gave it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from engine.program import Program
from engine.sandbox import Limits, run

NOTEBOOK = Path(__file__).with_name("first_notebook.json")
ADDRESS = re.compile(r"0x[0-9a-f]+")
NUMBER = re.compile(r" *-?\d+\.\d+")
UNSEEDED = (6, 7, 8)
"""Cells that show random numbers: the words, the shape and the digits after the point are the same."""
WARNED = re.compile(r"^<cell \d+>:\d+: UserWarning: The \.grad attribute of a Tensor that is not a leaf .*$\n", re.MULTILINE)
"""The head of a warning, of which the recorded notebook has only the line of the program behind it."""


def recorded(cell: dict[str, Any], kind: str) -> str:
    """What the cell printed to a stream, or its value ("result")."""
    found = [each for each in cell["outputs"] if each.get("name", "result") == kind]
    return "".join(each["text"] if "text" in each else each["data"]["text/plain"] for each in found)


def test_the_notebook_has_the_outputs_that_were_recorded() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    result = run(Program.from_file(text.encode(), "first.ipynb"), Limits(seconds=60))
    assert result.status == "ok", result.error
    assert len(result.cells) == len(cells) == 33
    for number, (cell, ours) in enumerate(zip(cells, result.cells, strict=True)):
        value, theirs = ours.result or "", recorded(cell, "result")
        if number in UNSEEDED:
            value, theirs = NUMBER.sub("number", value), NUMBER.sub("number", theirs)
            assert "number" in value
        assert value == theirs, number
        # Ours has what was printed and the warnings in the order in which they came.
        printed = ADDRESS.sub("0x", recorded(cell, "stdout")).splitlines()
        warned = recorded(cell, "stderr").splitlines()
        assert len(WARNED.findall(ours.output)) == len(warned), number
        told = ADDRESS.sub("0x", WARNED.sub("", ours.output)).splitlines()
        assert "\n".join(line for line in told if line not in warned).rstrip() == "\n".join(printed), number
        assert [line for line in told if line in warned] == warned, number
