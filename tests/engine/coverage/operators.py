"""PyTorch's operator database run on the engine: every sample input of every operator, value, shape, dtype and gradient."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import torch

with warnings.catch_warnings():
    # PyTorch's own test code uses what PyTorch has deprecated.
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

import engine
from engine.errors import Unsupported

UNINITIALIZED = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"}
"""Entries whose results hold whatever was in memory: only shape and dtype are compared."""
DTYPES = frozenset(
    ("complex128", "complex64", "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "bool")
)
"""What the engine has."""
TOLERANCE = {torch.float64: 1e-7, torch.float32: 2e-4, torch.complex128: 1e-7, torch.complex64: 2e-4}


@dataclass
class Outcome:
    """How one operator fared: samples that agree, and what went wrong with the first that does not."""

    name: str
    agree: int = 0
    total: int = 0
    trouble: list[str] = field(default_factory=list)
    missing: bool = False

    @property
    def passed(self) -> bool:
        """Whether every sample agrees, and there was one."""
        return self.agree == self.total and self.total > 0

    def take(self, case: Callable[[], str], describe: Callable[[], str]) -> None:
        """Count a case, which returns what is wrong; one that cannot be translated does not count."""
        try:
            wrong = case()
        except UntranslatableError:
            return
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
            self.missing |= isinstance(error, Unsupported)
        self.total += 1
        self.agree += not wrong
        if wrong:
            self.trouble.append(f"{wrong} [{describe()}]")


def title(info: Any) -> str:
    """The operator's name with its variant."""
    return info.name + (f"/{info.variant_test_name}" if info.variant_test_name else "")


def entries() -> list[Any]:
    """Operators on floating point or complex numbers, those that have a gradient first."""
    return sorted((o for o in op_db if o.dtypes & {torch.float64, torch.complex128}), key=lambda o: not o.supports_autograd)


def counterpart(info: Any) -> Callable[..., Any]:
    """The engine's function for an entry; an entry that is itself Python code runs with the engine in the place of torch.

    Raises:
        Unsupported: where the engine has no such name.
    """
    f = info.op
    if isinstance(f, FunctionType) and f.__module__.startswith("torch.testing"):
        return with_engine(f)
    owner: Any = engine
    *path, last = info.name.split(".")
    for part in path:
        owner = getattr(owner, part)
    if hasattr(owner, last) and not last.startswith("__") and not isinstance(getattr(owner, last), engine.dtype):
        return getattr(owner, last)
    if isinstance(f, BuiltinFunctionType) and hasattr(engine, f.__name__):
        return getattr(engine, f.__name__)
    if last in (declared := engine.ops.declared()):
        return declared[last]
    return lambda x, *a, **k: getattr(x, last)(*a, **k)


def with_engine(f: FunctionType) -> FunctionType:
    """Python code of the database that names torch, naming the engine instead."""
    names = {**f.__globals__, "torch": engine, "np": np, "wrapper_set_seed": seeded}
    return FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)


