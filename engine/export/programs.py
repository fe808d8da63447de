"""The program of a recording as a file that runs elsewhere: a script for real PyTorch, or a notebook with its outputs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..figures import title_of_text
from ..program import Program
from ..program.parsing import UnreadError, read
from ..recording.events import (
    Accumulated,
    BackwardBegan,
    BackwardEnded,
    CellBegan,
    CellEnded,
    Drew,
    FlagSet,
    GradSet,
    HookRan,
    Named,
    NodeRan,
    OpRan,
    Printed,
    Raised,
    Read,
    Stepped,
    Thinned,
    Warned,
)
from ..recording.recording import Recording

MARKER = "# %%"
"""What editors take as the beginning of a notebook's cell in a script."""


def script(source: Sequence[str]) -> str:
    """The program's cells as a .py file, several under markers; `import torch` is added only where it is missing."""
    cells = [cell.strip("\n") for cell in source]
    text = cells[0] if len(cells) == 1 else "\n\n".join(f"{MARKER}\n{cell}" for cell in cells)
    return ("import torch\n\n" if _misses_torch("\n".join(cells)) else "") + text + "\n"


def notebook(recording: Recording) -> str:
    """The program as an .ipynb file of format 4, with its notes, and what every cell printed, showed and raised."""
    return Program.from_cells(tuple(recording.source), story=recording.story).to_notebook(_outputs(recording))


def _misses_torch(text: str) -> bool:
    """Whether the program uses the name `torch` and never makes it."""
    try:
        tree = read(text).tree
    except UnreadError:
        return False
    used = bound = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "torch":
            used |= isinstance(node.ctx, ast.Load)
            bound |= isinstance(node.ctx, ast.Store)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= any((alias.asname or alias.name.split(".")[0]) == "torch" for alias in node.names)
    return used and not bound


def _outputs(recording: Recording) -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = [[] for _ in recording.source]
    cell = 0
    for event in recording.events:
        if isinstance(event, CellBegan):
            cell = event.cell
        if cell >= len(found):
            continue
        outputs = found[cell]
        match event:
            case Printed():
                _stream(outputs, event.stream, event.text)
            case Drew():
                _stream(outputs, "stdout", f"[{title_of_text(event.figure)}]\n")
            case CellEnded() if event.result is not None:
                data = {"text/plain": event.result}
                outputs.append({"output_type": "execute_result", "execution_count": cell + 1, "metadata": {}, "data": data})
            case Raised():
                text = f"{event.type}: {event.message}"
                outputs.append({"output_type": "error", "ename": event.type, "evalue": event.message, "traceback": [text]})
            case (
                OpRan() | Named() | FlagSet() | BackwardBegan() | NodeRan() | Accumulated() | BackwardEnded() |
                GradSet() | HookRan() | Stepped() | Read() | Warned() | CellBegan() | CellEnded() |
                Thinned()
            ):  # fmt: skip
                pass  # a cell's outputs are what it printed, its value and its exception
    return found


def _stream(outputs: list[dict[str, Any]], name: str, text: str) -> None:
    if outputs and outputs[-1].get("name") == name:
        outputs[-1]["text"] += text
    else:
        outputs.append({"output_type": "stream", "name": name, "text": text})
