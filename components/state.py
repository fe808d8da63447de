"""The page's state: the only module that touches the session and the URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import streamlit as st

from components.builder import Picked
from components.gallery import DEFAULT, examples
from components.whatif import Memory
from engine.diagnosis.matching import match
from engine.program import Program, ProgramError
from engine.recording import Recording, replay
from engine.recording.events import NOTHING, Accumulated, OpRan
from engine.recording.index import index_of
from engine.sandbox import RunResult, run

KEY = "gradtape"
ALIKE = 0.5
"""The share of events that two runs must have in common for the page to stay at its moment."""
MAX_MATCHED = 10_000
"""Events of runs that are matched for that."""


@dataclass
class Page:
    """What one visitor's page holds from run to run."""

    program: Program
    name: str = ""
    """What the program is called in the header: an example's title or a file's name."""
    rev: int = 0
    """Counts texts that did not come from the editor, which takes over the text when it changes."""
    edited: list[str] = field(default_factory=list)
    """The cells' texts as they stand in the editors."""
    result: RunResult | None = None
    ran: tuple[str, ...] = ()
    """The texts that `result` belongs to."""
    opened: Recording | None = None
    """A recording opened from a file, shown instead of a run's."""
    # What the controls show is kept here too and handed to them as their default: the browser may leave a widget out of what it
    # sends when two reruns of a fragment follow closely, and the widget would fall back to its first option.
    mode: str = "Code"
    panel: str = "Inspector"
    view: str = "tensors"
    direction: str = "LR"
    step: int | None = None
    selected: str | None = None
    commands: int = 0
    command: dict[str, Any] = field(default_factory=lambda: {"n": 0, "step": None, "select": None})
    overlay: dict[str, Any] | None = None
    """Marks over the graph, as the player takes them: the outcome of a numerical check."""
    notice: str = ""
    undo: list[str] = field(default_factory=list)
    redo: list[str] = field(default_factory=list)
    picked: Picked = field(default_factory=Picked)
    reported: str | None = None
    """The selection that the player told last."""
    expected: set[str] = field(default_factory=set)
    """Selections that the page asked for itself: what the player tells of them is no click."""
    chosen: str | None = None
    """The row that is selected in a table of tensors."""
    keep: dict[str, Any] | None = None
    """Where the player goes on when the program was changed and run again: the moment and node it showed."""
    whatif: Memory = field(default_factory=Memory)
    varied: str = ""
    """The text that the knobs made last, so that a slider's whole way is one step of undo."""
    pinned: Recording | None = None
    """The run that later ones are compared with."""
    pinned_name: str = ""
    both: bool = True
    """Whether the graph shows the pinned run too."""

    @property
    def recording(self) -> Recording | None:
        """The recording on show."""
        if self.opened is not None:
            return self.opened
        return self.result.recording if self.result is not None else None

    @property
    def run_id(self) -> str:
        """Identifies the recording on show."""
        text = "\0".join(self.ran) + f"|{id(self.recording)}"
        return sha256(text.encode()).hexdigest()[:12]

    @property
    def dirty(self) -> bool:
        """Whether the editors hold something that has not been run."""
        return tuple(self.edited) != self.ran


def page() -> Page:
    """This visitor's page; a first visit opens the example that the URL names and runs it."""
    if KEY not in st.session_state:
        wanted = st.query_params.get("example", DEFAULT)
        st.session_state[KEY] = Page(Program.from_text(""))
        open_example(wanted if wanted in examples() else DEFAULT)
    found: Page = st.session_state[KEY]
    return found


def open_example(name: str) -> None:
    """Show an example and run it."""
    example = examples()[name]
    _show(Program.from_text(example.text), example.title)
    st.query_params["example"] = name


def open_file(data: bytes, name: str) -> None:
    """Show a program (.py, .ipynb) or a recording (.gradtape) from a file and run it; a bad file leaves a notice."""
    p = page()
    try:
        if name.endswith(".gradtape"):
            recording = Recording.load(data)
            _set_text(Program.from_cells(recording.source), name)
            p.opened, p.result, p.ran = recording, None, tuple(recording.source)
            p.step, p.selected = None, None
        else:
            _show(Program.from_file(data, name), name)
    except (ProgramError, ValueError) as error:
        p.notice = f"{name} cannot be opened: {error}"
        return
    st.query_params.pop("example", None)


def _set_text(program: Program, name: str) -> None:
    p: Page = st.session_state[KEY]
    p.program, p.name = program, name
    p.edited = list(program.cells)
    p.rev += 1
    p.notice = ""
    p.opened = None


def _show(program: Program, name: str) -> None:
    _set_text(program, name)
    run_program()
    p: Page = st.session_state[KEY]
    p.keep, p.pinned, p.whatif = None, None, Memory(done=p.whatif.done)


