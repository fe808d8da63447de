"""Several threads: one is recorded, what others do is told where it matters, and nobody's program is disturbed."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.recording import Recording
from engine.recording import events as e

from .conftest import Taped


def of(recording: Recording, kind: type) -> list[Any]:
    return [event for event in recording.events if isinstance(event, kind)]


def elsewhere(*work: Callable[[], Any]) -> None:
    """Do something in threads of their own, side by side, and wait for them; what fails there fails here."""
    failed: list[BaseException] = []

    def run(each: Callable[[], Any]) -> None:
        try:
            each()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(each,), name=f"worker {k}") for k, each in enumerate(work)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if failed:
        raise failed[0]


def meet(here: threading.Event, there: threading.Event) -> None:
    """Say that one has come so far, and wait until another has."""
    here.set()
    there.wait(60)


def test_a_pass_of_another_thread_through_the_same_nodes_is_not_mixed_into_the_one_under_way(torch: ModuleType) -> None:
    from engine.pytorch import record

    w = torch.ones(3, requires_grad=True)

    def other() -> None:
        (w * 5).sum().backward()

    with record(level="values") as tape:
        h = w * 2
        h.register_hook(lambda _: elsewhere(other))
        h.sum().backward()
    recording = tape.recording
    (arrived,) = of(recording, e.Accumulated)
    assert recording.array(arrived.increment).tolist() == [2.0, 2.0, 2.0]
    assert recording.array(arrived.total).tolist() == w.grad.tolist() == [7.0, 7.0, 7.0]
    (told,) = of(recording, e.Warned)
    assert "backward pass ran in another thread" in told.message
    assert '"worker 0"' in told.message
    site = recording.site(told)
    assert site is not None
    assert recording.source[site.cell].splitlines()[site.line - 1].strip() == "(w * 5).sum().backward()"


def test_a_graph_that_is_recorded_may_be_gone_through_in_another_thread(torch: ModuleType) -> None:
    from engine.pytorch import record

    with record(level="values") as tape:
        w = torch.ones(3, requires_grad=True)
        h = w * 2
        h.register_hook(lambda g: g * 3)
        h.retain_grad()
        loss = h.sum()
        elsewhere(loss.backward)
        assert w.grad.tolist() == [6.0, 6.0, 6.0]
        after = w.grad * 2
    recording = tape.recording
    assert not of(recording, e.HookRan)
    assert not of(recording, e.Accumulated)
    assert [event.op for event in of(recording, e.OpRan)] == ["ones", "mul", "sum", "constant", "mul"]
    assert recording.array(of(recording, e.OpRan)[-1].outputs[0].array).tolist() == after.tolist()
    assert len(of(recording, e.Warned)) == 1


def test_passes_of_workers_are_told_once_and_their_steps_too(torch: ModuleType) -> None:
    from engine.pytorch import record

    def work() -> None:
        w = torch.ones(2, requires_grad=True)
        for _ in range(3):
            (w * 2).sum().backward()

    v = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([v], lr=0.1)

    def train(*there: Callable[[], Any]) -> Recording:
        with record() as tape:
            elsewhere(*there)
            (v * 3).sum().backward()
        return tape.recording

    with pytest.warns(RuntimeWarning, match="A backward pass ran in another thread") as shown:
        recording = train(work, work)
    assert len(shown) == len(of(recording, e.Warned)) == 1
    assert len(of(recording, e.BackwardBegan)) == 1
    with pytest.warns(RuntimeWarning, match="An optimizer's step ran in another thread"):
        recording = train(optimizer.step)
    assert not of(recording, e.Stepped)


def test_a_thread_that_has_a_recording_of_its_own_is_not_told_of(torch: ModuleType) -> None:
    from engine.pytorch import record

    w = torch.ones(3, requires_grad=True)
    w.grad = torch.zeros(3)  # else the first gradient itself becomes `.grad`, and the other thread adds to it while it is noted
    tapes: list[Any] = [None, None]
    both = threading.Barrier(2)

    def train(k: int) -> None:
        with record(level="values") as tapes[k]:
            both.wait(60)
            for _ in range(40):
                ((w * (k + 2)).sum() * 10).backward()
            both.wait(60)

    elsewhere(lambda: train(0), lambda: train(1))
    for k, tape in enumerate(tapes):
        recording = tape.recording
        assert not of(recording, e.Warned)
        assert len(of(recording, e.BackwardBegan)) == len(of(recording, e.Accumulated)) == 40
        assert [event.number for event in of(recording, e.NodeRan)] == [n for n in range(1, 41) for _ in range(3)]
        added = {tuple(recording.array(event.increment)) for event in of(recording, e.Accumulated)}
        assert added == {(10.0 * (k + 2),) * 3}
    assert w.grad.tolist() == [40 * 50.0] * 3


def test_passes_that_autograd_runs_in_threads_of_its_own_are_recorded(torch: ModuleType) -> None:
    from engine.pytorch import record

    threads: set[int] = set()

    class Nested(torch.autograd.Function):  # type: ignore[name-defined, misc]
        """Goes back through a graph of its own, as checkpoints do; from some sixty on autograd takes another thread."""

        @staticmethod
        def forward(ctx: Any, x: Any, deep: int) -> Any:
            ctx.deep = deep
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            threads.add(threading.get_ident())
            if ctx.deep:
                with torch.enable_grad():
                    x = torch.ones(1, requires_grad=True)
                    y = Nested.apply(x, ctx.deep - 1)
                y.backward()
            return grad * 2, None

    def run() -> None:
        x = torch.ones(1, requires_grad=True)
        Nested.apply(x, 70).backward()
        assert x.grad.tolist() == [2.0]

    with record(level="values") as tape:
        run()
    assert len(threads) > 1
    recording = tape.recording
    assert not of(recording, e.Warned)
    assert [event.number for event in of(recording, e.BackwardBegan)] == [*range(1, 72)]
    assert [event.number for event in of(recording, e.Accumulated)] == [*range(71, 0, -1)]
    assert [event.number for event in of(recording, e.BackwardEnded)] == [*range(71, 0, -1)]


def test_a_pass_around_another_is_not_told_of_its_nodes(torch: ModuleType) -> None:
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)

    def again(_: Any) -> None:
        with torch.enable_grad():
            (w * 5).sum().backward()

    with record(level="values") as tape:
        h = w * 2
        h.register_hook(again)
        h.sum().backward()
    recording = tape.recording
    arrived = [(event.number, recording.array(event.increment).tolist()) for event in of(recording, e.Accumulated)]
    assert arrived == [(2, [5.0, 5.0]), (1, [2.0, 2.0])]


def test_the_garbage_collector_is_set_as_it_was_whichever_thread_s_pass_ends_first(torch: ModuleType) -> None:
    from engine.pytorch import record

    found, before = gc.get_threshold(), (700, 10, 10)
    turns = [threading.Event() for _ in range(3)]

    def train(at: Callable[[], None]) -> None:
        with record():
            w = torch.ones(2, requires_grad=True)
            w.register_hook(lambda _: at())
            (w * 2).sum().backward()

    def first() -> None:
        train(lambda: meet(turns[0], turns[1]))
        turns[2].set()

    def second() -> None:
        turns[0].wait(60)
        train(lambda: meet(turns[1], turns[2]))

    gc.set_threshold(*before)
    try:
        elsewhere(first, second)
        assert gc.get_threshold()[:2] == before[:2]
    finally:
        gc.set_threshold(*found)


def test_black_boxes_of_two_threads_have_each_the_losses_of_their_own(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    plain = torch.autograd.backward, torch.Tensor.backward
    seen: list[list[float]] = [[], []]
    begun, ended = threading.Event(), threading.Event()

    def train(k: int, times: int, at: Callable[[int], Any]) -> None:
        w = torch.ones(2, requires_grad=True)
        asked: Callable[[Any], Any] = lambda point: seen[k].append(point.loss)  # noqa: E731
        with record(tmp_path / f"{k}.gradtape", last=2, until=asked):
            for step in range(times):
                loss = (w * (10 * k + step)).sum()
                w.register_hook(lambda _, step=step: at(step))
                loss.backward()

    def first() -> None:
        train(0, 4, lambda step: meet(begun, ended) if step == 3 else None)

    def second() -> None:
        begun.wait(60)  # within the last pass of the first one's, while PyTorch's own function is in its place
        train(1, 6, lambda step: None)
        ended.set()

    elsewhere(first, second)
    assert seen == [[0.0, 2.0, 4.0, 6.0], [20.0, 22.0, 24.0, 26.0, 28.0, 30.0]]
    assert (torch.autograd.backward, torch.Tensor.backward) == plain


def test_a_recording_may_be_ended_in_another_thread(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import start, stop

    depths: list[int] = []

    def run() -> None:
        start(tmp_path / "run.gradtape", level="values")
        w = torch.ones(2, requires_grad=True)
        for _ in range(3):
            (w * 2).sum().backward()
        elsewhere(stop)
        for _ in range(3):
            (w * 3).sum().backward()
        assert w.grad.tolist() == [15.0, 15.0]
        torch.optim.SGD([w], lr=0.1).step()
        depths.append(torch._C._len_torch_dispatch_stack())
        assert sys.gettrace() is None

    elsewhere(run)
    recording = Recording.load(tmp_path / "run.gradtape")
    assert recording.complete
    assert len(of(recording, e.BackwardBegan)) == 3
    assert torch._C._len_torch_dispatch_stack() == 0


def test_threads_that_make_batches_disturb_nothing(torch: ModuleType) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from engine.pytorch import record

    net = torch.nn.Linear(4, 1)
    scaled = torch.nn.Sequential(torch.nn.BatchNorm1d(4))

    def batch(k: int) -> Any:
        with torch.no_grad():
            return scaled(torch.full((3, 4), float(k)) + torch.arange(3.0).reshape(3, 1))

    with record(level="values") as tape, ThreadPoolExecutor(3) as pool:
        for x in pool.map(batch, range(12)):
            net(x).sum().backward()
    recording = tape.recording
    assert not of(recording, e.Warned)
    assert {event.op for event in of(recording, e.OpRan)} == {"constant", "Parameter", "t", "addmm", "sum"}
    assert len(of(recording, e.Accumulated)) == 24


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_forked_workers_do_is_not_recorded(torch: ModuleType) -> None:
    from engine.pytorch import record

    with record() as tape:
        torch.ones(2) * 2
        before, (out, into) = tape.recorder.count, os.pipe()
        child = os.fork()
        if not child:
            torch.ones(2) * 3
            os.write(into, str(tape.recorder.count).encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert int(os.read(out, 20)) == before
        torch.ones(2) * 4
    os.close(out)
    os.close(into)
    assert [event.op for event in of(tape.recording, e.OpRan)] == ["ones", "mul"] * 2


@pytest.mark.filterwarnings("default")
def test_threads_of_a_script_bring_no_loops_and_names_into_its_recording(taped: Taped) -> None:
    recording = taped(
        "import threading\nimport warnings\nimport torch\nw = torch.ones(3, requires_grad=True)\n"
        "def work(k):\n    v = torch.ones(4, requires_grad=True)\n    for i in range(30):\n        mine = (v * i).sum()\n"
        "        mine.backward()\n        print(f'in {k} {i}\\n', end='')\n    while i < 40:\n        i += 1\n"
        "    warnings.warn('from there')\n"
        "threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]\nfor t in threads:\n    t.start()\n"
        "for j in range(60):\n    loss = (w * j).sum()\n    loss.backward()\nfor t in threads:\n    t.join()\nprint('end')\n"
    )
    assert [recording.scopes[event.scope].loops for event in of(recording, e.BackwardBegan)] == [((17, j),) for j in range(60)]
    assert {event.name for event in of(recording, e.Named)} == {"w", "loss"}
    printed = "".join(event.text for event in of(recording, e.Printed))
    assert printed.count("in ") == 90
    assert printed.endswith("end\n")
    told = [event.message for event in of(recording, e.Warned)]
    assert sum(message.startswith("A backward pass ran in another thread") for message in told) == 1
    assert "from there" in told


def test_lines_of_other_threads_are_not_the_loops_that_run(tmp_path: Path) -> None:
    from engine.pytorch.loops import Loops
    from engine.pytorch.project import ProjectCodes

    def run() -> None:
        for _ in range(3):
            frame = sys._getframe()
            loops.came(frame, run.__code__.co_firstlineno + 1)

    told: list[Any] = []
    codes = ProjectCodes(Path(__file__).parent, __file__)
    loops = Loops(codes, told.append)
    elsewhere(run)
    assert not told
    run()
    assert [iterations for _, iterations in told] == [(0,), (1,), (2,)]
