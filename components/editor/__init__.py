"""The code editor: CodeMirror with Python highlighting, errors on their lines, and the tape's moment marked.

The text's owner is the editor: only a new `rev` overwrites what the user typed. Ctrl+Enter hands the newest text over as `run`.
The frontend's source is in `frontend/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

import msgspec

from components.browser.component_loader import ignore, packaged, sent
from engine.program import MAX_TEXT

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


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign beside a line's number with what it says when one points at it, in the same positions as a diagnostic."""

    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity
    title: str
    text: str
    id: int
    """What the editor calls it when the user has chosen something of it."""
    proof: str = ""
    """What came of trying its fix; with it the fix can be applied."""


class Completion(TypedDict):
    """A name to offer after `owner.`; an empty owner stands for any value that is not itself an owner."""

    label: str
    owner: str
    detail: str


def editor(
    text: str,
    *,
    key: str,
    rev: int,
    program: int = 0,
    ran: str | None = None,
    diagnostics: Sequence[Diagnostic] = (),
    marks: Sequence[Mark] = (),
    run: str = "",
    height: int | str = "content",
    cell: int = 0,
    label: str = "Program",
    on_run: Callable[[], None] | None = None,
    on_mark: Callable[[], None] | None = None,
    read_only: bool = False,
) -> None:
    """Show an editor; what it sends is kept under its key, and `newest` reads it.

    Args:
        text: its text; taken over when it is mounted and when `rev` changes.
        program: counts the programs that it has held; another one is shown from its beginning.
        ran: the text that the diagnostics and the tape's positions belong to. Where the user's text differs from it they move
            along with the text, dimmed. Without it: the last text that came from Python or was run with Ctrl+Enter.
        marks: what there is to say about lines of that text besides.
        run: the run that they are of; what is chosen comes with it.
        height: pixels, "content" or "stretch".
        cell: which cell it holds; the tape's moments name cells.
        label: what assistive technology calls it.
        on_run: called before the script runs again after Ctrl+Enter.
        on_mark: called before the script runs again when something of a mark was chosen, {"id", "run", "apply"}.
    """
    data = {
        "key": key, "text": text, "rev": rev, "program": program, "ran": ran, "cell": cell, "label": label,
        "readOnly": read_only, "height": height, "run": run,
        "diagnostics": [asdict(each) for each in diagnostics], "marks": [asdict(each) for each in marks],
    }  # fmt: skip
    _component()(
        data=sent(data), key=key, height=height, on_text_change=ignore, on_run_change=on_run or ignore,
        on_mark_change=on_mark or ignore,
    )  # fmt: skip


def names(offered: Sequence[Completion] | msgspec.Raw, *, key: str) -> None:
    """What all editors on the page offer beside Python's own names and the program's words, or the JSON of it.

    It has a place of its own, where nothing is to be seen, because it is always the same: Streamlit sends that once.
    """
    _component()(data=sent({"names": offered}), key=key)


def newest(messages: Iterable[object], rev: int) -> dict[str, Any] | None:
    """The newest of an editor's messages that was typed into `rev`, as {"text", "rev", "n"}; None if there is none."""
    return max(filter(None, (_sent(each, rev) for each in messages)), key=lambda each: each["n"], default=None)


def _sent(message: object, rev: int) -> dict[str, Any] | None:
    """One message of an editor, None for nothing, or for what belongs to another `rev`."""
    if not isinstance(message, Mapping) or message.get("rev") != rev:
        return None
    text, n = message.get("text"), message.get("n")
    if not isinstance(text, str) or not isinstance(n, int | float):
        return None
    # One sign too many is enough for it not to run.
    return {"text": text[: MAX_TEXT + 1], "rev": rev, "n": n}


_component = packaged("editor", Path(__file__).parent / "build")
