"""The catalogue of rules: every kind of finding with a program that has it and the same program mended, from `assets/rules`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..ranks import registry as across_ranks
from ..reason import Kind
from .registry import in_order, kinds_of

RULES = Path(__file__).resolve().parents[3] / "assets" / "rules"
"""A file for each kind, in a checkout as where Gradtape is installed."""
BROKEN, MENDED = "# %% broken\n", "# %% mended\n"


class Entry(NamedTuple):
    """One kind of finding, with its programs."""

    kind: Kind
    about: str
    """What goes wrong in the broken program, in one sentence."""
    broken: str
    mended: str


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds of findings by id, in the order of the rules that declare them."""
    return {kind.id: kind for rule in in_order() for kind in kinds_of(rule)}


@cache
def every_kind() -> Mapping[str, Kind]:
    """These, and those that are found in several ranks of one training only."""
    return {**kinds(), **across_ranks.kinds()}


@cache
def entry(id: str) -> Entry:
    """What the catalogue has of a kind; a `KeyError` where there is no such kind."""
    kind = every_kind()[id]
    text = (RULES / f"{id}.py").read_text(encoding="utf-8")
    head, _, programs = text.partition(BROKEN)
    broken, _, mended = programs.partition(MENDED)
    return Entry(kind, head.strip().strip('"'), broken.strip() + "\n", mended.strip() + "\n")


def entries() -> list[Entry]:
    """The whole catalogue, in the order of the rules."""
    return [entry(id) for id in every_kind()]


def nearest(id: str) -> str:
    """The id of a kind that is written most like one that is not there, "" if none is."""
    return next(iter(get_close_matches(id, every_kind(), 1)), "")
