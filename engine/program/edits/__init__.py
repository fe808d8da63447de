"""Changes of a program's text that make another program: pure functions on text, which is read as a syntax tree and never run.

A change that cannot be made raises `RefusedError` with the reason in words for the user.
"""

from __future__ import annotations

from .parsed import RefusedError

__all__ = ["RefusedError"]
