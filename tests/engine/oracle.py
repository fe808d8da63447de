"""Running the same code under the engine and under PyTorch, and comparing what comes out."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

import engine

Code = Callable[..., Any]


def inputs(t: ModuleType, arrays: Sequence[Any]) -> list[Any]:
    """Tensors from arrays; floating point ones require grad, plain values stay what they are."""
    made = []
    for a in arrays:
        if isinstance(a, np.ndarray):
            made.append(t.tensor(a.copy(), requires_grad=a.dtype.kind == "f"))
        else:
            made.append(a)
    return made


def flat(result: Any) -> list[Any]:
    """The tensors in a result that may be a tensor or a tuple of them."""
    return list(result) if isinstance(result, tuple | list) else [result]


def array(tensor: Any) -> np.ndarray[Any, Any]:
    """The elements of a tensor of either module."""
    # PyTorch has zero tensors without memory, which only force=True turns into arrays.
    return tensor.detach().numpy(force=True)


def names(node: Any, depth: int = 6) -> Any:
    """The names of a graph's nodes, nested as `next_functions` are."""
    if node is None or depth == 0:
        return None
    return (type(node).__name__, tuple((names(n, depth - 1), k) for n, k in node.next_functions))


def same(ours: Any, theirs: Any, what: str, tolerance: float = 1e-5) -> None:
    """Assert equal dtype, shape and elements."""
    assert str(ours.dtype) == str(theirs.dtype), what
    assert tuple(ours.shape) == tuple(theirs.shape), what
    np.testing.assert_allclose(array(ours), array(theirs), rtol=tolerance, atol=tolerance, err_msg=what)


def outcome(t: ModuleType, code: Code, arrays: Sequence[Any] = ()) -> tuple[str, str]:
    """Type and text of the exception that the code raises, or ("", repr of its result)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "", repr(code(t, *inputs(t, arrays)))
        except Exception as error:
            name = next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine"))
            return name, str(error)


def compare(torch: ModuleType, code: Code, arrays: Sequence[Any], second: bool = True) -> None:
    """Value, graph, gradient and second gradient of `code(t, *inputs)`."""
    ours, theirs = inputs(engine, arrays), inputs(torch, arrays)
    our_results, their_results = flat(code(engine, *ours)), flat(code(torch, *theirs))
    assert len(our_results) == len(their_results)
    for a, b in zip(our_results, their_results, strict=True):
        same(a, b, "value")
        assert a.requires_grad == b.requires_grad
        assert names(a.grad_fn) == names(b.grad_fn)
    pairs = [(a, b) for a, b in zip(our_results, their_results, strict=True) if a.requires_grad]
    if not pairs:
        return
    our_leaves = [x for x in ours if getattr(x, "requires_grad", False)]
    their_leaves = [x for x in theirs if getattr(x, "requires_grad", False)]
    first = [_gradients(t, rs, ls, second) for t, rs, ls in _both(torch, pairs, our_leaves, their_leaves)]
    for a, b in zip(*first, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            same(a, b, "gradient", 1e-4)
    if second:
        again = [
            _gradients(t, [g for g in gs if g is not None and g.requires_grad], ls, False)
            for t, gs, ls in ((engine, first[0], our_leaves), (torch, first[1], their_leaves))
        ]
        for a, b, leaf in zip(*again, our_leaves, strict=True):
            # A derivative that is zero everywhere may be None or zeros.
            zero = engine.zeros_like(leaf)
            same(zero if a is None else a, torch.tensor(array(zero)) if b is None else b, "second gradient", 1e-3)


def _both(torch: ModuleType, pairs: Any, ours: Any, theirs: Any) -> Any:
    return (engine, [a for a, _ in pairs], ours), (torch, [b for _, b in pairs], theirs)


def _gradients(t: ModuleType, results: list[Any], leaves: list[Any], create: bool) -> list[Any]:
    """Gradients of the results, each weighted with fixed numbers so that nothing cancels by symmetry."""
    if not results:
        return [None] * len(leaves)
    weights = [t.tensor(weight(tuple(r.shape), array(r).dtype)) for r in results]
    return list(t.autograd.grad(results, leaves, weights, create_graph=create, allow_unused=True))


def weight(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Fixed numbers between 0.5 and 1.5."""
    n = int(np.prod(shape))
    return (0.5 + (np.arange(n) * 7 % 11) / 10).reshape(shape).astype(dtype)


class Met:
    """An observer that keeps the names of the operations it is told of."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def op(self, op: Any, arguments: Any, result: Any, node: Any) -> None:
        """An operation ran."""
        self.names.add(op.forward.__name__)

    wrote = op

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def told(t: ModuleType, program: str) -> str:
    """What a program prints, the exception that ends it, and its warnings in order."""
    out = io.StringIO()
    always = t.is_warn_always_enabled()
    t.set_warn_always(True)
    t.manual_seed(0)
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compile(program, "<program>", "exec"), {"torch": t, "np": np, "__name__": "__main__"})
            except Exception as error:
                name = next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine"))
                print(f"{name}: {_own(str(error))}")
            for warning in caught:
                print(f"{warning.category.__name__}: {_own(str(warning.message))}")
    finally:
        t.set_warn_always(always)
    return re.sub("0x[0-9a-f]+", "0x", out.getvalue()).replace("torch::autograd::", "")


def _own(message: str) -> str:
    """A message without where in PyTorch's source it was made."""
    return re.split(r" ?\(Triggered|\nException raised from", message)[0].strip()
