"""The ranks of one training side by side, and what rules ask of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ...graph.numbers import number
from ...recording.recording import Recording
from ..reason import Finding, Kind
from ..run import Run, finding
from .facts import Four, PassFacts, RankFacts, StepFacts

CLOSE = 1e-5
"""How far apart, by their size, numbers may be that are the same on all ranks: what they are computed of is the same."""
FEW = 4
"""Names and ranks that are listed."""


class World:
    """Several ranks of one training; what is told of them has its place in the text and the log of the first."""

    def __init__(self, ranks: Sequence[RankFacts], first: Recording) -> None:
        self.ranks = sorted(ranks, key=lambda each: each.rank)
        self.run = Run(first)

    @cached_property
    def parameters(self) -> list[str]:
        """Those that all ranks have, in the order of the first."""
        common = set(self.ranks[0].parameters).intersection(*(each.parameters for each in self.ranks))
        return [name for name in self.ranks[0].parameters if name in common]

    @cached_property
    def _places(self) -> list[dict[str, int]]:
        return [{name: k for k, name in enumerate(each.parameters)} for each in self.ranks]

    @cached_property
    def steps(self) -> list[tuple[StepFacts, ...]]:
        """Steps that all ranks have, one of each rank, in order."""
        by_number = [{step.number: step for step in reversed(each.steps)} for each in self.ranks]
        return [tuple(mine[n] for mine in by_number) for n in sorted(set(by_number[0]).intersection(*by_number))]

    @cached_property
    def passes(self) -> list[tuple[PassFacts, ...]]:
        """The same of backward passes."""
        by_number = [{each.number: each for each in reversed(rank.passes)} for rank in self.ranks]
        return [tuple(mine[n] for mine in by_number) for n in sorted(set(by_number[0]).intersection(*by_number))]

    @cached_property
    def parts(self) -> bool:
        """Whether the ranks' networks differ at the end: who averages parameters now and then is not told that they did."""
        return not self.steps or any(apart(self.values(self.steps[-1], name)) for name in self.parameters)

    def start(self, name: str) -> list[Four | None]:
        """What a parameter was on each rank when the first backward pass began."""
        return [rank.start[place[name]] for rank, place in zip(self.ranks, self._places, strict=True)]

    def values(self, steps: Sequence[StepFacts], name: str) -> list[Four | None]:
        """What a parameter was on each rank after a step."""
        return [step.values[place[name]] for step, place in zip(steps, self._places, strict=True)]

    def gradients(self, steps: Sequence[StepFacts], name: str) -> list[Four | None]:
        """What its gradient was in a step."""
        return [step.gradients[place[name]] for step, place in zip(steps, self._places, strict=True)]

    def idle(self, steps: Sequence[StepFacts], name: str) -> list[bool]:
        """Whether it had none."""
        return [place[name] in step.idle for step, place in zip(steps, self._places, strict=True)]

    def told(self, values: Iterable[object]) -> Iterator[tuple[str, str]]:
        """A fact of each rank, of as many as are listed."""
        for rank, value in list(zip(self.ranks, values, strict=True))[: 2 * FEW]:
            yield f"rank {rank.rank}", str(value)

    def finding(
        self, kind: Kind, title: str, explanation: str, fix: str, *, step: int, evidence: Iterable[tuple[str, str]],
        nodes: Iterable[str] = (),
    ) -> Finding:  # fmt: skip
        """A finding at a moment of the first rank."""
        return finding(self.run, kind, title, explanation, fix, step=step, evidence=evidence, nodes=nodes)


def apart(values: Sequence[Four | None]) -> bool:
    """Whether ranks have different numbers, of those that are known."""
    known = [value for value in values if value is not None]
    return len(known) > 1 and any(not alike(known[0], other) for other in known[1:])


def alike(one: Four, other: Four) -> bool:
    """Whether two summaries are those of the same values."""
    size = max(abs(each) for value in (one, other) for each in value[:2])
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        scale = max(abs(a), abs(b)) if k == 3 else size
        if a != b and not (a != a and b != b) and not abs(a - b) <= CLOSE * scale:
            return False
    return True


def listed(names: Sequence[str], all_of: int = 0) -> str:
    """Names in words: "all 6 parameters", "a, b and 3 more"."""
    if all_of and len(names) == all_of and all_of > 1:
        return f"all {all_of:,} parameters"
    if len(names) <= FEW:
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[: FEW - 1])} and {len(names) - FEW + 1:,} more"


def norm(value: Four | None) -> str:
    """A summary in a word."""
    return "not known" if value is None else f"norm {number(value[3])}"