def seeded(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The database's way of running a random function from a fixed seed."""
    engine.manual_seed(42)
    return op(*args, **kwargs)


class UntranslatableError(Exception):
    """A sample that holds what is out of scope: bfloat16, sparse tensors."""


def translate(x: Any, leaves: list[tuple[Any, Any]]) -> Any:
    """A sample's value for the engine; pairs of tensors that require grad are added to `leaves`."""
    if isinstance(x, torch.Tensor):
        if x.dtype == torch.bfloat16 or x.layout != torch.strided or x.is_neg() or x.dtype.itemsize == 0:
            raise UntranslatableError
        if str(x.dtype).split(".")[-1] not in DTYPES:
            raise UntranslatableError
        made = engine.from_numpy(memory(x.detach().resolve_conj()))
        if x.requires_grad:
            made.requires_grad_()
            leaves.append((made, x))
        return made
    if isinstance(x, torch.Size):
        return engine.Size(x)
    if isinstance(x, list):
        return [translate(i, leaves) for i in x]
    if isinstance(x, tuple):
        return tuple(translate(i, leaves) for i in x)
    if isinstance(x, dict):
        return {k: translate(v, leaves) for k, v in x.items()}
    if isinstance(x, torch.dtype):
        name = str(x).split(".")[1]
        if name in ("bfloat16", "complex32"):
            raise UntranslatableError
        return engine.bool if name == "bool" else getattr(engine, name)
    if isinstance(x, torch.memory_format):
        return getattr(engine, str(x).removeprefix("torch."))
    if isinstance(x, torch.device | torch.layout):
        return str(x).removeprefix("torch.") if isinstance(x, torch.device) else None
    if isinstance(x, FunctionType) and x.__module__.startswith("torch.testing"):
        return with_engine(x)
    if isinstance(x, torch.nn.PairwiseDistance):
        return engine.nn.PairwiseDistance(x.norm, x.eps, x.keepdim)
    if isinstance(x, FunctionType) and x.__module__ == "torch.nn.functional":
        return getattr(engine.nn.functional, x.__name__)
    return x


def memory(x: torch.Tensor) -> np.ndarray[Any, Any]:
    """A copy of a tensor's elements, in a copy of the memory it looks into where that is larger."""
    n = x.untyped_storage().nbytes() // x.itemsize
    if n <= x.numel() or not x.numel():
        return np.array(x.numpy(), order="K")
    flat = x.as_strided((n,), (1,), 0).numpy().copy()
    return np.lib.stride_tricks.as_strided(flat[x.storage_offset() :], x.shape, [s * x.itemsize for s in x.stride()])


def plain(results: Any) -> Iterator[Any]:
    """Tensors and numbers in nested results."""
    if isinstance(results, tuple | list):
        for r in results:
            yield from plain(r)
    elif results is not None:
        yield results


def difference(ours: Any, theirs: Any, tolerance: float) -> str:
    """What differs between two results, "" if nothing."""
    if not isinstance(theirs, torch.Tensor):
        if isinstance(theirs, torch.Size):
            theirs = tuple(theirs)
        return "" if ours == theirs or (ours != ours and theirs != theirs) else f"{ours!r} instead of {theirs!r}"
    if not isinstance(ours, engine.Tensor):
        return f"{type(ours).__name__} instead of a tensor"
    if str(ours.dtype) != str(theirs.dtype):
        return f"dtype {ours.dtype} instead of {theirs.dtype}"
    if tuple(ours.shape) != tuple(theirs.shape):
        return f"shape {tuple(ours.shape)} instead of {tuple(theirs.shape)}"
    if str(ours.layout) != str(theirs.layout):
        return f"layout {ours.layout} instead of {theirs.layout}"
    if theirs.is_sparse:
        ours, theirs = ours.to_dense(), theirs.to_dense()
    if tolerance == math.inf:
        return ""
    if theirs.dtype == torch.bfloat16:
        ours, theirs = ours.float(), theirs.float()
    a, b = ours._array, theirs.detach().resolve_conj().resolve_neg().numpy(force=True)
    if a.dtype.kind not in "fc":
        return "" if (a == b).all() else f"values {a.ravel()[:4]} instead of {b.ravel()[:4]}"
    if a.dtype in (np.float32, np.complex64):
        tolerance = max(tolerance, 2e-4)
    close = np.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
    if close.all():
        return ""
    k = tuple(np.argwhere(~close)[0])
    return f"value {a[k]} instead of {b[k]} at {tuple(map(int, k))}"


def compare(info: Any, sample: Any, dtype: Any, gradient: bool, second: bool = False) -> str:
    """Run one sample both ways; "" if they agree, else what differs."""
    leaves: list[tuple[Any, Any]] = []
    call = counterpart(info)
    arguments = translate((sample.input, sample.args, sample.kwargs), leaves)
    torch.manual_seed(0)
    engine.manual_seed(0)
    theirs = info.op(sample.input, *sample.args, **sample.kwargs)
    ours = call(arguments[0], *arguments[1], **arguments[2])
    if gradient:
        theirs, ours = sample.output_process_fn_grad(theirs), sample.output_process_fn_grad(ours)
    mine, yours = list(plain(ours)), list(plain(theirs))
    if len(mine) != len(yours):
        return f"{len(mine)} results instead of {len(yours)}"
    if any(isinstance(y, torch.Tensor) and y.dtype == torch.complex32 for y in yours):
        raise UntranslatableError
    tolerance = math.inf if info.name in UNINITIALIZED else TOLERANCE[dtype]
    for a, b in zip(mine, yours, strict=True):
        if wrong := difference(a, b, tolerance):
            return wrong
    if not gradient:
        return ""
    roots = [(a, b) for a, b in zip(mine, yours, strict=True) if isinstance(b, torch.Tensor) and b.requires_grad]
    for a, b in zip(mine, yours, strict=True):
        if isinstance(b, torch.Tensor) and a.requires_grad != b.requires_grad:
            return f"requires_grad {a.requires_grad} instead of {b.requires_grad}"
    if not roots or not leaves:
        return ""
    weights = [cotangent(tuple(b.shape), b.dtype) for _, b in roots]
    options = {"allow_unused": True, "create_graph": second}
    upstream = [engine.from_numpy(w).to(a.dtype) for w, (a, _) in zip(weights, roots, strict=True)]
    g1 = slopes(engine.autograd.grad, [a for a, _ in roots], [a for a, _ in leaves], upstream, options)
    upstream = [torch.from_numpy(w).to(b.dtype) for w, (_, b) in zip(weights, roots, strict=True)]
    g2 = slopes(torch.autograd.grad, [b for _, b in roots], [b for _, b in leaves], upstream, options)
    if isinstance(g1, NotImplementedError):
        return "" if str(g1) == str(g2) else f"{g1} instead of {g2}"
    for a, b in zip(g1, g2, strict=True):
        if (a is None) != (b is None):
            return f"gradient {'missing' if a is None else 'where there is none'}"
        if a is not None and (
            wrong := difference(a, b, 100 * TOLERANCE[dtype] if dtype.itemsize == 8 << dtype.is_complex else 2e-3)
        ):
            return "gradient: " + wrong
    return second_difference(leaves, g1, g2) if second else ""


def slopes(grad: Callable[..., Any], roots: Any, leaves: Any, upstream: Any, options: Any) -> Any:
    """The gradients, or the error that says that there is no derivative."""
    try:
        return grad(roots, leaves, upstream, **options)
    except NotImplementedError as error:
        if "the derivative for" not in str(error):
            raise
        return error


def second_difference(leaves: list[tuple[Any, Any]], g1: Any, g2: Any) -> str:
    """What differs between the gradients of gradients; a derivative that is zero everywhere may be missing or zeros."""
    pairs = [(a, b) for a, b in zip(g1, g2, strict=True) if b is not None and b.requires_grad]
    if not pairs:
        return ""
    mine = [a for a, _ in pairs if a.requires_grad]
    h1: Any = [None] * len(leaves)
    if mine:
        weights = [engine.from_numpy(cotangent(tuple(a.shape), a.dtype)) for a in mine]
        h1 = engine.autograd.grad(mine, [a for a, _ in leaves], weights, allow_unused=True)
    weights = [torch.from_numpy(cotangent(tuple(b.shape), b.dtype)) for _, b in pairs]
    try:
        h2 = torch.autograd.grad([b for _, b in pairs], [b for _, b in leaves], weights, allow_unused=True)
    except RuntimeError as error:
        # PyTorch's rules of some natives trip over arguments that are None.
        if "is not implemented" in str(error) or "got None (or an undefined Tensor in C++)" in str(error):
            return ""
        raise
    for (leaf, twin), a, b in zip(leaves, h1, h2, strict=True):
        a = engine.zeros_like(leaf) if a is None else a
        b = torch.zeros_like(twin) if b is None else b
        if wrong := difference(a, b, 1e-5):
            return "second gradient: " + wrong
    return ""


def cotangent(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Fixed numbers between 0.5 and 1.5, of complex ones the imaginary parts between -1 and 1."""
    n = int(np.prod(shape))
    real = 0.5 + (np.arange(n) * 7 % 11) / 10
    values = real + 1j * ((np.arange(n) * 5 % 11) / 5 - 1) if dtype.is_complex else real
    return values.reshape(shape).astype("float32" if dtype is torch.bfloat16 else str(dtype).split(".")[1])


def run(info: Any, dtypes: tuple[Any, ...] = tuple(TOLERANCE), most: int | None = None, second: bool = False) -> Outcome:
    """Run an operator's samples, `most` of a dtype; with second gradients where PyTorch has them."""
    outcome = Outcome(title(info))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for dtype in dtypes:
            if dtype not in info.dtypes:
                continue
            gradient = info.supports_autograd and dtype in info.backward_dtypes
            samples = info.sample_inputs("cpu", dtype, requires_grad=gradient)
            for sample in itertools.islice(samples, most):
                outcome.take(
                    partial(compare, info, sample, dtype, gradient, second and info.supports_gradgrad),
                    lambda s=sample: s.summary()[:300],
                )
    return outcome
