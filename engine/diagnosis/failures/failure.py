"""What one kind of error means: plain data."""

from __future__ import annotations

import re
from typing import NamedTuple

LOOKED_AT = 2_000
"""Characters of a message in which patterns are looked for: the page does it, and a program says as much as it likes there."""


class Case(NamedTuple):
    """What an error says in particular. In title and fix `{1}` stands for the first group of the pattern, `{layer}` for the
    path of the module that failed, `{call}` for what was called, `{given}` and `{other}` for the first tensors given to it."""

    pattern: str
    """What is looked for in the message."""
    title: str
    fix: str = ""
    """What to do; "" where the failure's own says enough."""
    layer: str = ""
    """The class of the module that must have failed; "" for any."""

    def search(self, message: str) -> re.Match[str] | None:
        """Where a message says it."""
        return re.search(self.pattern, looked_at(message))


def looked_at(message: str) -> str:
    """What of a message patterns are looked for in."""
    return message[:LOOKED_AT]


class Failure(NamedTuple):
    """A text of PyTorch's or Python's, explained."""

    code: str
    """The name of the finding that explains it."""
    said: tuple[str, ...]
    """Parts of the message, one of which is in it; none for whatever an exception of `types` says."""
    title: str
    explanation: str
    fix: str
    """What to do; `{name}` stands for the tensor's name."""
    name: str = ""
    """What stands for the name where it is not known."""
    cases: tuple[Case, ...] = ()
    types: tuple[str, ...] = ()
    """The exceptions that it may be; any, where none is named."""
    severity: str = "error"
    """How bad it is: "error" for what ended the program, less for what it was warned of."""
    mechanical: bool = False
    """Whether what mends it can be written by rule."""

    def remedy(self, name: str = "") -> str:
        """What to do, with the tensor's name if it is known."""
        return self.fix.replace("{name}", name or self.name)

    def tells(self, message: str, type: str) -> bool:
        """Whether an exception is of this kind. Where its type is not known, the message alone must say so."""
        if self.types and type not in self.types:
            return False
        return any(part in message for part in self.said) if self.said else bool(type)
