"""`torch.nn.functional`: activations, losses and layers as functions."""

from __future__ import annotations

from typing import Any

from engine.ops import ONLY_FUNCTIONAL, public

_NAMES = {
    **{name: f for name, f in public().items() if name in ONLY_FUNCTIONAL},
    **{name: public()[name] for name in ("relu", "sigmoid", "tanh", "softmax", "log_softmax")},
}
globals().update(_NAMES)
__all__ = sorted(_NAMES)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from engine.errors import unsupported

    raise unsupported("torch.nn.functional", name, __all__)
