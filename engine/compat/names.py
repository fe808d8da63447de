"""What PyTorch has: the names in its namespaces. An operation declared here stands wherever PyTorch has its name, and a name
that PyTorch has and Gradtape has not can be told from a mistake in spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import nearest, unsupported
from .version import RELEASES, followed, when_followed

_SECTION = re.compile(r"\[(.+?)\]\n([^\[]*)")


def _listed(file: str) -> dict[str, frozenset[str]]:
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return {owner: frozenset(names.split()) for owner, names in _SECTION.findall(text)}


_FIRST = _listed("names.txt")
_CHANGES = {release: _listed(f"names_{release}.txt") for release in RELEASES[1:]}
"""What each release has changed in a namespace: `+name` has come, `-name` has gone."""
SURFACE = {
    owner: _FIRST.get(owner, frozenset()).union(
        *({name[1:] for name in changed.get(owner, ()) if name[0] == "+"} for changed in _CHANGES.values())
    )
    for owner in {*_FIRST, *(owner for changed in _CHANGES.values() for owner in changed)}
}
"""Public names by namespace that PyTorch has in any of the releases that can be followed."""

TENSOR_METHODS = SURFACE["torch.Tensor"]


def absent(owner: str) -> frozenset[str]:
    """The names that the release which is followed has not, of those that another one has."""
    before, after = set[str](), set[str]()
    for release in RELEASES[1:]:
        changed = _CHANGES[release].get(owner, frozenset())
        come, gone = ({name[1:] for name in changed if name[0] == sign} for sign in "+-")
        if RELEASES.index(release) <= RELEASES.index(followed()):
            before = (before - come) | gone
        else:
            after |= come - gone
    return frozenset(before | after)


_HIDDEN: dict[str, dict[str, Any]] = {}
"""By namespace, what it has and does not show with the release that is followed."""


def keep_to_release(owner: str, names: Callable[[], Mapping[str, Any]], put: Callable[[str, Any], None],
                    drop: Callable[[str], None]) -> None:  # fmt: skip
    """Let a namespace hold what the release that is followed has: now, and whenever another one is followed.

    Args:
        names: what it holds, `put` and `drop`: change it.
    """
    if not any(owner in changed for changed in _CHANGES.values()):
        return
    hidden = dict(_HIDDEN.get(owner, {}))  # of the module, where this is what programs see of one
    _HIDDEN.setdefault(owner, hidden)

    def renew() -> None:
        gone = absent(owner)
        for name in [name for name in hidden if name not in gone]:
            put(name, hidden.pop(name))
        for name in gone & names().keys():
            hidden[name] = names()[name]
            drop(name)

    renew()
    when_followed(renew)


def keep_module_to_release(owner: str, names: dict[str, Any]) -> None:
    """The same for the names of a module."""
    keep_to_release(owner, lambda: names, names.__setitem__, names.__delitem__)


def missing(owner: str, name: str, supported: Iterable[str]) -> AttributeError:
    """The error for a name that `owner` does not have here: in PyTorch's words if PyTorch has no such name either."""
    if name in SURFACE.get(owner, ()) and name not in absent(owner):
        return unsupported(owner, name, supported)
    near = nearest(owner, name, supported)
    return AttributeError(f"module '{owner}' has no attribute '{name}'" + (f".{near}" if near else ""))
