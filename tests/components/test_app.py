"""The page in Streamlit's own test harness."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

from streamlit.testing.v1 import AppTest

from components.menus.gallery import examples
from components.page import address
from tests.components.conftest import page

ROOT = Path(__file__).resolve().parents[2]


def test_a_first_visit_runs_the_default_example(app: AppTest) -> None:
    p = page(app)
    assert p.result is not None
    assert p.result.status == "ok"
    assert p.edited == [examples()["repeated_backward"].text]
    assert p.selected is not None
    assert any("ran in" in str(e.proto) for e in app.main)


def test_another_example_is_opened_by_its_button(app: AppTest) -> None:
    app.session_state["examples"] = True  # the menu is open
    app.run()
    app.button(key="example_broadcasting").click().run()
    assert not app.exception
    assert page(app).name == "Broadcasting"
    assert page(app).result is not None
    assert address.query(page(app)) == "example=broadcasting"


def test_a_visit_holds_no_recording_but_the_one_on_show(app: AppTest) -> None:
    seen = []
    for name in ("zeroing_the_gradient", "broadcasting", "tiny_mlp", "repeated_backward"):
        app.session_state["examples"] = True  # the menu is open
        app.run()
        app.button(key=f"example_{name}").click().run()
        assert not app.exception
        seen.append(weakref.ref(page(app).recording))
    gc.unfreeze()
    gc.collect()
    assert [each() is not None for each in seen] == [False, False, False, True]


def test_the_url_names_the_example() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.query_params["example"] = "tiny_mlp"
    app.run()
    assert page(app).name == "A tiny neural network"


def test_an_unknown_example_in_the_url_is_ignored() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.query_params["example"] = "<script>"
    app.run()
    assert not app.exception
    assert page(app).name == "Repeated backward"
