"""`torch.linalg`: linear algebra."""

from __future__ import annotations

from typing import Any

from .compat.names import keep_module_to_release
from .errors import LinAlgError
from .ops import namespace

_NAMES = namespace("torch.linalg")
globals().update(_NAMES)
__all__ = ["LinAlgError", *sorted(_NAMES)]
keep_module_to_release("torch.linalg", globals())


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from .compat.names import missing

    raise missing("torch.linalg", name, __all__)
