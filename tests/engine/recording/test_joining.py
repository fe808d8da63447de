"""Several recordings become one, in which what they have in common is the same."""

from __future__ import annotations

import numpy as np

from engine.recording import Recording
from engine.recording import events as e
from engine.recording.joining import Part, joined
from tests.recorded import recorded

FIRST = """import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(2):
    y = (w * k).sum()
    y.backward()
"""
SECOND = """import torch
w = torch.tensor([3.0, 4.0], requires_grad=True)
def twice(v):
    return v * 2
z = twice(w).sum()
z.backward()
"""


def test_what_is_joined_is_what_there_was() -> None:
    first, second = recorded(FIRST), recorded(SECOND)
    whole = Recording.load(joined([Part(first), Part(second)]).to_bytes())
    assert [type(event) for event in whole.events] == [type(event) for event in (*first.events, *second.events)]
    assert whole.source == second.source
    began = [event.number for event in whole.events if isinstance(event, e.BackwardBegan)]
    assert began == [1, 2, 3]
    later = whole.events[len(first.events) :]
    for here, there in zip(later, second.events, strict=True):
        assert whole.site(here) == second.site(there)
        if there.scope >= 0:
            assert whole.scopes[here.scope].function == second.scopes[there.scope].function
    arrays = [np.asarray(array.to_numpy()).tolist() for array in whole.arrays]
    assert arrays == [np.asarray(array.to_numpy()).tolist() for array in (*first.arrays, *second.arrays)]
    ids = [o.id for event in whole.events if isinstance(event, e.OpRan) for o in event.outputs]
    assert len(set(ids)) == len(ids)


def test_what_an_earlier_part_has_is_left_out_of_a_later_one() -> None:
    first, second = recorded(FIRST), recorded(SECOND)
    made = second.events[0]
    assert isinstance(made, e.OpRan)
    there = first.events[0]
    assert isinstance(there, e.OpRan)
    (here,), (known,) = made.outputs, there.outputs
    whole = Recording.load(joined([Part(first), Part(second, 1, {here.id: known.id}, 0)]).to_bytes())
    assert len(whole.events) == len(first.events) + len(second.events) - 1
    product = next(event for event in whole.events[len(first.events) :] if isinstance(event, e.OpRan))
    assert product.op == "mul"
    assert product.inputs[0].tensor == known.id
    totals = [event.tensor for event in whole.events if isinstance(event, e.Accumulated)]
    assert totals == [known.id] * 3
