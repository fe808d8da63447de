"""The command line: what each command writes, says and returns."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree

import pytest
from streamlit.web.server.app_discovery import discover_asgi_app

import gradtape
from components import commands
from components.server.serving import MIDDLEWARE
from engine.export import FORMATS, from_json
from engine.recording import Recording
from engine.sandbox.settings import settings
from tests.engine.export.hostile import hostile

GOOD = "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\nprint(x.grad)\n"
TWICE = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    (w * w).sum().backward()
    opt.step()
"""
BAD = "import torch\nprint('before')\nx = torch.ones(2, requires_grad=True)\nx.backward()\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"good": GOOD, "twice": TWICE, "bad": BAD}.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def test_run_prints_what_the_program_prints_and_keeps_the_recording(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["run", "good.py", "-o", "tape.gradtape"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "tensor(4.)\n"
    assert shown.err.startswith("wrote tape.gradtape (")
    assert Recording.load(folder / "tape.gradtape").source == (GOOD,)


def test_run_names_the_recording_after_the_program(folder: Path) -> None:
    assert gradtape.main(["run", "good.py"]) == 0
    assert (folder / "good.gradtape").exists()


def test_run_fails_as_python_does_and_keeps_what_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["run", "bad.py"]) == 1
    shown = capsys.readouterr()
    assert shown.out == "before\n"
    assert "line 4" in shown.err
    assert "RuntimeError: grad can be implicitly created only for scalar outputs" in shown.err
    assert (
        shown.err.splitlines()[-2] == "Reduce the result first, for example with .sum() or .mean(), or pass a gradient of its "
        "shape to backward()."
    )
    assert (folder / "bad.gradtape").exists()


def test_run_takes_a_notebook(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["ipynb", "good.py"]) == 0
    assert gradtape.main(["run", "good.ipynb", "-o", "book.gradtape"]) == 0
    assert "tensor(4.)" in capsys.readouterr().out


def test_a_program_that_does_not_end_is_stopped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "endless.py").write_text("while True:\n    pass\n")
    assert gradtape.main(["run", "endless.py", "--seconds", "0.5"]) == 2
    assert "was stopped after 0.5 seconds" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "gradtape"])
def test_every_format_is_written_from_a_recording_and_from_a_program(folder: Path, name: str) -> None:
    gradtape.main(["run", "good.py", "-o", "tape.gradtape"])
    suffix = FORMATS[name].suffix
    assert gradtape.main([name, "tape.gradtape"]) == 0
    assert gradtape.main([name, "good.py", "-o", f"other{suffix}"]) == 0
    assert (folder / f"tape{suffix}").stat().st_size > 20
    if name in ("py", "json"):
        # Each run of a program that sets no seed has another.
        one, other = (re.sub(rb'"seed":\d+', b"", (folder / f"{file}{suffix}").read_bytes()) for file in ("tape", "other"))
        assert one == other


@pytest.mark.thorough
def test_the_replay_is_one_file(folder: Path) -> None:
    assert gradtape.main(["html", "good.py"]) == 0
    page = (folder / "good.html").read_text()
    assert "default-src 'none'" in page
    assert len(page) < 1_500_000


@pytest.mark.thorough
def test_pyvis_writes_the_view_and_direction_that_are_asked_for(folder: Path) -> None:
    gradtape.main(["run", "good.py", "-o", "tape.gradtape"])
    assert gradtape.main(["pyvis", "tape.gradtape", "--view", "autograd", "--direction", "TB", "--title", "Square"]) == 0
    page = (folder / "tape.pyvis.html").read_text()
    assert "<h1>Square</h1>" in page
    assert "AccumulateGrad" in page
    assert '"forceDirection": "vertical"' in page


def test_a_step_a_view_and_a_theme_can_be_chosen(folder: Path) -> None:
    gradtape.main(["run", "good.py", "-o", "tape.gradtape"])
    options = ["--view", "autograd", "--direction", "TB", "--theme", "dark", "--title", "Square"]
    assert gradtape.main(["svg", "tape.gradtape", "--step", "3", *options]) == 0
    text = (folder / "tape.svg").read_text()
    assert "Square" in text
    assert "step 3 of " in text
    assert gradtape.main(["svg", "tape.gradtape", "--step", "-1"]) == 0
    count = len(Recording.load(folder / "tape.gradtape").events)
    assert f"step {count} of {count}" in (folder / "tape.svg").read_text()


def test_json_opens_like_a_recording(folder: Path) -> None:
    gradtape.main(["json", "good.py"])
    assert from_json((folder / "good.json").read_bytes()).source == (GOOD,)
    assert gradtape.main(["svg", "good.json"]) == 0


