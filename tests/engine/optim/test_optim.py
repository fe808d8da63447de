"""Optimizers against PyTorch, step by step."""

from __future__ import annotations

import copy
import gc
import importlib
import inspect
import weakref
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.context import observed
from engine.errors import Unsupported
from engine.graph.shown.captions import caption_text, captions
from engine.graph.structure.build import build
from engine.recording.index import index_of
from engine.recording.recorder import record
from tests.engine.optim.optim_cases import BOTH, array, close, leaf, outcome, torch

from . import optim_cases as cases

RUNS = [(name, options) for name, sets in cases.OPTIMIZERS.items() for options in sets]
# PyTorch's kernels fuse multiplications with additions, which NumPy cannot: each operation may differ by one rounding, and
# in 40 steps down a curved function the differences grow.
TOLERANCE = {"float64": 1e-11, "float32": 2e-5}
# Near a sign change Adafactor's steps depend on the last bit: PyTorch's own runs, begun one bit apart, differ by 1e-3.
ADAFACTOR = {"float64": 1e-11, "float32": 5e-3}


def train(t: ModuleType, name: str, options: dict[str, Any], dtype: str, steps: int = 40) -> tuple[list[Any], Any]:
    params = cases.start(t, dtype)
    # PyTorch's Adafactor divides by the number of elements, so the parameter without any is not for it.
    optimizer = getattr(t.optim, name)(params[:-1] if name == "Adafactor" else params, **options)
    for _ in range(steps):
        optimizer.zero_grad()
        value = cases.loss(params)
        value = value.tanh() if options.get("maximize") else value
        value.backward()
        optimizer.step()
    return params, optimizer


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "options"), RUNS)
def test_every_optimizer_goes_pytorchs_way(name: str, options: dict[str, Any], dtype: str) -> None:
    ours, mine = train(engine, name, options, dtype)
    theirs, reference = train(torch, name, options, dtype)
    tolerance = (ADAFACTOR if name == "Adafactor" else TOLERANCE)[dtype]
    close(ours, theirs, tolerance)
    close(mine.state_dict(), reference.state_dict(), tolerance * 10)
    assert repr(mine) == repr(reference)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "options"), RUNS)
def test_one_step_is_right_to_the_last_bits(name: str, options: dict[str, Any], dtype: str) -> None:
    (ours, _), (theirs, _) = (train(t, name, options, dtype, steps=1) for t in BOTH)
    close(ours, theirs, 4 * float(np.finfo(dtype).eps))


@pytest.mark.parametrize("name", [*cases.OPTIMIZERS])
def test_without_fused_arithmetic_the_numbers_are_the_same_bits(name: str) -> None:
    """Three elements are below the width of PyTorch's vector kernels; the numbers are such that products are exact."""
    results = []
    for t in BOTH:
        p = t.tensor([1.0, -2.0, 4.0], requires_grad=True)
        optimizer = getattr(t.optim, name)([p], lr=0.25)
        p.grad = t.tensor([0.5, 2.0, -0.25])
        optimizer.step()
        results.append(array(p))
    np.testing.assert_array_almost_equal_nulp(*results, nulp=1)


@pytest.mark.parametrize("options", cases.LBFGS)
def test_lbfgs_goes_pytorchs_way(options: dict[str, Any]) -> None:
    seen: list[Any] = []
    for t in BOTH:
        params = cases.start(t)
        w, b = params[:2]
        optimizer = t.optim.LBFGS([w, b, params[3]], **options)
        calls = []

        def closure(optimizer: Any = optimizer, w: Any = w, b: Any = b, calls: list[float] = calls) -> Any:
            optimizer.zero_grad()
            value = ((w * w - 0.5) ** 2).sum() + ((w.sum(0) - b) ** 2).sum()
            value.backward()
            calls.append(value.item())
            return value

        losses = [optimizer.step(closure).item() for _ in range(3)]
        seen.append((calls, losses, [w, b], optimizer.state_dict()))
    for ours, theirs in zip(*seen):
        close(ours, theirs, 1e-6)


