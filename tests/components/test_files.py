"""Files that are saved and opened while the page goes on: what is under way, what it becomes, and what is let go of."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from components.menus import export
from components.menus.export import File, file_name, to_fetch
from components.network.file import PYVIS
from components.page import opening, saving, tasks
from components.page.visit import OPEN
from components.replay import REPLAY, replay_html
from components.replay.making import REPLAYED
from components.server.uploads import EACH, bound
from engine.export import FORMATS, Options
from engine.export.isolated import make_file
from engine.limits import FILE_COUNT
from engine.program import Program
from engine.recording import Recording
from engine.sandbox import calls, run
from engine.sandbox.calls import CallError
from tests.components.visits import Visit


@pytest.fixture
def visit() -> Visit:
    return Visit()


def menu(visit: Visit) -> Visit:
    return visit.draw(save=True)


def saved(visit: Visit, name: str) -> File:
    menu(visit).press(f"save_menu_{name}")
    assert not visit.page.tasks
    return visit.page.files[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("format", [*FORMATS.values(), PYVIS, REPLAY], ids=lambda each: each.name)
def test_a_file_waits_for_the_browser_once_it_is_made(visit: Visit, format: Any) -> None:
    file = saved(visit, format.name)
    assert file.name == f"repeated-backward{format.suffix}"
    assert file.mime == format.mime
    data = file.fetched()
    assert len(data) > 100
    assert file.data is None, "the page keeps nothing of it"
    visit.draw()
    assert not [each for each in visit.app.main if each.type == "download_button"]


def test_a_picture_is_of_the_step_that_is_shown(visit: Visit) -> None:
    menu(visit).page.step = 11
    visit.press("save_menu_svg")
    assert b"step 12 of 50" in visit.page.files[-1].fetched()


def test_the_script_is_the_text_in_the_editors_also_without_a_recording(visit: Visit) -> None:
    visit.page.result, visit.page.edited = None, ["x = ("]
    visit.draw()
    assert saved(visit, "py").fetched() == b"x = (\n"


@pytest.mark.parametrize("status", ["timeout", "memory", "too_large", "crashed"])
def test_a_file_that_cannot_be_made_leaves_a_notice(visit: Visit, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> bytes:
        raise CallError(status, "it is over")

    monkeypatch.setattr(saving, "make_file", fails)
    menu(visit).press("save_menu_pdf")
    assert visit.page.notice.startswith("The PDF file could not be made: ")
    assert not visit.page.files
    assert not visit.page.tasks


def test_several_files_are_made_at_once_and_each_is_cancelled_by_itself(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, go = threading.Event(), threading.Event()

    def slow(name: str, *_: Any, stop: threading.Event, **__: Any) -> bytes:
        if name == "pdf":
            stop.wait(60)
            gone.set()
            raise RuntimeError
        go.wait(60)
        return b"made"

    monkeypatch.setattr(saving, "make_file", slow)
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    menu(visit).press("save_menu_pdf").press("save_menu_svg")
    assert set(visit.page.tasks) == {"save pdf", "save svg"}
    bar = visit.page.tasks["save svg"]
    assert not bar.dims, "what is on show stays as it is"
    assert bar.words.startswith("Making the SVG file · 0% · ")
    visit.press("task_save pdf_cancel")
    assert gone.wait(60)
    assert set(visit.page.tasks) == {"save svg"}
    go.set()
    bar.ticket.done.wait(60)
    visit.draw()
    assert [file.data for file in visit.page.files] == [b"made"]
    assert not visit.page.notice


def test_what_waits_to_be_fetched_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "KEPT_MB", 3)
    files = [to_fetch(bytes(1 << 20), f"{k}", "") for k in range(6)]
    assert [file.data is not None for file in files] == [False] * 3 + [True] * 3
    large = to_fetch(bytes(5 << 20), "large", "")
    assert [file.data is not None for file in (*files, large)] == [False] * 6 + [True], "the newest stays, however large"
    assert len(large.fetched()) == 5 << 20


@pytest.mark.parametrize(
    ("title", "name"), [("A tiny network!", "a-tiny-network.mmd"), ("名.gradtape", "run.mmd"), ("../../etc/x.py", "etc-x.mmd")]
)
def test_a_files_name_is_letters_digits_and_hyphens(title: str, name: str) -> None:
    assert file_name(title, FORMATS["mermaid"]) == name


def test_another_process_makes_the_same_replay() -> None:
    recording = run("import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n").recording
    assert recording is not None
    look = Options(title="漢字 </script>")
    told: list[float] = []
    data = make_file("html", recording, look, by=REPLAYED, tell=told.append)
    assert data.decode() == replay_html(recording, look)
    assert len(told) > 5


@pytest.mark.thorough
def test_a_server_of_calls_that_was_killed_is_started_again(visit: Visit) -> None:
    saved(visit, "svg").fetched()
    server: Any = calls._server()
    server.local.process.kill()
    server.local.process.wait()
    assert saved(visit, "dot").fetched().startswith(b"digraph")


def test_a_server_of_calls_that_does_not_start_is_told_honestly(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: Any) -> None:
        raise ConnectionError("the sandbox's server has gone")

    monkeypatch.setattr(calls, "server", nobody)
    menu(visit).press("save_menu_svg")
    assert "does not answer" in visit.page.notice
    monkeypatch.undo()
    visit.page.notice = ""


# --- opening ------------------------------------------------------------------------------------------------------------------


def open_in(visit: Visit, data: bytes, name: str) -> Visit:
    """Open a file as the page does, within a run of it."""
    page, settle = visit.page, tasks.settle
    once = [(data, name)]

    def first() -> None:
        if once:
            opening.open_file(*once.pop())
        settle()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "settle", first)
        visit.draw()
    assert visit.page is page
    return visit


def test_an_opened_program_is_run_and_an_opened_recording_shown(visit: Visit) -> None:
    open_in(visit, b"import torch\r\nx = torch.ones(3)\r\n", "mine.py")
    p = visit.page
    assert (p.name, p.edited) == ("mine.py", ["import torch\nx = torch.ones(3)\n"])
    assert p.result is not None
    assert p.result.status == "ok"
    recording = run(Program.from_cells(("import torch\ny = torch.ones(2)", "y * 2"))).recording
    assert recording is not None
    open_in(visit, recording.to_bytes(), "tape.gradtape")
    assert isinstance(p.opened, Recording)
    assert p.opened.to_bytes() == recording.to_bytes()
    assert (p.name, p.edited, p.step) == ("tape.gradtape", list(recording.source), len(recording.events) - 1)
    assert not p.tasks


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"\xff", "a.py", "a.py cannot be opened: the file is not text in UTF-8"),
        (b"{}", "b.ipynb", "b.ipynb cannot be opened: the notebook has no list of cells"),
        (b"1", "c.gradtape", "c.gradtape cannot be opened: not a recording: too short"),
        (Recording(source=("1",) * 501).to_bytes(), "d.gradtape", "d.gradtape cannot be opened: "),
    ],
)
def test_a_bad_file_leaves_a_notice_and_what_was_there(visit: Visit, data: bytes, name: str, says: str) -> None:
    before = list(visit.page.edited), visit.page.result, visit.page.rev
    open_in(visit, data, name)
    assert visit.page.notice.startswith(says)
    assert (visit.page.edited, visit.page.result, visit.page.rev) == before


def test_what_is_on_show_stays_while_a_file_is_read_which_can_be_cancelled(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = threading.Event()

    def slow(*_: Any, stop: threading.Event) -> Program:
        stop.wait(60)
        stopped.set()
        return Program.from_text("never")

    monkeypatch.setattr(opening, "opened", slow)
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    before = list(visit.page.edited)
    open_in(visit, b"x", "slow.ipynb")
    assert visit.page.tasks["open"].words.startswith("Opening slow.ipynb · ")
    assert visit.page.edited == before
    visit.press("task_open_cancel")
    assert stopped.wait(60)
    assert visit.draw().page.edited == before


def test_a_file_that_arrives_while_a_program_runs_takes_its_place(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    visit.page.edited = ["while True:\n    pass\n"]
    visit.draw().press("run")
    endless = visit.page.tasks["run"]
    open_in(visit, b"import torch\nx = torch.ones(1)\n", "mine.py")
    while "open" in visit.page.tasks:
        visit.page.tasks["open"].ticket.done.wait(60)
        visit.draw()
    assert endless.ticket.cancelled
    assert visit.page.name == "mine.py"
    while visit.page.tasks:
        visit.page.tasks["run"].ticket.done.wait(60)
        visit.draw()
    assert visit.page.result is not None
    assert visit.page.result.status == "ok"


def test_the_operators_file_is_shown_first_and_an_example_where_it_is_bad(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    good, bad = tmp_path / "good.py", tmp_path / "bad.ipynb"
    good.write_text("import torch\nx = torch.ones(5)\n")
    bad.write_text("{")
    monkeypatch.setenv(OPEN, str(good))
    assert Visit().page.edited == ["import torch\nx = torch.ones(5)\n"]
    for path, says in ((bad, "bad.ipynb cannot be opened: "), (tmp_path / "none.py", "none.py cannot be read: ")):
        monkeypatch.setenv(OPEN, str(path))
        p = Visit().page
        assert p.notice.startswith(says)
        assert p.name == "Repeated backward"
        assert p.result is not None


def test_the_page_is_drawn_while_the_operators_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    began, go = threading.Event(), threading.Event()

    def slow(data: bytes, name: str, *, stop: threading.Event) -> Program:
        began.set()
        go.wait(60)
        return Program.from_text(data.decode(), name)

    path = tmp_path / "slow.py"
    path.write_text("x = 1\n")
    monkeypatch.setenv(OPEN, str(path))
    monkeypatch.setattr(opening, "opened", slow)
    monkeypatch.setattr(tasks, "PATIENCE", 0.0)
    visit = Visit()
    assert began.wait(60)
    assert "Opening slow.py" in visit.draw().text("status")
    go.set()
    visit.page.tasks["open"].ticket.done.wait(60)
    assert visit.draw().page.edited == ["x = 1\n"]


# --- uploads ------------------------------------------------------------------------------------------------------------------


def sent(manager: MemoryUploadedFileManager, session: str, count: int, size: int) -> None:
    for k in range(count):
        manager.add_file(session, UploadedFileRec(f"{session}-{k}", "a.py", "text/plain", bytes(size)))


def held(manager: MemoryUploadedFileManager) -> int:
    return sum(len(file.data) for files in manager.file_storage.values() for file in files.values())


def test_uploads_of_one_visitor_are_bounded_in_number() -> None:
    manager = MemoryUploadedFileManager("/upload")
    bound(manager, each=2)
    sent(manager, "one", 50, 1_000)
    assert held(manager) == 2_000
    assert list(manager.file_storage["one"]) == ["one-48", "one-49"]


def test_a_folder_of_files_waits_whole() -> None:
    manager = MemoryUploadedFileManager("/upload")
    bound(manager)
    sent(manager, "one", EACH + 1, 10)
    assert held(manager) == 10 * EACH >= 10 * FILE_COUNT.value(hosted=True)


def test_who_lets_most_wait_loses_it_first() -> None:
    manager = MemoryUploadedFileManager("/upload")
    bound(manager, most=10_000)
    sent(manager, "honest", 1, 1_000)
    sent(manager, "hoarder", 2, 4_000)
    sent(manager, "another", 1, 3_000)
    assert {session: list(files) for session, files in manager.file_storage.items() if files} == {
        "honest": ["honest-0"],
        "hoarder": ["hoarder-1"],
        "another": ["another-0"],
    }


def test_uploads_of_many_visitors_are_bounded_together_and_the_newest_stays() -> None:
    manager = MemoryUploadedFileManager("/upload")
    bound(manager, most=10_000)
    for k in range(50):
        sent(manager, f"{k}", 1, 1_000)
    assert held(manager) == 10_000
    sent(manager, "large", 1, 20_000)
    assert held(manager) == 20_000
    manager.remove_session_files("large")
    sent(manager, "next", 1, 500)
    assert held(manager) == 500
