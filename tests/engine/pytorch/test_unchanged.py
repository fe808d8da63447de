"""A run that is recorded ends as it would have: the same numbers, nothing left behind, nothing kept alive."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.recording import Recording
from engine.recording import events as e

ROOT = Path(__file__).resolve().parents[3]


def trained(torch: ModuleType) -> tuple[list[Any], Any]:
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Dropout(0.2), nn.ReLU(), nn.Linear(8, 3))
    opt = torch.optim.AdamW(net.parameters(), lr=0.01)
    for _ in range(3):
        x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    return [*net.state_dict().values(), *(p.grad for p in net.parameters()), torch.get_rng_state()], net


def test_numbers_and_random_state_are_bitwise_the_same(torch: ModuleType) -> None:
    from engine.pytorch import record

    plain, _ = trained(torch)
    with record(level="values") as tape:
        recorded, net = trained(torch)
    assert len(tape.recording.events) > 100
    assert all(torch.equal(a, b) for a, b in zip(plain, recorded, strict=True))
    assert all(not vars(p) for p in net.parameters())
    assert all(p._backward_hooks is None for p in net.parameters())


def test_nothing_is_left_behind(torch: ModuleType) -> None:
    from torch.autograd import graph
    from torch.nn.modules import module
    from torch.optim import optimizer

    from engine.pytorch import record

    def state() -> list[Any]:
        return [
            graph._engine_run_backward, torch.autograd._engine_run_backward, vars(torch.autograd.Function)["apply"],
            torch.nn.Parameter.__new__, vars(optimizer.Optimizer)["zero_grad"],
            dict(vars(torch.autograd.profiler.record_function)), dict(module._global_forward_hooks),
            dict(module._global_forward_pre_hooks),
            dict(optimizer._global_optimizer_pre_hooks), dict(optimizer._global_optimizer_post_hooks),
            len(torch.overrides._get_current_function_mode_stack()),
        ]  # fmt: skip

    before = state()
    with record():
        assert state() != before
        trained(torch)
    assert state() == before
    with pytest.raises(ZeroDivisionError), record():
        1 / 0  # noqa: B018
    assert state() == before


def test_no_tensor_is_kept_alive(torch: ModuleType) -> None:
    from engine.pytorch import record

    with record() as tape:
        x = torch.ones(1000, requires_grad=True)
        y = (x * 2).sum()
        y.backward()
        seen = [weakref.ref(x), weakref.ref(y), weakref.ref(x.grad)]
        torch.ones(1)  # what comes next settles what was before
        del x, y
        gc.collect()
        assert [each() for each in seen] == [None, None, None]
    assert len(tape.recording.events) > 5


def test_an_error_within_the_recorder_ends_the_recording_and_not_the_training(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.pytorch import arrays, record

    plain, _ = trained(torch)
    kept, calls = arrays.Keeper.keep, []

    def fails(*arguments: Any) -> int:
        calls.append(1)
        if len(calls) == 40:
            raise OverflowError("too much for it")
        return kept(*arguments)

    monkeypatch.setattr(arrays.Keeper, "keep", fails)
    with pytest.warns(RuntimeWarning, match="The recording ends here"), record() as tape:
        recorded, _ = trained(torch)
    assert all(torch.equal(a, b) for a, b in zip(plain, recorded, strict=True))
    assert len(calls) == 40
    warned = [event for event in tape.recording.events if isinstance(event, e.Warned)]
    assert "OverflowError: too much for it" in warned[0].message


def test_a_function_can_be_recorded(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    path = tmp_path / "run.gradtape"

    @record(path)
    def train(width: int) -> float:
        w = torch.ones(width, requires_grad=True)
        for _ in range(3):
            loss = (w * 2).sum()
            loss.backward()
        return float(loss.detach())

    assert train(4) == 8.0
    recording = Recording.load(path)
    assert {event.name for event in recording.events if isinstance(event, e.Named)} >= {"w", "loss"}
    passes = [recording.scopes[each.scope].loops for each in recording.events if isinstance(each, e.BackwardBegan)]
    assert [iteration for ((_, iteration),) in passes] == [0, 1, 2]


def test_off_records_nothing_and_other_levels_are_refused(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    with record(tmp_path / "none.gradtape", level="off"):
        trained(torch)
    assert not (tmp_path / "none.gradtape").exists()
    with pytest.raises(ValueError, match="level is one of"):
        record(level="everything")


def test_the_installed_name_records_with_three_lines(torch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import gradtape\nimport torch\n\nwith gradtape.record('run.gradtape'):\n    w = torch.ones(2, requires_grad=True)\n"
        "    for k in range(2):\n        (w * k).sum().backward()\nassert 'streamlit' not in __import__('sys').modules\n"
    )
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    recording = Recording.load(tmp_path / "run.gradtape")
    assert recording.names == ("train.py",)
    assert {event.name for event in recording.events if isinstance(event, e.Named)} == {"w"}


def test_numpy_warns_as_before_and_the_script_knows_its_place(torch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import os, sys\nimport numpy as np\nimport torch\n"
        "if 'bare' in sys.argv:\n    import gradtape\n    gradtape.record\n"
        "(torch.ones(1, requires_grad=True) * 2).sum().backward()\nos.chdir('..')\n"
        "print(np.geterr(), __file__, sys.argv[:1])\nnp.array([0.0]) ** -1\nopen(__file__ + '.missing')\n"
    )

    def ran(*command: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        assert done.returncode == 1
        return [done.stdout, *[line for line in done.stderr.splitlines() if not line.startswith("wrote ")]]

    plain = ran("train.py")
    assert "RuntimeWarning: divide by zero" in plain[1]
    assert ran("train.py", "bare") == plain
    assert ran("-m", "gradtape", "run", "--torch", "train.py") == plain


def test_other_threads_are_not_recorded(torch: ModuleType) -> None:
    from engine.pytorch import record

    def elsewhere() -> None:
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()

    with record() as tape:
        w = torch.ones(2, requires_grad=True)
        (w * 2).sum().backward()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        (w * 3).sum().backward()
    kinds = [type(event) for event in tape.recording.events]
    assert (kinds.count(e.BackwardBegan), kinds.count(e.Stepped)) == (2, 0)
    assert {event.op for event in tape.recording.events if isinstance(event, e.OpRan)} == {"ones", "mul", "sum"}


def test_a_file_that_cannot_be_written_ends_no_training(torch: ModuleType, tmp_path: Path) -> None:
    from engine.pytorch import record

    with pytest.warns(RuntimeWarning, match="could not be written"), record(tmp_path / "absent" / "run.gradtape") as tape:
        torch.ones(2).sum()
    assert tape.recording.events
    with (
        pytest.warns(RuntimeWarning, match="could not be written"),
        pytest.raises(ZeroDivisionError),
        record(tmp_path / "absent" / "run.gradtape"),
    ):
        1 / 0  # noqa: B018


def test_facts_are_recorded_without_values(torch: ModuleType) -> None:
    from engine.pytorch import record

    plain, _ = trained(torch)
    with record(level="facts") as facts:
        recorded, _ = trained(torch)
    with record(level="statistics") as statistics:
        trained(torch)
    assert all(torch.equal(a, b) for a, b in zip(plain, recorded, strict=True))
    told = [
        [(type(event), recording.line(event)) for event in recording.events]
        for recording in (facts.recording, statistics.recording)
    ]
    assert told[0] == told[1]
    arrays = facts.recording.arrays
    assert len(arrays) < len(statistics.recording.arrays) / 5
    assert all(array.data is None and array.summary is not None for array in arrays)
    known = {array.summary.norm for array in arrays if array.summary is not None and not array.unmeasured}
    assert known <= {0.0}, "but what was filled with zeros is known to be zero"


@pytest.mark.parametrize("own", [True, False], ids=["the program's", "PyTorch's"])
def test_an_optimizer_that_raises_is_over(torch: ModuleType, own: bool) -> None:
    from engine.pytorch import record

    class Failing(torch.optim.Optimizer):  # type: ignore[name-defined, misc]
        def step(self, closure: Any = None) -> None:
            with torch.no_grad():
                self.param_groups[0]["params"][0].add_(1)
            raise ArithmeticError

    def failing() -> None:
        raise ArithmeticError

    w = torch.zeros(2, requires_grad=True)
    with record() as tape:
        w.sum().backward()
        optimizer = Failing([w], {}) if own else torch.optim.SGD([w], lr=0.1)
        with pytest.raises(ArithmeticError):
            optimizer.step() if own else optimizer.step(failing)
        (w * 3).sum().backward()
        torch.optim.SGD([w], lr=0.1).step()
    ran = [(event.op, len(event.written)) for event in tape.recording.events if isinstance(event, e.OpRan)]
    first = [("failing", 1)] if own else []
    assert ran == [("constant", 0), ("sum", 0), *first, ("mul", 0), ("sum", 0), ("sgd", 1)]
    assert [event.optimizer for event in tape.recording.events if isinstance(event, e.Stepped)] == ["SGD"]


def test_a_closure_is_recorded_and_what_the_optimizer_computes_is_not(torch: ModuleType) -> None:
    from engine.pytorch import record

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=2)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with record() as tape:
        optimizer.step(closure)
        w.detach().exp()
    ops = [event.op for event in tape.recording.events if isinstance(event, e.OpRan)]
    assert {*ops} == {"constant", "mul", "sum", "lbfgs", "detach", "exp"}
    assert ops.count("mul") == sum(isinstance(event, e.BackwardBegan) for event in tape.recording.events) >= 2


def test_what_the_program_s_own_modes_see_of_a_step_is_the_same(torch: ModuleType) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    from engine.pytorch import record

    class Counting(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[str] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    def run() -> list[str]:
        torch.manual_seed(0)
        net = torch.nn.Linear(100, 2)
        optimizer = torch.optim.Adam(net.parameters())
        with Counting() as mode:
            net(torch.ones(1, 100)).sum().backward()
            optimizer.step()
        return [each for each in mode.seen if each.startswith("aten.") and "detach" not in each]

    plain = run()
    assert len(plain) > 20
    with record() as tape:
        assert run() == plain
    assert any(isinstance(event, e.Stepped) for event in tape.recording.events)


def test_the_garbage_collector_is_set_as_it_was(torch: ModuleType) -> None:
    from engine.pytorch import record

    found, before, within = gc.get_threshold(), (700, 10, 10), []
    w = torch.ones(2, requires_grad=True)
    gc.set_threshold(*before)
    try:
        with record():
            loss = (w * 2).sum()
            w.register_hook(lambda _: within.append(gc.get_threshold()[0] > before[0]))
            loss.backward()
            with pytest.raises(RuntimeError, match="second time"):
                loss.backward()
            assert gc.get_threshold()[:2] == before[:2]
    finally:
        gc.set_threshold(*found)
    assert within[0]


def test_gradients_accumulate_in_place_as_they_do_unrecorded(torch: ModuleType) -> None:
    from engine.pytorch import record

    def run() -> list[tuple[int, bool]]:
        w = torch.ones(200, requires_grad=True)
        found, before = [], 0
        for _ in range(3):
            (w * 2).sum().backward()
            found.append((w.grad._version, w.grad.data_ptr() == before))
            before = w.grad.data_ptr()
        return found

    plain = run()
    with record() as tape:
        assert run() == plain == [(0, False), (1, True), (2, True)]
    totals = [event.total for event in tape.recording.events if isinstance(event, e.Accumulated)]
    maxima = [array.summary.max for array in (tape.recording.arrays[total] for total in totals) if array.summary is not None]
    assert maxima == [2.0, 4.0, 6.0]


def test_operations_are_told_without_the_compiler_s_wrapper(torch: ModuleType) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    from engine.pytorch.watch import _Operations

    assert not _Operations._should_skip_dynamo()
    if hasattr(TorchDispatchMode, "_should_skip_dynamo"):  # in releases that wrap the function
        assert not hasattr(_Operations.__torch_dispatch__, "__wrapped__")


def test_recordings_of_two_threads_leave_nothing_whichever_ends_first(tmp_path: Path) -> None:
    import torch
    from torch.autograd import graph

    from engine.pytorch import record

    def watched() -> list[object]:
        owners = (
            (graph, "_engine_run_backward"), (torch.autograd.Function, "apply"), (torch.nn.Parameter, "__new__"),
            (torch.nn.parallel.DistributedDataParallel, "__init__"),
        )  # fmt: skip
        return [vars(owner)[name] for owner, name in owners]

    def train() -> None:
        net = torch.nn.Linear(3, 1)
        net(torch.ones(2, 3)).sum().backward()

    before = watched()
    turns = [threading.Event() for _ in range(4)]

    def first() -> None:
        with record(tmp_path / "first.gradtape"):
            turns[0].set()
            turns[1].wait(60)
            train()
        turns[2].set()
        turns[3].wait(60)
        train()  # recorded by nobody

    def second() -> None:
        turns[0].wait(60)
        with record(tmp_path / "second.gradtape"):
            turns[1].set()
            turns[2].wait(60)
            train()
            train()
        turns[3].set()

    threads = [threading.Thread(target=each) for each in (first, second)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(120)
    assert watched() == before
    for name, passes in (("first", 1), ("second", 2)):
        recording = Recording.load(tmp_path / f"{name}.gradtape")
        assert [event.number for event in recording.events if isinstance(event, e.BackwardBegan)] == [*range(1, passes + 1)]
        assert recording.complete


def test_memory_that_was_looked_at_can_still_be_resized(tmp_path: Path) -> None:
    import torch

    from engine.pytorch import record

    for level in ("values", "statistics"):
        with record(tmp_path / "run.gradtape", level=level):
            few, many, turned = torch.arange(6.0), torch.arange(600.0), torch.arange(6).reshape(2, 3).t()
            half, none = torch.ones(3, dtype=torch.bfloat16), torch.zeros(0)
            made = [few * 2, many * 2, turned * 2, half * 2, none * 2]
        for tensor in (few, many, turned, half, *made):
            tensor.untyped_storage().resize_(4096)  # refused once numpy() has been asked of it
    with record(level="values") as tape:
        made = [torch.arange(6).reshape(2, 3).t() * 2, torch.ones(2, dtype=torch.bfloat16) * 2, torch.tensor([True]) & True]
    kept = [tape.recording.array(event.outputs[0].array) for event in tape.recording.events if isinstance(event, e.OpRan)]
    values = [None if each is None else each.tolist() for each in kept]
    for tensor in made:
        assert tensor.tolist() in values


def compiled(torch: ModuleType) -> list[Any]:
    """Parameters and statistics after steps of what is compiled: a network, a loss, and a step with its backward pass."""
    nn = torch.nn
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    called = torch.compile(net, backend="aot_eager")

    @torch.compile(backend="eager")  # type: ignore[untyped-decorator, unused-ignore]
    def step(x: Any, y: Any) -> None:
        loss = nn.functional.cross_entropy(called(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()

    for _ in range(3):
        step(torch.randn(6, 4), torch.randint(0, 3, (6,)))
    nn.functional.cross_entropy(called(torch.randn(6, 4)), torch.zeros(6, dtype=torch.long)).backward()
    return [*net.state_dict().values(), *(p.grad for p in net.parameters())]


@pytest.mark.parametrize("level", ["facts", "statistics"])
def test_what_is_compiled_runs_as_it_is_written(torch: ModuleType, level: str) -> None:
    from engine.pytorch import record

    torch._dynamo.reset()
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        plain = compiled(torch)
        count = len(shown)
        torch._dynamo.reset()
        with record(level=level) as outer, record(level=level):
            recorded = compiled(torch)
        more = [str(each.message) for each in shown[count:]]
        assert len([each for each in more if each.startswith("torch.compile: ")]) == 2, "each recording says it"
        assert [each for each in more if not each.startswith("torch.compile: ")] == []
    for a, b in zip(plain, recorded, strict=True):
        torch.testing.assert_close(a, b)
    names = [event.op for event in outer.recording.events if isinstance(event, e.OpRan)]
    assert names.count("batch_norm") == 4
    assert not outer.recorder or not outer.recorder.failure
    from torch._dynamo import eval_frame

    assert eval_frame._stance.stance == "default"
    assert torch.nn.modules.module._has_any_global_hook.__module__ == torch.nn.modules.module.__name__


def test_one_of_func_s_transformations_is_passed_over_as_a_whole(torch: ModuleType) -> None:
    from engine.pytorch import record

    def train() -> list[Any]:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        parameters, x = dict(net.named_parameters()), torch.randn(100, 3)

        def loss(given: Any, x: Any) -> Any:
            (w,) = torch.autograd.grad((given["0.weight"] ** 2).sum(), given["0.weight"], create_graph=True)
            return (torch.func.functional_call(net, given, (x,)) ** 2).mean() + w.sum() * 0

        slopes = torch.func.grad(loss)(parameters, x)
        moved = {name: p - 0.1 * slopes[name] for name, p in parameters.items()}
        end = loss(moved, x)
        end.backward()
        each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x[:4, None])
        return [end, *(p.grad for p in net.parameters()), *each.values()]

    plain = train()
    for level in ("facts", "statistics", "values"):
        with record(level=level) as tape:
            recorded = train()
        assert tape.recorder is not None
        assert not tape.recorder.failure
        assert all(torch.equal(a, b) for a, b in zip(plain, recorded, strict=True))
        passes = [event.via for event in tape.recording.events if isinstance(event, e.BackwardBegan)]
        assert passes == ["grad", "backward"], "those outside of the transformations"
