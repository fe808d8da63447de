"""`pytest --gradtape`: recordings of tests that fail, what is found in them, and the fixture `tape`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from engine.commands.recorded_tests import TEXT, cut, file_name
from engine.recording import Recording
from engine.recording.events import Raised
from engine.recording.index import index_of

pytest_plugins = "pytester"

ROOT = Path(__file__).resolve().parents[3]
PLUGIN = "gradtape.pytest_plugin"
INSTALLED = any(each.value == PLUGIN for each in entry_points(group="pytest11"))
ON_THE_ENGINE = """\
import pytest
import gradtape.engine as torch

def model(x):
    return (x * x).sum()

def test_passes():
    model(torch.ones(2, requires_grad=True)).backward()

def test_twice():
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for step in range(3):
        loss = model(w)
        loss.backward()
        optimizer.step()
    assert w.grad.tolist() == [2.0, 2.0]

class TestClass:
    @pytest.mark.parametrize("name", ["a/b", "..", "\\x1b[31m"])
    def test_of_a_class(self, name):
        x = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([x], lr=0.1)
        for step in range(3):
            (x * 2).sum().backward()
            optimizer.step()
        d = {name: x}
        raise ValueError(name + "!")

@pytest.mark.xfail
def test_that_may_fail():
    x = torch.ones(2, requires_grad=True)
    assert (x * 2).sum().item() == 5

def test_skipped():
    y = torch.ones(2) * 2
    pytest.skip("not now")

def test_without_tensors():
    assert 1 == 2
"""
ON_PYTORCH = ON_THE_ENGINE.replace("import gradtape.engine as torch", "import torch")
WITH_THE_FIXTURE = """\
import gradtape.engine as torch

def test_the_fixture(tape):
    w = torch.ones(2, requires_grad=True)
    y = w * 3
    y.sum().backward()
    assert tape.why("y").title.startswith("y.grad is None because y is not a leaf")
    assert tape.findings() == []
    assert len(tape.recording.events) > 3
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # Nor what else is installed here, which takes longer than most of these tests.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Run(pytester)


