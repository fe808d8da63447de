"""Texts of programs, as a terminal or a report may have them: it obeys none of the signs in them."""

from __future__ import annotations


def harmless(text: str) -> str:
    """A text without escapes and marks that turn the direction of text or hide in it; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def on_a_line(text: str) -> str:
    """The same on one line."""
    return " ".join(harmless(text).split())
