"""`gradtape compare`: what it prints, in which format, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gradtape

TRAINING = """\
import torch
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(4):
    opt.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    opt.step()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {
        "a": TRAINING,
        "decay": TRAINING.replace("lr=0.1", "lr=0.1, weight_decay=0.5"),
        "extra": TRAINING.replace("    opt.step()", "    w.data.mul_(0.9)\n    opt.step()"),
        "short": TRAINING.replace("range(4)", "range(2)"),
        "empty": "",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    for name in ("a", "decay"):
        gradtape.main(["run", f"{name}.py"])
    return tmp_path


def test_the_same_run_is_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["compare", "a.gradtape", "a.py"]) == 0
    shown = capsys.readouterr().out
    assert "events are in both" in shown
    assert shown.endswith("The runs are the same, within what PyTorch's assert_close allows.\n")


def test_what_differs_is_told_with_what_went_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert gradtape.main(["compare", "a.gradtape", "decay.gradtape"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Their programs' texts differ; lines are those of decay.gradtape where both have them."
    assert lines[2] == (
        "The runs first differ at line 9, iteration 0: SGD.step gives another w, though what goes into it is the same: the "
        "optimizer's settings or its state differ."
    )
    assert [line.split(":")[0].strip() for line in lines[3:5]] == ["a.gradtape", "decay.gradtape"]
    assert lines[5].startswith("  apart by up to ")
    assert [line.split(":")[1].strip() for line in lines[6:]] == ["w, the same", "w.grad, the same", "learning rate, the same"]


def test_what_only_one_did_is_told_with_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["compare", "a.py", "extra.py"]) == 1
    shown = capsys.readouterr().out
    assert "The runs first differ at line 9, iteration 0: only extra.py has this" in shown
    assert "Only in extra.py:" in shown
    assert "w.data.mul_(0.9)" in shown
    assert gradtape.main(["compare", "a.py", "short.py"]) == 1
    assert "Only in a.py:\n  goes on: iterations 2–3 (" in capsys.readouterr().out


def test_tolerances_are_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gradtape.main(["compare", "a.gradtape", "decay.gradtape", "--rtol", "9", "--atol", "9"]) == 0
    assert "within rtol 9 and atol 9." in capsys.readouterr().out
    assert gradtape.main(["compare", "a.gradtape", "decay.gradtape", "--atol", "9"]) == 0
    assert "within atol 9 (the other as in PyTorch's assert_close)." in capsys.readouterr().out
    with pytest.raises(SystemExit):
        gradtape.main(["compare", "a.gradtape", "decay.gradtape", "--rtol", "-1"])


def test_json_has_all_of_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert gradtape.main(["compare", "a.gradtape", "decay.gradtape", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["same"] is False
    assert said["files"] == ["a.gradtape", "decay.gradtape"]
    assert said["events"]["a"] == said["events"]["b"] == said["events"]["both"]
    assert (said["first"]["line"], said["first"]["iteration"], said["first"]["kind"]) == (9, "iteration 0", "parameter")
    assert {each["name"] for each in said["first"]["inputs"]} == {"w", "w.grad", "learning rate"}
    assert gradtape.main(["compare", "a.py", "extra.py", "--format", "json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert {each["run"] for each in said["only"]} == {"b"}
    assert gradtape.main(["compare", "a.py", "a.py", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["first"] is None


def test_what_cannot_be_compared_ends_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.gradtape").write_bytes(b"no recording")
    for other, words in (("bad.gradtape", "cannot be opened"), ("none.gradtape", "cannot be read"), ("empty.py", "no events")):
        assert gradtape.main(["compare", "a.gradtape", other]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        gradtape.main(["compare", "a.gradtape"])
    assert ended.value.code == 2


def test_texts_of_programs_rule_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evil.py").write_text(TRAINING + "\nd = {'\\x1b[31m{0}': w * 2}\n")
    assert gradtape.main(["compare", "a.py", "evil.py"]) == 1
    assert "\x1b" not in capsys.readouterr().out
