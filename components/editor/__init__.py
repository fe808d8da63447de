"""The code editor: CodeMirror with Python highlighting, errors on their lines, and the tape's moment marked.

The text's owner is the editor: only a new `rev` overwrites what the user typed. Ctrl+Enter hands the newest text over as `run`.
The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from components.packaged import ignore, packaged


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mark with a message. Lines count from 1, columns from 0 in bytes, as Python counts them."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class Completion:
    """A name to offer after `owner.`; an empty owner stands for any tensor."""

    label: str
    owner: str = ""
    detail: str = ""


class EditorState(NamedTuple):
    """The text as it stands, and the text to run if the user has just asked for it."""

    text: str
    run: str | None


def editor(
    text: str,
    *,
    key: str,
    rev: int,
    ran: str | None = None,
    diagnostics: Sequence[Diagnostic] = (),
    completions: Sequence[Completion] = (),
    height: int | str = "content",
    cell: int = 0,
    label: str = "Program",
    read_only: bool = False,
) -> EditorState:
    """Show an editor.

    Args:
        text: its text; taken over when it is mounted and when `rev` changes.
        ran: the text that the diagnostics and the tape belong to; marks go when the user's text differs from it.
        cell: which cell it holds; the tape's moments name cells.
        height: pixels, or "content".
    """
    data = {
        "text": text, "rev": rev, "ran": text if ran is None else ran, "diagnostics": [asdict(d) for d in diagnostics],
        "completions": [asdict(c) for c in completions], "height": height, "cell": cell, "label": label, "readOnly": read_only,
        "key": key,
    }  # fmt: skip
    state = _component()(data=data, key=key, height=height, on_text_change=ignore, on_run_change=ignore)
    asked = state.get("run")
    wanted = asked["text"] if isinstance(asked, dict) and isinstance(asked.get("text"), str) else None
    typed = state.get("text")
    # What was typed into an earlier text is not this one's.
    mine = isinstance(typed, dict) and typed.get("rev") == rev and isinstance(typed.get("text"), str)
    return EditorState(typed["text"] if mine else text, wanted)


_component = packaged("editor", Path(__file__).parent / "build")
