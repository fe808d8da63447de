"""The black box: the last iterations of a run and the losses of all of them, written when something happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.diagnosis import findings
from engine.graph import build
from engine.graph.rolled_graph import rolled_graph
from engine.recording import Recording, replay
from engine.recording import events as e
from engine.recording.levels import iterations_of, levels_of

ROOT = Path(__file__).resolve().parents[3]
NEVER = 10_000


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments are as short as can be."""
    from engine.pytorch import blackbox

    monkeypatch.setattr(blackbox, "EVENTS", 1)


def train(torch: ModuleType, steps: int = 12, broken: int = NEVER, each: Callable[[int], Any] = lambda step: None) -> Any:
    """A training whose loss is NaN from an iteration on."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    for step in range(steps):
        opt.zero_grad()
        size = torch.tensor(1.0 if step < broken else -1.0)
        loss = ((net(x) - y) ** 2).mean() + 0.001 * torch.sqrt(size)
        loss.backward()
        each(step)
        opt.step()
    return net


def held(recording: Recording) -> list[int]:
    """The iterations that a recording holds whole, by their numbers."""
    levels, iterations = levels_of(recording), iterations_of(recording)
    return [n for step, n in zip(iterations.steps, iterations.numbers, strict=True) if levels.at(step) == "whole"]


def read(path: Path) -> Recording:
    """A recording, of which everything can be looked at."""
    recording = Recording.load(path)
    replay(recording, len(recording.events) - 1)
    build(recording)
    build(recording, rolled=True)
    return recording


def test_the_first_nan_writes_the_last_iterations_and_explain_names_its_line(
    torch: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine.pytorch import record

    plain, path = train(torch, 12, 9), tmp_path / "run.gradtape"
    there: list[bool] = []
    with record(path, last=3, until="nan"):
        net = train(torch, 12, 9, lambda step: there.append(path.exists()))
    assert there == [False] * 10 + [True] * 2, "it is written when the iteration is over"
    assert all(torch.equal(a, b) or a.isnan().all() for a, b in zip(plain.parameters(), net.parameters(), strict=True))
    assert "because the loss was nan in iteration 9" in capsys.readouterr().err
    recording = read(path)
    whole = held(recording)
    assert whole[-3:] == [7, 8, 9]
    assert len(whole) <= 6
    assert iterations_of(recording).numbers == tuple(range(10))
    passes = [event for event in recording.events if isinstance(event, e.BackwardBegan)]
    assert len(passes) == 10, "of the others there are the losses"
    found = findings(recording)[0]
    assert found.rule == "nan"
    assert recording.source[0].splitlines()[found.line - 1].strip().startswith("loss = ((net(x)")
    assert "-1" in str(found.evidence)


def test_parameters_go_on_from_segment_to_segment(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    with record(tmp_path / "run.gradtape", last=2, level="values"):
        net = train(torch)
    recording = read(tmp_path / "run.gradtape")
    assert held(recording)[-2:] == [10, 11]
    written = {w.tensor: w.array for event in recording.events if isinstance(event, e.OpRan) for w in event.written}
    parameters = {
        info.id: info for event in recording.events if isinstance(event, e.OpRan) for info in event.outputs if info.is_parameter
    }
    assert len(parameters) == 4, "each is introduced once"
    for info, parameter in zip(parameters.values(), net.parameters(), strict=True):
        array = recording.array(written[info.id])
        assert array is not None
        assert (array == parameter.detach().numpy()).all()
    named = {event.name for event in recording.events if isinstance(event, e.Named)}
    assert {"net.0.weight", "net.2.bias", "loss", "x"} <= named


def test_a_short_run_is_there_as_a_whole(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    with record(level="values") as tape:
        train(torch, 2)
    with record(tmp_path / "run.gradtape", last=3, level="values"):
        train(torch, 2)
    recording = read(tmp_path / "run.gradtape")
    kinds = [[type(event) for event in each.events] for each in (recording, tape.recording)]
    assert kinds[0] == kinds[1]
    assert not levels_of(recording).steps


def test_an_exception_writes_it_with_its_line(torch: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from engine.pytorch import record

    def fails(step: int) -> None:
        if step == 7:
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"), record(tmp_path / "run.gradtape", last=2, until="exception"):
        train(torch, each=fails)
    recording = read(tmp_path / "run.gradtape")
    (raised,) = (event for event in recording.events if isinstance(event, e.Raised))
    assert (raised.type, raised.message) == ("ValueError", "enough")
    assert recording.source[0].splitlines()[recording.line(raised) - 1].strip() == 'raise ValueError("enough")'
    assert held(recording)[-1] == 7
    assert "ValueError came in iteration 7" in capsys.readouterr().err


def test_of_every_fourth_iteration_all_is_there_and_of_the_others_the_loss(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    depths: list[int] = []
    plain = train(torch, 14)
    with record(tmp_path / "run.gradtape", last=2, every=4, level="values"):
        net = train(torch, 14, each=lambda step: depths.append(torch._C._len_torch_dispatch_stack()))
    assert depths == [1, 0, 0, 0] * 3 + [1, 0], "in the others PyTorch runs without modes"
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), net.parameters(), strict=True))
    recording = read(tmp_path / "run.gradtape")
    assert held(recording)[-2:] == [8, 12]
    assert len(held(recording)) <= 3
    assert iterations_of(recording).numbers == tuple(range(14))


def test_a_loop_of_a_library_is_told_by_its_passes(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)

    def step(k: int) -> None:
        loss = (w * k).sum()
        loss.backward()

    with record(tmp_path / "run.gradtape", last=2):
        list(map(step, range(9)))
    recording = read(tmp_path / "run.gradtape")
    assert sum(isinstance(event, e.BackwardBegan) for event in recording.events) == 9
    assert levels_of(recording).steps


def test_a_jump_of_the_loss_and_a_function_write_it(
    torch: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)

    def run() -> None:
        for k in range(50):
            loss = (w * (1000.0 if k == 40 else 1.0)).sum()
            loss.backward()

    seen: list[Any] = []
    with record(tmp_path / "jump.gradtape", last=2, until=("jump", "nan")):
        run()
    assert "the loss jumped to 2000 in iteration 40" in capsys.readouterr().err
    assert held(read(tmp_path / "jump.gradtape"))[-1] == 40
    with record(tmp_path / "asked.gradtape", last=2, until=lambda point: seen.append(point) or point.number == 20):
        run()
    assert "asked for after iteration 20" in capsys.readouterr().err
    assert [point.loss for point in seen] == [2.0] * 21
    with (
        pytest.warns(RuntimeWarning, match="ZeroDivisionError"),
        record(tmp_path / "bad.gradtape", until=lambda point: 1 / 0),
    ):
        run()
    assert (tmp_path / "bad.gradtape").exists()


def test_gradients_that_are_not_finite_write_it(torch: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from engine.pytorch import record

    w = torch.zeros(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    with record(tmp_path / "run.gradtape", last=2):
        for _ in range(2):
            torch.sqrt(w).sum().backward()
            opt.step()
    assert "the norm of the gradients was inf in iteration 0" in capsys.readouterr().err


def test_memory_is_bounded_by_what_is_kept(torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.pytorch import blackbox, record

    monkeypatch.setattr(blackbox, "POINTS", 8)
    with record(tmp_path / "run.gradtape", last=2) as session:
        train(torch, 40)
    box = session._box
    assert box is not None
    assert len(box.segments) <= 3
    assert sum(segment.recorder.count for segment in box.segments) < 400
    scalars = blackbox.Scalars(8)
    for k in range(100):
        scalars.add(blackbox.Iteration(k, (), 0.0, ()))
    assert [point.number for point in scalars.points] == list(range(0, 100, 16))
    monkeypatch.setattr(blackbox, "MEMORY", 1)
    with record(tmp_path / "less.gradtape", last=6):
        train(torch, 12)
    assert len(held(read(tmp_path / "less.gradtape"))) < 6


def test_nothing_is_left_behind_and_wrong_words_are_refused(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    before = torch.autograd.backward, signal.getsignal(signal.SIGTERM), sys.gettrace()
    with record(tmp_path / "run.gradtape", until=("nan", "signal")):
        assert torch.autograd.backward is not before[0]
        train(torch, 4, 2)
    assert (torch.autograd.backward, signal.getsignal(signal.SIGTERM), sys.gettrace()) == before
    assert torch._C._len_torch_dispatch_stack() == torch._C._len_torch_function_stack() == 0
    for wrong in ({"until": "never"}, {"last": 0}, {"every": 0}):
        with pytest.raises(ValueError, match=r"until is one of|count iterations"):
            record(tmp_path / "run.gradtape", **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs the path"):
        record(last=3)


def test_a_file_that_cannot_be_written_ends_nothing(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    with pytest.warns(RuntimeWarning, match="could not be written"), record(tmp_path / "absent" / "run.gradtape", last=2):
        train(torch, 3)


SIGNALLED = """import os, signal, sys
import gradtape
import torch

