"""One question about one tensor at one moment: what the answers look at, and how they are put together."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from ...recording.events import NOTHING, OpRan, Site
from ...recording.index import LedgerRow, Pass, Status, TensorHistory
from ..paths import Link, Paths
from ..reason import Reason
from ..run import key
from .codes import NEUTRAL

_SUBSCRIPT = re.compile(r"\[(\d+)\]")
_ROW = 8
"""Numbers of a row that are written out."""
_SHOWN = 1_000
"""Nodes of a path that an answer names; of longer ones the two ends."""


class Question:
    """Why is this tensor's `.grad` what it is after event `step`?"""

    def __init__(self, paths: Paths, tensor: int, step: int, name: str = "") -> None:
        self.paths = paths
        self.run = paths.run
        self.tensor = tensor
        self.step = step
        self.history: TensorHistory = self.run.tensors[tensor]
        self.name = name or self.label(tensor)
        """What the tensor is called in the answer."""
        self.status: Status = self.history.status(step)

    def label(self, tensor: int) -> str:
        """What another tensor is called: its name now, or any it had, or the expression that made it."""
        return self.paths.label(tensor, self.step)

    def told(self, tensor: int) -> str:
        """A tensor's name with the line it was made on, for where names are not enough."""
        return f"{self.label(tensor)} ({self.run.where(self.run.tensors[tensor].born)})"

    # --- what happened --------------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> list[LedgerRow]:
        """What happened to the tensor's `.grad` up to now."""
        return [] if self.history.ledger is None else self.history.ledger.until(self.step)

    @cached_property
    def passes(self) -> list[Pass]:
        """The passes that began by now, inner ones of `create_graph` among them."""
        return [entry for entry in self.run.passes if entry.began <= self.step]

    def uses(self, before: int, after: int = NOTHING) -> list[int]:
        """The operations that took the tensor to compute something else, between two steps."""
        found = []
        steps = self.run.consumers.get(self.tensor, [])
        for step in steps[bisect_right(steps, after) : bisect_left(steps, before)]:
            event = self.run.events[step]
            if not isinstance(event, OpRan) or event.op == "grad":
                continue
            if event.outputs or any(write.tensor != self.tensor for write in event.written):
                found.append(step)
        return found

    def flags(self, flag: str) -> list[tuple[int, bool]]:
        """When a flag of the tensor was set, up to now."""
        return [(s, v) for s, f, v in self.paths.flags.get(self.tensor, ()) if f == flag and s <= self.step]

    def grad_text(self) -> str:
        """The gradient as it is now, in a few characters: the numbers of a short row, else what is known of all of them."""
        array = self.history.grad(self.step)
        values = self.run.recording.array(array) if array != NOTHING else None
        if values is not None and values.dtype.kind == "f" and values.ndim == 1 and 1 < values.size <= _ROW:
            return f"[{' '.join(f'{value:.4g}' for value in values.tolist())}]"
        return self.run.texts.describe(array)

    @cached_property
    def predecessors(self) -> list[int]:
        """The tensors that the name stood for before, latest first."""
        spellings = (self.name, _SUBSCRIPT.sub(r".\1", self.name))  # `net[0].weight` is bound as "net.0.weight"
        for (_, bound), track in self.run.index.names.items():
            if bound in spellings and self.tensor in track.values:
                return [t for t in reversed(track.values[: track.values.index(self.tensor)]) if t not in (NOTHING, self.tensor)]
        if "." not in self.name:
            return []
        return [t for t, _ in reversed(self.paths.assigned(self.name, self.step)) if t != self.tensor]

    def bound_at(self) -> int:
        """The step at which the name was given to the tensor, or its birth."""
        for (_, bound), track in self.run.index.names.items():
            if bound == self.name and self.tensor in track.values:
                return track.steps[track.values.index(self.tensor)]
        return self.history.born

    # --- the answer -----------------------------------------------------------------------------------------------------------

    def because(
        self,
        code: str,
        title: str,
        explanation: str = "",
        fix: str = "",
        *,
        step: int = NOTHING,
        site: Site | None = None,
        nodes: Iterable[int] = (),
        cut: Iterable[tuple[int, int]] = (),
        evidence: Sequence[tuple[str, str]] = (),
        wrong: bool | None = None,
    ) -> Reason:
        """The answer; its line is that of `step` unless another site is given. Whether something is `wrong` follows from the
        code, where it is not said."""
        own_site = site if site is not None else self.run.site(step)
        cut = list(cut)
        path = list(nodes)
        if len(path) > _SHOWN:
            path = [*path[: _SHOWN // 2], *(t for pair in cut for t in pair), *path[-_SHOWN // 2 :]]
        keys = tuple(dict.fromkeys(key(t) for t in path if t != NOTHING))
        return Reason(
            tensor=self.tensor,
            step=self.step,
            code=code,
            title=title,
            explanation=explanation,
            fix=fix,
            wrong=code not in NEUTRAL if wrong is None else wrong,
            site=own_site if own_site is not None and own_site.line else None,
            moment=step,
            nodes=keys,
            cut=tuple((key(a), key(b)) for a, b in cut),
            evidence=tuple(evidence),
        )


def along(links: Sequence[Link]) -> list[int]:
    """The tensors of a path, from its beginning to its end."""
    return [link.source for link in links] + [link.result for link in links[-1:]]


def listed(items: Sequence[str]) -> str:
    """Texts joined as in "a, b and c", each once."""
    once = list(dict.fromkeys(items))
    if len(once) > 6:
        once = [*once[:4], f"{len(once) - 4} more"]
    return " and ".join([", ".join(once[:-1]), once[-1]]) if len(once) > 1 else "".join(once)
