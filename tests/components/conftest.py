"""Fixtures for the parts of the page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.page import error_boundary, state, tasks

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page waits for its runs, however slow the machine is."""
    monkeypatch.setattr(tasks, "PATIENCE", 60.0)


@pytest.fixture(autouse=True)
def faults() -> Iterator[list[str]]:
    """What could not be drawn during a test. The page shows a notice in its place and goes on, so that no test would see it:
    each fails unless it takes out what it has caused itself."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(logging.Formatter().format(record))

    handler, logger = Kept(logging.ERROR), logging.getLogger(error_boundary.__name__)
    logger.addHandler(handler)
    yield found
    logger.removeHandler(handler)
    assert not found, "\n".join(found)


@pytest.fixture
def app() -> AppTest:
    """The page without a browser, as a new visitor sees it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    assert not app.exception
    return app


def page(app: AppTest) -> state.Page:
    """What the visit is about."""
    found: Any = app.session_state[state.KEY]
    return found  # type: ignore[no-any-return]
