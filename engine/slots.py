"""Places that a room leaves open for one above it, which it does not import; `engine.wiring` fills them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


def _empty(*_: Any) -> Any:
    raise RuntimeError("nothing has been put there; `engine.wiring` does it")


@dataclass(slots=True)
class Slots:
    """What a room above fills in."""

    picture: Callable[[Any], str] = _empty
    """Of a recording, as HTML, where a notebook shows it."""
    elsewhere: Callable[[], Any] = _empty
    """The backend (`engine.sandbox.runner.Backend`) to which programs go; None where this machine runs them."""
    jobs: dict[str, Callable[[], Any]] = field(default_factory=dict)
    """By the kind of a job: loads what a child does for it (`engine.sandbox.processes.child.Work`)."""


slots = Slots()
"""Those of this process."""
