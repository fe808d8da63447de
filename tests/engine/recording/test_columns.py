"""The columns say what the events say."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recording.columns import KINDS, columns_of
from engine.recording.events import NOTHING, Accumulated, BackwardBegan, GradSet, Named, NodeRan, OpRan, Stepped
from engine.recording.index import index_of
from tests.recorded import recorded

PROGRAMS = {
    "training": """import torch
from torch import nn
model = nn.Linear(2, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.1)
for k in range(3):
    loss = model(torch.ones(4, 2)).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
""",
    "views and twice": """import torch
x = torch.ones(3, requires_grad=True)
y = x * x
v = y[1:]
v.mul_(2)
y.sum().backward(retain_graph=True)
y.sum().backward()
x.grad.zero_()
g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
g.sum().backward()
with torch.no_grad():
    x += 1
""",
    "nothing": "print(1)\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_columns_say_what_events_say(name: str) -> None:
    recording = recorded(PROGRAMS[name])
    columns, events = columns_of(recording), recording.events
    assert [KINDS[k] for k in columns.events.kind] == [e.__class__ for e in events]
    assert columns.events.site.tolist() == [e.site for e in events]
    assert columns.events.scope.tolist() == [e.scope for e in events]
    ops = [(s, e) for s, e in enumerate(events) if isinstance(e, OpRan)]
    assert [(s, columns.op_names[op]) for s, op in zip(columns.operations.step, columns.operations.op, strict=True)] == [
        (s, e.op) for s, e in ops
    ]
    assert [columns.cut_names[c] for c in columns.operations.cut] == [e.cut for _, e in ops]
    expected = [(s, slot, a.tensor) for s, e in ops for slot, a in enumerate(e.inputs) if a.tensor != NOTHING]
    given = columns.inputs
    assert list(zip(given.step, given.slot, given.tensor, strict=True)) == expected
    tensors = [t for _, e in ops for t in e.outputs]
    assert columns.tensors.id.tolist() == [t.id for t in tensors]
    assert columns.tensors.array.tolist() == [t.array for t in tensors]
    assert columns.tensors.node.tolist() == [t.node for t in tensors]
    assert columns.tensors.view_of.tolist() == [t.view_of for t in tensors]
    assert [(w.tensor, w.version) for _, e in ops for w in e.written] == list(
        zip(columns.writes.tensor, columns.writes.version, strict=True)
    )
    index = index_of(recording)
    assert set(columns.nodes.id.tolist()) == set(index.nodes)
    assert [columns.node_names[n] for n in columns.nodes.name] == [index.nodes[i].info.name for i in columns.nodes.id.tolist()]
    edges = {(id, slot, *edge) for id, h in index.nodes.items() for slot, edge in enumerate(h.info.edges) if edge[0] != NOTHING}
    assert set(zip(columns.edges.node, columns.edges.slot, columns.edges.target, columns.edges.input, strict=True)) == edges
    assert columns.ran.node.tolist() == [e.node for e in events if isinstance(e, NodeRan)]
    sent = [(e.node, slot, s.node, s.array) for e in events if isinstance(e, NodeRan) for slot, s in enumerate(e.sent) if s]
    assert list(zip(columns.sent.node, columns.sent.slot, columns.sent.target, columns.sent.array, strict=True)) == sent
    received = [(e.node, k, a) for e in events if isinstance(e, NodeRan) for k, a in enumerate(e.received) if a != NOTHING]
    assert list(zip(columns.received.node, columns.received.output, columns.received.array, strict=True)) == received
    given = [(e.node, k, a) for e in events if isinstance(e, NodeRan) for k, a in enumerate(e.received) if a != NOTHING]
    assert list(zip(columns.received.node, columns.received.output, columns.received.array, strict=True)) == given
    grads = [(e.tensor, e.number, e.total) if isinstance(e, Accumulated) else (e.tensor, 0, e.array)
             for e in events if isinstance(e, Accumulated | GradSet)]  # fmt: skip
    assert list(zip(columns.grads.tensor, columns.grads.number, columns.grads.total, strict=True)) == grads
    assert [columns.how_names[h] for h in columns.grads.how if h >= 0] == [e.how for e in events if isinstance(e, GradSet)]
    began = [(s, e) for s, e in enumerate(events) if isinstance(e, BackwardBegan)]
    assert columns.passes.began.tolist() == [s for s, _ in began]
    assert columns.passes.ended.tolist() == [index.passes[e.number].ended for _, e in began]
    assert columns.roots.tensor.tolist() == [t for _, e in began for t, _ in e.roots]
    steps = [(s, e) for s, e in enumerate(events) if isinstance(e, Stepped)]
    assert columns.steps.step.tolist() == [s for s, _ in steps]
    assert columns.steps.rate.tolist() == [e.rates[0] for _, e in steps]
    assert columns.stepped.tensor.tolist() == [t for _, e in steps for t in (*e.parameters, *e.idle)]
    names = [(e.name, e.function, e.tensor) for e in events if isinstance(e, Named)]
    bound = columns.bound
    assert [
        (columns.names[n], columns.names[f], t) for n, f, t in zip(bound.name, bound.function, bound.tensor, strict=True)
    ] == names


def test_rows_are_found_by_id() -> None:
    columns = columns_of(recorded(PROGRAMS["training"]))
    ids = columns.tensors.id
    assert np.array_equal(columns.row_of[ids], np.arange(len(ids)))
    others = np.setdiff1d(np.arange(len(columns.row_of)), ids)
    assert (columns.row_of[others] == NOTHING).all()
