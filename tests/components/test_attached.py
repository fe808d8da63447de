"""What a program has beside its text in the page: files, modules, arguments; and the files that it has written."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from components.page import attached, opening, state
from engine.program.project import program_among
from tests.components.visits import Visit, visit_file

PROGRAM = """import sys, os, torch
x = torch.ones(2, requires_grad=True)
x.sum().backward()
print(sys.argv[1:], sorted(os.listdir()))
if os.path.exists('model.py'):
    import model
    print(model.two)
open('out.txt', 'w').write('written')
os.makedirs('deep', exist_ok=True)
open('deep/`b`.bin', 'wb').write(b'12')
"""


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Visit:
    (tmp_path / "train.py").write_text(PROGRAM)
    return visit_file(monkeypatch, tmp_path / "train.py").draw()


def output(visit: Visit) -> str:
    assert visit.page.result is not None
    return visit.page.result.output


def test_files_beside_the_program_are_there_whenever_it_runs(visit: Visit) -> None:
    assert output(visit) == "[] ['train.py']\n"
    visit.page.beside = (("model.py", b"two = 2\n"),)
    assert output(visit.press("run").draw()) == "[] ['model.py', 'train.py']\n2\n"
    assert output(visit.press("run").draw()) == "[] ['model.py', 'train.py']\n2\n"
    assert "Files · 1" in [block.label for block in popovers(visit)]
    visit.draw(attached=True).press("detach").draw()
    assert output(visit) == "[] ['train.py']\n"


def popovers(visit: Visit) -> list[Any]:
    return [block.proto.popover for block in visit.app.main if getattr(getattr(block, "proto", None), "popover", None)]


def test_arguments_go_to_the_program(visit: Visit) -> None:
    visit.draw(attached=True)
    visit.app.text_input(key="arguments").set_value("--lr 0.1 'two words'").run()
    assert output(visit.draw()) == "['--lr', '0.1', 'two words'] ['train.py']\n"
    visit.app.text_input(key="arguments").set_value("'not closed").run()
    assert "The arguments cannot be read" in visit.page.notice
    assert visit.page.arguments == "--lr 0.1 'two words'"


def test_what_it_wrote_is_offered_one_by_one_and_together(visit: Visit) -> None:
    buttons = {each.proto.id.rpartition("-")[2]: each.proto.label for each in visit.app.get("download_button")}
    assert buttons == {
        "written_0": "`deep/'b'.bin` · 2 bytes", "written_1": "`out.txt` · 7 bytes", "written_all": "All of them (.zip)",
    }  # fmt: skip
    assert visit.page.result is not None
    with zipfile.ZipFile(io.BytesIO(attached.packed(visit.page.result.files))) as archive:
        assert archive.read("out.txt") == b"written"
        assert archive.namelist() == ["deep/`b`.bin", "out.txt"]


def test_another_program_does_not_find_the_files_of_the_last_one(visit: Visit, tmp_path: Path) -> None:
    visit.page.beside, visit.page.arguments = (("secret.txt", b"1"),), "--x"
    visit.draw(examples=True)
    button = next(each.key for each in visit.app.button if str(each.key).startswith("example_"))
    visit.press(str(button)).draw()
    assert (visit.page.beside, visit.page.arguments) == ((), "")


# --- what the browser sends --------------------------------------------------------------------------------------------------


class Sent:
    """What a browser sends, as Streamlit hands it on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = state.Page(opening.Program.from_text(""))
        self.opened: list[Any] = []
        monkeypatch.setattr(attached, "page", lambda: self.page)
        monkeypatch.setattr(opening, "page", lambda: self.page)
        monkeypatch.setattr(attached, "run_program", lambda: self.opened.append(self.page.beside))
        monkeypatch.setattr(opening, "open_file", lambda data, name, beside: self.opened.append((data, name, beside)))

    def named(self, files: dict[str, bytes], *, folder: bool = False) -> dict[str, bytes]:
        sent = [
            UploadedFile(UploadedFileRec(f"{len(self.page.taken)}-{k}", name, "", data), None)  # type: ignore[arg-type]
            for k, (name, data) in enumerate(files.items())
        ]
        return attached.named(sent, folder=folder)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    return Sent(monkeypatch)


def test_a_folder_comes_without_its_name_and_what_is_hidden_in_it(sent: Sent) -> None:
    files = {
        "p/train.py": b"1",
        "p/data/a.csv": b"2",
        "p/.git/config": b"3",
        "p/__pycache__/x.pyc": b"4",
        "p/../../etc/x": b"5",
    }
    assert sent.named(files, folder=True) == {"train.py": b"1", "data/a.csv": b"2"}


def test_a_file_is_taken_once(sent: Sent) -> None:
    file = UploadedFile(UploadedFileRec("id", "a.csv", "", b"1"), None)  # type: ignore[arg-type]
    assert attached.named([file]) == {"a.csv": b"1"}
    assert attached.named([file]) == {}


def test_of_several_files_the_program_is_opened_with_the_others_beside_it(sent: Sent) -> None:
    opening.open_files({"model.py": b"x = 1", "train.py": b"import model", "a.csv": b"1"})
    assert sent.opened == [(b"import model", "train.py", (("a.csv", b"1"), ("model.py", b"x = 1")))]


def test_a_program_keeps_its_name_and_files_beside_it_have_names_that_paths_may_have(sent: Sent) -> None:
    opening.open_files(sent.named({"<b>x</b>.py": b"print(1)"}))
    opening.open_files(sent.named({"train.py": b"x = 1", "a: b?.csv": b"1"}))
    assert sent.opened == [(b"print(1)", "b>.py", ()), (b"x = 1", "train.py", (("a_ b_.csv", b"1"),))]


def test_files_without_a_program_lie_beside_the_one_on_show(sent: Sent) -> None:
    opening.open_files({"b.csv": b"2"})
    opening.open_files({"a.csv": b"1", "b.csv": b"3"})
    assert sent.opened == [(("b.csv", b"2"),), (("a.csv", b"1"), ("b.csv", b"3"))]


def test_too_many_files_leave_a_notice(sent: Sent) -> None:
    attached.put_beside({f"{k}": b"" for k in range(2_001)})
    assert "a run holds at most 2,000 files" in sent.page.notice
    assert (sent.page.beside, sent.opened) == ((), [])


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"a.csv": b""}, None),
        ({"a.py": b""}, "a.py"),
        ({"a.py": b"import b", "b.py": b""}, "a.py"),
        ({"b.py": b"import a", "a.py": b""}, "b.py"),
        ({"a.py": b"", "z.py": b"if __name__ == '__main__':\n    pass"}, "z.py"),
        ({"a.py": b"", "train.py": b"", "deep/main.py": b""}, "train.py"),
        ({"a.py": b"", "n.ipynb": b"", "t.gradtape": b""}, "t.gradtape"),
        ({"a.py": b"\xff", "b.csv": b""}, None),
        ({"<a>.py": b"\xff"}, "<a>.py"),
    ],
)
def test_the_program_among_several_files(files: dict[str, bytes], program: str | None) -> None:
    assert program_among(files) == program