def test_lbfgs_stops_at_a_minimum_and_refuses_groups_and_other_searches() -> None:
    for t in BOTH:
        p = t.zeros(2, requires_grad=True)
        optimizer = t.optim.LBFGS([p])

        def closure(p: Any = p, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            value = (p * p).sum()
            value.backward()
            return value

        assert optimizer.step(closure).item() == 0
        assert optimizer.state_dict()["state"] == {0: {"func_evals": 1, "n_iter": 0}}

    def groups(t: ModuleType) -> None:
        t.optim.LBFGS([{"params": [t.ones(2)]}, {"params": [t.ones(2)]}])

    def search(t: ModuleType) -> None:
        p = t.ones(2, requires_grad=True)
        p.grad = t.ones(2)
        t.optim.LBFGS([p], line_search_fn="weak").step(lambda: 1.0)

    for run in (groups, search):
        ours, theirs = (outcome(lambda t=t, run=run: run(t)) for t in BOTH)
        assert ours == theirs


def test_lbfgs_continues_from_a_loaded_state() -> None:
    ends = []
    for t in BOTH:
        w = t.tensor([1.0, -2.0, 0.5], dtype=t.float64, requires_grad=True)
        optimizer = t.optim.LBFGS([w], max_iter=3)

        def closure(w: Any = w) -> Any:
            w.grad = None
            value = ((w**2 - 2) ** 2).sum() + w.sum()
            value.backward()
            return value

        optimizer.step(closure)
        other = t.optim.LBFGS([w], max_iter=3)
        other.load_state_dict(optimizer.state_dict())
        other.step(closure)
        ends.append(w)
    close(*ends, 1e-9)


@pytest.mark.parametrize(("name", "options"), cases.WRONG)
def test_wrong_options_raise_pytorchs_errors(name: str, options: dict[str, Any]) -> None:
    ours, theirs = (outcome(lambda t=t: getattr(t.optim, name)([t.ones(2, requires_grad=True)], **options)) for t in BOTH)
    assert ours[0] == theirs[0] != ""
    if ours[0] != "TypeError" or "keyword" not in theirs[1]:
        assert ours[1] == theirs[1]


@pytest.mark.parametrize("name", cases.ALL)
def test_the_options_are_pytorchs_in_their_order(name: str) -> None:
    def texts(t: ModuleType) -> Any:
        kind = getattr(t.optim, name)
        optimizer = kind([t.ones(2, 2, requires_grad=True)])
        signature = [(p.name, p.kind, p.default) for p in inspect.signature(kind).parameters.values()]
        return signature, str(optimizer.defaults), str(optimizer.state_dict()["param_groups"])

    assert texts(engine) == texts(torch)


@pytest.mark.parametrize("name", cases.ALL)
def test_whatever_is_given_for_one_option_is_taken_or_refused_as_in_pytorch(name: str) -> None:
    options = [*inspect.signature(getattr(torch.optim, name)).parameters][1:]
    for option in options:
        if option == "differentiable":  # which the engine does not support
            continue
        for foreach in {False, "foreach" in options and option != "foreach"}:

            def made(t: ModuleType, value: Any, option: str = option, foreach: bool = foreach) -> Any:
                given = {option: value} | ({"foreach": True} if foreach else {})
                texts: list[str] = []
                raised = outcome(
                    lambda: texts.append(repr(getattr(t.optim, name)([t.ones(2, 2, requires_grad=True)], **given)))
                )
                return raised, [text.replace("engine.", "torch.") for text in texts]

            for mine, yours in zip(*(cases.odd_values(t) for t in BOTH), strict=True):
                assert made(engine, mine) == made(torch, yours), (option, yours, foreach)


def required(t: ModuleType) -> Any:
    return importlib.import_module(f"{t.__name__}.optim.optimizer").required


CONSTRUCTIONS = {
    "no parameters": lambda t: t.optim.SGD([], lr=0.1),
    "a tensor": lambda t: t.optim.SGD(leaf(t), lr=0.1),
    "a number among the parameters": lambda t: t.optim.SGD([leaf(t), 3], lr=0.1),
    "a list among the parameters": lambda t: t.optim.SGD([[leaf(t)]], lr=0.1),
    "a result": lambda t: t.optim.SGD([leaf(t) * 2], lr=0.1),
    "a set": lambda t: t.optim.SGD([{"params": {leaf(t)}}], lr=0.1),
    "a group that is no dict": lambda t: t.optim.SGD([{"params": [leaf(t)]}, 3], lr=0.1),
    "a tensor as a learning rate of two": lambda t: t.optim.SGD([leaf(t)], lr=t.ones(2)),
    "twice in one group": lambda t: t.optim.SGD([leaf(t)] * 2, lr=0.1),
    "in two groups": lambda t: (lambda p: t.optim.SGD([{"params": p}, {"params": [p]}], lr=0.1))(leaf(t)),
    "some names": lambda t: t.optim.SGD([("a", leaf(t)), leaf(t)], lr=0.1),
    "a group with names": lambda t: t.optim.SGD([{"params": [leaf(t)]}, {"params": [("a", leaf(t))]}], lr=0.1),
    "a group without names": lambda t: t.optim.SGD([{"params": [("a", leaf(t))]}, {"params": [leaf(t)]}], lr=0.1),
    "a missing option": lambda t: t.optim.Optimizer([leaf(t)], {"lr": required(t)}),
    "a step of the base class": lambda t: t.optim.Optimizer([leaf(t)], {}).step(),
    "foreach and a tensor": lambda t: t.optim.Adam([leaf(t)], lr=t.tensor(0.1), foreach=True),
}


@pytest.mark.parametrize("case", CONSTRUCTIONS)
def test_wrong_parameters_raise_pytorchs_errors(case: str) -> None:
    run = CONSTRUCTIONS[case]
    ours, theirs = (outcome(lambda t=t: run(t)) for t in BOTH)
    assert ours == (theirs[0], theirs[1].replace("<class 'torch.Tensor'>", "<class 'engine.tensor.Tensor'>"))
    assert ours[0]


def test_a_differentiable_step_is_not_supported() -> None:
    with pytest.raises(Unsupported, match="differentiable=True"):
        engine.optim.SGD([leaf(engine)], differentiable=True)
    with pytest.raises(Unsupported, match=r"torch\.optim\.Adamm is not supported.*Did you mean 'torch\.optim\.Adam"):
        engine.optim.Adamm  # noqa: B018
    with pytest.raises(Unsupported, match=r"Did you mean 'torch\.optim\.lr_scheduler\.StepLR"):
        engine.optim.lr_scheduler.StepLr  # noqa: B018


@pytest.mark.parametrize("t", BOTH)
def test_groups_have_their_own_options(t: ModuleType) -> None:
    a, b, c = (leaf(t) for _ in range(3))
    optimizer = t.optim.SGD([{"params": [("a", a)]}, {"params": [("b", b)], "lr": 0.5}], lr=0.1, momentum=0.9)
    optimizer.add_param_group({"params": [("c", c)], "momentum": 0})
    assert [g["lr"] for g in optimizer.param_groups] == [0.1, 0.5, 0.1]
    assert [g["param_names"] for g in optimizer.param_groups] == [["a"], ["b"], ["c"]]
    (a.sum() + b.sum() + c.sum()).backward()
    optimizer.step()
    assert b.tolist() == [0.5, 0.5]
    saved = optimizer.state_dict()
    assert [g["params"] for g in saved["param_groups"]] == [[0], [1], [2]]
    assert list(saved["state"]) in ([0, 1], [0, 1, 2])


def test_the_state_dict_prints_as_in_pytorch() -> None:
    texts = []
    for t in BOTH:
        p = t.tensor([1.0, 2.0], requires_grad=True)
        optimizer = t.optim.Adam([p], lr=0.125)
        p.grad = t.tensor([1.0, -1.0])
        optimizer.step()
        texts.append((repr(optimizer.state_dict()), str(p)))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("name", "options"), RUNS)
