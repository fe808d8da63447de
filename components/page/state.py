"""The page's state: the only module that touches the session and the URL."""

from __future__ import annotations

import logging
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from components.builder import Picked
from components.editor import newest_text
from components.menus.export import File, file_name, to_fetch
from components.menus.gallery import DEFAULT, examples
from components.menus.share import PARAMETER
from components.page.history import remember
from components.page.recording_cache import gone
from components.page.render_lock import LONG, turn_given_away
from components.page.task_progress import PATIENCE, Task, present
from components.panels.sweep import Memory as SweepMemory
from components.panels.whatif import Memory
from components.player.folds import folding, to_open
from components.player.isolated import Picture, Wish, picture
from components.replay import REPLAY
from components.replay.making import REPLAYED
from components.tour import Moment, Place, moments
from engine.diagnosis import check_numerically
from engine.diagnosis.comparison.alignment import match
from engine.diagnosis.gradcheck.check_result import Check
from engine.export import Format, Options
from engine.export.isolated import FILE, made, sentence
from engine.graph.structure.folding import Mode
from engine.opening import opened
from engine.opening import sentence as not_opened
from engine.program import Program, ProgramError
from engine.program.share import MAX_NAME, Link, LinkError, program_of, unpack
from engine.recording import Recording, replay
from engine.recording.events import NOTHING, Accumulated, OpRan
from engine.recording.index import index_of
from engine.sandbox import Control, Limits, RunResult, run
from engine.sandbox.calls import CallError
from engine.sandbox.runner import isolated
from engine.sandbox.settings import settings
from engine.serving.pool import Busy, Cancelled, pool

T = TypeVar("T")

KEY = "gradtape"
OPEN = "GRADTAPE_OPEN"
"""The variable with the path of the file that a visit opens with; only who starts the page can set it."""
ALIKE = 0.5
"""The share of events that two runs must have in common for the page to stay at its moment."""
PICTURES = 4
"""Pictures of one recording that are kept."""
MAX_MATCHED = 10_000
"""Events of runs that are matched for that; of one that was cut short, `LONG`: where it was cut has no meaning."""


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
    memories: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What panels keep, by their names."""
    keep: dict[str, Any] | None = None
    """Where the player goes on when the program was changed and run again: the moment and node it showed."""
    fold: Mode = "auto"
    unfolded: tuple[str, ...] | None = None
    """The groups of the graph that the user has left open; None before any was opened or closed."""
    whatif: Memory = field(default_factory=Memory)
    sweep: SweepMemory = field(default_factory=SweepMemory)
    varied: str = ""
    """The text that the knobs made last, so that a slider's whole way is one step of undo."""
    pinned: Recording | None = None
    """The run that later ones are compared with."""
    pinned_name: str = ""
    both: bool = True
    """Whether the graph shows the pinned run too."""
    tour: int = 0
    """Counts how often the tour was asked for."""
    session: str = field(default_factory=lambda: secrets.token_hex(4))
    """What the pool and the log call this visitor."""
    unrun: Callable[[], None] | None = None
    """A stranger's program is shown that has not run; what to do when it has."""
    limits: Limits | None = None
    """What a run may use, if the visitor has chosen."""
    tasks: dict[str, Task] = field(default_factory=dict)
    """What is under way: "run", "check", "picture", "open", "save svg"."""
    files: list[File] = field(default_factory=list)
    """Files that were made and that the browser has not fetched yet."""
    asked: tuple[Recording | None, Wish] | None = None
    """The picture that another process draws, or could not draw,"""
    undrawn: str = ""
    """and why it could not."""

    @property
    def recording(self) -> Recording | None:
        """The recording on show."""
        if self.opened is not None:
            return self.opened
        return self.result.recording if self.result is not None else None

    @property
    def node(self) -> str | None:
        """The selected node, unless it is a closed group."""
        return None if self.selected is None or self.selected.startswith("g:") else self.selected

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
        st.session_state[KEY] = Page(Program.from_text(""))
        _first_visit()
    found: Page = st.session_state[KEY]
    return found


