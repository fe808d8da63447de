"""Learning rate schedules against PyTorch, epoch by epoch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import engine
from tests.engine.optim.optim_cases import BOTH, leaf, outcome, torch

from . import optim_cases as cases


def two_groups(t: ModuleType, kind: str = "SGD") -> Any:
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(t.optim, kind)([{"params": [leaf(t)]}, {"params": [leaf(t)], "lr": 0.3}], lr=0.1, **options)


def options_of(optimizer: Any) -> list[Any]:
    return [{k: v for k, v in group.items() if k != "params"} for group in optimizer.param_groups]


def plain_state(scheduler: Any) -> dict[str, Any]:
    """The state dict without what is a bound method."""
    return {key: value for key, value in scheduler.state_dict().items() if key != "_scale_fn_ref"}


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize(("name", "options"), cases.SCHEDULES)
def test_every_schedule_sets_pytorchs_learning_rates(name: str, options: dict[str, Any], kind: str) -> None:
    traces: list[Any] = []
    for t in BOTH:
        optimizer = two_groups(t, kind)
        scheduler = getattr(t.optim.lr_scheduler, name)(optimizer, **options)
        trace = []
        for _ in range(20):
            state = plain_state(scheduler)
            trace.append((scheduler.get_last_lr(), options_of(optimizer), state, list(state)))
            optimizer.step()
            scheduler.step()
        traces.append(trace)
    assert traces[0] == traces[1]
    assert repr(two_groups(engine, kind)) == repr(two_groups(torch, kind))


@pytest.mark.filterwarnings("ignore:The epoch parameter")
@pytest.mark.parametrize(("name", "options"), cases.SCHEDULES)
def test_schedules_go_to_a_given_epoch(name: str, options: dict[str, Any]) -> None:
    traces: list[Any] = []
    for t in BOTH:
        optimizer = two_groups(t)
        scheduler = getattr(t.optim.lr_scheduler, name)(optimizer, **options)
        optimizer.step()
        trace = []
        for epoch in (1, 4, 2, None, 9, None):
            scheduler.step(epoch)
            trace.append((scheduler.last_epoch, scheduler.get_last_lr()))
        traces.append(trace)
    assert traces[0] == traces[1]


@pytest.mark.parametrize(("name", "options"), cases.SCHEDULES)
def test_a_loaded_schedule_continues(name: str, options: dict[str, Any]) -> None:
    optimizer = two_groups(engine)
    scheduler = getattr(engine.optim.lr_scheduler, name)(optimizer, **options)
    optimizer.step()
    for _ in range(4):
        scheduler.step()
    other_optimizer = two_groups(engine)
    other = getattr(engine.optim.lr_scheduler, name)(other_optimizer, **options)
    other.load_state_dict(scheduler.state_dict())
    other_optimizer.load_state_dict(optimizer.state_dict())
    for _ in range(6):
        scheduler.step()
        other.step()
        assert scheduler.get_last_lr() == other.get_last_lr()


@pytest.mark.parametrize(
    "options",
    [
        {"patience": 1},
        {"mode": "max", "patience": 0, "factor": 0.5, "cooldown": 2},
        {"threshold_mode": "abs", "threshold": 0.1, "patience": 1, "min_lr": [0.02, 0.05]},
        {"mode": "max", "threshold_mode": "abs", "patience": 0, "min_lr": 0.01},
    ],
)
def test_reduce_on_plateau_reacts_as_in_pytorch(options: dict[str, Any]) -> None:
    metrics = [3.0, 2.0, 2.5, 1.99, 1.98, 2.2, 2.1, 2.3, 1.0, 1.1, 1.2, 0.95, 3.0, 3.5, 3.4]
    traces: list[Any] = []
    for t in BOTH:
        optimizer = two_groups(t)
        scheduler = t.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
        trace = []
        for metric in metrics:
            scheduler.step(t.tensor(metric))
            trace.append((scheduler.get_last_lr(), scheduler.in_cooldown, scheduler.state_dict()))
        again = t.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        again.load_state_dict(scheduler.state_dict())
        again.step(5.0)
        traces.append((trace, again.state_dict()))
    assert traces[0] == traces[1]


def combinations(t: ModuleType, optimizer: Any) -> dict[str, Any]:
    s = t.optim.lr_scheduler
    return {
        "sequential": lambda: s.SequentialLR(
            optimizer, [s.ConstantLR(optimizer, 0.1, 3), s.ExponentialLR(optimizer, 0.9), s.StepLR(optimizer, 2)], [3, 7]
        ),
        "warm-up": lambda: s.SequentialLR(
            optimizer, [s.LinearLR(optimizer, 0.1, total_iters=4), s.CosineAnnealingLR(optimizer, 8)], [4]
        ),
        "chained": lambda: s.ChainedScheduler([s.ConstantLR(optimizer, 0.1, 3), s.ExponentialLR(optimizer, 0.9)]),
        "nested": lambda: s.SequentialLR(
            optimizer,
            [s.SequentialLR(optimizer, [s.ConstantLR(optimizer, 0.5, 2), s.StepLR(optimizer, 2)], [3]), s.StepLR(optimizer, 3)],
            [6],
        ),
    }


@pytest.mark.filterwarnings("ignore:Detected call")
@pytest.mark.parametrize("case", ["sequential", "warm-up", "chained", "nested"])
def test_schedules_combine_as_in_pytorch(case: str) -> None:
    traces: list[Any] = []
    for t in BOTH:
        optimizer = two_groups(t)
        scheduler = combinations(t, optimizer)[case]()
        trace = []
        for _ in range(12):
            trace.append((scheduler.get_last_lr(), options_of(optimizer)))
            optimizer.step()
            scheduler.step()
        state = scheduler.state_dict()
        other = combinations(t, two_groups(t))[case]()
        other.load_state_dict(state)
        traces.append((trace, state, other.state_dict() == state))
    assert traces[0] == traces[1]
    assert traces[0][2]


@pytest.mark.parametrize(("name", "options"), cases.WRONG_SCHEDULES)
def test_wrong_schedules_raise_pytorchs_errors(name: str, options: dict[str, Any]) -> None:
    ours, theirs = (outcome(lambda t=t: getattr(t.optim.lr_scheduler, name)(two_groups(t), **options)) for t in BOTH)
    assert ours == theirs
    assert ours[0]


def misuse(t: ModuleType) -> dict[str, Any]:
    s, optimizer, other = t.optim.lr_scheduler, two_groups(t), two_groups(t)

    def overridden() -> None:
        scheduler = s.StepLR(optimizer, 2)
        optimizer.step = lambda: None
        scheduler.step()

    def too_many() -> None:
        scheduler = s.OneCycleLR(optimizer, 0.1, total_steps=2)
        optimizer.step()
        for _ in range(4):
            scheduler.step()

    def more_groups() -> None:
        scheduler = s.ReduceLROnPlateau(optimizer, min_lr=[0.1, 0.1], patience=0)
        optimizer.add_param_group({"params": [leaf(t)]})
        scheduler.step(1.0)
        scheduler.step(2.0)

    return {
        "no optimizer": lambda: s.StepLR(3, 2),
        "no optimizer for the plateau": lambda: s.ReduceLROnPlateau(3),
        "before the optimizer": lambda: s.StepLR(optimizer, 2).step(),
        "get_lr": lambda: s.StepLR(optimizer, 2).get_lr(),
        "get_lr of a formula": lambda: s.LambdaLR(optimizer, lambda epoch: 1.0).get_lr(),
        "an epoch": lambda: (optimizer.step(), s.StepLR(optimizer, 2), optimizer.step(), s.StepLR(optimizer, 2).step(3)),
        "an epoch of the plateau": lambda: s.ReduceLROnPlateau(optimizer).step(1.0, 3),
        "a negative epoch": lambda: s.CosineAnnealingWarmRestarts(optimizer, 2).step(-1),
        "overridden": overridden,
        "too many steps": too_many,
        "more groups": more_groups,
        "no momentum": lambda: s.OneCycleLR(t.optim.Adagrad([leaf(t)]), 0.1, total_steps=3),
        "another optimizer's": lambda: s.ChainedScheduler([s.StepLR(optimizer, 2), s.StepLR(other, 2)]),
        "nothing chained": lambda: s.ChainedScheduler([]),
        "no schedule": lambda: s.SequentialLR(optimizer, [3], []),
        "a plateau in sequence": lambda: s.SequentialLR(optimizer, [s.ReduceLROnPlateau(optimizer)], []),
        "too many milestones": lambda: s.SequentialLR(optimizer, [s.StepLR(optimizer, 2)], [3]),
        "the base class": lambda: s.LRScheduler(optimizer),
        "a sequence in a sequence": combinations(t, optimizer)["nested"],
    }


@pytest.mark.parametrize("case", misuse(engine))
def test_misused_schedules_say_what_pytorch_says(case: str) -> None:
    ours, theirs = (outcome(misuse(t)[case]) for t in BOTH)
    assert ours == theirs
    assert ours[0]


def test_functions_of_a_schedule_are_not_saved_but_objects_are() -> None:
    class Decay:
        def __init__(self) -> None:
            self.rate = 0.5

        def __call__(self, epoch: float) -> float:
            return float(self.rate**epoch)

    for t in BOTH:
        s = t.optim.lr_scheduler
        saved = s.LambdaLR(two_groups(t), [Decay(), lambda epoch: 1.0]).state_dict()
        assert saved["lr_lambdas"] == [{"rate": 0.5}, None]
        other = s.LambdaLR(two_groups(t), [Decay(), lambda epoch: 1.0])
        saved["lr_lambdas"][0]["rate"] = 0.25
        other.load_state_dict(saved)
        assert other.lr_lambdas[0].rate == 0.25
        cyclic = s.CyclicLR(two_groups(t), 0.1, 0.2, scale_fn=Decay())
        assert cyclic.state_dict()["_scale_fn_custom"] == {"rate": 0.5}
        cyclic.load_state_dict({**cyclic.state_dict(), "_scale_fn_custom": {"rate": 0.1}})
        assert cyclic.scale_fn(1) == 0.1