def test_a_loaded_optimizer_continues_as_if_nothing_had_happened(name: str, options: dict[str, Any]) -> None:
    params, optimizer = train(engine, name, options, "float32", steps=5)
    others = copy.deepcopy(params)
    other = getattr(engine.optim, name)(others[:-1] if name == "Adafactor" else others)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert repr(other) == repr(optimizer)
    for own, opt in ((params, optimizer), (others, other)):
        opt.zero_grad()
        cases.loss(own).backward()
        opt.step()
    for a, b in zip(params, others):
        np.testing.assert_array_equal(array(a), array(b))


def test_loading_converts_to_the_parameters_dtype_but_keeps_the_step() -> None:
    for t in BOTH:
        _, optimizer = train(t, "Adam", {}, "float32", steps=2)
        other = t.optim.Adam(cases.start(t, "float64"))
        other.load_state_dict(optimizer.state_dict())
        state = other.state_dict()["state"][0]
        assert {k: str(v.dtype) for k, v in state.items()} == {
            "step": "torch.float32", "exp_avg": "torch.float64", "exp_avg_sq": "torch.float64",
        }  # fmt: skip


def test_a_state_that_does_not_fit_is_refused() -> None:
    def groups(t: ModuleType) -> None:
        saved = t.optim.SGD([{"params": [leaf(t)]}, {"params": [leaf(t)]}]).state_dict()
        t.optim.SGD([leaf(t)]).load_state_dict(saved)

    def sizes(t: ModuleType) -> None:
        t.optim.SGD([leaf(t)]).load_state_dict(t.optim.SGD([leaf(t), leaf(t)]).state_dict())

    for run in (groups, sizes):
        ours, theirs = (outcome(lambda t=t, run=run: run(t)) for t in BOTH)
        assert ours == theirs
        assert ours[0] == "ValueError"


