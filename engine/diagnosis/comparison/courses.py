"""What runs came to: the course of each loss, to be drawn side by side, and where it ended, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...graph.numbers import number
from ...graph.rolled_graph import rolled_graph
from ...graph.shown.curves import last_losses, losses
from ...graph.shown.series import Iterations, Number
from ...graph.structure.loops import nests_of
from ...recording.columns import columns_of
from ...recording.recording import Recording


class Course(msgspec.Struct, frozen=True):
    """A loss over several runs, in the order in which they were given."""

    name: str
    values: tuple[tuple[Number, ...], ...]
    """For each run, over the iterations of its main loop, or over its backward passes where it has none; empty for a run that
    has no such loss. None where it is not finite."""
    ends: tuple[float | None, ...]
    """The last number of each run; None for one that has no such loss."""
    unit: str = "iteration"
    """What is counted: "iteration", or "pass"."""

    @property
    def told(self) -> str:
        """Where the runs ended: "final loss 0.644 → 0.517", and after how many iterations if those are not the same."""
        ends = ["none" if end is None else number(end) for end in self.ends]
        told = f"{self.name} {ends[0] if len(set(ends)) == 1 else ' → '.join(ends)}"
        counts = [len(run) for run in self.values]
        if max(counts) < 2:
            return told
        plural = f"{self.unit}es" if self.unit == "pass" else f"{self.unit}s"
        return f"final {told}" + ("" if len(set(counts)) == 1 else f", after {' → '.join(map(str, counts))} {plural}")


def courses(runs: Sequence[Recording]) -> list[Course]:
    """The losses that at least two of the runs have, by name; where they have no name in common, the first one of each."""
    unit = "iteration" if all(nests_of(run).worth for run in runs) else "pass"
    named, ends = [_losses(run) for run in runs], [_ends(run) for run in runs]
    if all(named) and not set.intersection(*map(set, named)):
        firsts = [next(iter(own)) for own in named]
        values = tuple(own[name] for own, name in zip(named, firsts))
        last = tuple(own[name] for own, name in zip(ends, firsts))
        return [Course(" and ".join(dict.fromkeys(firsts)), values, last, unit)]
    names = dict.fromkeys(name for own in named for name in own)
    found = [
        Course(name, tuple(own.get(name, ()) for own in named), tuple(own.get(name) for own in ends), unit) for name in names
    ]
    return [course for course in found if sum(map(bool, course.values)) > 1]


def _ends(recording: Recording) -> dict[str, float]:
    """The last number of each of a run's losses, by name; kept on the recording, as `_losses` is."""
    found: dict[str, float] = recording.once("ends of losses", lambda: last_losses(recording))
    return found


def _losses(recording: Recording) -> dict[str, tuple[Number, ...]]:
    """The course of each of a run's losses, by name."""
    found: dict[str, tuple[Number, ...]] = recording.once("courses of losses", lambda: _courses_of(recording))
    return found


def _courses_of(recording: Recording) -> dict[str, tuple[Number, ...]]:
    if nests_of(recording).worth:
        return {curve.name: tuple(curve.values) for curve in losses(recording, rolled_graph(recording).iterations)}
    passes = columns_of(recording).passes
    curves = losses(recording, Iterations(passes.began, passes.ended), fewest=1)
    return {curve.name: tuple(value for value in curve.values if value is not None) for curve in curves}
