"""Firefox as a user has it, driven over WebDriver BiDi (w3c.github.io/webdriver-bidi), which it speaks without a driver."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
WAITS = 60.0
"""Seconds after which an answer, or what is waited for on the page, counts as missing."""
KEYS = {
    "Backspace": "\ue003",
    "Control": "\ue009",
    "Delete": "\ue017",
    "End": "\ue010",
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "Home": "\ue011",
    "Left": "\ue012",
    "Right": "\ue014",
    "Shift": "\ue008",
    "Tab": "\ue004",
}
"""WebDriver's characters for keys that write nothing."""


class BrowserError(Exception):
    """Firefox refused a command, or an expression of a test threw."""


class Firefox:
    """One tab. What a test waits for is asked again until it is so."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        """What scripts have thrown or written as an error."""
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded"])
        self.tab = self.send("browsingContext.create", type="tab")["context"]

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and return its result.

        Raises:
            BrowserError: if Firefox refuses it.
            TimeoutError: if it does not answer.
        """
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv(WAITS))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.errors.append(f"{said['params']['type']}: {said['params']['text']}")
            if said.get("id") == number:
                if said["type"] == "error":
                    raise BrowserError(f"{method}: {said['error']}: {said['message']}")
                result: dict[str, Any] = said["result"]
                return result

    def open(self, address: str, width: int, height: int) -> None:
        """Go to an address in a window whose page is so many pixels wide and high."""
        self.size(width, height)
        self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def size(self, width: int, height: int) -> None:
        """Make the window's page so many pixels wide and high."""
        self.send("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression: a number, a text, a truth value or None."""
        answer = self.send(
            "script.evaluate", expression=expression, target={"context": self.tab}, awaitPromise=True, resultOwnership="none"
        )
        if answer["type"] != "success":
            raise BrowserError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def until(self, expression: str, why: str) -> None:
        """Wait until an expression is true; while it throws, it is not."""
        end = time.monotonic() + WAITS
        said: Any = None
        while time.monotonic() < end:
            try:
                said = self.evaluate(expression)
            except BrowserError as error:
                said = error
            else:
                if said:
                    return
            time.sleep(0.1)
        raise AssertionError(f"{why}: {expression} is {said!r}")

    def press(self, *keys: str) -> None:
        """Press keys one after the other; `Control+Enter` together."""
        actions = []
        for chord in keys:
            parts = [KEYS.get(each, each) for each in ([chord] if len(chord) == 1 else chord.split("+"))]
            actions += [{"type": "keyDown", "value": each} for each in parts]
            actions += [{"type": "keyUp", "value": each} for each in reversed(parts)]
        self.send("input.performActions", context=self.tab, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def write(self, text: str) -> None:
        """Write a text where the keyboard is."""
        self.press(*("Enter" if each == "\n" else each for each in text))

    def named(self, role: str, name: str) -> dict[str, Any]:
        """The one element with a role and a name in the accessibility tree, as assistive technology finds it."""
        end = time.monotonic() + WAITS
        while True:
            locator = {"type": "accessibility", "value": {"role": role, "name": name}}
            found = self.send("browsingContext.locateNodes", context=self.tab, locator=locator)["nodes"]
            if len(found) == 1 or time.monotonic() > end:
                break
            time.sleep(0.2)
        assert len(found) == 1, f"{len(found)} elements are {role} {name!r}"
        node: dict[str, Any] = found[0]
        return node

    def click(self, role: str, name: str) -> None:
        """Click in the middle of such an element."""
        origin = {"type": "element", "element": {"sharedId": self.named(role, name)["sharedId"]}}
        actions = [
            {"type": "pointerMove", "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self.send("input.performActions", context=self.tab, actions=[{"type": "pointer", "id": "mouse", "actions": actions}])


@contextmanager
def firefox(executable: str, profile: Path) -> Iterator[Firefox]:
    """A headless Firefox with a profile of its own, ended afterwards."""
    command = [executable, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            listens = next(filter(None, map(LISTENS.search, process.stderr)), None)
            assert listens is not None, "Firefox ended before it listened"
            with connect(f"{listens[1]}/session", max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
