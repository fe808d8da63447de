"""What one visitor's page holds from run to run, and where it is kept: in Streamlit's session."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

import streamlit as st

from components.builder import Picked
from components.menus.export import File
from components.page.task_progress import Task
from components.player.picture import Drawing, Wish
from components.player.protocol import Window
from engine.graph.chosen import NONE_CHOSEN, Chosen
from engine.graph.rolled_graph import worth_rolling
from engine.graph.structure.folding import Mode
from engine.program import Program
from engine.recording import Recording
from engine.sandbox import Limits, RunResult

M = TypeVar("M")
Asked = tuple[Recording | None, Wish, Window | None]
"""A picture that another process draws: the pinned run, which picture, and the steps of which it says what cards show."""

KEY = "gradtape"


def new_id() -> str:
    """A name that no other record has."""
    return secrets.token_hex(4)


@dataclass
class Page:
    """What one visitor's page holds."""

    # The program
    program: Program
    name: str = ""
    """What the program is called in the header: an example's title or a file's name."""
    untitled: tuple[tuple[str, ...], str] | None = None
    """The text with its title that was on show before the text was one without a title."""
    shown: int = 0
    """Counts the programs that were put in the place of another one: examples, files, links; no changes of one."""
    rev: int = field(default_factory=lambda: secrets.randbelow(2**30))
    """Counts texts that did not come from the editor, which takes over the text when it changes. It begins anywhere: an editor
    may have been filled before the server was started anew."""
    edited: list[str] = field(default_factory=list)
    """The cells' texts as they stand in the editors."""
    undo: list[str] = field(default_factory=list)
    redo: list[str] = field(default_factory=list)
    varied: str = ""
    """The text that the knobs made last, so that a slider's whole way is one step of undo."""
    mode: str = "Code"
    picked: Picked = field(default_factory=Picked)
    taken: set[str] = field(default_factory=set)
    """What Streamlit calls the files that have been opened."""
    beside: tuple[tuple[str, bytes], ...] = ()
    """What lies in the folder that the program runs in: paths with their bytes."""
    arguments: str = ""
    """What the program is given on its command line."""
    file: tuple[str, bytes] = ("", b"")
    """The recording's file that is on show, its name and bytes, where a browser can keep as much."""

    # What the browser keeps of it
    work: str = field(default_factory=lambda: new_id())
    """What the versions of a program have in common; another one for each that is opened."""
    record: str = field(default_factory=lambda: new_id())
    """What the text on show is kept as."""
    sealed: tuple[str, ...] | None = None
    """The text that the record has for good, because it ran; None while the record follows what is typed."""
    turned_to: tuple[str, ...] = ()
    """The text that the knobs made last,"""
    turning: bool = False
    """and whether the record began with one of them."""
    named: tuple[tuple[str, ...], str, str] | None = None
    """A text with its title, and the address's query that opens just them."""
    awaited: str = ""
    """The record that the address names and the browser has not handed over yet."""
    heard: int = 0
    """The number of the browser's last message about what it keeps."""
    stored: tuple[str, tuple[tuple[str, bytes], ...]] | None = None
    """The program, and the files beside it, that the browser has."""
    coming: Callable[[], None] | None = None
    """What is still to be done when the run is there: it was looked at in this browser before."""

    # As a lesson
    presenting: bool = False
    """Whether a notebook is shown page by page."""
    slide: int = 0
    """The page on show then,"""
    turned_in: str = ""
    """and the run in which it was turned to."""
    guessed: set[int] = field(default_factory=set)
    """The cells whose questions were answered."""

    # Its run
    result: RunResult | None = None
    ran: tuple[str, ...] = ()
    """The texts that `result` belongs to."""
    partial: bool = False
    """Whether those are the first cells of a notebook, behind which others follow that did not run."""
    opened: Recording | None = None
    """A recording opened from a file, shown instead of a run's."""
    figures: dict[str, bytes | str] = field(default_factory=dict)
    """The run's figures → their pictures, or why there is none; "" for one that is being drawn."""
    unrun: Callable[[], None] | None = None
    """A stranger's program is shown that has not run; what to do when it has."""
    limits: Limits | None = None
    """What a run may use, if the visitor has chosen."""
    pinned: Recording | None = None
    """The run that later ones are compared with."""
    pinned_name: str = ""
    pins: list[tuple[str, Recording]] = field(default_factory=list)
    """Other runs that were pinned, with their names, the last one first."""
    both: bool = True
    """Whether the graph shows the pinned run too."""

    # The moment and the node on show
    step: int | None = None
    selected: str | None = None
    reported: str | None = None
    """The selection that the player told last."""
    expected: set[str] = field(default_factory=set)
    """Programmatic selections, so that their echo is not taken for a click."""
    command: dict[str, Any] = field(default_factory=lambda: {"n": 0, "run": "", "step": None, "select": None})
    """What the player was told to do last."""
    keep: dict[str, Any] | None = None
    """Where the player goes on when the program was changed and run again: the moment and node it showed."""
    watched: list[str] = field(default_factory=list)
    """The expressions whose values are shown at every step."""

    # The graph
    view: str = "tensors"
    direction: str = "LR"
    fold: Mode = "auto"
    unfolded: tuple[str, ...] | None = None
    """The groups of the graph that the user has left open; None before any was opened or closed."""
    rolled: bool | None = None
    """Whether the user wants runs with loops rolled; None for what suits the run."""
    turned: tuple[str, ...] = ()
    """Loops that the user has taken for the other kind: time for depth, or depth for time."""
    window: tuple[int, int] | None = None
    """The steps for which the player wants to know what cards show; None for the end of the run."""
    sought: Any = None
    """The node that the player asked for last, with what it wants open."""
    heeded: Any = None
    """What the player has said of loops last: it says so until it says something else."""
    windowed: str = ""
    """The run that `window` belongs to."""
    card: str | None = None
    """The rolled card that the player has selected: for a node of the run in each iteration."""
    behind: str | None = None
    """The node that was selected when the run was rolled or unrolled: a closed group may stand for it since."""
    chosen: Chosen = NONE_CHOSEN
    """The cards that the user has hidden, and those that have a colour of their own,"""
    chose: int = 0
    """and the number of what the player has told of that last."""
    overlay: dict[str, Any] | None = None
    """Marks over the graph, as the player takes them: the outcome of a numerical check."""
    drawings: dict[Wish, Drawing] = field(default_factory=dict)
    """Pictures of the recording on show, with what the player is sent of them."""
    asked: Asked | None = None
    """The picture that another process draws, or could not draw,"""
    undrawn: str = ""
    """and why it could not."""

    # The panel beside it
    panel: str = "Inspector"
    next_panel: str = ""
    """The panel to show when the page is drawn next, where that is another one than the tabs say,"""
    left_panel: str | None = None
    """and the one that they said then."""
    memories: dict[type, Any] = field(default_factory=dict)
    """What panels keep, by the class of it."""

    # Everything around
    notice: str = ""
    tour: int = 0
    """Counts how often the tour was asked for."""
    session: str = field(default_factory=lambda: secrets.token_hex(4))
    """What the pool and the log call this visitor."""
    tasks: dict[str, Task] = field(default_factory=dict)
    """What is under way: "run", "check", "functions", "picture", "open", "save svg"."""
    files: list[File] = field(default_factory=list)
    """Files that were made and that the browser has not fetched yet."""

    @property
    def recording(self) -> Recording | None:
        """The recording on show."""
        if self.opened is not None:
            return self.opened
        return self.result.recording if self.result is not None else None

    @property
    def is_notebook(self) -> bool:
        """Whether the program is shown cell by cell."""
        return len(self.edited) > 1 or bool(self.program.story)

    @property
    def node(self) -> str | None:
        """The selected node, unless it is a closed group."""
        return None if self.selected is None or self.selected.startswith("g:") else self.selected

    def has_pinned(self, recording: Recording | None) -> bool:
        """Whether a run is held to be compared with."""
        return recording is not None and (recording is self.pinned or any(recording is other for _, other in self.pins))

    def rolls(self, recording: Recording) -> bool:
        """Whether a recording's graph is rolled: as the user wants, else where it is worth it and nothing else is asked for."""
        if self.rolled is False or (self.both and self.pinned is not None and self.pinned is not recording):
            return False
        return (self.rolled is True or self.fold == "auto") and worth_rolling(recording)

    @property
    def run_id(self) -> str:
        """Identifies the recording on show."""
        text = "\0".join(self.ran) + f"|{id(self.recording)}"
        return sha256(text.encode()).hexdigest()[:12]

    def order(self, *, step: int | None = None, until: int | None = None, select: str | None = None, open: bool = True) -> None:
        """Have the player do something once, as a `Command` says it."""
        n, run = self.command["n"] + 1, self.run_id
        self.command = {"n": n, "run": run, "step": step, "until": until, "select": select, "open": open}

    @property
    def dirty(self) -> bool:
        """Whether the editors hold something that has not been run."""
        return tuple(self.edited[: len(self.ran)] if self.partial else self.edited) != self.ran

    def memory(self, kind: type[M]) -> M:
        """What is kept of a kind; made anew when there is none."""
        if kind not in self.memories:
            self.memories[kind] = kind()
        found: M = self.memories[kind]
        return found


def page() -> Page:
    """This visitor's page, once a visit has begun."""
    found: Page = st.session_state[KEY]
    return found


def has_begun() -> bool:
    """Whether this visitor has a page already."""
    return KEY in st.session_state


def begin() -> Page:
    """Give this visitor an empty page."""
    st.session_state[KEY] = made = Page(Program.from_text(""))
    return made
