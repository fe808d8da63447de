"""PyTorch's module database run on the engine: outputs, gradients, state dicts and what modules print, for every sample."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import ModuleErrorEnum, module_db

import engine
from tests.engine.coverage.operators import Outcome, cotangent, difference, plain, translate

TOLERANCE = {torch.float64: 1e-7, torch.float32: 2e-4}
MODES = {"training": True, "eval": False}


def title(info: Any) -> str:
    """The module's name, as `nn.Linear`."""
    return str(info.name)


def entries() -> list[Any]:
    """The database's modules on real floating point numbers."""
    return [info for info in module_db if torch.float64 in info.dtypes]


def twin(module: Any) -> Any:
    """The engine's module for a layer that a sample gives to a constructor."""
    kind = getattr(engine.nn, type(module).__name__)
    attention, inner = module.self_attn, module.linear1
    made = kind(
        attention.embed_dim,
        attention.num_heads,
        inner.out_features,
        module.dropout.p,
        function(module.activation),
        batch_first=attention.batch_first,
        norm_first=module.norm_first,
        bias=inner.bias is not None,
        dtype=translate(inner.weight.dtype, []),
    )
    made.load_state_dict({k: engine.from_numpy(v.numpy(force=True).copy()) for k, v in module.state_dict().items()})
    return made


