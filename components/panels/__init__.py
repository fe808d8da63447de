"""The panels beside the graph: what one is, what it is given to draw, and which ones there are.

Each stands in a file or a folder of its own here, which declares it with `@panel`, and is found there; none imports another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from engine.discovery import modules
from engine.graph.rolled_graph import RolledGraph, rolled_graph
from engine.recording import Recording

if TYPE_CHECKING:
    from components.page.state import Page

M = TypeVar("M")
TRY = 50
"""Panels from this number on try something with the program; those before it look at the run."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside a panel: the recording on show and the moment of it, and the visitor's page.

    No control of Streamlit's may be given it to keep (in a `format_func`, say): it would hold the recording a whole visit long.
    """

    recording: Recording
    step: int
    """The step that the player stands at."""
    page: Page

    @property
    def node(self) -> str | None:
        """The selected node (`t3`, `n5`), None for nothing and for a closed group."""
        return self.page.node

    @property
    def rolled(self) -> RolledGraph | None:
        """The rolled view on show, if the run is rolled."""
        p = self.page
        return rolled_graph(self.recording, p.view, p.turned) if p.rolls(self.recording) else None

    def memory(self, kind: type[M]) -> M:
        """What a panel keeps for this visitor from one drawing to the next: its own class, which is made without arguments."""
        return self.page.memory(kind)


Draw = Callable[[Beside], dict[str, Any] | None]
"""Draws a panel, and returns the marks that it wants over the graph, if any."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel: its name, its order in the row of tabs, and what draws it."""

    name: str
    order: int
    draw: Draw
    label: Callable[[Recording], str] | None = None
    """What its tab says of a recording, where that is more than the name."""
    when: Callable[[Recording], bool] = lambda _: True
    """Whether it is offered for a recording."""
    timed: bool = True
    """Whether what it says is of the moment on show; else it is of the run."""
    finds: bool = False
    """Whether it says all that was found in a run: what names a finding elsewhere leads there."""

    def title(self, recording: Recording) -> str:
        """What its tab says."""
        return self.name if self.label is None else self.label(recording)


_PANELS: dict[str, Panel] = {}


def panel(
    name: str,
    order: int,
    label: Callable[[Recording], str] | None = None,
    when: Callable[[Recording], bool] = lambda _: True,
    timed: bool = True,
    finds: bool = False,
) -> Callable[[Draw], Draw]:
    """Declare a panel.

    Args:
        order: tabs stand by this number, the smallest first; from `TRY` on they stand under that word, the others under "Look".
        label: what its tab says of a recording, where that is more than the name.
        when: whether it is offered for a recording; every panel is for all, unless it says otherwise.
        timed: whether what it says is of the moment on show; where it is not, it stays in force from step to step.
        finds: whether it says all that was found in a run; one does.
    """

    def declare(draw: Draw) -> Draw:
        other = _PANELS.get(name)
        if other is not None and other.draw.__module__ != draw.__module__:
            raise ValueError(f"two panels are called {name!r}: in {other.draw.__module__} and in {draw.__module__}")
        _PANELS[name] = Panel(name, order, draw, label, when, timed, finds)
        return draw

    return declare


@cache
def panels() -> dict[str, Panel]:
    """All panels by name, in the order of their tabs.

    Raises:
        TypeError: for a file or folder here that declares none.
    """
    modules(__name__, __path__)
    declaring = {each.draw.__module__ for each in _PANELS.values()}
    if silent := sorted({f"{__name__}.{each.name}" for each in iter_modules(__path__)} - declaring):
        raise TypeError(f"{', '.join(silent)}: a file here declares a panel, with @panel(name, order)")
    return {each.name: each for each in sorted(_PANELS.values(), key=lambda each: (each.order, each.name))}


def of_findings() -> str:
    """The name of the panel that says all that was found in a run."""
    return next(name for name, each in panels().items() if each.finds)
