"""The figures of a run: drawn in the pool by a process of their own, and shown as images, in which nothing can run."""

from __future__ import annotations

import threading

from components.html.markup import tag, text
from components.page import tasks
from components.page.state import Page, page
from engine.export.figures import MISSING, data_address, draw, is_there
from engine.figures import Figure, decoded, title_of
from engine.sandbox import RunResult
from engine.sandbox.calls import CallError

MOST = 24
"""Figures that are shown of a run: all of them are sent with every run of the page."""
ROOM = 8_000_000
"""Bytes of their pictures together."""


def draw_figures(p: Page) -> None:
    """Have the figures of the run on show drawn, if they are not."""
    wanted = [shown.figure for shown in p.result.figures[:MOST]] if p.result is not None else []
    missing = [figure for figure in dict.fromkeys(wanted) if figure not in p.figures]
    if not missing or "figures" in p.tasks or not is_there():
        return

    def work(stop: threading.Event) -> dict[str, bytes | str]:
        return {figure: _drawn(figure, stop) for figure in missing}

    def arrived(made: dict[str, bytes | str]) -> None:
        kept = page().figures
        page().figures = {figure: kept[figure] for figure in wanted if figure in kept} | made

    # What cannot be drawn is not tried with every run of the page.
    p.figures |= dict.fromkeys(missing, "")
    tasks.start("figures", "Drawing figures", work, arrived, dims=False)


def _drawn(figure: str, stop: threading.Event) -> bytes | str:
    try:
        return draw(figure, stop)
    except CallError as error:
        return f"It could not be drawn: {error}."


def figure_html(p: Page, figure: str, room: int = ROOM) -> str:
    """A figure as an image with its title as a text instead, or why there is none."""
    try:
        told = decoded(figure)
    except ValueError:
        return tag("div", "A figure that cannot be read.", cls="gt-muted")
    made = p.figures.get(figure, "")
    if isinstance(made, bytes) and len(made) <= room:
        width, height = told.size
        return (
            f'<figure class="gt-figure"><img src="{data_address(made)}" alt="{text(alternative(told))}" width="{width}" '
            f'height="{height}"></figure>'
        )
    if isinstance(made, bytes):
        why = "There are more figures than are shown at once; gradtape run --save-figures writes them all."
    elif not is_there():
        why = MISSING
    else:
        why = made or ("It is being drawn." if "figures" in p.tasks else "")
    return tag("div", text(f"[{title_of(told)}] {why}"), cls="gt-muted")


def alternative(figure: Figure) -> str:
    """What a figure shows, for those who do not see it."""
    return f"Plot, {title_of(figure)}"


def between(p: Page, result: RunResult, cell: int | None = None) -> list[tuple[int, str]]:
    """The figures of a run, or of one of its cells, as HTML, each after so many characters of the output."""
    found, room = [], ROOM
    for number, shown in enumerate(result.figures):
        if cell is None or shown.cell == cell:
            made = p.figures.get(shown.figure, "")
            found.append((shown.after, figure_html(p, shown.figure, room if number < MOST else -1)))
            room -= len(made) if isinstance(made, bytes) else 0
    return found
