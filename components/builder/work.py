"""What the builder's panels share: the program and its tensors, and how a change is offered, explained or carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from components.html.markup import muted, tag, text
from engine.program.edits import RefusedError
from engine.program.edits.names import check, fresh, taken
from engine.program.edits.operands import Operand
from engine.recording import Recording

Change = Callable[[str, Sequence[str]], None]
"""Takes the new text and the names to go on with: the first is shown in the graph."""


@dataclass(frozen=True)
class Work:
    """One drawing of the builder."""

    text: str
    recording: Recording | None
    operands: list[Operand]
    chosen: list[Operand]
    rev: int
    on_change: Change

    @property
    def named(self) -> list[Operand]:
        """The tensors that have a name."""
        return [operand for operand in self.operands if operand.name]

    @property
    def names(self) -> set[str]:
        """Every name in the program."""
        try:
            return taken(self.text)
        except RefusedError:
            return {operand.name for operand in self.named}

    def offer(
        self,
        label: str,
        make: Callable[[], str],
        *,
        key: str,
        names: Sequence[str] = (),
        help: str | None = None,
        icon: str | None = None,
        primary: bool = False,
    ) -> None:
        """A button for a change; if it cannot be made, it is disabled and says why."""
        try:
            changed, reason = make(), ""
        except RefusedError as refused:
            changed, reason = "", str(refused)
        kind = "primary" if primary else "secondary"
        if st.button(label, key=key, disabled=bool(reason), help=help, icon=icon, type=kind, width="stretch"):  # type: ignore[arg-type]
            self.on_change(changed, names)
            st.rerun()
        if reason:
            explain(reason)


def explain(reason: str) -> None:
    """Why something is not possible, below its button."""
    st.html(tag("div", text(reason), cls="gt-why"))


def note(words: str) -> None:
    """A remark."""
    st.html(muted(words))


def warn(words: str) -> None:
    """Something to be aware of."""
    st.html(tag("div", text(words), cls="gt-note gt-small"))


def name_input(work: Work, key: str, proposals: str, label: str = "Name") -> str:
    """A field with a fresh name in it; an empty text if what was typed cannot be one, which is said."""
    used = work.names
    proposed = fresh(used, proposals)
    # The key holds the proposal, so that the next result is proposed a name of its own.
    name = st.text_input(label, proposed, key=f"{key}_{proposed}_{work.rev}", max_chars=40).strip()
    try:
        check(name, used)
    except RefusedError as refused:
        explain(str(refused))
        return ""
    return name


def choose(label: str, operands: Sequence[Operand], key: str, chosen: Sequence[Operand] = ()) -> Operand:
    """A list of tensors, on the one that was clicked if it is in it."""
    wanted = next((each.id for each in chosen if each in operands), None)
    index = next((i for i, each in enumerate(operands) if each.id == wanted), 0)
    # The list's options are part of the key: another program has other tensors at the same positions.
    widget = f"{key}_{hash(tuple(each.label for each in operands))}_{wanted}"
    found = st.selectbox(label, range(len(operands)), index=index, format_func=lambda i: operands[i].label, key=widget)
    return operands[found]
