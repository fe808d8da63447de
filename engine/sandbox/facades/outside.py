"""Modules about processes and the machine: they can be imported, since many programs begin with them, and have next to nothing;
whatever is used of them says what to do instead."""

from __future__ import annotations

from ..policy.errors import MissingAttribute
from ..policy.inert import refusal
from .absent import INSTEAD
from .facade import Facade, Missing

NAMED = {
    "multiprocessing": ("Pool", "Process"),
    "threading": ("Lock", "Thread"),
}
"""Module → what programs import from it by name; it is refused when it is called."""


def facades() -> dict[str, Facade]:
    """The modules by name."""
    made = {}
    for module, names in NAMED.items():
        refused = {name: refusal(f"{module}.{name}()", INSTEAD[module]) for name in names}
        made[module] = Facade(module, refused, missing(module))
    return made


def missing(module: str) -> Missing:
    """What makes the error for a name that such a module does not have here."""
    help = INSTEAD.get(module.partition(".")[0], "What reaches beyond the program is left out.")
    return lambda name: MissingAttribute(f"module '{module}' has no attribute '{name}' for programs here", help)
