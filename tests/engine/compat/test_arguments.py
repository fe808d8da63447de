"""What is said of arguments of a kind that a function does not take: what PyTorch says."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import engine
from engine.compat.arguments import Fact, _known
from engine.compat.signatures import written
from engine.ops import namespace
from engine.sandbox import run
from tests.engine.compat import argument_kinds

WRONG: dict[str, tuple[Any, ...]] = {
    "int": (1.5, "a", None, [1]),
    "float": ("a", [1.0]),
    "Number": ("a", [1.0]),
    "bool": ("a", 1.5),
    "str": (1, [1]),
    "Tensor": ([1.0], 1.5, "a"),
    "tuple of ints": (1.5, "a", (1.5,)),
    "tuple of ints or int": (1.5, "a", (1.5,), (1, 1.5)),
    "tuple of Tensors": (1.5,),
}
"""Values that are not of a kind."""
OTHERWISE = frozenset((
    "torch.unsafe_split", "torch.unique", "torch.lu", "torch.unique_consecutive", "torch.resolve_neg", "torch.is_neg",
    "torch.split_copy", "torch.slice_copy", "torch.select_copy", "torch.scalar_tensor", "torch.full_like", "torch.full",
    "torch.dist", "torch.addcmul", "torch.addcdiv", "torch.Tensor.unsafe_split", "torch.Tensor.split", "torch.Tensor.dist",
    "torch.Tensor.addcmul", "torch.Tensor.addcdiv", "torch.linalg.svd", "torch.linalg.svdvals", "torch.linalg.lstsq",
    "torch.linalg.vecdot",
))  # fmt: skip
"""Functions some of whose arguments are spoken of otherwise, or taken."""
FUNCTIONS = [
    (owner, name)
    for owner in ("torch", "torch.Tensor", "torch.linalg")
    for name in written()[owner]
    if not name.startswith("_") and not name.endswith("_") and "seed" not in name and f"{owner}.{name}" not in OTHERWISE
]


def _refusals(t: ModuleType, owner: str, function: Callable[..., Any], facts: tuple[Fact, ...]) -> dict[tuple[str, str], str]:
    """What is said of each wrong value of each parameter; what stands before it is right."""
    right: dict[str, Any] = {
        "int": 1, "float": 0.5, "Number": 1, "bool": True, "str": "mean", "tuple of ints": (1, 1), "tuple of ints or int": 1,
        "tuple of Tensors": [t.ones(2, 2)], "torch.dtype": t.float32,
    }  # fmt: skip
    said = {}
    for k, fact in enumerate(facts):
        for wrong in WRONG.get(fact.kind, ()):
            positional, named = [t.ones(2, 2)] if owner == "torch.Tensor" else [], {}
            for other in facts[: k + 1]:
                value = wrong if other is fact else right.get(other.kind, t.ones(2, 2))
                if other.place:
                    positional.append(value)
                else:
                    named[other.parameter] = value
            said[fact.parameter, repr(wrong)] = _ending(function, positional, named)
    return said


def _ending(function: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*positional, **named)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "taken"


@pytest.mark.parametrize(("owner", "name"), FUNCTIONS)
def test_a_wrong_argument_is_refused_as_pytorch_refuses_it(torch: ModuleType, owner: str, name: str) -> None:
    known = _known(owner, name)
    assert known is not None
    theirs: Any = {"torch": torch, "torch.Tensor": torch.Tensor, "torch.linalg": torch.linalg}[owner]
    expected = _refusals(torch, owner, getattr(theirs, name), known.facts)
    found = _refusals(engine, owner, namespace(owner)[name], known.facts)
    assert {k: found[k] for k, said in expected.items() if "argument '" in said} == {
        k: said for k, said in expected.items() if "argument '" in said
    }


def test_what_is_written_is_what_pytorch_tells(torch: ModuleType) -> None:
    if not torch.__version__.startswith("2.13."):
        pytest.skip("it is what PyTorch 2.13 tells")
    told = argument_kinds.FILE.read_text(encoding="utf-8").splitlines()
    assert told == list(argument_kinds.lines()), "run `python -m tests.engine.compat.argument_kinds`"


PROGRAMS = {
    "torch.zeros(3 / 2)": "zeros(): argument 'size' (position 1) must be tuple of ints, not float",
    "torch.zeros(2, 3 / 2)": (
        "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""
    ),
    "torch.ones(6).view(2, 6 / 2)": (
        "view(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""
    ),
    "torch.ones(6).reshape((6 / 2, -1))": (
        "reshape(): argument 'shape' (position 1) must be tuple of ints, but found element of type float at pos 0"
    ),
    "torch.nn.Linear(4 / 2, 3)": (
        "empty(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\""
    ),
    "torch.nn.Embedding(3, 2)([1])": "embedding(): argument 'indices' (position 2) must be Tensor, not list",
    "torch.nn.functional.mse_loss(torch.ones(2), [1.0, 1.0])": "'list' object has no attribute 'size'",
    "torch.nn.functional.leaky_relu(torch.ones(2), torch.nn.Parameter(torch.tensor(0.1)))": (
        "leaky_relu(): argument 'negative_slope' (position 2) must be Number, not Parameter"
    ),
    "torch.nn.functional.softmax(torch.ones(2), dim='1')": "softmax(): argument 'dim' (position 1) must be int, not str",
    "torch.ones(2).sum(1.0)": (
        "sum() received an invalid combination of arguments - got (float), but expected one of:\n"
        " * (*, torch.dtype dtype = None)\n"
        " * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n"
    ),
    "torch.ones(3)[1.0:2]": "slice indices must be integers or None or have an __index__ method",
    "torch.topk(torch.ones(3), True)": "topk(): argument 'k' (position 2) must be int, not bool",
    "import numpy as np; torch.sin(np.ones(2))": "sin(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
}
"""What ends programs of a line."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_ends_with_what_is_written(program: str) -> None:
    result = run(f"import torch\n{program}\n")
    assert result.error is not None
    assert result.error.message == PROGRAMS[program].rstrip("\n") or result.error.message == PROGRAMS[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_pytorch_ends_it_so(torch: ModuleType, program: str) -> None:
    with pytest.raises((TypeError, AttributeError)) as raised:
        exec(f"import torch\n{program}\n", {})
    assert str(raised.value) == PROGRAMS[program]


def test_a_tensor_of_one_number_stands_for_the_number() -> None:
    x = engine.tensor([-1.0, 2.0], requires_grad=True)
    half = engine.tensor(0.5)
    outs = [
        engine.nn.functional.leaky_relu(x, half), engine.nn.functional.threshold(x, half, 0.0), engine.add(x, x, alpha=half),
        engine.nn.functional.celu(x, half), engine.topk(x, engine.tensor(2)).values,
    ]  # fmt: skip
    for out in outs:
        x.grad = None
        out.sum().backward()
        assert x.grad is not None
    assert outs[0].tolist() == [-0.5, 2.0]
