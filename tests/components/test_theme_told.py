"""The theme is told to each run as Streamlit tells it, and worked out once."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from components.server import theme_told

SECTIONS = [f"theme.{each.value}" for each in config.CustomThemeCategories]


@pytest.fixture
def themed() -> Any:
    """A theme with colours, of which dark has others."""
    options = {
        "theme.primaryColor": "#2f6fde",
        "theme.base": "dark",
        "theme.dark.primaryColor": "#6ea0f5",
        "theme.baseFontSize": 14,
    }
    before = {name: config.get_option(name) for name in options}
    for name, value in options.items():
        config.set_option(name, value)
    yield
    for name, value in before.items():
        config.set_option(name, value)


def filled(fill_in: Any) -> CustomThemeConfig:
    """The theme as the message of a run holds it."""
    message = CustomThemeConfig()
    fill_in(message)
    fill_in(message.dark, "theme.dark")
    fill_in(message.light.sidebar, "theme.light.sidebar")
    return message


def test_streamlit_works_the_theme_out_under_this_name() -> None:
    assert callable(getattr(app_session, theme_told.NAME))


@pytest.mark.usefixtures("themed")
def test_each_section_is_told_as_streamlit_tells_it() -> None:
    plain = getattr(app_session, theme_told.NAME)
    remembered = theme_told.remembered(plain)
    for _ in range(2):
        assert filled(remembered) == filled(plain)
    assert filled(remembered).dark.primary_color == "#6ea0f5"
    assert filled(remembered).base == CustomThemeConfig.BaseTheme.DARK
    assert not filled(remembered).HasField("light")


@pytest.mark.usefixtures("themed")
def test_settings_are_asked_once_a_section() -> None:
    asked: list[str] = []
    plain = getattr(app_session, theme_told.NAME)

    def work_out(message: Any, section: str = "theme") -> None:
        asked.append(section)
        plain(message, section)

    remembered = theme_told.remembered(work_out)
    for _ in range(3):
        for section in SECTIONS:
            remembered(CustomThemeConfig(), section)
    assert asked == SECTIONS


def test_a_server_remembers_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = getattr(app_session, theme_told.NAME)
    monkeypatch.setattr(app_session, theme_told.NAME, plain)
    theme_told.remember_theme()
    once = getattr(app_session, theme_told.NAME)
    theme_told.remember_theme()
    assert getattr(app_session, theme_told.NAME) is once