def test_a_minus_is_standard_output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer))
    assert gradtape.main(["svg", "good.py", "-o", "-"]) == 0
    assert ElementTree.fromstring(buffer.getvalue()).tag.endswith("svg")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["svg", "none.gradtape"], "none.gradtape cannot be read: No such file"),
        (["svg", "good.csv"], "good.csv is no file of a kind that is known here: .py, .ipynb, .txt, .gradtape or .json"),
        (["svg", "good.txt"], "good.txt cannot be run: a text is run if it begins with the prompt of a session: >>> or In "),
        (["run", "tape.gradtape"], "tape.gradtape is no file of a kind that is known here: .py, .ipynb or .txt"),
        (["svg", "torn.gradtape"], "torn.gradtape cannot be opened: not a recording"),
        (["png", "torn.json"], "torn.json cannot be opened: recording cannot be decoded"),
        (["run", "torn.ipynb"], "torn.ipynb cannot be run: the notebook is not valid JSON"),
        (["svg", "good.py", "--step", "0"], "there is no step 0: the recording has "),
        (["svg", "good.py", "--step", "999"], "there is no step 999"),
        (["py", "good.py"], "this would overwrite good.py: say another file with -o"),
        (["svg", "good.py", "-o", "no/such/folder.svg"], "folder.svg cannot be written: No such file"),
        (["explain", "good.py", "--why", "nobody"], "nobody names no tensor, module or line of this run"),
        (["open", "good.csv"], "good.csv is neither a recording (.gradtape) nor a program (.py, .ipynb, .txt)"),
        (["open", "none.py"], "none.py cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    folder: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    for name in ("torn.gradtape", "torn.json", "torn.ipynb", "good.txt", "good.csv"):
        (folder / name).write_text("{ this is nothing of the kind, and long enough to be looked at")
    assert gradtape.main(arguments) == 2
    shown = capfd.readouterr().err
    assert message in shown
    assert shown.startswith("gradtape: ")
    assert "Traceback" not in shown


def test_explain_returns_one_where_something_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "twice.py"]) == 1
    shown = capsys.readouterr().out
    assert "warning: " in shown or "error: " in shown
    assert "Fix: " in shown
    assert "line " in shown


def test_explain_returns_zero_where_nothing_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "good.py"]) == 0
    assert capsys.readouterr().out.startswith("Nothing looks wrong (")


def test_explain_reads_a_recording(folder: Path) -> None:
    gradtape.main(["run", "twice.py"])
    assert gradtape.main(["explain", "twice.gradtape"]) == 1


def test_explain_tells_of_a_program_that_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "bad.py"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("error: ")
    assert shown.out.count("(line 4)") == 1
    assert (shown.out + shown.err).count("RuntimeError: ") == 1, "an error is quoted once"


def test_explain_says_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "good.py", "--why", "y", "--why", "x.grad"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("y.grad is None because y is not a leaf")
    assert "x.grad was set by" in shown
    assert "What is wrong" not in shown


def test_behind_an_answer_stands_what_is_wrong_with_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "twice.py", "--why", "w"]) == 0
    answer, _, wrong = capsys.readouterr().out.partition("\nWhat is wrong with this run")
    gradtape.main(["explain", "twice.py"])
    first = capsys.readouterr().out.splitlines()[0]
    assert answer.startswith("w.grad")
    assert wrong.splitlines()[1].strip() == first


def test_what_the_check_finds_of_a_backward_stands_before_an_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "twofold.py").write_text(
        "import torch\nclass Twice(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, grad):\n        return grad * 3\n"
        "w = torch.ones(3, requires_grad=True)\nTwice.apply(w).sum().backward()\n"
    )
    gradtape.main(["explain", "twofold.py", "--why", "w"])
    shown = capsys.readouterr().out
    assert shown.startswith("error: backward of Twice is wrong")
    assert "w.grad was set by" in shown


def test_explain_writes_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradtape.main(["explain", "twice.py", "--format", "json"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert {"rule", "severity", "title", "explanation", "fix", "site"} <= found[0].keys()
    assert found[0]["site"]["line"] > 0
    gradtape.main(["explain", "good.py", "--why", "y", "--format", "json"])
    assert json.loads(capsys.readouterr().out)[0]["code"] == "not_retained"


def test_explain_writes_annotations(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradtape.main(["explain", "twice.py", "--format", "github"])
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(("::warning file=twice.py,line=", "::error file=twice.py,line="))
    assert first.count("::") == 2


def test_annotations_cannot_be_forged_by_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile().save(folder / "hostile.gradtape")
    gradtape.main(["explain", "hostile.gradtape", "--format", "github"])
    for line in capsys.readouterr().out.splitlines():
        assert line.startswith(("::warning ", "::error ", "::notice "))


def test_help_is_in_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for name in ("run", "explain", "open", "html", "pyvis", *FORMATS):
        assert name in shown


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        commands.main(["frobnicate"])
    assert ended.value.code == 2
    assert "invalid choice: 'frobnicate'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--server.port", "8600"]])
