"""What is drawn first, and what waits until that has been seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from components.page import graph
from components.page.task_progress import FRESH, NEAR, OFTEN, SELDOM, SOON, Task, _between_looks
from components.player import GraphState
from components.player.feed import LARGE
from engine.diagnosis.findings import known_findings
from tests.components.visits import visit_file


@pytest.mark.parametrize(
    ("position", "seconds", "expected"),
    [(0, 0.0, SOON), (0, FRESH, OFTEN), (1, 0.0, OFTEN), (NEAR, 0.0, OFTEN), (NEAR + 1, 0.0, SELDOM)],
)
def test_what_has_just_begun_is_looked_at_without_a_pause(position: int, seconds: float, expected: float) -> None:
    ticket: Any = SimpleNamespace(position=position, seconds=seconds)
    assert _between_looks(Task("Running", ticket, lambda _: None)) == expected


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
