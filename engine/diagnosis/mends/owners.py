"""What mends parameters that no optimizer has: registered, listed, given to the right one."""

from __future__ import annotations

from ...recording.events import Site
from ..mending import Changes, keyword, replaced, text_at, wrapped
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