class Run:
    """Tests in a folder of their own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.folder = pytester.path / "gradtape-tapes"

    def __call__(self, text: str, *arguments: str) -> pytest.RunResult:
        self.pytester.makepyfile(test_it=text)
        by_itself = INSTALLED and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ
        plugin = () if by_itself else ("-p", PLUGIN)
        return self.pytester.runpytest_subprocess(*plugin, "-p", "no:cacheprovider", *arguments)

    def tapes(self) -> dict[str, Recording]:
        return {path.name.rpartition("-")[0]: Recording.load(path) for path in self.folder.glob("*.gradtape")}


def check_failures(run: Run, result: pytest.RunResult) -> dict[str, Recording]:
    result.assert_outcomes(passed=1, failed=5, skipped=1, xfailed=1)
    assert result.ret == 1
    tapes = run.tapes()
    assert sorted(tapes) == [
        "test_it-TestClass-test_of_a_class", "test_it-TestClass-test_of_a_class-a-b",
        "test_it-TestClass-test_of_a_class-x1b-31m", "test_it-test_twice",
    ]  # fmt: skip
    assert len(list(run.folder.iterdir())) == 4
    twice = tapes["test_it-test_twice"]
    assert {twice.line(event) for event in twice.events} >= {5, 11, 15, 16}
    assert {history.first_name for history in index_of(twice).tensors.values()} >= {"w", "loss"}
    raised = [event for event in tapes["test_it-TestClass-test_of_a_class-a-b"].events if isinstance(event, Raised)]
    assert [(event.type, event.message) for event in raised] == [("ValueError", "a/b!")]
    shown = result.stdout.str()
    assert "w.grad is not cleared" in shown
    assert "program_error" not in shown
    assert "was interrupted" not in shown
    sections = re.findall(r"^-+ Gradtape -+$(.*?)^Recording: ", shown, re.MULTILINE | re.DOTALL)
    assert len(sections) == 4
    assert "\x1b" not in "".join(sections)
    assert f"Recording: {run.folder}" in shown
    assert f"Gradtape: recordings of tests that failed are in {run.folder}" in shown
    return tapes


@pytest.mark.thorough
def test_failing_tests_of_the_engine_leave_recordings_beside_other_plugins(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    check_failures(run, run(ON_THE_ENGINE, "--gradtape", "test_it.py"))


def test_failing_tests_of_pytorch_do_in_two_processes(run: Run, torch: object) -> None:
    tapes = check_failures(
        run, run(ON_PYTORCH, "--gradtape", "-p", "xdist.plugin", "-n", "2", "--gradtape-sarif", "out/found.sarif")
    )
    assert all(tape.engine.startswith("torch") and tape.complete for tape in tapes.values())
    log = json.loads((run.pytester.path / "out" / "found.sarif").read_text())
    (made,) = log["runs"]
    assert [artifact["location"]["uri"] for artifact in made["artifacts"]] == ["test_it.py"]
    found = {(result["ruleId"], result["properties"]["test"]) for result in made["results"]}
    assert ("no_zero_grad", "test_it.py::test_twice") in found


@pytest.mark.thorough
def test_sarif_alone_keeps_no_recordings(run: Run) -> None:
    result = run(ON_THE_ENGINE, "--gradtape-sarif", "found.sarif", "-k", "twice")
    assert result.ret == 1
    assert not run.folder.exists()
    log = json.loads((run.pytester.path / "found.sarif").read_text())
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["no_zero_grad"]
    assert run("def test_nothing(): pass\n", "--gradtape-sarif", "found.sarif").ret == 0
    assert json.loads((run.pytester.path / "found.sarif").read_text())["runs"][0]["results"] == []


@pytest.mark.thorough
def test_a_folder_is_given_and_a_recording_of_before_goes_when_its_test_passes(run: Run) -> None:
    run.folder = run.pytester.path / "a" / "b"
    assert run(ON_THE_ENGINE, "--gradtape=a/b", "-k", "twice").ret == 1
    assert len(list(run.folder.iterdir())) == 1
    assert (
        run(
            ON_THE_ENGINE.replace("assert w.grad.tolist() == [2.0, 2.0]", "assert w.grad is not None"),
            "--gradtape=a/b",
            "-k",
            "twice",
        ).ret
        == 0
    )
    assert list(run.folder.iterdir()) == []


@pytest.mark.thorough
def test_an_interrupted_test_leaves_its_recording(run: Run) -> None:
    program = ON_THE_ENGINE.replace("        loss.backward()\n", "        loss.backward()\n        raise KeyboardInterrupt\n")
    result = run(program, "--gradtape", "-k", "twice")
    assert result.ret == 2
    assert list(run.tapes()) == ["test_it-test_twice"]
    assert "test_it.py::test_twice was interrupted. Recording: " in result.stdout.str()


@pytest.mark.thorough
def test_the_fixture_needs_no_flag_and_leaves_no_file(run: Run) -> None:
    result = run(WITH_THE_FIXTURE)
    result.assert_outcomes(passed=1)
    assert not run.folder.exists()


def test_the_fixture_is_pytorchs_where_the_test_is(run: Run, torch: object) -> None:
    result = run(WITH_THE_FIXTURE.replace("import gradtape.engine as torch", "import torch"), "--gradtape")
    result.assert_outcomes(passed=1)
    assert list(run.folder.iterdir()) == []


def test_without_the_flag_nothing_is_imported() -> None:
    script = (
        f"import sys, pytest\nbefore = set(sys.modules)\nimport {PLUGIN}\nnew = sorted(set(sys.modules) - before)\nprint(new)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['gradtape', 'gradtape.pytest_plugin']"


def test_names_of_files_are_safe_short_and_tell_tests_apart() -> None:
    names = [
        file_name(id)
        for id in ("a.py::test[x]", "a.py::test[y]", "a.py::test[X]", "../../etc/passwd", "::", "x" * 500, "a\0b", "CON")
    ]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert len(name) < 110
        assert Path(name).name == name
        assert name[0] not in ".-"
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


def test_what_is_told_is_cut_and_keeps_its_last_line() -> None:
    told = cut("a" * 3 * TEXT + "\nRecording: here")
    assert len(told) < TEXT + 100
    assert told.endswith(f"({2 * TEXT:,} characters more)\nRecording: here")
    assert cut("short") == "short"