def look(p: Page, dark: bool) -> Options:
    """What the player shows now, for a picture of it."""
    view: Any = p.view
    direction: Any = p.direction
    recording = p.recording
    step = p.step if recording is not None and p.step is not None and p.step < len(recording.events) else None
    return Options(view, direction, step, "dark" if dark else "light", p.name)


def _first_visit() -> None:
    if _open_operators_file():
        return
    wanted = st.query_params.get("example", DEFAULT)
    packed = st.query_params.get(PARAMETER)
    notice = ""
    if packed is not None:
        try:
            open_link(unpack(packed))
            return
        except LinkError as error:
            notice = f"This link cannot be opened: {error}. Here is an example instead."
            del st.query_params[PARAMETER]
    open_example(wanted if wanted in examples() else DEFAULT)
    page().notice = notice or page().notice


# --- work under way -----------------------------------------------------------------------------------------------------------


def start(
    purpose: str,
    what: str | Callable[[], str],
    work: Callable[[threading.Event], T],
    arrived: Callable[[T], None],
    *,
    long: bool = False,
    limits: Limits | None = None,
    control: Control | None = None,
    failed: Callable[[CallError], None] | None = None,
    dims: bool = True,
) -> None:
    """Have something done in the pool instead of what is under way for the same purpose, and wait for it for a moment.

    With its limits the bar shows how much of them is used; with a `control` the work can be ended so that it keeps what it has.
    `failed` takes why a call ended without a result; `dims` says whether what is on show will be replaced.
    """
    p = page()
    cancel(purpose)
    try:
        ticket = pool().submit(p.session, work, long=long, wanted=present())
    except Busy as error:
        p.notice = str(error)
        return
    p.tasks[purpose] = Task(what, ticket, arrived, limits, control, failed, dims)
    with turn_given_away():
        ticket.done.wait(PATIENCE)
    settle()


def settle() -> None:
    """Take in what has finished."""
    p = page()
    for purpose, task in list(p.tasks.items()):
        # What arrives may have begun something else for a purpose that was looked at before.
        if not task.ticket.finished or p.tasks.get(purpose) is not task:
            continue
        del p.tasks[purpose]
        try:
            result = task.ticket.result()
        except Cancelled:
            continue
        except Busy as error:
            p.notice = str(error)
        except CallError as error:
            if error.status in ("failed", "crashed"):
                logging.getLogger(__name__).error("%s failed: %s", purpose, error)
            if task.failed is not None:
                task.failed(error)
        except Exception:
            logging.getLogger(__name__).exception("a run failed")
            p.notice = "The program could not be run: the part of Gradtape that runs programs does not answer."
        else:
            task.ticket.value = None  # the bar that showed it stays with Streamlit for a while
            task.arrived(result)


def cancel(purpose: str) -> None:
    """Give up what is under way for a purpose."""
    task = page().tasks.pop(purpose, None)
    if task is not None:
        task.ticket.cancel()


def drawn_apart(recording: Recording, pinned: Recording | None, wish: Wish) -> tuple[Picture | None, Picture | None]:
    """The picture, which another process draws when it is asked for, and the last one of this recording; None where there is
    none yet."""
    p = page()
    there: dict[tuple[Recording | None, Wish], Picture] = recording.derived.setdefault("pictures", {})
    name = pinned, wish
    if name not in there and p.asked != name:
        p.asked, p.undrawn = name, ""

        def arrived(made: Picture) -> None:
            for old in list(there)[: max(0, len(there) - PICTURES + 1)]:
                del there[old]
            there[name] = made
            p.asked = None
            recording.derived["findings"] = made.findings

        def failed(error: CallError) -> None:
            p.undrawn = f"The graph could not be drawn: {error}."

        start("picture", "Drawing the graph", lambda stop: picture(recording, pinned, wish, stop), arrived, failed=failed)
    return there.get(name), next(reversed(there.values()), None)


def draw_again() -> None:
    """Ask once more for the picture that was asked for last."""
    page().asked = None


