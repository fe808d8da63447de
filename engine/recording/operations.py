"""What a recording's table of operations says of them: which have a trait, and how one is written.

Recordings that were made before operations had traits name their operations and say nothing of them. For those the answer comes
from `former_traits.txt`: what the operations of that time were known to be, by name. It is finished, not kept up: whatever is
recorded since carries its own table, so an operation that is declared today has no business in it. Plain data, because a
recording opens without the engine.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Protocol

from ..op.traits import TRAITS
from .recording import OpInfo, Recording

_SECTION = re.compile(r"\[(.+?)\]\n([^\[]*)")


class Described(Protocol):
    """What has a table of operations."""

    ops: dict[str, OpInfo]


@cache
def former() -> dict[str, frozenset[str]]:
    """The operations that had a trait before recordings said so, by trait."""
    text = Path(__file__).with_name("former_traits.txt").read_text(encoding="utf-8")
    return {trait: frozenset(names.split()) for trait, names in _SECTION.findall(text)}


def having(recording: Recording, trait: str) -> frozenset[str]:
    """The names of the operations that have a trait, in this recording.

    Raises:
        KeyError: for a trait that there is not.
    """
    key = f"having {trait}"
    found = recording.derived.get(key)
    if found is None:
        found = recording.derived[key] = frozenset(_having(recording, trait))
    assert isinstance(found, frozenset)
    return found


def _having(recording: Described, trait: str) -> set[str]:
    if trait not in TRAITS:
        raise KeyError(trait)
    silent = {name for name in former().get(trait, ()) if name not in recording.ops or recording.ops[name].traits is None}
    return silent | {name for name, info in recording.ops.items() if info.traits is not None and trait in info.traits}
