"""Where the kernel has no filter for us: Python's own audit hook denies everything that reaches outside.

It can never be removed. It does not hold against a program that gets at raw memory, which the language layer prevents.
"""

from __future__ import annotations

import sys
from typing import Any

ALLOWED = frozenset(
    (
        "array.__new__", "builtins.id", "code.__new__", "compile", "exec", "function.__new__", "marshal.loads",
        "object.__delattr__", "object.__getattr__", "object.__setattr__", "sys._getframe", "sys._getframemodulename",
        "sys.excepthook", "sys.unraisablehook", "time.sleep",
    )
)  # fmt: skip
"""The events of a process that computes. New ones of later Pythons are denied until they have been reviewed and listed here."""


def deny_the_rest() -> None:
    """From here on every other event is an error in this process."""
    # The name is bound here: a program that gets at this module must not be able to widen the list.
    allowed = ALLOWED

    def hook(event: str, arguments: Any) -> None:
        if event not in allowed:
            if event == "import":
                raise ModuleNotFoundError(f"No module named {arguments[0]!r}", name=arguments[0])
            raise PermissionError(f"programs may not do this here: {event}")

    sys.addaudithook(hook)
