"""Texts to go back to: so many of them, and so much memory, that a long visit costs no more than a short one."""

from __future__ import annotations

import sys

MAX_TEXTS = 100
MAX_BYTES = 4 * 2**20
"""Bytes of all texts together; the last one is kept whatever it takes, since a program is bounded itself."""


def remember(texts: list[str], text: str) -> None:
    """Put a text at the end, and let go of the oldest ones there is no room for."""
    texts.append(text)
    room, kept = MAX_BYTES, 0
    for each in reversed(texts[-MAX_TEXTS:]):
        room -= sys.getsizeof(each)
        if room < 0 and kept:
            break
        kept += 1
    del texts[: len(texts) - kept]
