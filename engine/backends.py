"""`torch.backends`: the switches that programs set; none has an effect, and no accelerator is available."""

from __future__ import annotations


class _Backend:
    """One backend's switches."""

    def __init__(self, **switches: object) -> None:
        self.__dict__.update(switches)

    def is_available(self) -> bool:
        """Always False."""
        return False

    def is_built(self) -> bool:
        """Always False."""
        return False


cudnn = _Backend(deterministic=False, benchmark=False, enabled=False, allow_tf32=False)
cuda = _Backend()
mps = _Backend()
mkldnn = _Backend(enabled=False)
