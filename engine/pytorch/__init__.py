"""The user's own PyTorch on the same tape: what a training script does there is written down as the engine's runs are.

    import gradtape
    with gradtape.record("run.gradtape"):
        train()

PyTorch is imported here and nowhere else; which release it is, is the user's affair.
"""

from __future__ import annotations

from .session import Session as Session
from .session import record as record
from .session import start as start
from .session import stop as stop
