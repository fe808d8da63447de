"""The code editor: CodeMirror with Python highlighting, errors on their lines, and the tape's moment marked.

The text's owner is the editor: only a new `rev` overwrites what the user typed. Ctrl+Enter hands the newest text over as `run`.
The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import msgspec

from components.packaged import ignore, packaged, sent

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A mark with a message. Lines count from 1, columns from 0 in UTF-8 bytes, as in `ast`."""

    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    severity: Severity = "error"


class Completion(TypedDict):
    """A name to offer after `owner.`; an empty owner stands for any value that is not itself an owner."""

    label: str
    owner: str
    detail: str


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
    completions: Sequence[Completion] | msgspec.Raw = (),
    height: int | str = "content",
    cell: int = 0,
    label: str = "Program",
    on_run: Callable[[], None] | None = None,
    read_only: bool = False,
) -> EditorState:
    """Show an editor.

    Args:
        text: its text; taken over when it is mounted and when `rev` changes.
        ran: the text that the diagnostics and the tape's positions belong to. Where the user's text differs from it they move
            along with the text, dimmed. Without it: the last text that came from Python or was run with Ctrl+Enter.
        completions: names to offer, beside Python's own and the program's words, or the JSON of them.
        height: pixels, "content" or "stretch".
        cell: which cell it holds; the tape's moments name cells.
        label: what assistive technology calls it.
        on_run: called before the script runs again after Ctrl+Enter.
    """
    data = {
        "key": key, "text": text, "rev": rev, "ran": ran, "cell": cell, "label": label, "readOnly": read_only, "height": height,
        "diagnostics": [asdict(each) for each in diagnostics], "completions": completions,
    }  # fmt: skip
    state = _component()(data=sent(data), key=key, height=height, on_text_change=ignore, on_run_change=on_run or ignore)
    wanted = sent_text(state.get("run"), rev)
    typed = sent_text(state.get("text"), rev)
    newest = next(each for each in (wanted, typed, text) if each is not None)
    return EditorState(newest, wanted)


def sent_text(sent: object, rev: int) -> str | None:
    """The text in what the editor sent, unless it was typed into an earlier `rev`."""
    if isinstance(sent, dict) and sent.get("rev") == rev and isinstance(sent.get("text"), str):
        found: str = sent["text"]
        return found
    return None


_component = packaged("editor", Path(__file__).parent / "build")
