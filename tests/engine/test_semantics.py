"""Small programs that must end as in PyTorch: same result as text, or the same exception with the same words."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from engine.tensor import public_names
from tests.corpus import Case, corpus

PROGRAMS = corpus(Path(__file__).parent / "corpus/semantics.py").cases


def run(t: ModuleType, program: str) -> str:
    """What a program gives under `t`: the text of `out`, or of the exception."""
    namespace: dict[str, Any] = {"torch": t, "F": t.nn.functional, "np": np}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, namespace)
        except Exception as error:
            name = next(c.__name__ for c in type(error).__mro__ if not c.__module__.startswith("engine"))
            return f"{name}: {str(error).split(' (Triggered internally')[0]}"
    return repr(namespace.get("out")).replace("torch::autograd::", "")


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_ends_as_in_pytorch(torch: ModuleType, program: Case) -> None:
    assert run(engine, program.text) == run(torch, program.text)


def test_reading_the_gradient_of_a_non_leaf_warns_in_pytorchs_words(torch: ModuleType) -> None:
    said = []
    for t in (engine, torch):
        y = t.ones(2, requires_grad=True) * 2
        with pytest.warns(UserWarning, match="not a leaf Tensor") as caught:
            assert y.grad is None
        said.append(str(caught[0].message).split(" (Triggered")[0])
        assert caught[0].filename == __file__
    assert said[0] == said[1]


def test_a_long_chain_runs_backward_without_recursion() -> None:
    x = engine.ones((), requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    y.backward()
    assert x.grad is not None
    assert x.grad.item() == 1
    del y


def test_dropping_the_loss_frees_the_graph_at_once() -> None:
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        x = engine.ones(2, requires_grad=True)
        y = x.exp()
        node = weakref.ref(y.grad_fn)
        z = y.sum()
        del y, z
        assert node() is None
    finally:
        gc.enable()


def test_a_method_that_only_pytorch_has_says_so() -> None:
    with pytest.raises(NotImplementedError, match=r"Tensor\.to_mkldnn is not supported by Gradtape"):
        engine.ones(2).to_mkldnn()
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'summ'"):
        engine.ones(2).summ()
    assert not hasattr(engine.Tensor, "to_mkldnn")
    assert "to_mkldnn" not in public_names()


def test_attributes_of_tensors_and_nodes_are_looked_up_without_a_call_of_ours() -> None:
    """With a `__getattr__` in the class Python remembers no attribute, and operations take a quarter more of the processor."""
    node = engine.ones(2, requires_grad=True).exp().grad_fn
    assert not hasattr(engine.Tensor, "__getattr__")
    assert not hasattr(type(node), "__getattr__")
    with pytest.raises(AttributeError, match="'ExpBackward0' object has no attribute '_saved_self'"):
        getattr(node, "_saved_self")  # noqa: B009