def set_text(text: str, names: Sequence[str] = ()) -> None:
    """Replace a one-cell program's text (by the builder), run it to its end and go on with these names, the first one shown."""
    p = page()
    p.undo.append("\n\n".join(p.edited))
    p.redo.clear()
    _replace(text)
    if p.recording is None:
        return
    last = len(p.recording.events) - 1
    bound = replay(p.recording, last).names
    ids = [bound[name] for name in names if name in bound]
    if ids:
        p.picked.propose(p.run_id, ids)
        p.expected.clear()
        select(f"t{ids[0]}")
    if p.keep is not None:
        p.keep |= {"step": last, "selected": p.selected}


def _replace(text: str) -> None:
    p = page()
    _set_text(Program.from_text(text), p.name)
    run_program()


def vary(cell: int, text: str) -> None:
    """Run the program with another text of a cell, made from the old one by turning a knob."""
    p = page()
    if len(p.edited) == 1:
        if p.edited[0] != p.varied:
            p.undo.append(p.edited[0])
            p.redo.clear()
        p.varied = text
    p.edited[cell] = text
    p.rev += 1
    p.notice = ""
    run_program()


def pin() -> None:
    """Compare later runs with the one on show."""
    p = page()
    p.pinned, p.pinned_name, p.both = p.recording, p.name, True


def unpin() -> None:
    """Compare no more."""
    p = page()
    p.pinned = None


def show_both(both: bool) -> None:
    """Whether the graph shows the pinned run too."""
    page().both = both


def undo() -> None:
    """Take back the builder's last change."""
    p = page()
    if p.undo:
        p.redo.append("\n\n".join(p.edited))
        _replace(p.undo.pop())


def redo() -> None:
    """Make the change again that was taken back last."""
    p = page()
    if p.redo:
        p.undo.append("\n\n".join(p.edited))
        _replace(p.redo.pop())


def clicked(selected: str | None) -> bool:
    """Take note of the player's selection for the builder; whether the user has clicked a tensor since."""
    p = page()
    if selected == p.reported:
        return False
    p.reported = selected
    if selected in p.expected:
        p.expected.discard(selected)
        return False
    p.expected.clear()
    tensor = translated(p.recording, selected, "tensors") if p.recording is not None else None
    if tensor is None or not tensor.startswith("t"):
        return False
    p.picked.click(p.run_id, int(tensor[1:]))
    return True


def edit(cell: int, text: str) -> None:
    """The editor of a cell holds other text now."""
    p = page()
    if p.edited[cell] != text:
        p.edited[cell] = text


def run_program() -> None:
    """Run what the editors hold."""
    p: Page = st.session_state[KEY]
    p.program = Program.from_cells(tuple(p.edited), p.program.name) if len(p.edited) > 1 else Program.from_text(p.edited[0])
    shown, step = p.recording, p.step
    p.result = run(p.program)
    p.ran = tuple(p.edited)
    p.opened = None
    _keep(p, shown, step)
    p.step = None
    if p.selected is None or p.recording is None or not _exists(p.recording, p.selected):
        select(telling(p.recording))


def _keep(p: Page, shown: Recording | None, step: int | None) -> None:
    """Stay at the moment and the node that were shown, if the new run has them."""
    p.keep = None
    recording = p.recording
    if shown is None or recording is None or step is None or max(len(shown.events), len(recording.events)) > MAX_MATCHED:
        return
    matching = match(shown, recording)
    if matching.likeness < ALIKE:
        return
    if p.selected is not None and p.selected[:1] in "tn":
        p.selected = matching.key(p.selected)
        if p.selected is not None:
            p.expected.add(p.selected)
    p.keep = {"run": p.run_id, "step": matching.moment(step), "selected": p.selected}


def telling(recording: Recording | None) -> str | None:
    """The node that a fresh run shows in the inspector: the first leaf that gets a gradient, else the first tensor."""
    if recording is None:
        return None
    filled = [e.tensor for e in recording.events if isinstance(e, Accumulated)]
    made = [o.id for e in recording.events if isinstance(e, OpRan) for o in e.outputs]
    tensor = min(filled, default=made[0] if made else None)
    return None if tensor is None else f"t{tensor}"


def _exists(recording: Recording, selected: str) -> bool:
    if selected[0] not in "tn":
        return False
    index = index_of(recording)
    return int(selected[1:]) in (index.tensors if selected.startswith("t") else index.nodes)


def translated(recording: Recording, selected: str | None, view: str) -> str | None:
    """The node that stands in `view` for one selected in the other view: a tensor and its grad_fn or AccumulateGrad."""
    prefix = "t" if view == "tensors" else "n"
    if selected is None or selected[0] in (prefix, "b"):
        return selected
    index = index_of(recording)
    number = int(selected[1:])
    for node, history in index.nodes.items():
        tensors = {history.info.variable} | {index.owners.get((node, k), NOTHING) for k in range(4)}
        if view == "tensors" and node == number:
            return next((f"t{t}" for t in sorted(tensors) if t != NOTHING), None)
        if view == "autograd" and number in tensors:
            return f"n{node}"
    return None


def select(node: str | None) -> None:
    """Have the player select a node."""
    p: Page = st.session_state[KEY]
    p.commands += 1
    p.selected = node
    p.command = {"n": p.commands, "step": None, "select": node}
    if node is not None:
        p.expected.add(node)
