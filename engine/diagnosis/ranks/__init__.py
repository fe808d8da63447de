"""Several ranks of one training: what is known of each (`facts`), and what is wrong with them together (`rules`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...recording.recording import Recording
from ..ignoring import split
from ..over_iterations import over_iterations
from ..reason import Finding
from . import rules as rules
from .facts import RankFacts as RankFacts
from .facts import facts_of as facts_of
from .registry import in_order
from .registry import kinds as kinds
from .world import World

CONSEQUENCES = {"gradient_not_reduced": {"ranks_differ"}, "idle_on_ranks": {"gradient_not_reduced", "ranks_differ"}}
"""Findings that say no more than that another one has taken effect; not where ranks differ from the start."""


def one_world(ranks: Sequence[RankFacts | Recording]) -> bool:
    """Whether these are different ranks of one training."""
    numbers = [each.rank for each in ranks]
    sizes = {each.world_size for each in ranks}
    return len(ranks) > 1 and len({*numbers}) == len(numbers) and len(sizes) == 1 and sizes.pop() > 1


def rank_findings(
    ranks: Iterable[RankFacts], first: Recording, ignore: Collection[str] = ()
) -> tuple[list[Finding], list[Finding]]:
    """What is wrong with the ranks together, and what of it is ignored.

    Args:
        first: the recording of the lowest rank, in whose text and log findings have their places.
    """
    world = World([*ranks], first)
    found = [each for rule in in_order() for each in rule(world)]
    implied = {id for each in found for id in CONSEQUENCES.get(each.rule, ())}
    told = [each for each in found if each.rule not in implied or _from_the_start(world, each)]
    return split(first, over_iterations(first, told), ignore)


def _from_the_start(world: World, finding: Finding) -> bool:
    return finding.rule == "ranks_differ" and bool(world.passes) and finding.step <= world.passes[0][0].step
