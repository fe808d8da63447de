"""What a recording's table of operations says of them: which traits one has, and the sign it is written with.

Recordings that were made before operations had traits name their operations and say nothing of them. For those the answer comes
from `former_traits.txt`: what the operations of that time were known to be, by name. It is finished, not kept up: whatever is
recorded since carries its own table, so an operation that is declared today has no business in it. Plain data, because a
recording opens without the engine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from ..op.traits import TRAITS
from .recording import OpInfo, Recording

_SECTION = re.compile(r"\[(.+?)\]\n([^\[]*)")
Table = Mapping[str, OpInfo]
"""A recording's table of operations."""


def having(recording: Recording, trait: str) -> frozenset[str]:
    """The names of the operations that have a trait, in this recording.

    Raises:
        KeyError: for a trait that there is not.
    """
    key = f"having {trait}"
    return recording.once(key, lambda: frozenset(_having(recording.ops, trait)))


def _having(ops: Table, trait: str) -> set[str]:
    if trait not in TRAITS:
        raise KeyError(trait)
    silent = {name for name in FORMER.get(trait, ()) if name not in ops or ops[name].traits is None}
    return silent | {name for name, info in ops.items() if info.traits is not None and trait in info.traits}


def traits_in(ops: Table, op: str) -> Collection[str]:
    """The traits of an operation, by the name that it has where it makes something new."""
    base = base_of(op)
    info = ops.get(base) or ops.get(op)
    if info is not None and info.traits is not None:
        return info.traits
    return _FORMER_OF.get(base, ())


def symbol_in(ops: Table, op: str) -> str:
    """The sign of an operation; its name where it has none."""
    base = base_of(op)
    info = ops.get(op) or ops.get(base)
    if info is not None and (info.symbol or info.traits is not None):
        return info.symbol or base
    return _FORMER_SYMBOLS.get(base) or base


def base_of(op: str) -> str:
    """The name without the underscore of the variant that writes in place."""
    return op[:-1] if op.endswith("_") and not op.endswith("__") else op


# --- what was known before recordings said it -----------------------------------------------------------------------------

# Read when this is imported: a process that is shut in opens no file.
FORMER = {
    trait: frozenset(names.split())
    for trait, names in _SECTION.findall(Path(__file__).with_name("former_traits.txt").read_text(encoding="utf-8"))
}
"""The operations that had a trait, by trait."""
_FORMER_SYMBOLS = dict(pair.split(":") for pair in FORMER.pop("symbol"))
"""The signs that operations had."""
_FORMER_OF = {
    op: frozenset(trait for trait, names in FORMER.items() if op in names) for op in frozenset().union(*FORMER.values())
}
"""The traits that an operation had, by operation."""
