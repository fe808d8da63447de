"""What mends parameters that no optimizer has: registered, listed, given to the right one."""

from __future__ import annotations

from ...recording.events import Site
from ..mending import (
    Changes,
    before,
    beside,
    dropped,
    in_body,
    keyword,
    loop_around,
    moved,
    replaced,
    spot,
    statement_at,
    text_at,
    wrapped,
)
from ..run import Run


def registered(run: Run, made: Site | None) -> Changes:
    """A tensor that a module makes for itself as a Parameter."""
    plain = keyword(run, made, "requires_grad", None)
    return wrapped(run, made, "nn.Parameter(", ")") if plain else []


def given_instead(run: Run, site: Site, text: str) -> Changes:
    """Other parameters for an optimizer."""
    return replaced(run, site, text)


def listed(run: Run, generator: Site) -> Changes:
    """A generator that is kept as a list."""
    text = text_at(run, generator)
    return replaced(run, generator, f"list({text.strip('()') if text.startswith('(') else text})") if text else []


def along_classes(run: Run, softmax: Site | None) -> Changes:
    """A softmax along the last dimension."""
    return keyword(run, softmax, "dim", "1")


def made_before(run: Run, optimizer: Site | None, born: int) -> Changes:
    """The optimizer is made after parameters that were made later; where a forward pass in a loop made them, after one that is
    there for that alone."""
    statement = statement_at(run, optimizer)
    called = beside(run, born, statement)
    target = in_body(run, called, statement)
    if statement is None or called is None or target is None:
        return []
    loop = loop_around(run, called, outermost=True)
    if loop is None:
        return moved(run, statement, after=target) if target.line > statement.line else []
    found = spot(run, called)
    if target != loop or found is None or "\n" in found.text() or "\n" in text_at(run, statement):
        return []
    lines = ("with torch.no_grad():", f"    {found.text()}", text_at(run, statement))
    return [*dropped(run, statement), *before(run, loop, *lines)]
