"""Visits to the page in Streamlit's own test harness, and what they are shown."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

from components.page import state, visit
from components.panels import panels
from components.player import feed

APP = Path(__file__).resolve().parents[2] / "app.py"


class Visit:
    """One visitor's page, drawn when the visit begins and whenever `draw` is called."""

    def __init__(self, **address: str) -> None:
        self.app = AppTest.from_file(str(APP), default_timeout=120)
        for name, value in address.items():
            self.app.query_params[name] = value
        self.draw()

    @property
    def page(self) -> state.Page:
        """What the page keeps for this visitor."""
        found: Any = self.app.session_state[state.KEY]
        return found  # type: ignore[no-any-return]

    def draw(self, **controls: object) -> Visit:
        """Draw the page, with other values of its controls; a part that could not be drawn is an error here."""
        for key, value in controls.items():
            if key == "panel_tab":
                assert value in panels(), f"there is no panel {value!r}; there are {', '.join(panels())}"
            self.app.session_state[key] = value
        self.app.run()
        self._check()
        return self

    def moment(self, step: int | None = None, selected: str | None = None) -> dict[str, Any]:
        """What a player tells that stands there, at the end without a step, and has done all that it was asked for."""
        p = self.page
        assert p.recording is not None
        last = len(p.recording.events) - 1
        return {"run": p.run_id, "step": last if step is None else step, "selected": selected, "n": p.command["n"]}

    def press(self, key: str) -> Visit:
        """Press a button."""
        self.app.button(key=key).click().run()
        self._check()
        return self

    def _check(self) -> None:
        assert not self.app.exception
        assert not [error.value for error in self.app.error if "could not be drawn" in error.value]

    def block(self, key: str) -> Block:
        """The part of the page with this key."""
        found = [each for each in self.app.main if isinstance(each, Block) and each.proto and _id(each).endswith(f"-{key}")]
        assert len(found) == 1, f"{len(found)} parts are called {key}"
        return found[0]

    def markup(self, key: str) -> str:
        """All HTML in a part of the page."""
        return "\n".join(each.proto.body for each in self.block(key) if each.type == "html")

    def text(self, key: str) -> str:
        """What can be read in a part of the page: its HTML without the tags, and the labels of its controls."""
        parts = []
        for each in self.block(key):
            if each.type == "html":
                body = each.proto.body.replace("<wbr>", "")
                parts.append(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", body, flags=re.DOTALL)))
            elif label := getattr(each.proto, "label", ""):
                parts.append(label)
        return re.sub(r"[ \n]+", " ", " ".join(parts))

    def kinds(self, key: str) -> list[str]:
        """The kinds of elements in a part of the page, in order."""
        return [each.type for each in self.block(key) if isinstance(each, Element)]

    def sent(self, name: str) -> dict[str, Any]:
        """What one of our own components is sent; the player as it puts it together."""
        parts = [each.proto for each in self.app.main if each.type == "bidi_component" and each.proto.id.endswith(f"-{name}")]
        assert len(parts) == 1, f"{len(parts)} components are called {name}"
        found: dict[str, Any] = json.loads(parts[0].bytes)
        return feed.plain(found) if name == "player" else found


def _id(block: Block) -> str:
    return str(getattr(block.proto, "id", ""))


def visit_file(monkeypatch: pytest.MonkeyPatch, file: Path) -> Visit:
    """A visit that begins with a file, as `gradtape open` has it."""
    monkeypatch.setenv(visit.OPEN, str(file))
    return Visit()