came = []
if sys.argv[1] == "handled":
    signal.signal(signal.SIGTERM, lambda *_: came.append(1))
w = torch.ones(2, requires_grad=True)
with gradtape.record("run.gradtape", last=2, until="signal"):
    for k in range(8):
        (w * k).sum().backward()
        if k == 5:
            os.kill(os.getpid(), signal.SIGTERM)
        if k == 6:
            assert os.path.exists("run.gradtape")
print("ended", came)
"""


@pytest.mark.parametrize(("how", "code", "said"), [("handled", 0, "ended [1]\n"), ("plain", -signal.SIGTERM, "")])
def test_a_signal_writes_it_and_does_what_it_would_have_done(
    torch: ModuleType, tmp_path: Path, how: str, code: int, said: str
) -> None:
    (tmp_path / "train.py").write_text(SIGNALLED)
    done = subprocess.run(
        [sys.executable, "train.py", how],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (code, said), done.stderr
    assert "signal SIGTERM came in iteration 5" in done.stderr
    assert read(tmp_path / "run.gradtape").events


def curves(path: Path) -> dict[str, list[Any]]:
    """What the page draws over the iterations, by name."""
    return {curve.name: curve.values for curve in rolled_graph(read(path)).timeline().curves}


@pytest.mark.parametrize("every", [1, 4])
def test_losses_norms_of_gradients_and_rates_are_there_of_all_iterations(torch: ModuleType, tmp_path: Path, every: int) -> None:
    from engine.pytorch import record

    w, v = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
    first, second = torch.optim.SGD([w], lr=0.01), torch.optim.Adam([v], lr=0.1)
    schedule = torch.optim.lr_scheduler.ExponentialLR(first, 0.5)
    points: list[Any] = []

    def asked(point: Any) -> None:
        points.append(point)

    expected: list[float] = []
    with record(tmp_path / "run.gradtape", last=2, every=every, until=asked):
        for k in range(12):
            first.zero_grad()
            second.zero_grad()
            ((w * (k + 1)).sum() + v.sum() * 2).backward()
            torch.nn.utils.clip_grad_norm_([w], 4.0)
            expected.append(torch.cat([w.grad, v.grad]).norm().item())
            first.step()
            second.step()
            schedule.step()
    assert [point.gradient for point in points] == pytest.approx(expected)
    assert points[2].rates == (0.1,)
    assert points[2].steps == (("SGD", (0.0025,)), ("Adam", (0.1,)))
    found = curves(tmp_path / "run.gradtape")
    assert found["gradient norm"] == pytest.approx(expected, rel=1e-3)
    assert found["learning rate of SGD"] == pytest.approx([0.01 * 0.5**k for k in range(12)], rel=1e-5)
    assert not findings(read(tmp_path / "run.gradtape"))


def test_the_norm_is_that_of_all_gradients_whatever_they_are_kept_in(torch: ModuleType) -> None:
    from engine.pytorch.blackbox import norm_of

    twice = torch.sparse_coo_tensor([[1, 1]], [[3.0], [1.0]], (5, 1), check_invariants=True)
    grads = [torch.full((100,), 30_000.0, dtype=torch.float16), torch.full((4,), 1e5), twice, torch.tensor([3 + 4j])]
    assert norm_of(grads[:1]) == pytest.approx(300_000)
    assert norm_of(grads[2:3]) == 4
    assert norm_of(grads[3:]) == 5
    assert norm_of(grads) == pytest.approx((300_000**2 + 4e10 + 16 + 25) ** 0.5)
    assert norm_of([torch.ones(2, dtype=torch.float64), torch.ones(2)]) == pytest.approx(2)


def test_gradients_that_cannot_be_measured_end_no_training(
    torch: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.pytorch import blackbox, record

    def fails(grads: Any) -> float:
        raise NotImplementedError("no such thing")

    plain = train(torch)
    monkeypatch.setattr(blackbox, "norm_of", fails)
    with (
        pytest.warns(RuntimeWarning, match="cannot measure gradients: NotImplementedError") as told,
        record(tmp_path / "run.gradtape", last=2, every=3),
    ):
        net = train(torch)
    assert len(told) == 1
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), net.parameters(), strict=True))
    assert read(tmp_path / "run.gradtape").events


def test_loops_are_followed_again_after_a_step_of_which_nothing_is_recorded(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    closures: list[int] = []

    def closure() -> Any:
        closures.append(1)
        return torch.zeros(1)

    with record(tmp_path / "run.gradtape", last=2, every=5) as session:
        for k in range(9):
            (w * k).sum().backward()
            if k == 3:
                w.grad = w.grad.to_sparse()
                with pytest.raises(RuntimeError):
                    torch.optim.Adam([w]).step()
                w.grad = None
            optimizer.step(closure) if k == 4 else optimizer.step()
    box = session._box
    assert box is not None
    assert [point.number for point in box.scalars.points] == list(range(9))
    assert [point.turns for point in box.scalars.points] == [(k,) for k in range(9)]
    assert closures
