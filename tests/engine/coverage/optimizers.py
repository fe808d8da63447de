"""PyTorch's optimizer database run on the engine: parameters and state after some steps, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_optimizers import optim_db

import engine
from tests.engine.coverage.modules import failure
from tests.engine.coverage.operators import Outcome, UntranslatableError, difference, translate

STEPS = 5
TOLERANCE = {torch.float64: 1e-9, torch.float32: 1e-5}
SHAPES: tuple[tuple[int, ...], ...] = ((3, 4), (5, 2), (1, 1), (4, 6))
"""Shapes of the parameters; two dimensions, as one of the optimizers wants them."""


def title(info: Any) -> str:
    """The optimizer's name."""
    return str(info.optim_cls.__name__)


def entries() -> list[Any]:
    """The database."""
    return list(optim_db)


def parameters(dtype: Any) -> tuple[list[Any], list[Any]]:
    """The same parameters for the engine and for PyTorch."""
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(str(dtype).split(".")[1]) for shape in SHAPES]
    mine = [engine.nn.Parameter(engine.from_numpy(a.copy())) for a in arrays]
    return mine, [torch.nn.Parameter(torch.from_numpy(a.copy())) for a in arrays]


def gradients(mine: list[Any], yours: list[Any], step: int) -> None:
    """Give both lists of parameters the gradients of a step; some have none in some steps."""
    random = np.random.default_rng(step + 1)
    for i, (a, b) in enumerate(zip(mine, yours, strict=True)):
        array = random.standard_normal(a.shape).astype(str(b.dtype).split(".")[1])
        skipped = (i + step) % 4 == 3
        a.grad = None if skipped else engine.from_numpy(array.copy())
        b.grad = None if skipped else torch.from_numpy(array.copy())


def loss_of(library: Any, parameters: list[Any]) -> Any:
    """A closure that computes a loss with its gradients."""

    def closure() -> Any:
        for p in parameters:
            p.grad = None
        loss = sum(((p - 1) ** 4).sum() + (p**2).sum() / 10 for p in parameters)
        loss.backward()
        return loss

    return closure


def made(info: Any, mine: Any, yours: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The optimizers of both libraries."""
    ours = getattr(engine.optim, title(info))(mine, **translate(kwargs, []))
    return ours, info.optim_cls(yours, **kwargs)


def same(ours: Any, theirs: Any, tolerance: float, path: str = "state") -> str:
    """What differs between two state dicts."""
    if isinstance(theirs, dict):
        if list(map(str, ours)) != list(map(str, theirs)):
            return f"{path}: {list(ours)} instead of {list(theirs)}"
        found = (same(ours[k], theirs[k], tolerance, f"{path}[{k!r}]") for k in theirs)
        return next((f for f in found if f), "")
    if isinstance(theirs, list | tuple):
        if type(ours) is not type(theirs) or len(ours) != len(theirs):
            return f"{path}: {ours!r:.100} instead of {theirs!r:.100}"
        found = (same(a, b, tolerance, f"{path}[{i}]") for i, (a, b) in enumerate(zip(ours, theirs, strict=True)))
        return next((f for f in found if f), "")
    if isinstance(theirs, float) and isinstance(ours, float):
        return "" if np.isclose(ours, theirs, rtol=tolerance) else f"{path}: {ours} instead of {theirs}"
    if callable(theirs):
        return ""
    wrong = difference(ours, theirs, tolerance)
    return f"{path}: {wrong}" if wrong else ""


def compare(info: Any, kwargs: dict[str, Any], dtype: Any) -> str:
    """Some steps with these options; "" if all agrees, else what differs."""
    tolerance = TOLERANCE[dtype]
    if info.step_requires_closure and dtype is torch.float32:
        # L-BFGS divides by differences of gradients: its steps agree to 15 digits in float64, but in float32 rounding (PyTorch
        # sums in another order) shows from the first few on, and near the minimum decides when to stop.
        kwargs, tolerance = kwargs | {"max_iter": 4}, 1e-3
    mine, yours = parameters(dtype)
    ours, theirs = made(info, mine, yours, kwargs)
    if repr(ours) != repr(theirs) and not any(isinstance(v, torch.Tensor | tuple) for v in kwargs.values()):
        return f"repr {ours!r} instead of {theirs!r}"
    if info.only_supports_sparse_grads:
        gradients(mine, yours, 0)
        a, b = failure(ours.step), failure(theirs.step)
        return "" if a == b else f"{a!r} instead of {b!r}"
    for step in range(1 if info.step_requires_closure else STEPS):
        if info.step_requires_closure:
            a, b = ours.step(loss_of(engine, mine)), theirs.step(loss_of(torch, yours))
            if wrong := difference(a, b, tolerance):
                return f"loss: {wrong}"
        else:
            gradients(mine, yours, step)
            ours.step()
            theirs.step()
        for a, b in zip(mine, yours, strict=True):
            if wrong := difference(a, b, tolerance):
                return f"step {step}: {wrong}"
    return same(ours.state_dict(), theirs.state_dict(), 10 * tolerance)


def compare_error(info: Any, error: Any) -> str:
    """What differs between the errors of options that PyTorch refuses."""
    given = error.optimizer_error_input
    mine, yours = parameters(torch.float32)
    if given.params is not None:
        mine, yours = parameter_twins(given.params), given.params
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a = failure(lambda: getattr(engine.optim, title(info))(mine, **translate(given.kwargs, [])))
        b = failure(lambda: info.optim_cls(yours, **given.kwargs))
    return "" if a == b else f"{a!r} instead of {b!r}"


def parameter_twins(given: Any, made: dict[int, Any] | None = None) -> Any:
    """An error sample's parameters for the engine; a tensor that occurs twice stays one."""
    made = {} if made is None else made
    if isinstance(given, torch.Tensor):
        if given.dtype.is_complex or given.layout != torch.strided:
            raise UntranslatableError
        if id(given) not in made:
            made[id(given)] = engine.nn.Parameter(engine.from_numpy(given.detach().numpy().copy()))
        return made[id(given)]
    if isinstance(given, dict):
        return {k: parameter_twins(v, made) for k, v in given.items()}
    if isinstance(given, list | tuple | set):
        return type(given)(parameter_twins(v, made) for v in given)
    return given


def run(info: Any, dtypes: tuple[Any, ...] = (torch.float64, torch.float32)) -> Outcome:
    """Run an optimizer's options and errors."""
    outcome = Outcome(title(info))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases: list[tuple[str, Any]] = []
        for dtype in dtypes:
            for given in info.optim_inputs_func(device="cpu"):
                cases.append((str(given.kwargs), lambda g=given, d=dtype: compare(info, g.kwargs, d)))
        if info.optim_error_inputs_func is not None:
            for error in info.optim_error_inputs_func("cpu", torch.float32):
                cases.append((error.optimizer_error_input.desc, lambda e=error: compare_error(info, e)))
        for name, case in cases:
            outcome.take(case, lambda n=name: n[:200])
    return outcome