def translated(given: Any, leaves: list[tuple[Any, Any]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A sample's arguments for the engine; without devices, which the engine has one of."""

    met: dict[int, Any] = {}

    def own(value: Any) -> Any:
        if isinstance(value, torch.nn.Module):
            return twin(value)
        if isinstance(value, torch.Tensor):
            if id(value) not in met:
                met[id(value)] = translate(value, leaves)
            return met[id(value)]
        return function(value) if callable(value) else translate(value, leaves)

    return tuple(own(a) for a in given.args), {k: own(v) for k, v in given.kwargs.items()}


def function(f: Any) -> Any:
    """The engine's function for one of `torch.nn.functional` that a sample gives as a setting."""
    name = getattr(f, "__name__", "")
    return getattr(engine.nn.functional, name) if hasattr(torch.nn.functional, name) else translate(f, [])


def built(info: Any, sample: Any, dtype: Any, training: bool) -> tuple[Any, Any]:
    """The engine's and PyTorch's module with the sample's settings, drawn from the same seed."""
    args, kwargs = translated(sample.constructor_input, [])
    engine.manual_seed(0)
    torch.manual_seed(0)
    theirs = info.module_cls(*sample.constructor_input.args, **sample.constructor_input.kwargs)
    ours = getattr(engine.nn, info.module_cls.__name__)(*args, **kwargs)
    theirs, ours = theirs.to(dtype), ours.to(getattr(engine, str(dtype).split(".")[1]))
    return ours.train(training), theirs.train(training)


def same_state(ours: Any, theirs: Any, given: Any = (), copy: bool = True) -> str:
    """What differs between the modules' state dicts, texts and attributes; the engine then takes PyTorch's numbers over."""
    if repr(ours) != repr(theirs):
        return f"repr {ours!r} instead of {theirs!r}"
    mine, yours = ours.state_dict(), theirs.state_dict()
    if list(mine) != list(yours):
        return f"state {list(mine)} instead of {list(yours)}"
    if [n for n, _ in ours.named_parameters()] != [n for n, _ in theirs.named_parameters()]:
        return "other parameters"
    if not any(torch.nn.parameter.is_lazy(v) for v in yours.values()):
        for name, value in yours.items():
            drawn = not any(isinstance(v, torch.Tensor | torch.nn.Module) for v in given)
            if drawn and (wrong := difference(mine[name], value, 1e-6)):
                return f"drawn {name}: {wrong}"
        if copy:
            ours.load_state_dict({k: engine.from_numpy(v.numpy(force=True).copy()) for k, v in yours.items()})
    missing = public(theirs) - public(ours)
    return f"no attributes {sorted(missing)}" if missing else ""


def public(module: Any) -> set[str]:
    """The names a module's users see, but for what only compilers and other devices use."""
    return {n for n in dir(module) if not n.startswith("_")} - ABSENT


ABSENT = {
    "T_destination", "bfloat16", "compile", "cuda", "ipu", "mtia", "register_backward_hook", "share_memory", "xpu",
    "merge_masks", "why_not_sparsity_fast_path", "get_expected_cell_size", "get_expected_hidden_size", "check_input",
    "check_hidden_size", "check_forward_args", "permute_hidden", "padding",
}  # fmt: skip
"""Names that are there for compilers, other devices and subclasses within PyTorch, and one a module keeps in another form."""


def results(value: Any) -> list[Any]:
    """The tensors of an output, in order; packed sequences count as tuples."""
    return [v for v in plain(value) if not isinstance(v, str)]


def call(module: Any, args: Any, kwargs: Any, seed: Callable[[int], Any]) -> list[Any]:
    """The module's output under a fixed seed."""
    seed(1)
    return results(module(*args, **kwargs))


def compare(info: Any, sample: Any, dtype: Any, training: bool) -> str:
    """Run one sample both ways; "" if all agrees, else what differs."""
    leaves: list[tuple[Any, Any]] = []
    ours, theirs = built(info, sample, dtype, training)
    if wrong := same_state(ours, theirs, sample.constructor_input.args):
        return wrong
    if sample.forward_input is None:
        return ""
    args, kwargs = translated(sample.forward_input, leaves)
    mine = call(ours, args, kwargs, engine.manual_seed)
    yours = call(theirs, sample.forward_input.args, sample.forward_input.kwargs, torch.manual_seed)
    if len(mine) != len(yours):
        return f"{len(mine)} results instead of {len(yours)}"
    for a, b in zip(mine, yours, strict=True):
        if wrong := difference(a, b, TOLERANCE[dtype]):
            return wrong
        if isinstance(b, torch.Tensor) and a.requires_grad != b.requires_grad:
            return f"requires_grad {a.requires_grad} instead of {b.requires_grad}"
    if info.is_lazy and (wrong := same_state(ours, theirs, copy=False)):
        return "after the call: " + wrong
    return gradients(ours, theirs, leaves, mine, yours, dtype)


def gradients(ours: Any, theirs: Any, leaves: Any, mine: list[Any], yours: list[Any], dtype: Any) -> str:
    """What differs between the gradients of inputs and parameters, and the buffers after the call."""
    leaves = leaves + list(zip(ours.parameters(), theirs.parameters(), strict=True))
    roots = [(a, b) for a, b in zip(mine, yours, strict=True) if isinstance(b, torch.Tensor) and b.requires_grad]
    if roots and leaves:
        weights = [cotangent(tuple(b.shape), b.dtype) for _, b in roots]
        own, other = [engine.from_numpy(w) for w in weights], [torch.from_numpy(w) for w in weights]
        g1 = engine.autograd.grad([a for a, _ in roots], [a for a, _ in leaves], own, allow_unused=True)
        g2 = torch.autograd.grad([b for _, b in roots], [b for _, b in leaves], other, allow_unused=True)
        for a, b in zip(g1, g2, strict=True):
            if (a is None) != (b is None):
                return f"gradient {'missing' if a is None else 'where there is none'}"
            if b is not None and (wrong := difference(a, b, 1e-6 if dtype is torch.float64 else 2e-3)):
                return "gradient: " + wrong
    for (name, a), b in zip(ours.named_buffers(), theirs.buffers(), strict=True):
        if wrong := difference(a, b, TOLERANCE[dtype]):
            return f"buffer {name}: {wrong}"
    return ""


def samples(info: Any, dtype: Any) -> Iterator[tuple[str, Any]]:
    """Each sample with the mode to run it in."""
    for mode, training in MODES.items():
        torch.manual_seed(3)
        for sample in info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training):
            yield mode, sample


def failure(run: Callable[[], Any]) -> str:
    """The exception's type and the first line of its message; "" if there is none."""
    try:
        run()
    except Exception as error:
        kind = next(k for k in type(error).__mro__ if k.__module__ == "builtins")
        return f"{kind.__name__}: " + (str(error).split("\n") or [""])[0]
    return ""


def compare_error(info: Any, error: Any, dtype: Any) -> str:
    """What differs between the errors of a sample that PyTorch refuses."""
    sample = error.module_error_input

    def run(library: Any, kind: Any, arguments: Any) -> None:
        module = kind(*arguments[0][0], **arguments[0][1])
        if error.error_on != ModuleErrorEnum.CONSTRUCTION_ERROR:
            module(*arguments[1][0], **arguments[1][1])

    both = [sample.constructor_input, sample.forward_input]
    plain_ones = [((), {}) if g is None else (g.args, g.kwargs) for g in both]
    ours = [((), {}) if g is None else translated(g, []) for g in both]
    mine = failure(lambda: run(engine, getattr(engine.nn, info.module_cls.__name__), ours))
    yours = failure(lambda: run(torch, info.module_cls, plain_ones))
    return "" if mine == yours else f"{mine!r} instead of {yours!r}"


def run(info: Any, dtypes: tuple[Any, ...] = (torch.float64, torch.float32), most: int | None = None) -> Outcome:
    """Run a module's samples, `most` of a dtype, and its errors."""
    outcome = Outcome(title(info))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for dtype in dtypes:
            if dtype not in info.dtypes:
                continue
            cases: list[tuple[str, Callable[[], str]]] = []
            for mode, sample in itertools.islice(samples(info, dtype), None):
                name = f"{mode} {sample.desc or sample.constructor_input}"
                cases.append((name, lambda s=sample, m=mode, d=dtype: compare(info, s, d, MODES[m])))  # type: ignore[misc]
            if info.module_error_inputs_func is not None:
                refused = info.module_error_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=True)
                cases += [("error", lambda e=error, d=dtype: compare_error(info, e, d)) for error in refused]  # type: ignore[misc]
            step = 1 if most is None else max(1, len(cases) // most)
            for name, case in cases[::step]:
                outcome.take(case, lambda n=name: n[:200])
    return outcome
