"""Rules about writing in place: the scene of the crime when a saved tensor was changed, and writes that are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...recording.events import NOTHING, OpRan
from ...recording.index import Pass
from ..reason import Finding
from ..run import Run, finding, key
from .graph import failing_node
from .registry import rule

_MODIFIED = "modified by an inplace operation"


class Crime(NamedTuple):
    """A saved tensor that was changed before the node that saved it ran."""

    tensor: int
    node: int
    name: str
    """The node's name for what it saved."""
    saved: int
    found: int
    """The versions when it was saved and when it was needed."""
    writes: list[int]


@rule(70)
def changed_saved_tensor(run: Run) -> Iterator[Finding]:
    """A backward pass fails because a tensor it needs was written in place since it was saved."""
    for entry in run.passes:
        if entry.ended >= len(run.events) or _MODIFIED not in getattr(run.events[entry.ended], "error", ""):
            continue
        crime = _crime(run, entry)
        if crime is None:
            continue
        caught = run.raised is None or _MODIFIED not in run.raised[1].message
        born = run.nodes[crime.node].born
        maker = run.nodes[crime.node].event
        op = maker.op if isinstance(maker, OpRan) else run.nodes[crime.node].info.name
        write = crime.writes[0] if crime.writes else entry.began
        culprit = run.events[write]
        by_optimizer = write in run.index.stepping
        what = "optimizer.step()" if by_optimizer else f"{getattr(culprit, 'op', 'a write')}_"
        name = run.title(crime.tensor)
        places = list(dict.fromkeys(run.where(w) for w in crime.writes))
        yield finding(
            run, "in_place_on_saved", "hint" if caught else "error",
            f"{name} was changed in place after {op} had saved it for backward.",
            f"{run.nodes[crime.node].info.name} ({run.where(born)}) needs {name} as it was then, at version {crime.saved}. "
            f"{what} wrote it at {', '.join(places) or 'an unknown line'}; at {run.where(entry.began)} it is at version "
            f"{crime.found}, so backward fails.",
            "Call backward() before optimizer.step(), or compute the result anew after it."
            if by_optimizer else "Write into a new tensor (y = y + 1 instead of y += 1), or change it after backward().",
            step=write,
            related=[run.site(born), run.site(entry.began), *map(run.site, crime.writes)],
            evidence=[
                ("saved by", f"{run.nodes[crime.node].info.name} at {run.where(born)}, version {crime.saved}"),
                *(("written by", f"{what} at {run.where(w)}") for w in crime.writes[:4]),
                ("needed by", f"backward pass {entry.number} at {run.where(entry.began)}, version {crime.found}"),
            ],
            nodes=[key(crime.tensor), f"n{crime.node}"],
        )  # fmt: skip


def _crime(run: Run, entry: Pass) -> Crime | None:
    first = failing_node(run, entry)
    others = [n for n in entry.arrivals if n in run.nodes and n not in entry.ran_at and n != first]
    for node in [first, *others]:
        if node == NOTHING:
            continue
        info = run.nodes[node].info
        for saved in info.saved:
            tensor = saved.tensor if saved.tensor != NOTHING else NOTHING
            if saved.text == "result":
                tensor = run.index.owners.get((node, 0), NOTHING)
            if tensor == NOTHING:
                continue
            found = run.status(tensor, entry.began).version
            if found != saved.version:
                writes = _writes(run, tensor, run.nodes[node].born, entry.began)
                return Crime(_best_name(run, tensor), node, saved.name, saved.version, found, writes)
    return None


def _writes(run: Run, tensor: int, after: int, before: int) -> list[int]:
    """The writes to a tensor, or to what shares its memory, in between."""
    family = {tensor}
    base = run.tensors[tensor].info.view_of
    if base != NOTHING:
        family.add(base)
    return sorted({s for t in family for s in run.writes.get(t, ()) if after < s < before})


def _best_name(run: Run, tensor: int) -> int:
    """The tensor, or what it is a view of if only that has a name."""
    base = run.tensors[tensor].info.view_of
    return base if base != NOTHING and not run.tensors[tensor].first_name else tensor


@rule(80)
def refused_write(run: Run) -> Iterator[Finding]:
    """An in-place operation that autograd refuses."""
    if run.raised is None:
        return
    step, event = run.raised
    text = run.segment(run.site(step))
    target = re.match(r"\s*([A-Za-z_]\w*)", text)
    tensor = run.named_at(target.group(1), step) if target else NOTHING
    name = target.group(1) if target and tensor != NOTHING else "the tensor"
    nodes = [key(tensor)] if tensor != NOTHING else []
    related = [run.site(run.tensors[tensor].born)] if tensor != NOTHING else []
    if "leaf Variable that requires grad is being used in an in-place operation" in event.message:
        yield finding(
            run, "in_place_on_leaf", "error",
            f"{name} is a leaf that requires grad, and is written in place while operations are recorded.",
            "A leaf holds the value that gradients are taken at. Changed in place by a recorded operation, it would be a "
            "result, and its old value, which backward may need, would be gone.",
            f"For an update: `with torch.no_grad(): {name} -= …`. To compute on: make a new tensor ({name} + 1 instead of "
            f"{name} += 1), or clone() first.",
            step=step, related=related, evidence=[("error", event.message)], nodes=nodes,
        )  # fmt: skip
    elif "is a view and is being modified inplace" in event.message or "A view was created in no_grad mode" in event.message:
        yield finding(
            run, "in_place_on_view", "error",
            "A view that autograd cannot rewrite is written in place.",
            "Writing through a view changes its base, and autograd must then rewrite the base's graph. It cannot do so for one "
            "of several views made at once (unbind, split, chunk, iterating a tensor), nor for a view made under no_grad.",
            "clone() the view before writing, or write through an index of the base: x[i] = ….",
            step=step, related=related, evidence=[("error", event.message)], nodes=nodes,
        )  # fmt: skip
