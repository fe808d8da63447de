"""A stranger's link where the system cannot shut programs in: nothing of it runs until one click."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from components.menus.share import PARAMETER
from engine.program.share import Link, pack
from tests.components.test_app import ROOT, page

TEXT = "print('from a stranger')"


def visit() -> AppTest:
    """A visit that comes with the link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params[PARAMETER] = pack(Link((TEXT,)))
    return app.run()


def test_where_programs_are_not_shut_in_it_waits_for_one_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.page.opening.isolated", lambda: False)
    app = visit()
    assert not app.exception
    assert page(app).edited == [TEXT]
    assert page(app).result is None
    assert any("cannot shut programs in" in warning.value for warning in app.warning)

    app.run()
    assert page(app).result is None, "looking at the page again must not run it"

    app.button(key="run_unrun").click().run()
    assert not app.exception
    result = page(app).result
    assert result is not None
    assert result.output == "from a stranger\n"
    assert not any("cannot shut programs in" in warning.value for warning in app.warning)


def test_where_they_are_it_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.page.opening.isolated", lambda: True)
    result = page(visit()).result
    assert result is not None
    assert result.output == "from a stranger\n"
