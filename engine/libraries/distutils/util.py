"""`distutils.util`."""

from __future__ import annotations

__all__ = ["strtobool"]


def strtobool(val: str) -> int:
    """1 for a text that says yes, 0 for one that says no.

    Raises:
        ValueError: for one that says neither.
    """
    val = val.lower()
    if val in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if val in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {val!r}")
