"""Sequences of different lengths, packed and padded: values, graphs, gradients and words, as in PyTorch."""

from __future__ import annotations

import pytest

import engine
from tests.engine.oracle import told

PROGRAMS = {
    "packed and padded again": """
rnn = torch.nn.utils.rnn
x = torch.arange(24.0).reshape(3, 4, 2).requires_grad_()
for first in (True, False):
    for ordered in (True, False):
        for lengths in ([4, 2, 1], [4, 4, 4], [1, 3, 2]):
            if ordered and lengths[0] == 1:
                continue
            packed = rnn.pack_padded_sequence(x if first else x.transpose(0, 1), lengths, first, ordered)
            print(first, ordered, lengths, packed, names(packed.data.grad_fn))
            for total in (None, 6):
                y, counts = rnn.pad_packed_sequence(packed, first, 7.0, total)
                print(y, y.stride(), counts, names(y.grad_fn))
                x.grad = None
                (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward(retain_graph=True)
                print(x.grad)
""",
    "padded": """
rnn = torch.nn.utils.rnn
s = [torch.ones(3, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)]
for options in ({}, {"batch_first": True}, {"padding_side": "left", "padding_value": 2.0}):
    y = rnn.pad_sequence(s, **options)
    print(y, names(y.grad_fn))
    (y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
    print(s[0].grad, s[1].grad)
print(names(rnn.pack_sequence(s).data.grad_fn))
padded = rnn.pad_sequence(s)
print([(t, names(t.grad_fn)) for t in rnn.unpad_sequence(padded, torch.tensor([3, 2]))], padded.shape)
print([(t, names(t.grad_fn)) for t in rnn.unpack_sequence(rnn.pack_sequence(s))])
for bad in (
    lambda: rnn.pad_sequence([torch.ones(2, 3), torch.ones(1, 2)]), lambda: rnn.pad_sequence([]),
    lambda: rnn.pad_sequence(torch.ones(2, 3)), lambda: rnn.pad_sequence([torch.ones(2).long(), torch.ones(3) * 1.5]),
    lambda: rnn.pad_sequence([torch.tensor([1, 2])], padding_value=0.5), lambda: rnn.pad_sequence([[1, 2], [3]]),
    lambda: rnn.pad_sequence(x for x in [torch.ones(1), torch.ones(2)]),
    lambda: rnn.pad_sequence([torch.ones(1)], padding_side="x"),
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
""",
    "through a network": """
e, g = torch.nn.Embedding(5, 3), torch.nn.GRU(3, 2, batch_first=True)
x = e(torch.tensor([[1, 2, 3, 4], [1, 2, 0, 0], [3, 0, 0, 0]]))
y, h = g(torch.nn.utils.rnn.pack_padded_sequence(x, [4, 2, 1], batch_first=True))
y, counts = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
print(y, h, counts)
y.sum().backward()
print(e.weight.grad)
""",
}
NAMES = """
def names(node):
    found = []
    while node is not None and len(found) < 6:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_prints_what_it_does_with_pytorch(program: str) -> None:
    torch = pytest.importorskip("torch")
    assert told(engine, NAMES + program) == told(torch, NAMES + program)
