"""Who touches what: the visitor's session and the address belong to a few modules of the page, and a panel to its own file."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from components.panels import Beside, panel, panels

ROOT = Path(__file__).resolve().parents[2]
PAGE = [ROOT / "app.py", *sorted(ROOT.glob("components/**/*.py"))]
OWNERS = {
    # What Streamlit has sent to a browser is counted below the page, which knows nothing of it.
    "session_state": {
        "components/page/state.py",
        "components/page/controls.py",
        "components/server/held.py",
        "components/server/puts.py",
        "components/server/requests.py",
    },
    "query_params": {"components/page/address.py"},
}
PANELS = ROOT / "components/panels"


def named(path: Path) -> set[str]:
    """Every name that a module's code mentions, also after a dot, in an import, or as a text for `getattr`."""
    found = set()
    for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)) | ast.alias(name=name):
                found.add(name)
            case _:
                pass
    return found


@pytest.mark.parametrize("name", OWNERS)
def test_the_session_and_the_address_are_touched_where_the_page_says(name: str) -> None:
    touching = {str(path.relative_to(ROOT)) for path in PAGE if name in named(path)}
    assert touching == OWNERS[name]


def test_each_file_or_folder_of_panels_declares_one() -> None:
    declared = [each.draw.__module__ for each in panels().values()]
    there = {path.stem for path in PANELS.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()} - {"__init__"}
    assert sorted(declared) == sorted(f"components.panels.{name}" for name in there)


def test_the_page_says_no_panels_name_but_that_of_the_first() -> None:
    first, *others = panels()
    page = [ROOT / "app.py", *ROOT.glob("components/page/**/*.py")]
    said = {each.value for path in page for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Constant)}
    assert first in said
    assert not said & set(others)


def test_a_panel_that_declares_nothing_or_has_anothers_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"two panels are called 'Check': in components\.panels\.check and in tests"):
        panel("Check", 1)(lambda on: None)
    monkeypatch.setattr("components.panels._PANELS", {})
    with pytest.raises(TypeError, match=r"components\.panels\.check, .*a file here declares a panel"):
        panels.__wrapped__()


def test_a_panel_that_fails_says_so_in_its_place(monkeypatch: pytest.MonkeyPatch, faults: list[str]) -> None:
    def fails(on: Beside) -> None:
        raise ZeroDivisionError("of the panel's own")

    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    first = next(iter(panels()))
    monkeypatch.setitem(panels(), first, replace(panels()[first], draw=fails))
    app.run()
    assert not app.exception
    (notice,) = app.error
    assert "could not be drawn" in notice.value
    (beside,) = [each for each in app.main if isinstance(each, Block) and str(getattr(each.proto, "id", "")).endswith("-panel")]
    assert [each.value for each in beside if each.type == "error"] == [notice.value]
    assert "of the panel's own" in faults.pop()