def chosen(key: str, before: str) -> str:
    """What a control is to show: what the browser has just told, else what it showed `before`.

    Hand it to the control as its default. When a rerun of a fragment is cut short by the next one, the browser drops the
    controls that the first had not drawn yet, and draws them anew with their default.
    """
    told = st.session_state.get(key)
    return told if isinstance(told, str) else before


def _open_operators_file() -> bool:
    """Open the file that the page was started with (`gradtape open`), unless the address names something else."""
    path = os.environ.get(OPEN)
    if not path or PARAMETER in st.query_params or "example" in st.query_params:
        return False
    p, name = page(), Path(path).name
    p.edited = list(p.program.cells)  # empty, until the file has been read
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        open_example(DEFAULT)
        p.notice = f"{name} cannot be read: {error.strerror or error}"
    else:
        open_file(data, name, otherwise=lambda: open_example(DEFAULT))
    return True


def open_example(name: str) -> None:
    """Show an example and run it."""
    example = examples()[name]
    _show(Program.from_text(example.text), example.title)
    st.query_params.from_dict({"example": name})


def open_link(link: Link) -> None:
    """Show what a link holds, at its moment; where a stranger's program could do harm it waits for the user's word."""
    _set_text(program_of(link), link.name or "Shared program")
    p = page()
    p.view = link.view

    def there() -> None:
        p.keep = None
        # In the link's view already: the player would select it there by a command of its own, and lose this one's step.
        if p.recording is not None and link.selected is not None and _exists(p.recording, link.selected):
            select(translated(p.recording, link.selected, p.view))
        elif p.recording is not None and (shown := translated(p.recording, p.selected, p.view)) != p.selected:
            select(shown, open=False)
        p.command = {**p.command, "n": p.command["n"] + 1, "step": link.step}
        p.commands = p.command["n"]

    if isolated():
        run_program(there)
    else:
        p.unrun = there


def link() -> Link:
    """What is on show, for a link."""
    p = page()
    recording = p.recording
    last = len(recording.events) - 1 if recording is not None else -1
    step = None if p.dirty or p.step is None or p.step >= last else p.step
    cells = tuple(p.edited)
    return Link(cells, len(cells) > 1, p.name[:MAX_NAME], step, None if p.dirty else p.node, p.view)


def address() -> str:
    """Where this page is served, as the visitor's browser sees it."""
    return str(st.context.url or "http://localhost:8501/")


def open_file(data: bytes, name: str, otherwise: Callable[[], None] = lambda: None) -> None:
    """Show a program (.py, .ipynb) or a recording (.gradtape) from a file when it has been read, and run it.

    What is on show stays until then. A bad file leaves a notice, and `otherwise` is done.
    """
    p = page()
    p.notice = ""

    def work(stop: threading.Event) -> Program | Recording:
        return opened(data, name, stop=stop)

    def arrived(found: Program | Recording) -> None:
        try:
            _show_file(found, name)
        except ProgramError as error:
            failed(CallError("refused", str(error)))

    def failed(error: CallError) -> None:
        otherwise()
        p.notice = not_opened(error, name)

    start("open", f"Opening {name}", work, arrived, failed=failed)


def _show_file(found: Program | Recording, name: str) -> None:
    """Show what was in a file."""
    p = page()
    if isinstance(found, Program):
        _show(found, name)
    else:
        program = Program.from_cells(found.source)
        cancel("run")
        _set_text(program, name)
        if p.recording is not p.pinned:
            gone(p.recording)
        p.opened, p.result, p.ran = found, None, tuple(found.source)
        p.step, p.selected = None, None
    st.query_params.clear()


def _set_text(program: Program, name: str) -> None:
    p: Page = st.session_state[KEY]
    p.program, p.name = program, name[:MAX_NAME]
    p.edited = list(program.cells)
    p.rev += 1
    p.notice, p.unrun = "", None


