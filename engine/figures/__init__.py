"""Figures as programs describe them: the calls of matplotlib that they make, as plain data, and which calls are known."""

from .data import Call, Figure, decoded, encoded, title_of, title_of_text

__all__ = ["Call", "Figure", "decoded", "encoded", "title_of", "title_of_text"]
