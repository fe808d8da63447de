"""`THIRD_PARTY.md`: the licences of what is passed on with Gradtape, from what the bundles and the fonts bring along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
FONTS = "engine/export/fonts/LICENSE.txt"
INTRODUCTION = """\
# What others have made

This is passed on with Gradtape: in its wheel, its image and, what draws the graph, in every replay. `make bundles` writes this
page from the packages' own files, and a test says when it is stale. What Gradtape needs from the package index comes with
licences of its own.

| what | version | licence | part of |
| --- | --- | --- | --- |
"""


class Piece(NamedTuple):
    """One licence text, and what stands under it: (name, version, licence's name) each."""

    covers: list[tuple[str, str, str]]
    place: str
    text: str


def pieces() -> Iterator[Piece]:
    """All licence texts, bundle by bundle, and the fonts'."""
    for licences in sorted(ROOT.glob("components/*/build/LICENSES.txt")):
        part = licences.parents[1]
        locked = json.loads((part / "frontend/package-lock.json").read_text(encoding="utf-8"))["packages"]
        for each in licences.read_text(encoding="utf-8").split("\n---\n\n"):
            names, _, text = each.partition("\n\n")
            found = [(name, locked[f"node_modules/{name}"]) for name in names.split(", ")]
            covers = [(name, package["version"], package["license"].strip("()")) for name, package in found]
            yield Piece(covers, f"`{part.relative_to(ROOT).as_posix()}`", text.strip())
    head, _, text = (ROOT / FONTS).read_text(encoding="utf-8").partition("\n")
    *name, version = head.partition(" (")[0].split()
    yield Piece([(" ".join(name), version, "OFL-1.1")], "`engine/export/fonts`", f"{head}\n{text.strip()}")


def page() -> str:
    """The whole page, in Markdown."""
    found = list(pieces())
    rows = sorted(f"| {name} | {version} | {licence} | {p.place} |" for p in found for name, version, licence in p.covers)
    texts = []
    for piece in found:
        lines = "\n".join(line.rstrip() for line in piece.text.splitlines())
        texts.append(f"## {', '.join(name for name, _, _ in piece.covers)}\n\n```\n{lines}\n```\n")
    return INTRODUCTION + "\n".join(rows) + "\n\n" + "\n".join(texts)