def _show(program: Program, name: str) -> None:
    """Show another program, to which nothing of the last one matters."""
    _set_text(program, name)
    p: Page = st.session_state[KEY]
    p.whatif = Memory(done=p.whatif.done)
    p.unfolded = None

    def fresh() -> None:
        p.keep, p.pinned = None, None

    run_program(fresh)


def set_text(text: str, names: Sequence[str] = ()) -> None:
    """Replace a one-cell program's text (by the builder), run it to its end and go on with these names, the first one shown."""
    p = page()
    remember(p.undo, "\n\n".join(p.edited))
    p.redo.clear()

    def go_on() -> None:
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

    _replace(text, go_on)


def _replace(text: str, then: Callable[[], None] = lambda: None) -> None:
    p = page()
    _set_text(Program.from_text(text), p.name)
    run_program(then)


def vary(cell: int, text: str) -> None:
    """Run the program with another text of a cell, made from the old one by turning a knob."""
    p = page()
    if len(p.edited) == 1:
        if p.edited[0] != p.varied:
            remember(p.undo, p.edited[0])
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


def start_tour() -> None:
    """Play the tour, on the example that it belongs to."""
    p = page()
    p.tour += 1
    p.view, p.panel = "tensors", "Inspector"
    for control, value in (("view", p.view), ("panel_tab", p.panel)):
        st.session_state[control] = value
    if not _on_tour(p):
        open_example(DEFAULT)


def tour_stops() -> list[Moment]:
    """The tour's stops in the run on show; none if that is of another program than the tour's."""
    p = page()
    if not _on_tour(p) or p.recording is None:
        return []
    return moments(p.recording)


def tour_places() -> list[Place]:
    """Examples that go on where the tour ends."""
    return [Place(examples()[name].title, f"?example={name}") for name in ("zeroing_the_gradient", "cutting_the_graph")]


def _on_tour(p: Page) -> bool:
    return p.ran == (examples()[DEFAULT].text,) and not p.dirty and p.opened is None


def undo() -> None:
    """Take back the builder's last change."""
    p = page()
    if p.undo:
        remember(p.redo, "\n\n".join(p.edited))
        _replace(p.undo.pop())


def redo() -> None:
    """Make the change again that was taken back last."""
    p = page()
    if p.redo:
        remember(p.undo, "\n\n".join(p.edited))
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


def run_typed() -> None:
    """Run what the editors hold in the browser: for callbacks, which come before the page is drawn."""
    p: Page = st.session_state[KEY]
    for cell in range(len(p.edited)):
        text = newest_text(f"editor_{cell}", p.rev)
        if text is not None:
            p.edited[cell] = text
    run_program()


def run_program(then: Callable[[], None] = lambda: None) -> None:
    """Run what the editors hold, and call `then` when the result is on show; until then the last one stays."""
    p: Page = st.session_state[KEY]
    texts, p.notice = tuple(p.edited), ""
    if p.unrun is not None:
        then, p.unrun = p.unrun, None
    try:
        p.program = Program.from_cells(texts, p.program.name) if len(texts) > 1 else Program.from_text(texts[0])
    except ProgramError as error:
        p.notice = f"The program cannot be run: {error}."
        return
    program, limits = p.program, limits_now()
    cancel("check")

    def arrived(result: RunResult) -> None:
        _take(result, texts)
        then()

    control = Control()
    work = partial(run, program, limits, control=control)
    start("run", "Running", lambda stop: work(stop=stop), arrived, limits=limits, control=control)


def _take(result: RunResult, texts: tuple[str, ...]) -> None:
    """Put a run's result on show."""
    p: Page = st.session_state[KEY]
    shown, step = p.recording, p.step
    p.result, p.ran, p.opened = result, texts, None
    akin = _keep(p, shown, step)
    if shown is not p.pinned:
        gone(shown)
    p.step = None
    if not akin or p.selected is None or p.recording is None or not _exists(p.recording, p.selected):
        select(telling(p.recording), open=False)


