"""Fixtures for the parts of the page."""

from __future__ import annotations

import pytest

from components import state


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page waits for its runs, however slow the machine is."""
    monkeypatch.setattr(state, "PATIENCE", 60.0)
