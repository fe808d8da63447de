"""Where the graph is cut: the operations whose result forgets the graph of what it was computed from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ...recording.events import NOTHING, FlagSet, OpRan, Read, Site
from ..run import Run, key

_REWRAP = re.compile(r"\.(item|numpy|tolist)\(\)|\bfloat\(|\b(?:torch\.)?(tensor|as_tensor|from_numpy|Tensor)\(")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*=[^=]")
_TO_NUMBERS = re.compile(r"\.(item|numpy|tolist)\(\)|\bfloat\(")
_KINDS = {
    "detach": "detach()",
    "data": ".data",
    "copy": "copy into a new tensor",
    "no_grad": "no_grad block",
    "inference": "inference_mode block",
    "dtype": "conversion to an integer type",
}
"""What the recording calls a cut, in words."""


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
            case "no_grad block" | "inference_mode block":
                how = self.kind.partition(" ")[0]
                return f"The operation on {run.title(self.source)} at {where} runs without recording ({how})."
            case "copy into a new tensor":
                return f"At {where} a new tensor is made of the values of {run.title(self.source)}, without its graph."
            case "conversion to an integer type":
                return f"At {where}{what and what.replace(' of', '')} becomes a tensor of integers, which have no gradient."
            case "conversion to Python numbers":
                leaves = f"the value{what} leaves the graph as a plain number"
                return f"At {where} {leaves}" + (" and comes back as a new tensor." if self.result != NOTHING else ".")
            case _:
                return f"{self.kind}{what} at {where} has no derivative, so its result does not require grad."

    def opened(self, run: Run) -> Site | None:
        """Where gradients were switched off, for a cut by no_grad or inference_mode."""
        place = getattr(run.events[self.step], "opened", NOTHING)
        return run.recording.sites[place] if place >= 0 else None

    def nodes(self, run: Run) -> tuple[str, ...]:
        """The two sides of the cut in the graph."""
        return tuple(key(t) for t in (self.source, self.result) if t != NOTHING)


def creates(run: Run, op: str) -> bool:
    """Whether an operation makes a leaf of values; `constant` is what a recording calls one that came about unseen."""
    return op in run.having("leaf") or op == "constant"


def cut_at(run: Run, step: int) -> Cut | None:
    """The cut that an operation makes, or None."""
    event = run.events[step]
    if not isinstance(event, OpRan) or not event.outputs or any(info.requires_grad for info in event.outputs):
        return None
    result = event.outputs[0].id
    tracked = [t for t in run.inputs(event) if run.status(t, step).requires_grad]
    if event.cut and tracked:
        kind = ".data" if event.op == "data" else _KINDS.get(event.cut, event.op)
        return Cut(step, kind, tracked[0], result)
    if creates(run, event.op) and tracked:
        return Cut(step, _KINDS["copy"], tracked[0], result)
    if creates(run, event.op) and _REWRAP.search(run.segment(run.site(step))):
        text = run.line(run.site(step))
        if _TO_NUMBERS.search(text) or _holds_tensor(run, text, step) or _holds_numbers(run, text, step):
            return Cut(step, "conversion to Python numbers", _read_before(run, step), result)
    return None


def _read_before(run: Run, step: int) -> int:
    """The tensor with a graph whose values the same line took out just before, or NOTHING."""
    for earlier in range(step - 1, max(step - 20, -1), -1):
        event = run.events[earlier]
        if isinstance(event, Read) and run.recording.line(event) == run.recording.line(run.events[step]):
            return event.tensor if run.status(event.tensor, earlier).requires_grad else NOTHING
    return NOTHING


def _holds_numbers(run: Run, text: str, step: int) -> bool:
    """Whether a line uses a variable that an earlier line took out of a tensor."""
    site = run.site(step)
    if site is None:
        return False
    names = set(re.findall(r"[A-Za-z_]\w*", text.partition("(")[2]))
    return any(_takes_out(run, site.cell).get(name, site.line) < site.line for name in names)


def _takes_out(run: Run, cell: int) -> dict[str, int]:
    """Variables of a cell that a line takes out of tensors, each with the first such line."""
    made: dict[int, dict[str, int]] = run.recording.derived.setdefault("taken out", {})
    if cell not in made:
        made[cell] = {}
        for number, line in enumerate(run.lines(cell), 1):
            begins = _ASSIGNED.match(line)
            if begins and _TO_NUMBERS.search(line):
                made[cell].setdefault(begins[1], number)
    return made[cell]


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
        for maker in [event, *(e for s in run.writes.get(t, ()) if isinstance(e := run.events[s], OpRan))]:
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
    if not found:
        yield from (
            Cut(step, "conversion to Python numbers", event.tensor, NOTHING)
            for step, event in enumerate(run.events)
            if isinstance(event, Read) and event.tensor in seen
        )  # fmt: skip


def made_to_require_grad(run: Run, tensor: int, before: int) -> int:
    """The step at which a tensor was told to require grad, or NOTHING."""
    for step in range(before, max(run.tensors[tensor].born, before - 1_000), -1):
        event = run.events[step]
        if isinstance(event, FlagSet) and event.tensor == tensor and event.flag == "requires_grad" and event.value:
            return step
    return NOTHING
