"""Operations are recorded in the module that runs them, by the shortest path to it at that moment."""

from __future__ import annotations

from engine.recording.events import OpRan
from engine.sandbox import run

PROGRAM = """import torch
from torch import nn
class Scale(nn.Module):
    def forward(self, x):
        return x * 2
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Scale() for _ in range(3)])
        self.again = self.layers[1]
        self.inner = nn.Sequential(nn.Sequential(Scale()), Scale())
    def forward(self, x):
        for k in (2, 0, 1):
            x = self.layers[k](x)
        x = self.again(x)
        x = self.inner(x)
        first = self.layers[0]
        self.layers[0] = self.layers[2]
        self.layers[2] = first
        x = self.layers[0](x)
        x = self.layers[2](x)
        self.late = Scale()
        x = self.late(x)
        del self.late
        stranger = Scale()
        return stranger(x)
net = Net()
net(torch.ones(1))
"""


def test_a_module_is_named_by_where_it_is_when_it_is_called() -> None:
    recording = run(PROGRAM).recording
    assert recording is not None
    scales = [event for event in recording.events if isinstance(event, OpRan) and event.op == "mul"]
    named = [recording.scopes[event.scope].module for event in scales]
    assert named == [
        "net.layers.2", "net.layers.0",
        "net.again", "net.again",  # one module by two paths: the shorter one
        "net.inner.0.0", "net.inner.1",
        "net.layers.0", "net.layers.2",  # they have changed places
        "net.late",
        "stranger",  # of no model: as the program calls it
    ]  # fmt: skip


MODES = """import torch
from torch import nn
net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
x = torch.ones(1, 2)
net(x)
net.eval()
net(x)
net[1].train()
net(x)
y = x * 2
"""


def test_a_scope_knows_the_mode_of_its_module() -> None:
    recording = run(MODES).recording
    assert recording is not None
    ops = [e for e in recording.events if isinstance(e, OpRan) and e.op in ("addmm", "tanh", "mul")]
    modes = [(e.op, recording.scopes[e.scope].mode if e.scope >= 0 else "") for e in ops]
    assert modes == [
        ("addmm", "train"), ("tanh", "train"), ("addmm", "eval"), ("tanh", "eval"), ("addmm", "eval"), ("tanh", "train"),
        ("mul", ""),
    ]  # fmt: skip


def test_the_mode_is_read_where_no_code_of_the_program_runs() -> None:
    lines = ["import torch", "class Odd(torch.nn.Module):", "    def forward(self, x):", "        return x * 2", "odd = Odd()"]
    recording = run("\n".join([*lines, "odd.training = 'perhaps'", "odd(torch.ones(1))"]) + "\n").recording
    assert recording is not None
    assert [scope.mode for scope in recording.scopes if scope.module == "odd"] == [""]