@pytest.mark.parametrize("t", BOTH)
def test_zero_grad_forgets_or_zeroes(t: ModuleType) -> None:
    p = leaf(t)
    optimizer = t.optim.SGD([p], lr=0.1)
    p.sum().backward()
    grad = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is grad
    assert grad.tolist() == [0, 0]
    optimizer.zero_grad()
    assert p.grad is None


@pytest.mark.parametrize("t", BOTH)
def test_hooks_run_around_the_step(t: ModuleType) -> None:
    p = leaf(t)
    optimizer = t.optim.SGD([p], lr=0.1)
    seen: list[Any] = []
    before = optimizer.register_step_pre_hook(
        lambda o, args, kwargs: seen.append(("before", o is optimizer, len(args), kwargs))
    )
    optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(("after", o is optimizer, len(args), kwargs)))
    optimizer.step()
    before.remove()
    optimizer.step(closure=None)
    assert [s[:3] for s in seen] == [("before", True, 1), ("after", True, 1), ("after", True, 1)]
    assert seen[2][3] == {"closure": None}

    order: list[str] = []
    optimizer.register_state_dict_pre_hook(lambda o: order.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: order.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, s: {**s, "note": 1})
    saved = optimizer.state_dict()
    assert order == ["first", "second"]
    assert saved["note"] == 1
    optimizer.register_load_state_dict_pre_hook(lambda o, s: {**s, "state": {}})
    optimizer.register_load_state_dict_post_hook(lambda o: order.append("loaded"))
    optimizer.load_state_dict(saved)
    assert order[-1] == "loaded"


