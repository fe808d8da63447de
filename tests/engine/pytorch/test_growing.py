"""A recording is in its file while it runs: what was written until a process died opens, and no file ends a training."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.commands import main
from engine.recording import Recording
from engine.recording import events as e
from engine.recording import growing as module

ROOT = Path(__file__).resolve().parents[3]
KILLED = """import os, signal
import gradtape
import torch
from gradtape.engine.recording import growing
growing.SOON = growing.LATER = growing.COST = 0

w = torch.ones(2, requires_grad=True)
gradtape.start("run.gradtape", level="values")
for k in range(10):
    loss = (w * k).sum()
    loss.backward()
    w.grad = None
    if k == 7:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def script(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(text)
    return subprocess.run(
        [sys.executable, *arguments, "train.py"],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is written as soon as it comes."""
    monkeypatch.setattr(module, "SOON", 0.0)
    monkeypatch.setattr(module, "LATER", 0.0)
    monkeypatch.setattr(module, "COST", 0.0)


def descend(torch: ModuleType, times: int = 6) -> Any:
    w = torch.ones(3, requires_grad=True)
    for _ in range(times):
        loss = (w * w).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


def passes(recording: Recording) -> int:
    return sum(isinstance(event, e.BackwardBegan) for event in recording.events)


def test_what_was_written_until_the_process_was_killed_opens(
    torch: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = script(tmp_path, KILLED)
    assert done.returncode == -signal.SIGKILL, done.stderr
    path = tmp_path / "run.gradtape"
    recording = Recording.load(path)
    assert not recording.complete
    assert passes(recording) == 8
    assert "(w * k)" in recording.source[0]
    assert main(["explain", str(path)]) == 0
    assert "The recording is cut" in capsys.readouterr().out
    # Written anew, as the page does with a file that is opened, it is cut as before.
    assert not Recording.load(recording.to_bytes()).complete


def test_a_file_that_grew_holds_what_one_that_was_written_at_once_does(
    torch: ModuleType, tmp_path: Path, at_once: None
) -> None:
    from engine.pytorch import record

    with record(level="values") as tape:
        descend(torch)
    with record(tmp_path / "run.gradtape", level="values"):
        descend(torch)
    whole, grown = tape.recording, Recording.load(tmp_path / "run.gradtape")
    assert grown.complete
    assert (grown.source, grown.names, grown.ops) == (whole.source, whole.names, whole.ops)
    assert [type(event) for event in grown.events] == [type(event) for event in whole.events]
    assert len(grown.scopes) == len(whole.scopes)
    assert list(grown.arrays) == list(whole.arrays)
    assert (tmp_path / "run.gradtape").read_bytes().count(b"DATA") > 20


def test_it_can_be_read_while_it_runs(torch: ModuleType, tmp_path: Path, at_once: None) -> None:
    from engine.pytorch import record

    path = tmp_path / "run.gradtape"
    found = []
    with record(path, level="values") as tape:
        w = torch.ones(3, requires_grad=True)
        for _ in range(4):
            (w * w).sum().backward()
            found.append(Recording.load(path))
        assert passes(tape.recording) == 4
    assert [passes(each) for each in found] == [1, 2, 3, 4]
    assert not any(each.complete for each in found)
    assert passes(tape.recording) == 4
    assert tape.recording.complete


def test_a_disk_that_becomes_full_ends_the_recording_and_not_the_training(
    torch: ModuleType, tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.pytorch import record

    plain = descend(torch)
    write, room = os.write, [len(Path(__file__).read_bytes()) + 10_000]

    def full(file: int, data: Any) -> int:
        """A disk of so many bytes, which takes a part of what does not fit."""
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(file, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(module.os, "write", full)
    with pytest.warns(RuntimeWarning, match="The recording ends here.*No space left"), record(tmp_path / "run.gradtape"):
        recorded = descend(torch)
    monkeypatch.setattr(module.os, "write", write)
    assert torch.equal(plain, recorded)
    left = Recording.load(tmp_path / "run.gradtape")
    assert left.events
    assert not left.complete
    assert passes(left) < 6


def test_a_disk_that_is_full_from_the_start_leaves_the_recording_in_memory(torch: ModuleType, at_once: None) -> None:
    from engine.pytorch import record

    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is always full")
    with pytest.warns(RuntimeWarning, match="could not be written to /dev/full"), record("/dev/full") as tape:
        descend(torch)
    assert passes(tape.recording) == 6


def test_a_full_file_ends_the_recording_and_opens(
    torch: ModuleType, tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.pytorch import record

    monkeypatch.setitem(module.MOST, "events", 20 / module.FULL)
    with pytest.warns(RuntimeWarning, match="its file is full"), record(tmp_path / "run.gradtape"):
        descend(torch)
    left = Recording.load(tmp_path / "run.gradtape")
    assert left.complete
    assert 20 < len(left.events) < 40
    (note,) = (event.message for event in left.events if isinstance(event, e.Warned))
    assert "its file is full" in note


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_leaves_the_file_alone(torch: ModuleType, tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "import os\nimport gradtape\nimport torch\nfrom gradtape.engine.recording import growing\ngrowing.SOON = 0\n"
        "gradtape.start('run.gradtape')\nw = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()\n"
        "child = os.fork()\nif not child:\n    (w * 3).sum()\n    raise SystemExit(0)\nos.waitpid(child, 0)\n"
        "(w * 4).sum().backward()\n",
    )
    assert done.returncode == 0, done.stderr
    recording = Recording.load(tmp_path / "run.gradtape")
    assert recording.complete
    assert passes(recording) == 2


def test_start_and_stop_record_what_is_between_them(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import start, stop

    def begin() -> None:
        start(tmp_path / "run.gradtape", level="values")

    begin()
    with pytest.raises(RuntimeError, match="started already"):
        start()
    w = torch.ones(2, requires_grad=True)
    for _ in range(3):
        (w * 2).sum().backward()
    session = stop()
    (w * 5).sum().backward()
    with pytest.raises(RuntimeError, match="no recording has been started"):
        stop()
    recording = Recording.load(tmp_path / "run.gradtape")
    assert passes(recording) == passes(session.recording) == 3
    assert {event.name for event in recording.events if isinstance(event, e.Named)} == {"w"}
    with pytest.raises(ValueError, match="level is one of"):
        start(level="everything")


def test_a_program_that_ends_without_stop_is_recorded_with_its_error(torch: ModuleType, tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "import gradtape\nimport torch\n\ngradtape.start('run.gradtape')\nw = torch.ones(2, requires_grad=True)\n"
        "(w * 2).sum().backward()\nw @ torch.ones(3)\n",
    )
    assert "size" in done.stderr
    assert done.returncode == 1
    recording = Recording.load(tmp_path / "run.gradtape")
    assert recording.complete
    (raised,) = (event for event in recording.events if isinstance(event, e.Raised))
    assert (raised.type, recording.line(raised)) == ("RuntimeError", 7)


def test_where_warnings_are_errors_a_note_of_the_recorder_is_none(torch: ModuleType, tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "import gradtape\nimport torch\nwith gradtape.record('absent/run.gradtape'):\n    torch.ones(2).sum()\nprint('done')\n",
        "-W", "error::RuntimeWarning",
    )  # fmt: skip
    assert done.stdout == "done\n"
    assert "Gradtape: The recording could not be written to absent" in done.stderr


def test_run_writes_its_file_while_the_script_runs(torch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os\nimport signal\nimport torch\nfrom gradtape.engine.recording import growing\n"
        "growing.SOON = growing.LATER = growing.COST = 0\nw = torch.ones(2, requires_grad=True)\n"
        "for k in range(3):\n    (w * k).sum().backward()\n    if k == 1:\n        import time\n        time.sleep(1.1)\n"
        "(w * 5).sum()\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "gradtape", "run", "--torch", "train.py", "-o", "tape.gradtape"],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    recording = Recording.load(tmp_path / "tape.gradtape")
    assert not recording.complete
    assert passes(recording) >= 2
