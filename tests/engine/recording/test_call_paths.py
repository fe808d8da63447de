"""Scopes say through which calls, and in which loops of which calls, an event happened."""

from __future__ import annotations

from engine.recording import Recording
from engine.recording.events import OpRan
from engine.recording.index import index_of
from engine.sandbox import run
from tests.recorded import recorded


def scopes_of(recording: Recording, op: str) -> list[tuple[str, list[tuple[int, str]], list[tuple[int, int]], list[int]]]:
    """Of each run of an operation: function, calls as (line, function), loops, and how many calls are around each loop."""
    found = []
    for event in recording.events:
        if isinstance(event, OpRan) and event.op == op:
            scope = recording.scopes[event.scope]
            calls = [(recording.sites[row].line, name) for row, name in scope.calls]
            found.append((scope.function, calls, list(scope.loops), [depth for _, depth in scope.around]))
    return found


def test_two_calls_of_a_function_are_told_apart() -> None:
    recording = recorded("""import torch
def twice(x):
    return x.sin()
def outer(x):
    return twice(x)
x = torch.ones(2)
a = twice(x); b = twice(x)
c = outer(x)
""")
    sites = [(f, calls) for f, calls, _, _ in scopes_of(recording, "sin")]
    assert sites == [("twice", [(7, "twice")]), ("twice", [(7, "twice")]), ("twice", [(8, "outer"), (5, "twice")])]
    rows = [recording.scopes[e.scope].calls[0][0] for e in recording.events if isinstance(e, OpRan) and e.op == "sin"]
    assert len(set(rows)) == 3, "the calls of one line stand at different columns"


def test_loops_know_the_calls_around_them() -> None:
    recording = recorded("""import torch
def inner(x):
    for i in range(2):
        x = x.sin()
    return x
for epoch in range(2):
    inner(torch.ones(1))
""")
    assert [(loops, around) for _, _, loops, around in scopes_of(recording, "sin")] == [
        ([(6, epoch), (3, i)], [0, 1]) for epoch in range(2) for i in range(2)
    ]


def test_what_a_loops_header_does_belongs_to_the_iteration_that_it_begins() -> None:
    recording = recorded("""import torch
for x in (torch.ones(2) * k for k in range(3)):
    x.sin()
""")
    loops = [[pair for pair in loops if pair[0] == 2] for _, _, loops, _ in scopes_of(recording, "mul")]
    assert loops == [[(2, 0)], [(2, 1)], [(2, 2)]]


def test_a_generator_that_waits_in_its_loops_is_not_running_them() -> None:
    recording = recorded("""import torch
def batches():
    k = 0
    while k < 3:
        yield torch.ones(2).cos()
        k += 1
for x in batches():
    x.sin()
""")
    assert [loops for _, _, loops, _ in scopes_of(recording, "sin")] == [[(7, k)] for k in range(3)]
    assert [loops for _, _, loops, _ in scopes_of(recording, "cos")] == [[(7, k), (4, k)] for k in range(3)]


def test_a_loop_that_is_left_early_is_over() -> None:
    recording = recorded("""import torch
for k in range(2):
    for j in range(5):
        if j == 1:
            break
    while True:
        break
    torch.ones(1).sin()
torch.ones(1).cos()
""")
    assert [loops for _, _, loops, _ in scopes_of(recording, "sin")] == [[(2, 0)], [(2, 1)]]
    assert [loops for _, _, loops, _ in scopes_of(recording, "cos")] == [[]]


def test_a_recursion_is_known_by_its_calls() -> None:
    recording = recorded("""import torch
def down(x, n):
    return down(x.sin(), n - 1) if n else x
down(torch.ones(1), 3)
""")
    assert [len(calls) for _, calls, _, _ in scopes_of(recording, "sin")] == [1, 2, 3]


def test_loops_of_two_cells_are_told_apart() -> None:
    from engine.program import Program

    loop = "for k in range(1):\n    torch.ones(1).sin()\n"
    result = run(Program(("import torch\n" + loop, "\n" + loop), notebook=True))
    assert result.recording is not None
    found = [s.around for s in result.recording.scopes if s.loops]
    assert {around[0][0] for around in found} == {0, 1}


def test_a_parameter_that_a_function_named_in_passing_gets_its_path_when_the_model_is_bound() -> None:
    program = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        for p in self.parameters():
            nn.init.zeros_(p)

def show(net):
    return net(torch.ones(2))

model = Net()
show(model)
"""
    recording = recorded(program)
    index = index_of(recording)
    assert [history.names.values for history in index.tensors.values() if history.info.is_parameter and history.names] == [
        ["p", "model.fc.weight"],
        ["p", "model.fc.bias"],
    ]
