"""`gradtape explain --fix` shows proven fixes, `--apply` writes them: into the named program's own file, or nowhere."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import gradtape
from engine.commands.terminal import harmless
from engine.diagnosis.findings import findings
from engine.sandbox import run

TWICE = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    (w * w).sum().backward()
    opt.step()
"""
MENDED = TWICE.replace("    (w", "    opt.zero_grad()\n    (w")
if sys.platform == "win32":  # pragma: no cover
    pytest.skip("files are told apart as Unix does", allow_module_level=True)

fixing = import_module("gradtape.engine.commands.fixing")
GOOD = "import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\ny.backward()\nprint(x.grad)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.py").write_bytes(TWICE.encode())
    return tmp_path


def apply(name: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and what stands on standard error."""
    code = gradtape.main(["explain", name, "--apply"])
    return code, capsys.readouterr().err


def test_a_proven_fix_is_shown_as_a_diff(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["explain", "twice.py", "--fix"]) == 1
    said = capsys.readouterr().out
    assert "fix of no_zero_grad (line 5), tried: the finding is gone" in said
    assert "--- twice.py\n+++ twice.py\n@@ -2,5 +2,6 @@\n" in said
    assert "\n+    opt.zero_grad()\n" in said
    assert (folder / "twice.py").read_bytes() == TWICE.encode()


def test_the_diff_is_one_for_other_tools(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradtape.main(["explain", "twice.py", "--fix"])
    said = capsys.readouterr().out
    (folder / "fix.diff").write_text(said[said.index("--- twice.py") :])
    done = subprocess.run(["git", "apply", "fix.diff"], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "twice.py").read_text() == MENDED


def test_what_is_not_proven_is_no_fix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "argmax.py").write_text(
        "import torch\nw = torch.ones(3, requires_grad=True)\nloss = (w * 2).argmax().float()\nloss.backward()\n"
    )
    assert gradtape.main(["explain", "argmax.py", "--fix"]) == 1
    assert "No finding has a fix that is proven." in capsys.readouterr().out
    assert gradtape.main(["explain", "argmax.py", "--apply"]) == 1
    assert "nothing is written" in capsys.readouterr().out


STEEPER = """\
import torch
w = torch.tensor([4.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(4):
    loss = (w * w).sum()
    loss.backward()
    opt.step()
"""
"""Gradients that add up make the steps larger, and four of them get further down like that."""


def test_what_was_tried_and_is_not_proven_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "steeper.py").write_text(STEEPER + "    if i == 3: break\n")
    assert gradtape.main(["explain", "steeper.py", "--fix"]) == 1
    said = capsys.readouterr().out
    assert "change for no_zero_grad (line 6), tried and not proven: With the changes the loss after 4 steps is" in said
    assert "No finding has a fix that is proven." in said


def test_json_has_the_fix_and_its_proof(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradtape.main(["explain", "twice.py", "--fix", "--format", "json"])
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["edit"]["proof"]["lines"] == 1
    assert finding["edit"]["changes"] == [[0, 5, 0, 5, 0, "    opt.zero_grad()\n"]]


def test_a_fix_is_written_into_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod("twice.py", 0o750)
    assert gradtape.main(["explain", "twice.py", "--apply"]) == 0
    said = capsys.readouterr().out
    assert "wrote twice.py: 1 fix, 1 line changed\n" in said
    assert "+    opt.zero_grad()" in said
    assert (folder / "twice.py").read_text() == MENDED
    assert stat.S_IMODE(os.stat("twice.py").st_mode) == 0o750
    assert [path.name for path in folder.iterdir()] == ["twice.py"]


def test_several_fixes_are_proven_one_upon_the_other(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TWICE.replace("(w * w).sum().backward()", "loss = (w * w).sum()\n    loss.backward(retain_graph=True)")
    (folder / "two.py").write_text(text)
    assert gradtape.main(["explain", "two.py", "--apply"]) == 0
    assert "2 fixes, 2 lines changed" in capsys.readouterr().out
    made = run((folder / "two.py").read_text()).recording
    assert made is not None
    assert findings(made) == []


def test_a_program_with_modules_is_mended_and_they_are_not(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = "import torch\nw = torch.ones(2, requires_grad=True)\n"
    (folder / "net.py").write_text(net)
    main = TWICE.replace("w = torch.ones(2, requires_grad=True)\n", "from net import w\n")
    (folder / "main.py").write_text(main)
    assert gradtape.main(["explain", "main.py", "--apply"]) == 0
    said = capsys.readouterr().out
    assert "--- main.py\n+++ main.py\n@@ -2,5 +2,6 @@\n" in said
    assert "wrote main.py: 1 fix, 1 line changed\n" in said
    assert (folder / "main.py").read_text() == main.replace("    (w", "    opt.zero_grad()\n    (w")
    assert (folder / "net.py").read_text() == net


def test_ends_of_lines_and_the_mark_of_utf8_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "windows.py").write_bytes(b"\xef\xbb\xbf" + TWICE.replace("\n", "\r\n").encode())
    assert gradtape.main(["explain", "windows.py", "--apply"]) == 0
    assert (folder / "windows.py").read_bytes() == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()


# --- nothing is written ---------------------------------------------------------------------------------------------------


def test_a_link_is_not_written_through(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "real").mkdir()
    (folder / "real/target.py").write_text(TWICE)
    os.symlink("real/target.py", "link.py")
    assert apply("link.py", capsys)[1].count("is a link") == 1
    assert (folder / "real/target.py").read_text() == TWICE
    assert (folder / "link.py").is_symlink()


def test_what_is_no_regular_file_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.py")
    (folder / "folder.py").mkdir()
    for name in ("pipe.py", "folder.py"):
        code, said = apply(name, capsys)
        assert code == 2
        assert "no regular file" in said


def test_a_recording_is_never_mended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["run", "twice.py"]) == 0
    made = (folder / "twice.gradtape").read_bytes()
    code, said = apply("twice.gradtape", capsys)
    assert (code, "programs (.py) only" in said) == (2, True)
    assert (folder / "twice.gradtape").read_bytes() == made
    assert (folder / "twice.py").read_text() == TWICE
    # Its fixes are shown: the program in it runs in the sandbox, and no file is touched.
    assert gradtape.main(["explain", "twice.gradtape", "--fix"]) == 1
    assert "+    opt.zero_grad()" in capsys.readouterr().out


def test_a_notebook_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [{"cell_type": "code", "source": TWICE, "metadata": {}, "outputs": [], "execution_count": None}]
    (folder / "twice.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert apply("twice.ipynb", capsys) == (2, "gradtape: --apply writes into programs (.py) only, and twice.ipynb is none\n")


def test_a_file_that_was_changed_meanwhile_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = fixing.run

    def edited(*given: object, **named: object) -> object:
        (folder / "twice.py").write_text("# mine\n" + TWICE)
        return own(*given, **named)

    monkeypatch.setattr(fixing, "run", edited)
    code, said = apply("twice.py", capsys)
    assert code == 2
    assert "was changed while its program ran: nothing is written" in said
    assert (folder / "twice.py").read_text() == "# mine\n" + TWICE


def test_a_file_that_became_a_link_meanwhile_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.py").write_text(TWICE)

    own = fixing.run

    def linked(*given: object, **named: object) -> object:
        if not (folder / "twice.py").is_symlink():
            os.unlink("twice.py")
            os.symlink("other.py", "twice.py")
        return own(*given, **named)

    monkeypatch.setattr(fixing, "run", linked)
    assert "is a link" in apply("twice.py", capsys)[1]
    assert (folder / "other.py").read_text() == TWICE


def test_a_file_with_mixed_ends_of_lines_is_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mixed = TWICE.encode().replace(b"\n", b"\r\n", 2)
    (folder / "mixed.py").write_bytes(mixed)
    code, said = apply("mixed.py", capsys)
    assert code == 2
    assert "does not hold exactly the text that ran" in said
    assert (folder / "mixed.py").read_bytes() == mixed


def test_a_file_that_cannot_be_written_stays_whole(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fixing.os, "replace", full)
    code, said = apply("twice.py", capsys)
    assert (code, "cannot be written: No space left on device" in said) == (2, True)
    assert (folder / "twice.py").read_text() == TWICE
    assert [path.name for path in folder.iterdir()] == ["twice.py"]


def test_a_file_that_is_not_there_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert apply("nowhere.py", capsys) == (2, "gradtape: nowhere.py cannot be read: No such file or directory\n")


def test_a_sound_program_is_not_touched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "good.py").write_text(GOOD)
    before = os.stat("good.py")
    assert gradtape.main(["explain", "good.py", "--apply"]) == 0
    assert "nothing is written" in capsys.readouterr().out
    assert os.stat("good.py").st_ino == before.st_ino


def test_a_diff_obeys_no_terminal_and_no_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "hostile.py").write_text(TWICE + 's = "\x1b[2J\u202e\x07"\n')
    gradtape.main(["explain", "hostile.py", "--fix"])
    said = capsys.readouterr().out
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", said)
    assert harmless("a\tb\n\x1b[1m\u2066") == "a\tb\n\N{REPLACEMENT CHARACTER}[1m\N{REPLACEMENT CHARACTER}"
