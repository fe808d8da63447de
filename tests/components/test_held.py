"""The browser is referred only to messages that it cannot have let go of."""

from __future__ import annotations

import tomllib
from pathlib import Path

from components.server.held import AGE, Held, Sent

ROOT = Path(__file__).parents[2]


def run(sent: Sent, browser: set[str], *messages: str) -> list[str]:
    """One run of the page that sends these messages: those that it sends whole."""
    sent.begin()
    held = Held(browser)
    held.sent = sent
    return [each for each in messages if each not in held]


def test_a_message_is_sent_whole_once_and_referred_to_from_then_on() -> None:
    sent = Sent()
    assert run(sent, set(), "a") == ["a"]
    for _ in range(3 * AGE):
        assert run(sent, {"a"}, "a") == []


def test_a_message_that_no_run_has_used_for_long_is_sent_again_whatever_the_browser_said() -> None:
    sent = Sent()
    run(sent, set(), "a")
    for _ in range(AGE - 1):
        run(sent, {"a"})
    assert run(sent, {"a"}, "a") == []
    for _ in range(AGE):
        run(sent, {"a"})
    assert run(sent, {"a"}, "a") == ["a"]
    assert run(sent, {"a"}, "a") == []


def test_what_the_browser_does_not_hold_is_sent_again() -> None:
    sent = Sent()
    run(sent, {"b"}, "a")
    assert run(sent, set(), "a") == ["a"]


def test_what_is_remembered_does_not_grow() -> None:
    sent = Sent()
    for k in range(10 * AGE):
        run(sent, set(), f"message {k}")
    assert len(sent.last) <= AGE + 1


def test_the_browser_holds_messages_twice_as_long() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["global"]["maxCachedMessageAge"] == 2 * AGE
