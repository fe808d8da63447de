"""Fixtures for the parts of the page."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from components import state, trouble


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page waits for its runs, however slow the machine is."""
    monkeypatch.setattr(state, "PATIENCE", 60.0)


@pytest.fixture(autouse=True)
def faults() -> Iterator[list[str]]:
    """What could not be drawn during a test. The page shows a notice in its place and goes on, so that no test would see it:
    each fails unless it takes out what it has caused itself."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(logging.Formatter().format(record))

    handler, logger = Kept(logging.ERROR), logging.getLogger(trouble.__name__)
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)
    assert not found, "\n".join(found)
