"""The user's own PyTorch on the same tape: what a training script does there is written down as the engine's runs are.

    import gradtape
    with gradtape.record("run.gradtape"):
        train()

PyTorch is imported here and nowhere else; which release it is, is the user's affair.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .session import Session as Session
    from .session import record as record
    from .session import start as start
    from .session import stop as stop

_OF_THE_SESSION = ("Session", "record", "start", "stop")


def __getattr__(name: str) -> Any:
    """PyTorch is imported with the first of these, because which code is the user's, and its loops, is found without it."""
    if name not in _OF_THE_SESSION:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".session", __name__), name)
