"""Where the graph is cut: the operations whose result forgets the graph of what it was computed from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from engine.diagnosis.findings.run import Run, key
from engine.recording.events import NOTHING, FlagSet, OpRan

_REWRAP = re.compile(r"\.(item|numpy|tolist)\(\)|\bfloat\(|\b(?:torch\.)?(tensor|as_tensor|from_numpy|Tensor)\(")
CREATES = frozenset(("tensor", "constant", "as_tensor", "from_numpy", "Parameter", "Tensor", "asarray"))


class Cut(NamedTuple):
    """An operation at which a gradient's way ends."""

    step: int
    kind: str
    """What cuts: "detach()", "no_grad block", "argmax", …"""
    source: int
    """The tensor before the cut, which requires grad; NOTHING if it went by way of Python numbers."""
    result: int

    def text(self, run: Run) -> str:
        """The cut in a sentence."""
        what = f" of {run.title(self.source)}" if self.source != NOTHING else ""
        where = run.where(self.step)
        match self.kind:
            case "detach()" | ".data":
                return f"{self.kind}{what} at {where} gives a tensor without a graph."
            case "no_grad block":
                return f"The operation on {run.title(self.source)} at {where} runs without recording (no_grad)."
            case "conversion to an integer type":
                return f"At {where}{what and what.replace(' of', '')} becomes a tensor of integers, which have no gradient."
            case "conversion to Python numbers":
                return f"At {where} the value leaves the graph as a plain number and comes back as a new tensor."
            case _:
                return f"{self.kind}{what} at {where} has no derivative, so its result does not require grad."

    def nodes(self, run: Run) -> tuple[str, ...]:
        """The two sides of the cut in the graph."""
        return tuple(key(t) for t in (self.source, self.result) if t != NOTHING)


def cut_at(run: Run, step: int) -> Cut | None:
    """The cut that an operation makes, or None."""
    event = run.events[step]
    if not isinstance(event, OpRan) or not event.outputs or any(info.requires_grad for info in event.outputs):
        return None
    result = event.outputs[0].id
    tracked = [t for t in run.inputs(event) if run.status(t, step).requires_grad]
    if event.cut and tracked:
        kinds = {"detach": "detach()", "no_grad": "no_grad block", "dtype": "conversion to an integer type"}
        kind = ".data" if event.op == "data" else kinds.get(event.cut, event.op)
        return Cut(step, kind, tracked[0], result)
    if event.op in CREATES and not tracked and _REWRAP.search(run.segment(run.site(step))):
        text = run.line(run.site(step))
        if re.search(r"\.(item|numpy|tolist)\(\)|\bfloat\(", text) or _holds_tensor(run, text, step):
            return Cut(step, "conversion to Python numbers", NOTHING, result)
    return None


def _holds_tensor(run: Run, text: str, step: int) -> bool:
    """Whether a line builds a tensor from variables that are tensors with a graph: `torch.tensor([a, b])`."""
    inside = text.partition("(")[2]
    found = (run.named_at(name, step) for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", inside)))
    return any(t != NOTHING and run.status(t, step).requires_grad for t in found)


def cuts_above(run: Run, tensor: int, most: int = 8) -> Iterator[Cut]:
    """The cuts among what a tensor was computed from, nearest first."""
    queue = deque([tensor])
    seen = {tensor}
    while queue and most:
        t = queue.popleft()
        step, event = run.op_of(t)
        cut = cut_at(run, step)
        if cut is not None:
            most -= 1
            yield cut
            continue
        earlier = [s for s in run.writes.get(t, ())]
        for maker in [event, *(e for s in earlier if isinstance(e := run.events[s], OpRan))]:
            for i in run.inputs(maker):
                if i not in seen:
                    seen.add(i)
                    queue.append(i)


def cuts_below(run: Run, tensor: int) -> Iterator[Cut]:
    """The cuts among what is computed from a tensor, nearest first; empty if something reaches a backward pass's root."""
    queue = deque([tensor])
    seen = {tensor}
    found = []
    while queue and len(seen) < 20_000:
        t = queue.popleft()
        for step in run.consumers.get(t, ()):
            event = run.events[step]
            if not isinstance(event, OpRan):
                continue
            cut = cut_at(run, step)
            if cut is not None and cut.source == t:
                found.append(cut)
                continue
            for info in event.outputs:
                if info.id not in seen and info.requires_grad:
                    seen.add(info.id)
                    queue.append(info.id)
    yield from found


def made_to_require_grad(run: Run, tensor: int, before: int) -> int:
    """The step at which a tensor was told to require grad, or NOTHING."""
    for step in range(before, run.tensors[tensor].born, -1):
        event = run.events[step]
        if isinstance(event, FlagSet) and event.tensor == tensor and event.flag == "requires_grad" and event.value:
            return step
    return NOTHING
