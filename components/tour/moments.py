"""Where the tour stops: found in the recording, so that its numbers are the run's own."""

from __future__ import annotations

from dataclasses import dataclass

from engine.diagnosis.ledger import Entry, ledgers
from engine.graph.numbers import ArrayTexts
from engine.recording import Recording
from engine.recording.events import Accumulated
from engine.recording.index import index_of


@dataclass(frozen=True, slots=True)
class Moment:
    """One stop: where the player goes, what it marks, and what is said there."""

    title: str
    text: str
    step: int
    select: str
    marks: tuple[str, ...] = ()


def moments(recording: Recording) -> list[Moment]:
    """The five stops in a run in which two backward passes fill a leaf; none in any other."""
    found: list[Moment] | None = recording.derived.get("tour")
    if found is None:
        found = recording.derived["tour"] = _moments(recording)
    return found


def _moments(recording: Recording) -> list[Moment]:
    filled = next((pair for pair in ledgers(recording).items() if [e.kind for e in pair[1]] == ["backward", "backward"]), None)
    if filled is None:
        return []
    leaf, (first, second) = filled
    index = index_of(recording)
    name = index.tensors[leaf].name(first.step)
    root = index.passes[first.number].event.roots[0][0]
    goal = index.tensors[root].name(first.step)
    node, leaves = f"t{leaf}", tuple(f"t{t}" for t in ledgers(recording))
    began = index.passes[first.number].began
    texts = ArrayTexts(recording)

    def total(entry: Entry) -> str:
        return texts(entry.total)

    def path(entry: Entry) -> tuple[str, ...]:
        """The tensors over which the entry's pass reached the leaf."""
        event = recording.events[entry.step]
        reached = {event.node} if isinstance(event, Accumulated) else set()
        for ran in reversed(index.passes[entry.number].ran.values):
            if any(target in reached for target, _ in index.nodes[ran].info.edges):
                reached.add(ran)
        return tuple(f"t{tensor}" for (n, _), tensor in index.owners.items() if n in reached)

    return [
        Moment(
            "A leaf",
            f"You made {name} yourself and asked for its gradient, so {name} is a leaf that requires grad. "
            f"Nothing has run backward yet: {name}.grad is None.",
            max(index.tensors[t].born for t in ledgers(recording)) + 1,
            node,
            leaves,
        ),
        Moment(
            "Forward builds the tape",
            f"Each operation computed its value and left a node on the tape, its grad_fn, that knows where that came from. "
            f"The tape now leads from {goal} back to the leaves; no .grad has changed.",
            began - 1,
            f"t{root}",
        ),
        Moment(
            "The first backward pass",
            f"{goal}.backward() walked the tape from {goal} back to {name}, multiplying by one local derivative per node. "
            f"What arrived over all paths was added up: {name}.grad is now {total(first)}.",
            first.step,
            node,
            path(first),
        ),
        Moment(
            "The second pass adds",
            f"The second pass found {texts(second.increment)} again, and backward() adds to what is there: {total(first)} + "
            f"{texts(second.increment)} = {total(second)}. It does not overwrite, because one tensor may serve many losses.",
            second.step,
            node,
            path(second),
        ),
        Moment(
            "Starting over",
            f"To begin anew, clear the gradient before the next pass: {name}.grad = None, or optimizer.zero_grad() when "
            "training. Add that line at the end of the loop, press Ctrl+Enter, and the Inspector says what changed.",
            len(recording.events) - 1,
            node,
        ),
    ]