@pytest.mark.parametrize("t", BOTH)
def test_a_closure_runs_with_gradients_tracked(t: ModuleType) -> None:
    p = leaf(t)
    optimizer = t.optim.SGD([p], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        value = (p * p).sum()
        value.backward()
        return value

    with t.no_grad():
        assert optimizer.step(closure).item() == 2
    assert p._version == 1


@pytest.mark.parametrize("t", BOTH)
def test_a_step_counts_as_a_write_in_place(t: ModuleType) -> None:
    p, q = leaf(t), leaf(t)
    value = (p * q).sum()
    q.grad = t.ones(2)
    t.optim.SGD([p, q], lr=0.1).step()
    assert (p._version, q._version) == (0, 1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()


@pytest.mark.parametrize("t", BOTH)
def test_an_optimizer_of_ones_own_works(t: ModuleType) -> None:
    class Sign(t.optim.Optimizer):  # type: ignore[name-defined, misc]
        def __init__(self, params: Any, lr: float = 0.1) -> None:
            super().__init__(params, {"lr": lr})

        def step(self, closure: Any = None) -> None:
            with t.no_grad():
                for group in self.param_groups:
                    for p in group["params"]:
                        p.add_(p.grad.sign(), alpha=-group["lr"])
                        self.state[p]["seen"] = self.state[p].get("seen", 0) + 1

    p = leaf(t)
    optimizer = Sign([p], lr=0.5)
    calls: list[str] = []
    optimizer.register_step_post_hook(lambda *_: calls.append("after"))
    p.sum().backward()
    optimizer.step()
    assert p.tolist() == [0.5, 0.5]
    assert optimizer.state_dict()["state"] == {0: {"seen": 1}}
    assert calls == ["after"]
    assert repr(optimizer) == "Sign (\nParameter Group 0\n    lr: 0.5\n)"


@pytest.mark.parametrize("name", ["SGD", "Adam", "NAdam", "Adagrad", "Rprop", "ASGD", "Adamax", "RAdam", "RMSprop", "Adadelta"])
def test_the_learning_rate_may_be_a_tensor(name: str) -> None:
    ends = []
    for t in BOTH:
        params, optimizer = train(t, name, {"lr": t.tensor(0.03)}, "float32", steps=5)
        t.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        ends.append((params, optimizer.state_dict()))
    close(*ends, 1e-5)


class Watch:
    """An observer that notes what optimizers do."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        if name not in ("wrote", "stepped", "grad_set"):
            return lambda *_: None

        def note(*what: Any) -> None:
            self.seen.append((name, *what))

        return note


def test_the_observer_sees_each_write_then_the_step() -> None:
    p, q, r = (leaf(engine) for _ in range(3))
    optimizer = engine.optim.Adam([p, q, r], lr=0.1)
    (p.sum() + r.sum()).backward()
    watch: Any = Watch()
    with observed(watch):
        optimizer.step()
        optimizer.zero_grad()
    wrote = [(kind, op.name, tensor) for kind, op, _, tensor, _ in watch.seen[:2]]
    assert [(kind, name) for kind, name, _ in wrote] == [("wrote", "adam")] * 2
    assert wrote[0][2] is p
    assert watch.seen[2] == ("stepped", optimizer, (p, q, r))
    assert [(s[0], s[2]) for s in watch.seen[3:]] == [("grad_set", "None")] * 2


def test_a_recording_shows_each_parameter_written_and_the_gradients_zeroed() -> None:
    with record({__file__: 0}) as tape:
        p, q = (leaf(engine) for _ in range(2))
        optimizer = engine.optim.SGD([p, q], lr=0.1)
        (p * q).sum().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    recording = tape.recording()
    events = recording.events[-5:]
    assert [type(e).__name__ for e in events] == ["OpRan", "OpRan", "Stepped", "GradSet", "GradSet"]
    for event in events[:2]:
        np.testing.assert_allclose(recording.array(event.written[0].array), [0.9, 0.9], rtol=1e-6)
    assert [e.how for e in events[3:]] == ["zero_"] * 2
    last = len(recording.events) - 1
    assert np.flatnonzero(index_of(recording).stepping).tolist() == [last - 4, last - 3, last - 2]
    assert "SGD.step updates 2 parameters" in caption_text(captions(recording)[last - 2])
    build(recording)


def test_an_optimizer_makes_no_cycle() -> None:
    optimizer = engine.optim.SGD([leaf(engine)], lr=0.1)
    engine.optim.lr_scheduler.StepLR(optimizer, 2)
    gone = weakref.ref(optimizer)
    gc.disable()
    try:
        del optimizer
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("name", [name for name in cases.OPTIMIZERS if name != "LBFGS"])
def test_a_step_is_that_of_the_algorithm_whatever_an_object_has_by_its_names(name: str) -> None:
    def given(*_: Any) -> None:
        raise AssertionError("arrays of parameters are given to something else")

    kind: Any = getattr(engine.optim, name)
    mine: Any = type("Mine", (kind,), {"_start": given, "_update": given})
    p, q = (engine.nn.Parameter(engine.ones(2, 2)) for _ in range(2))
    one, other = mine([p], lr=0.1), kind([q], lr=0.1)
    vars(one).update(_start=given, _update=given)
    for parameter, optimizer in ((p, one), (q, other)):
        parameter.grad = engine.ones(2, 2).to_sparse() if name == "SparseAdam" else engine.ones(2, 2)
        optimizer.step()
    assert p.tolist() == q.tolist() != engine.ones(2, 2).tolist()


def test_what_inherits_from_no_algorithm_has_no_step() -> None:
    optimizer = engine.optim.Optimizer([engine.ones(1, requires_grad=True)], {})
    with pytest.raises(NotImplementedError):
        optimizer.step()
