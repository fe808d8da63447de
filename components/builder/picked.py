"""Which tensors the builder works on: those clicked in the graph, or the newest result as a proposal."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Picked:
    """What the page keeps for the builder from run to run of the script."""

    run: str = ""
    """The run that the ids belong to."""
    ids: list[int] = field(default_factory=list)
    rev: int = 0
    """Counts changes that did not come from the builder's own list."""

    def propose(self, run: str, ids: list[int]) -> None:
        """Start over with these."""
        self.run, self.ids = run, ids
        self.rev += 1

    def click(self, run: str, id: int) -> None:
        """A tensor was clicked in the graph: it becomes the last operand, also if it was one before."""
        kept = [each for each in self.ids if each != id] if run == self.run else []
        self.propose(run, [*kept, id])
