"""Places that a room leaves open for one above it, which it does not import; `engine.wiring` fills them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def _empty(*_: Any) -> Any:
    raise RuntimeError("nothing has been put there; `engine.wiring` does it")


def _unseen(_: str) -> None:
    """Nobody looks at what is drawn."""


def _plainly(setup: str, text: str, names: dict[str, Any]) -> Callable[[], Any]:
    """As Python runs it: the text is that of a user's own process."""
    exec(compile(setup, "<setup>", "exec", dont_inherit=True), names)
    code = compile(text, "<stmt>", "exec", dont_inherit=True)
    return lambda: exec(code, names)


@dataclass(slots=True)
class Slots:
    """What a room above fills in."""

    picture: Callable[[Any], str] = _empty
    """Of a recording, as HTML, where a notebook shows it."""
    elsewhere: Callable[[], Any] = _empty
    """The backend (`engine.sandbox.runner.Backend`) to which programs go; None where this machine runs them."""
    open: Callable[..., Any] = open
    """Opens a file by its path, as Python's own does: a sandbox has files in memory."""
    statement: Callable[[str, str, dict[str, Any]], Callable[[], Any]] = _plainly
    """What runs a statement that is given as text, with these names, after another one has run: a sandbox looks at it first."""
    figure: Callable[[str], None] = _unseen
    """Takes a figure that a program shows, as text (`engine.figures.data`)."""
    jobs: dict[str, Callable[[], Any]] = field(default_factory=dict)
    """By the kind of a job: loads what a child does for it (`engine.sandbox.processes.child.Work`)."""


slots = Slots()
"""Those of this process."""
