"""A run whose names, texts and titles try to be markup, and what must not be found in anything made of it."""

from __future__ import annotations

from engine.recording import Recording
from tests.engine.recordings import Tape

TAGS = '<img src=x onerror="window.hurt=1">'
NAMES = (
    TAGS,
    "</script><script>window.hurt=1</script>",
    "]]>&lt;b&gt;\"'`${window.hurt=1}`",
    'a"];end;b["%%{init:{}}%%',
    '\\N\\" -> evil [label=\\"',
    "nul\0bell\x07rtl\u202eesc\x1b[31m",
    "漢字 σ ∂ ₀ 🙂",
    "x" * 5000,
)


def hostile() -> Recording:
    """Each name is a leaf's; they are added up."""
    tape = Tape(
        source="\n".join(f"# {name}" for name in NAMES if len(name) < 100) + "\n</script><script>window.hurt=1</script>"
    )
    total = None
    for line, name in enumerate(NAMES, 1):
        leaf = tape.leaf([1.0, 2.0], line=line, name=name)
        total = leaf if total is None else tape.op("add", [total, leaf], total.array + leaf.array, lambda g: (g, g), line=line)
    assert total is not None
    tape.printed(TAGS + "</pre></script>\n")
    tape.backward(total, line=3)
    return tape.recording()
