"""Optimizers' steps in a rolled graph: a card for each place of the program where one steps, and what it writes."""

from __future__ import annotations

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .aside import Contexts
from .build import Graph
from .calls import same_sites
from .places import Places, unique_rows

_WIDTH, _HEIGHT = 220, 82


def add_steps(recording: Recording, graph: Graph, places: Places, key_of: dict[str, str]) -> None:
    """Add a node "o<number>" for each place where an optimizer steps, with carried edges to the parameters that it writes.

    They stand for no node of the unrolled graph: what happens within a step has none.
    """
    columns = columns_of(recording)
    steps, events, stepped = columns.steps, columns.events, columns.stepped
    if not len(steps.step):
        return
    scope = events.scope[steps.step]
    group = unique_rows(same_sites(recording)[events.site[steps.step]], places.where[scope], steps.optimizer)
    contexts = Contexts(recording, graph, places)
    written = stepped.idle == 0
    parameters = stepped.tensor[written]
    of = group[np.searchsorted(steps.step, stepped.step[written])]
    when = places.when[stepped.step[written]]
    loops = places.nests.loops
    number = graph.number_of_edges()
    by_id = {loop.id: loop for loop in loops}
    for i in range(int(group.max()) + 1):
        rows = np.flatnonzero(group == i)
        first = int(steps.step[rows[0]])
        loop = int(places.nests.loop[first])
        total = loops[loop].total if loop != NOTHING else 1
        mine = of == i
        targets = np.unique(parameters[mine])
        site = int(events.site[first])
        line = recording.sites[site].line if site >= 0 else 0
        where = recording.card_line(recording.sites[site].cell, line) if site >= 0 else ""
        frames = []
        around = loops[loop] if loop != NOTHING else None
        while around is not None:
            frames += [around.id] if around.kind == "time" else []
            around = by_id.get(around.parent)
        seen = len(np.unique(places.when[steps.step[rows]]))
        plural = "" if len(targets) == 1 else "s"
        key = f"o{i}"
        graph.add_node(
            key,
            kind="step",
            shape="card",
            title=contexts.text(site) or "optimizer.step()",
            badge=columns.optimizer_names[steps.optimizer[rows[0]]],
            sub=f"{len(targets)} parameter{plural}" + (f" · {where}" if where else ""),
            tensor=NOTHING,
            node=NOTHING,
            op="step",
            born=first,
            line=line,
            scope=int(events.scope[first]),
            width=_WIDTH,
            height=_HEIGHT,
            cut="",
            root=False,
            in_backward=0,
            place=NOTHING,
            loop=loops[loop].id if loop != NOTHING else "",
            frames=tuple(frames[::-1]),
            all=(),
            seen=seen,
            of=max(total, seen),
            times=-(-len(rows) // seen),
            side=False,
            within="",
            steps=tuple(steps.step[rows].tolist()),
        )
        written_in: dict[str, set[int]] = {}
        for tensor, iteration in zip(parameters[mine].tolist(), when[mine].tolist()):
            written_in.setdefault(key_of.get(f"t{tensor}", ""), set()).add(iteration)
        for target, iterations in written_in.items():
            if target:
                number += 1
                graph.add_edge(
                    key, target, number, kind="data", node=NOTHING, input=-1, carries=[], slot=0, born=first, write=True,
                    carried=True, seen=len(iterations), of=max(total, len(iterations)), all=(),
                )  # fmt: skip


def order_steps(recording: Recording, graph: Graph, key_of: dict[str, str]) -> None:
    """Note for the layout what leads up to each optimizer's step, though no value does: the loss whose gradients it takes, then
    what stands aside and is done meanwhile (clipping)."""
    columns = columns_of(recording)
    passes, roots = columns.passes, columns.roots
    if not len(passes.number):
        return
    born = {key: a["born"] for key, a in graph.nodes(data=True) if a["side"]}
    for key, a in list(graph.nodes(data=True)):
        last = int(np.searchsorted(passes.began, a["born"])) - 1 if a["kind"] == "step" else NOTHING
        if last < 0:
            continue
        began, number = int(passes.began[last]), passes.number[last]
        losses = [key_of.get(f"t{id}", "") for id in roots.tensor[roots.number == number].tolist()]
        between = [one for one, step in born.items() if began < step < a["born"]]
        graph.graph["after"] += [(one, key) for one in [*losses, *between] if one]
        graph.graph["after"] += [(loss, one) for loss in losses if loss for one in between if not graph.in_degree(one)]
