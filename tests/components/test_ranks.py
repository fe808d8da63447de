"""Ranks of one training in the page: opened together they stand side by side, with what is wrong with all of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from components import commands
from components.page.ranks import Ranks, recordings_in
from engine.recording import Recording
from engine.sandbox import run
from tests.components.visits import Visit

TRAINING = """\
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for step in range(3):
    opt.zero_grad()
    (w * RANK).sum().backward()
    opt.step()
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = []
    for rank in range(3):
        recording = run(TRAINING.replace("RANK", str(rank + 1))).recording
        assert recording is not None
        recording.rank, recording.world_size = rank, 3
        made.append(tmp_path / f"run.rank{rank}.gradtape")
        recording.save(made[-1])
    return made


def opened(monkeypatch: pytest.MonkeyPatch, files: list[Path]) -> Visit:
    monkeypatch.setenv("GRADTAPE_OPEN", os.pathsep.join(map(str, files)))
    visit = Visit()
    for _ in range(20):
        if visit.page.opened is not None:
            break
        visit.draw()
    return visit


@pytest.mark.thorough
def test_ranks_stand_side_by_side(monkeypatch: pytest.MonkeyPatch, files: list[Path]) -> None:
    visit = opened(monkeypatch, files[::-1]).draw(panel_tab="Ranks")
    p = visit.page
    assert (p.opened.rank, p.pinned.rank, p.pinned_name) == (0, 1, "run.rank1.gradtape")
    shown = visit.text("panel")
    assert "The gradients of w were not averaged over the ranks before step 1" in shown
    assert "rank steps passes together last loss last seen at 0 3 3 0" in shown
    visit.draw(rank_beside="rank 2: run.rank2.gradtape")
    assert visit.page.pinned.rank == 2
    assert "this differs: other (3 → 1)" in visit.draw(panel_tab="Compare").text("panel")


def test_one_rank_alone_says_how_to_see_the_others(monkeypatch: pytest.MonkeyPatch, files: list[Path]) -> None:
    visit = opened(monkeypatch, files[1:2]).draw(panel_tab="Ranks")
    assert "This is rank 1 of 3." in visit.text("panel")
    assert visit.page.pinned is None


def test_a_file_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, files: list[Path]) -> None:
    files[1].write_bytes(b"no recording")
    monkeypatch.setenv("GRADTAPE_OPEN", os.pathsep.join(map(str, files)))
    visit = Visit()
    for _ in range(20):
        if visit.page.notice:
            break
        visit.draw()
    assert visit.page.notice.startswith("run.rank1.gradtape cannot be opened")
    assert not visit.page.memory(Ranks).recordings


def test_the_command_opens_several(
    monkeypatch: pytest.MonkeyPatch, files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[list[str]] = []
    monkeypatch.setattr(commands, "serve", lambda options: served.append(list(options)) or 0)
    monkeypatch.setenv("GRADTAPE_OPEN", "")
    assert commands.main(["open", *map(str, files), "--server.port", "8600"]) == 0
    assert served == [["--server.port", "8600"]]
    assert os.environ["GRADTAPE_OPEN"].split(os.pathsep) == [str(path.resolve()) for path in files]
    assert commands.main(["open", str(files[0]), str(files[0])]) == 2
    assert "need different names" in capsys.readouterr().err
    assert commands.main(["open", str(files[0]), str(files[1].with_name("none.gradtape"))]) == 2


def test_several_recordings_among_files_are_found() -> None:
    data = Recording(source=("",)).to_bytes()
    assert recordings_in({"a.gradtape": data, "b.py": b""}) == {}
    assert set(recordings_in({"a.gradtape": data, "b.py": b"", "c.gradtape": data})) == {"a.gradtape", "c.gradtape"}
