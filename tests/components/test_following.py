"""A recording that is still written is followed: what comes appears, and the moment and the node on show stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from components.commands import FOLLOW
from components.page import following
from components.page.following import Following
from components.page.visit import OPEN
from engine import limits
from engine.recording import Recording, format2
from tests.components.visits import Visit
from tests.recorded import recorded

PROGRAM = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(6):
    loss = (w * k).sum()
    loss.backward()
"""


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The file of a recording as it grows: after the first events, after more, after all, and with its end."""
    monkeypatch.setattr(format2, "EVENTS_IN_CHUNK", 20)
    monkeypatch.setattr(following, "SHARE", 0)
    monkeypatch.setattr(following.tasks, "PATIENCE", 60.0)
    whole = recorded(PROGRAM).to_bytes()
    ends: list[int] = []
    at = format2.FRONT.size
    while at < len(whole):
        _, _, length = format2.CHUNK.unpack_from(whole, at)
        at += format2.CHUNK.size + length + -length % format2.ALIGNED
        ends.append(at)
    assert len(ends) > 4
    return [whole[:end] for end in (ends[1], ends[2], ends[-2], ends[-1])]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with which the page opens and that it follows."""
    path = tmp_path / "run.gradtape"
    monkeypatch.setenv(OPEN, str(path))
    monkeypatch.setenv(FOLLOW, "1")
    return path


def events(visit: Visit) -> int:
    """How many events are on show."""
    assert visit.page.opened is not None
    return len(visit.page.opened.events)


def test_what_comes_appears_and_the_moment_stays(pieces: list[bytes], path: Path) -> None:
    path.write_bytes(pieces[0])
    visit = Visit()
    assert events(visit) == 20
    visit.draw()
    page, shown = visit.page, visit.page.opened
    assert shown is not None
    assert not shown.complete
    page.step, page.selected = 4, "t0"
    visit.draw()
    assert page.opened is shown, "nothing has come"
    path.write_bytes(pieces[1])
    page.step = 4
    visit.draw()
    assert events(visit) == 40
    assert page.keep == {"run": page.run_id, "step": 4, "selected": "t0", "grown": True}
    page.step = 39
    path.write_bytes(pieces[2])
    visit.draw()
    there = events(visit)
    assert there == len(Recording.load(pieces[3]).events)
    assert page.keep == {"run": page.run_id, "step": there - 1, "selected": "t0", "grown": True}, (
        "who was at the end stays there"
    )
    assert page.edited == PROGRAM.splitlines() or page.edited == [PROGRAM]
    path.write_bytes(pieces[3])
    visit.draw()
    visit.draw()
    assert page.opened is not None
    assert page.opened.complete
    assert page.memory(Following).path is None, "nothing more comes"


def test_a_file_that_is_not_there_yet_is_waited_for(pieces: list[bytes], path: Path) -> None:
    visit = Visit()
    assert visit.page.opened is None
    path.write_bytes(pieces[0][:10])
    visit.draw()
    assert visit.page.opened is None
    path.write_bytes(pieces[1])
    visit.draw()
    visit.draw()
    assert events(visit) == 40


def test_who_opens_something_else_is_left_alone(pieces: list[bytes], path: Path) -> None:
    path.write_bytes(pieces[0])
    visit = Visit()
    visit.draw()
    other = recorded(PROGRAM)
    visit.page.opened = other
    path.write_bytes(pieces[1])
    visit.draw()
    assert visit.page.opened is other
    assert visit.page.memory(Following).path is None


def test_a_file_that_was_begun_anew_does_not_take_the_place_of_a_longer_one(pieces: list[bytes], path: Path) -> None:
    path.write_bytes(pieces[1])
    visit = Visit()
    visit.draw()
    path.write_bytes(pieces[0])
    os.utime(path)
    visit.draw()
    assert events(visit) == 40


def test_a_file_that_is_larger_than_one_that_people_open_is_followed(
    pieces: list[bytes], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        limits, "UPLOAD", limits.Row("of an opened file", len(pieces[0]) - 1, "", of="the page takes", bytes=True)
    )
    path.write_bytes(pieces[0])
    visit = Visit()
    visit.draw()
    assert events(visit) == 20
    path.write_bytes(pieces[1])
    visit.draw()
    assert events(visit) == 40
    assert not visit.page.notice


def test_what_cannot_be_read_any_further_is_said(pieces: list[bytes], path: Path) -> None:
    path.write_bytes(pieces[0])
    visit = Visit()
    visit.draw()
    broken = bytearray(pieces[2])
    broken[len(pieces[1]) - 9] ^= 1
    path.write_bytes(broken[: len(pieces[1])])
    visit.draw()
    assert not visit.page.notice, "it may be whole at the next look"
    path.write_bytes(broken)
    visit.draw()
    assert "a checksum does not fit" in visit.page.notice
    assert events(visit) == 20
    assert visit.page.memory(Following).path is None
