"""`scipy` for programs: the parts that they use beside PyTorch, of the same numbers; what the program's functions are given is
copied, and what they give back is numbers."""

from __future__ import annotations

__all__: list[str] = []
__version__ = "1.17.1"