def test_the_page_is_served_to_this_machine_alone(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda: served.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["gradtape"])
    assert commands.main(arguments) == 0
    assert served == [["streamlit", "run", str(commands.PAGE), "--server.address=localhost", *arguments]]


@pytest.mark.parametrize(
    ("arguments", "variable"),
    [
        (["--server.address", "0.0.0.0"], ""),
        (["--server.address=0.0.0.0"], ""),
        ([], "STREAMLIT_SERVER_ADDRESS"),
        ([], "GRADTAPE_HOSTED"),
    ],
)
def test_or_to_whom_one_says(monkeypatch: pytest.MonkeyPatch, arguments: list[str], variable: str) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda: served.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["gradtape"])
    if variable:
        monkeypatch.setenv(variable, "1")
    settings.cache_clear()
    try:
        assert commands.main(arguments) == 0
    finally:
        settings.cache_clear()
    assert served == [["streamlit", "run", str(commands.PAGE), *arguments]]


@pytest.mark.skipif(os.name != "posix", reason="no process takes another one's place")
@pytest.mark.parametrize("arguments", [[], ["--server.port", "8600"], ["--help"], ["open", "good.py"], ["nothing"]])
def test_what_belongs_to_the_page_takes_the_place_of_the_command(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    class Gone(Exception):
        pass

    def takes_its_place(file: str, words: list[str]) -> NoReturn:
        assert (file, words[:4]) == (sys.executable, [sys.executable, "-P", "-c", gradtape.START])
        assert words[4:] == [str(Path(gradtape.__file__).parent), *arguments]
        raise Gone

    monkeypatch.setattr(os, "execv", takes_its_place)
    monkeypatch.setattr(sys, "argv", ["gradtape", *arguments])
    with pytest.raises(Gone):
        gradtape.main()


def test_the_commands_of_the_page_are_those_that_need_more_than_the_engine() -> None:
    assert {command.name for command in commands.COMMANDS} == set(gradtape.OF_THE_PAGE)


def test_what_streamlit_finds_in_the_page_is_the_page_with_its_server_around_it() -> None:
    found = discover_asgi_app(commands.PAGE)
    assert found.import_string == "app:app"
    served = import_module("app").app
    assert served.script_path == commands.PAGE
    assert {each.cls for each in MIDDLEWARE} <= {each.cls for each in served._user_middleware}
    with pytest.raises(AttributeError):
        import_module("app").nothing  # noqa: B018


def test_open_serves_the_page_with_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[str] = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda: served.extend(sys.argv))
    monkeypatch.setattr(sys, "argv", ["gradtape"])
    monkeypatch.setenv(commands.OPEN, "")
    assert commands.main(["open", "good.py", "--server.port", "8600"]) == 0
    assert served[-2:] == ["--server.port", "8600"]
    assert os.environ[commands.OPEN] == str(folder / "good.py")


@pytest.mark.thorough
def test_the_command_works_as_a_process(folder: Path) -> None:
    def gradtape_process(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gradtape", *arguments], capture_output=True, text=True, timeout=120, cwd=folder
        )

    ran = gradtape_process("run", "good.py", "-o", "tape.gradtape")
    assert (ran.returncode, ran.stdout) == (0, "tensor(4.)\n")
    drawn = gradtape_process("svg", "tape.gradtape", "-o", "-")
    assert drawn.returncode == 0
    assert ElementTree.fromstring(drawn.stdout).tag.endswith("svg")
    assert gradtape_process("svg", "none.py").returncode == 2


PLOT = (
    "import matplotlib.pyplot as plt\nprint('before')\nplt.plot([1, 2])\nplt.title('Loss')\n"
    "plt.savefig('../../evil/loss.png')\n"
)


def test_run_says_where_figures_can_be_saved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "plot.py").write_text(PLOT + "print('after')\n")
    assert gradtape.main(["run", "plot.py"]) == 0
    assert capsys.readouterr().out == "before\n[figure 1: Loss, 640×480 → --save-figures FOLDER]\nafter\n"


@pytest.mark.thorough
def test_run_saves_figures_in_the_folder_and_nowhere_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    (folder / "plot.py").write_text(PLOT)
    assert gradtape.main(["run", "plot.py", "--save-figures", "plots"]) == 0
    (saved,) = (folder / "plots").iterdir()
    assert saved.name == "figure-1-loss.svg"
    assert saved.read_text().startswith("<svg ")
    assert f"[figure 1: Loss, 640×480 → {Path('plots') / saved.name}]" in capsys.readouterr().out


def test_without_matplotlib_a_sentence_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradtape.engine.export.figures.find_spec", lambda name: None)
    (folder / "plot.py").write_text(PLOT)
    assert gradtape.main(["run", "plot.py", "--save-figures", "plots"]) == 0
    assert "pip install 'gradtape[plots]'" in capsys.readouterr().out
    assert not (folder / "plots").exists()
