"""A rule about embeddings: which of their rows stand still."""

from __future__ import annotations

from collections.abc import Iterator

from ...recording.events import NOTHING
from ..mending import keyword
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

PADDING_IS_DATA = Kind(
    "padding_is_data", "hint", "An index that embeddings take for padding may stand for one of the data: it never learns.",
    mechanical=True,
)  # fmt: skip
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
