"""What is drawn first, and what waits until that has been seen."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from components.page import graph, tasks
from components.page.task_progress import FRESH, NEAR, OFTEN, SELDOM, SOON, Task, _between_looks, _left_alone
from components.player import GraphState
from components.player.feed import LARGE
from engine.diagnosis.findings import known_findings
from engine.sandbox.calls import CallError
from engine.serving.pool import Pool, _nothing
from tests.components.visits import visit_file


@pytest.mark.parametrize(
    ("position", "seconds", "expected"),
    [(0, 0.0, SOON), (0, FRESH, OFTEN), (1, 0.0, OFTEN), (NEAR, 0.0, OFTEN), (NEAR + 1, 0.0, SELDOM)],
)
def test_what_has_just_begun_is_looked_at_without_a_pause(position: int, seconds: float, expected: float) -> None:
    ticket: Any = SimpleNamespace(position=position, seconds=seconds)
    assert _between_looks(Task("Running", ticket, lambda _: None)) == expected


def test_what_was_worked_on_is_let_go_of_although_the_bar_that_showed_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    p, shown, results = SimpleNamespace(session="a", tasks={}, notice=""), list[Task](), list[object]()
    monkeypatch.setattr(tasks, "page", lambda: p)
    monkeypatch.setattr(tasks, "pool", lambda: pool)
    monkeypatch.setattr(tasks, "present", lambda: lambda: True)
    monkeypatch.setattr(tasks, "turn_given_away", nullcontext)
    monkeypatch.setattr(tasks, "Task", lambda *given: shown.append(Task(*given)) or shown[-1])

    def refused(stop: threading.Event) -> None:
        raise CallError("refused", "no notebook")

    pool = Pool(slots=1, queue=4, per_session=4)
    try:
        tasks.start("open", "Opening", lambda stop: b"a file", results.append, patience=60)
        tasks.start("open", "Opening", refused, results.append, failed=results.append, patience=60)
        tasks.start("open", "Opening", lambda stop: stop.wait(60), results.append, patience=0)
        tasks.cancel("open")
    finally:
        pool.close()
    assert [str(result) for result in results] == ["b'a file'", "no notebook"]
    assert len(shown) == 3
    for task in shown:
        assert (task.arrived, task.failed) == (_left_alone, None)
        assert (task.ticket.work, task.ticket.value, task.ticket.failure) == (_nothing, None, None)


@pytest.mark.thorough
def test_findings_of_a_large_run_wait_until_its_cards_have_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = "".join(f"x{k} = torch.sin(x{k - 1})\n" for k in range(1, 1_200))
    (tmp_path / "prog.py").write_text(f"import torch\nx0 = torch.ones(2, requires_grad=True)\n{steps}x1199.sum().backward()\n")
    sent: list[Mapping[str, Any]] = []

    def show_player(message: Mapping[str, Any], **_: object) -> GraphState:
        sent.append(message)
        return GraphState(message["total"] - 1, None)

    monkeypatch.setattr(graph, "show_player", show_player)
    visit = visit_file(monkeypatch, tmp_path / "prog.py")
    recording = visit.page.recording
    assert recording is not None
    assert len(recording.events) >= LARGE
    assert "sketch" in sent[-1]
    assert known_findings(recording) is None
    held = {"holds": {"sketch": sent[-1]["rev"]}}
    monkeypatch.setattr(graph.controls, "told", lambda key, name: held.get(name) if key == "player" else None)
    visit.draw()
    assert "run" in sent[-1]
    assert known_findings(recording) is not None
