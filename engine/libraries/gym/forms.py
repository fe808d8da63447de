"""Which form of `reset` and `step` a program was written for: gym changed it in version 0.26, and programs of both are about.

Until then `step` gave four values and `reset` the observation alone. What a program does with them tells which it expects: the
instruction that follows its call takes so many values apart.
"""

from __future__ import annotations

import dis
import sys
from types import CodeType
from typing import Any

from ...itself import OURS
from .. import tell

OLDER = "gym: steps and resets are here as they were before version 0.26 where a program takes them so."
_NEXT: dict[tuple[CodeType, int], tuple[str, Any]] = {}
"""Code and the instruction that calls → the name and argument of the next one that does something."""


def following(depth: int) -> tuple[str, Any]:
    """What the caller, so many frames up, does next with what it is given; ("", None) where that is not the program."""
    frame = sys._getframe(depth)
    if str(frame.f_globals.get("__name__", "")).startswith(OURS):
        return "", None
    key = frame.f_code, frame.f_lasti
    if key not in _NEXT:
        later = (i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti and i.opname != "CACHE")
        found = next(later, None)
        _NEXT[key] = ("", None) if found is None else (found.opname, found.argval)
    return _NEXT[key]


def stepped(made: Any, depth: int = 3) -> Any:
    """What `step` gives: four values to a program that takes four."""
    if following(depth) != ("UNPACK_SEQUENCE", 4) or not isinstance(made, tuple) or len(made) != 5:
        return made
    tell(OLDER)
    seen, reward, over, late, info = made
    return seen, reward, bool(over or late), info


def begun(made: Any, depth: int = 3) -> Any:
    """What `reset` gives: the observation alone to a program that gives it a name."""
    name, _ = following(depth)
    if not name.startswith("STORE_") or not isinstance(made, tuple) or len(made) != 2:
        return made
    tell(OLDER)
    return made[0]


class Formed:
    """Environments whose values come in the form that the caller takes."""

    def reset(self, **kwargs: Any) -> Any:
        """Begin an episode."""
        return begun(super().reset(**kwargs))  # type: ignore[misc]

    def step(self, action: Any) -> Any:
        """Act once."""
        return stepped(super().step(action))  # type: ignore[misc]

    def seed(self, seed: Any = None) -> list[Any]:
        """Begin the generator, as before version 0.26."""
        within: Any = self
        within.unwrapped._begin(seed)
        return [seed]
