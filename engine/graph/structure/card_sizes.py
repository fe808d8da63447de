"""How large the card of a node is: it holds whatever the card will say at any step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...recording.events import NOTHING
from ...recording.index import index_of
from ...recording.recording import Recording
from ..numbers import ArrayTexts

PILL_HEIGHT = 30
_MIN_CARD, _MAX_CARD = 120, 260
_PADDING = 24
_LOOKED_AT = 32
"""Changes of a `.grad`, and passes, whose texts are measured: the first ones."""


def card_size(
    title: str, badge: str, sub: str, value: str, keeps: bool, differentiable: bool, said: Iterable[int] = ()
) -> tuple[int, int]:
    """Pixels that hold every face the card will have, estimated from the number of characters.

    Args:
        keeps: whether it keeps a gradient, and so has a line for it beside the one for what is on its way.
        said: how many characters its lines about the gradient have at most, as far as that is known (`GradTexts`).
    """
    lines = [8.5 * len(title) + 12 + 6 * len(badge), 6 * len(sub), 7.5 * (len(value) + 8)]
    lines += [7.5 * (length + 10) for length in said]
    if differentiable:
        lines.append(7.5 * (len(value) + 10) if keeps else 6.2 * (len(value) + 23))
    return _clamp(max(lines) + _PADDING, _MIN_CARD, _MAX_CARD), (97 if keeps else 82) if differentiable else 64


def pill_size(title: str, value: str) -> tuple[int, int]:
    """Pixels that hold a pill."""
    return _clamp(8 * len(title) + 7 * len(value) + 42, 64, 220), PILL_HEIGHT


def _clamp(width: float, low: int, high: int) -> int:
    return round(min(max(width, low), high))


class GradTexts:
    """How long the texts are that a card says of a gradient which is kept: "42 + …" while a pass adds to it, "22 + 20" on its
    way there."""

    def __init__(self, recording: Recording) -> None:
        self.index = index_of(recording)
        self.texts = ArrayTexts(recording)
        self._on_the_way: dict[int, int] | None = None

    def lengths(self, tensor: int) -> tuple[int, ...]:
        """Characters of the longest text about a tensor's `.grad`, and about what is on its way there; () for none."""
        history = self.index.tensors.get(tensor)
        if history is None or history.ledger is None:
            return ()
        if self._on_the_way is None:
            self._on_the_way = self._sums()
        rows = [row for row, _ in zip(history.ledger.values, range(_LOOKED_AT))]
        settled = [len(self.texts.gradient(row.total)) for row in rows]
        # A pass that is under way has not added its own yet.
        adding = [before + len(" + …") for before, row in zip(settled, rows[1:]) if row.number > 0]
        return max([*settled, *adding], default=0), self._on_the_way.get(tensor, 0)

    def _sums(self) -> dict[int, int]:
        """For each leaf how long the sum of a pass's contributions is."""
        columns, found = self.index.columns, dict[int, int]()
        nodes, sent = columns.nodes, columns.sent
        leaf_of = np.full(int(max(nodes.id.max(initial=0), sent.target.max(initial=0))) + 1, NOTHING, np.int64)
        leaf_of[nodes.id] = nodes.variable
        for number in [number for number, _ in zip(self.index.passes, range(_LOOKED_AT))]:
            rows = self.index.sent_by_pass.rows(number)
            sums: dict[int, int] = {}
            for leaf, array in zip(leaf_of[sent.target[rows]].tolist(), sent.array[rows].tolist(), strict=True):
                if leaf != NOTHING:
                    sums[leaf] = sums.get(leaf, -len(" + ")) + len(" + ") + len(self.texts.on_card(array))
            for leaf, length in sums.items():
                found[leaf] = max(found.get(leaf, 0), length)
        return found
