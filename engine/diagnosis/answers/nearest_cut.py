"""The nearest cut above a tensor: why what it was computed from has no graph to offer."""

from __future__ import annotations

from ..cuts import Cut, describe
from ..paths import Link
from .grad_query import Question

_MOST = 2_000
"""Tensors that are looked at."""


def cut_above(q: Question) -> tuple[Link, Cut, list[int]] | None:
    """The nearest cut among what the tensor was computed from, with the tensors from there to it; None if nothing above it
    requires grad."""
    paths, run = q.paths, q.run
    queue: list[tuple[int, int]] = [(q.tensor, q.step + 1)]
    links: dict[int, Link] = {}
    for tensor, before in queue:
        if len(queue) > _MOST:
            break
        for step in reversed(paths.makers(tensor, before)):
            for source, read in paths.sources(step):
                if source == q.tensor or source in links:
                    continue
                needs = run.status(source, max((read if read >= 0 else step) - 1, 0)).requires_grad
                links[source] = link = Link(source, tensor, step, needs, read)
                if needs:
                    way = [source]
                    while way[-1] != q.tensor:
                        way.append(links[way[-1]].result)
                    after = [links[t] for t in way[1:-1]]
                    return link, describe(paths, link, after, q.label(source)), way
                queue.append((source, step))
    return None
