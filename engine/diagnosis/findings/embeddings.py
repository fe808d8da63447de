"""Rules about embeddings: which of their rows stand still."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...recording.events import NOTHING, OpRan
from ..mending import keyword
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import arrivals

PADDING_IS_DATA = Kind(
    "padding_is_data", "hint", "An index that embeddings take for padding may stand for one of the data: it never learns.",
    mechanical=True,
)  # fmt: skip
PADDING_FILLED = Kind(
    "padding_filled", "warning", "The row of an embedding's padding is not zero, takes part in the loss, and never learns."
)
_FEW = 3
"""Times that an index may stand among others by chance."""


@rule(163, PADDING_IS_DATA)
def padding_is_data(run: Run) -> Iterator[Finding]:
    """Single items, not sequences, are looked up, and several of them are the padding."""
    for step, event in run.first_ops_of({"embedding"}, 1):
        text = run.setting(event, "padding_idx")
        index, weight = run.argument(event, "indices"), run.argument(event, "weight")
        values = run.values(index, step) if index != NOTHING and text.isdigit() else None
        if values is None or values.ndim != 1 or weight not in run.updates or event.node is None:
            continue
        if run.tensors[run.beneath_views(index)].info.shape != values.shape:
            continue  # a part of sequences
        count = int((values == int(text)).sum())
        if count <= _FEW or count == len(values) or event.node.id not in run.ran:
            continue
        calls = paths_of(run.recording).source.calls.get("Embedding", ())
        made = site_of(*calls[0]) if len(calls) == 1 else None
        yield finding(
            run, PADDING_IS_DATA,
            f"Row {text} of {run.title(weight)} never learns: index {text} is taken for padding, and {count} of {len(values)} "
            "samples have it.",
            f"With padding_idx={text} the row is zero at first and gets no gradient. What is looked up here are single items, "
            f"and those with index {text} count in the loss like all others.",
            f"If {text} is an item like the others, leave out padding_idx={text}, or number the items from {int(text) + 1} on.",
            step=step, site=made, related=[run.site(step)],
            evidence=[(f"samples with index {text}", f"{count} of {len(values)}")], nodes=[key(weight), key(index)],
            changes=keyword(run, made, "padding_idx", None),
        )  # fmt: skip


@rule(164, PADDING_FILLED)
def padding_filled(run: Run) -> Iterator[Finding]:
    """An embedding's row for padding has been filled with numbers, and a gradient comes to where it was looked up: neither a
    mask nor the loss leaves these places out."""
    for step, event in run.first_ops_of({"embedding"}, 1):
        text = run.setting(event, "padding_idx")
        index, weight = run.argument(event, "indices"), run.argument(event, "weight")
        values = run.values(index, step) if NOTHING not in (index, weight) and text.isdigit() else None
        table = run.values(weight, step) if values is not None and event.node is not None and weight in run.updates else None
        if values is None or table is None or event.node is None or not event.outputs or not table[int(text)].any():
            continue
        padded = values == int(text)
        arrived = [a for e in run.passes[:_FEW] for a in arrivals(e, event.node.id)]
        gradient = run.recording.array(arrived[0].array) if arrived else None
        if not padded.any() or gradient is None or gradient.shape[:-1] != padded.shape or not gradient[padded].any():
            continue
        made = event.outputs[0].id
        uses = [e for at in run.consumers.get(made, ()) if isinstance(e := run.events[at], OpRan)]
        summed = any(use.op in run.having("reduces") for use in uses)
        filled = next((at for at in reversed(run.writes.get(weight, ())) if at < step), run.tensors[weight].born)
        name = run.title(weight)
        yield finding(
            run, PADDING_FILLED,
            f"Row {text} of {name}, the padding, is not zero, and {padded.mean():.0%} of what is looked up is that row.",
            f"padding_idx={text} makes the row zero once, when the embedding is made, and gives it no gradient afterwards; "
            f"{run.where(filled)} has filled it since. What it holds is "
            f"{'added to each sample, once for each place of padding' if summed else 'read like a word'}, and never changes.",
            f"Make the row zero again after the rest is filled: with torch.no_grad(): {name}[{text}].zero_(). Or leave the "
            "places of padding out by a mask.",
            step=step, site=run.site(filled), related=[run.site(step)],
            evidence=[
                (f"{name}[{text}]", f"norm {float(np.linalg.norm(table[int(text)])):.3g}"),
                ("places of padding", f"{int(padded.sum())} of {padded.size}"),
            ],
            nodes=[key(weight), key(made)], severity="" if summed else "hint",
        )  # fmt: skip