def check(recording: Recording, number: int) -> None:
    """Check a backward pass numerically; the outcome is kept with the recording."""

    def arrived(outcome: Check) -> None:
        recording.checks[number] = outcome

    limits, done = limits_now(), 0.0

    def work(stop: threading.Event) -> Check:
        return check_numerically(recording, number, limits, stop=stop, progress=tell)

    def tell(share: float) -> None:
        nonlocal done
        done = share

    start("check", lambda: f"Checking, {done:.0%} done", work, arrived, long=True)


def save(format: Format) -> None:
    """Make a file of what is on show, and hand it to the browser when it is done."""
    p = page()
    recording = p.recording if format.name != "py" else None
    source, options = tuple(p.edited), look(p, st.context.theme.type == "dark")
    name = file_name(p.name, format)
    by = REPLAYED if format.name == REPLAY.name else FILE
    label, done = f"{format.label} file" if format.group != "replay" else "replay", 0.0
    if recording is None and format.name != "py":
        return
    p.notice = ""

    def work(stop: threading.Event) -> bytes:
        return made(format.name, recording, options, source, by=by, stop=stop, tell=tell)

    def tell(share: float) -> None:
        nonlocal done
        done = share

    def arrived(data: bytes) -> None:
        p.files = [*(file for file in p.files if file.data is not None), to_fetch(data, name, format.mime)]

    def failed(error: CallError) -> None:
        p.notice = sentence(error, label, by)

    start(
        f"save {format.name}",
        lambda: f"Making the {label} · {done:.0%}",
        work,
        arrived,
        failed=failed,
        dims=False,
    )


def choose_limits(wanted: Limits | None) -> None:
    """Have the next runs use these limits, or the usual ones; only where programs are the visitor's own."""
    if not settings().hosted:
        page().limits = wanted


def limits_now() -> Limits:
    """What a run or a check may use: as chosen on the page, where programs are the visitor's own."""
    p: Page = st.session_state[KEY]
    return p.limits or settings().limits


def _keep(p: Page, shown: Recording | None, step: int | None) -> bool:
    """Stay at the moment and the node that were shown, if the new run has them; whether it may be one of the same program."""
    p.keep = None
    recording = p.recording
    if shown is None or recording is None or step is None:
        return True
    fewer, more = sorted((len(shown.events), len(recording.events)))
    if more > (MAX_MATCHED if p.result is not None and p.result.status in ("ok", "error") else LONG):
        return fewer >= ALIKE * more
    matching = match(shown, recording, keep=shown is p.pinned)  # else each run would hold the one before it
    if matching.likeness < ALIKE:
        return False
    if p.selected is not None and p.selected[:1] in "tn":
        p.selected = matching.key(p.selected)
        if p.selected is not None:
            p.expected.add(p.selected)
    p.keep = {"run": p.run_id, "step": matching.moment(step), "selected": p.selected}
    return True


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
    if selected is None or selected[0] in (prefix, "b", "g"):
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


def told(key: str, name: str) -> Any:
    """What a component has told under a name, before it is drawn again in this run; None for nothing."""
    found = st.session_state.get(key)
    return found.get(name) if isinstance(found, Mapping) else None


def unfold(recording: Recording, picture: str, wish: Mapping[str, Any] | None) -> None:
    """Take note of the groups that the user wants open in a picture."""
    p = page()
    if not isinstance(wish, Mapping) or wish.get("picture") != picture or not isinstance(wish.get("opened"), list):
        return
    groups = folding(recording, p.view, p.fold)
    wanted = to_open(groups, wish["wanted"]) if isinstance(wish.get("wanted"), str) else ()
    p.unfolded = tuple(dict.fromkeys(id for id in (*wish["opened"], *wanted) if isinstance(id, str) and id in groups.groups))


def select(node: str | None, *, open: bool = True) -> None:
    """Have the player select a node, and open the groups that it is in; else the closed one is selected."""
    p: Page = st.session_state[KEY]
    p.commands += 1
    p.selected = node
    p.command = {"n": p.commands, "step": None, "select": node, "open": open}
    if node is not None:
        p.expected.add(node)
