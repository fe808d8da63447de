"""Small programs around the autograd graph that must print, warn and fail as in PyTorch."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import ModuleType

import pytest

import engine
from engine.recording import record
from engine.recording.events import BackwardBegan
from tests.corpus import Case, corpus
from tests.engine.oracle import told

PROGRAMS = corpus(Path(__file__).parents[1] / "corpus/autograd.py").cases


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_tells_what_it_tells_in_pytorch(torch: ModuleType, program: Case) -> None:
    assert told(engine, program.text) == told(torch, program.text)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_and_the_same_while_it_is_recorded(program: Case) -> None:
    found = []
    for watched in (nullcontext(), record()):
        with watched:
            found.append(told(engine, program.text))
    assert found[0] == found[1]


SOURCES = {
    "a leaf": "torch.arange(4.0).reshape(2, 2).requires_grad_()",
    "no leaf": "torch.arange(4.0).reshape(2, 2).requires_grad_() * 1",
    "a tensor without gradient": "torch.ones(2, 2)",
    "a detached tensor": "(torch.ones(2, 2, requires_grad=True) * 1).detach()",
}
VIEWS = (
    "b[0]", "b.unbind()[0]", "b.split(1)[0]", "b.unbind()[0].view(2)", "b.detach()", "b.data", "b.t()", "b[0].expand(2, 2)",
    "b.view(4)[1:3]", "b.chunk(2, 1)[1].t()",
)  # fmt: skip
MODES = {"grad mode": "torch.enable_grad()", "no_grad": "torch.no_grad()", "inference mode": "torch.inference_mode()"}
WRITES = {
    "it": "v.mul_(w)",
    "its elements": "v[0] = 5",
    "it by a number": "v.add_(1)",
    "its base": "b.mul_(2)",
    "a row": "b[0] = w[0]",
}
WRITING = """
for name, make in VIEWS.items():
    print(name)
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    b = SOURCE
    with MADE:
        v = make(b)
    try:
        with WRITTEN:
            WRITE
        print(b.requires_grad, v.requires_grad, v.is_leaf, b.grad_fn, v.grad_fn, v._version, v._base is b)
        print(b, v)
        (b.sum() + v.sum()).backward()
        print(b.grad if b.is_leaf else None, w.grad)
    except (RuntimeError, AttributeError) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.parametrize("written", ["grad mode", "no_grad"])
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("made", MODES)
@pytest.mark.parametrize("source", SOURCES)
def test_views_of_made_in_written(torch: ModuleType, source: str, made: str, write: str, written: str) -> None:
    program = "VIEWS = {" + ", ".join(f"{v!r}: lambda b: {v}" for v in VIEWS) + "}" + WRITING
    program = program.replace("SOURCE", SOURCES[source]).replace("MADE", MODES[made])
    program = program.replace("WRITTEN", MODES[written]).replace("WRITE", WRITES[write])
    assert told(engine, program) == told(torch, program)


def test_a_pass_that_is_refused_leaves_no_trace_in_the_recording() -> None:
    with record() as tape:
        x = engine.ones(2, requires_grad=True)
        with pytest.raises(TypeError):
            x.sum().backward(retain_graph=engine.ones(2))
        x * 2
    made = tape.recording
    made.check()
    assert not any(isinstance(event, BackwardBegan) for event in made.events)
