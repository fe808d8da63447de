"""The design and the letters' widths for the page's painter, written from the engine's by `python -m tests.bundles`."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from engine.export.fonts import MISSING, advances
from engine.export.shortening import BADGE, ELLIPSIS, FRONT, WORD
from engine.graph.design import PALETTES, sizes

SOURCES = Path(__file__).resolve().parents[1] / "components/player/frontend/src"
HEAD = "/** {} `python -m tests.bundles` writes this file. */\n\n"
COLOURS = ("stroke", "fill", "block")
"""Fields of a look that name a colour."""


def files() -> dict[Path, str]:
    """What is written, and where."""
    return {SOURCES / "design.js": design(), SOURCES / "letters.js": letters()}


def write() -> None:
    """Write them."""
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


def stale() -> list[str]:
    """The files that are not what the engine says."""
    return [path.name for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def design() -> str:
    """Colours and sizes."""
    parts: dict[str, Any] = {
        "PALETTES": {theme: asdict(colours) for theme, colours in PALETTES.items()},
        "WEIGHTS": sizes.WEIGHTS,
        "FONTS": {name: asdict(font) for name, font in sizes.FONTS.items()},
        "LOOKS": {tone: _named(asdict(look)) for tone, look in sizes.LOOKS.items()},
        **{name: asdict(part) for name, part in sizes.PARTS.items()},  # type: ignore[call-overload]
    }
    told = "".join(f"export const {name} = {_written(value)};\n\n" for name, value in parts.items())
    return HEAD.format("The design of the picture, as `engine/graph/design` has it.") + told.rstrip() + "\n"


def letters() -> str:
    """How wide every letter is, in thousandths of the font's size: runs of characters that follow one another."""
    regular, bold = advances(False), advances(True)
    codes = sorted(ord(letter) for letter in regular.keys() & bold.keys())
    runs = []
    for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0]):
        found = [code for _, code in run]
        widths = [" ".join(str(round(known[chr(code)] * 1000)) for code in found) for known in (regular, bold)]
        runs.append(f"  [{found[0]}, '{widths[0]}', '{widths[1]}'],\n")
    head = HEAD.format("How wide letters are in thousandths of their size, regular and bold: runs from a first character on.")
    constants = {
        "RUNS": f"[\n{''.join(runs)}]", "MISSING": str(round(MISSING * 1000)), "ELLIPSIS": f"'{ELLIPSIS}'", "FRONT": str(FRONT),
        "WORD": str(WORD), "BADGE": str(BADGE),
    }  # fmt: skip
    return head + "\n".join(f"export const {name} = {value};\n" for name, value in constants.items())


def _named(look: dict[str, Any]) -> dict[str, Any]:
    return {name: _camel(value) if name in COLOURS else value for name, value in look.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def _written(value: Any, deep: int = 0) -> str:
    """A value as JavaScript, an object with a line for each of its properties."""
    if not isinstance(value, dict):
        return json.dumps(value).replace('"', "'")
    pad = "  " * (deep + 1)
    lines = "".join(f"{pad}{_camel(name) or repr(name)}: {_written(one, deep + 1)},\n" for name, one in value.items())
    return f"{{\n{lines}{'  ' * deep}}}"
