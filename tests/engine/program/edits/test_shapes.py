"""What the builder says of shapes, held against the engine: an operation fits exactly where it runs, and makes that shape."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine as torch
from engine.program.edits.operands import Operand
from engine.program.edits.operations import MANY, OPERATIONS, Choice, code_of, fit
from engine.program.edits.shapes import Settings, shapes_of

CHOICES = [pytest.param(choice, id=f"{kind}-{choice.label}") for kind, choices in OPERATIONS.items() for choice in choices]
STRICT = [
    choice
    for kind, choices in OPERATIONS.items()
    for choice in choices
    if kind == "Loss" or choice.label in ("transpose", "drop dimensions of size 1", "standard deviation", "variance")
]
"""Where the builder refuses what runs and is hardly ever meant: a loss of unequal shapes, the variance of one number."""
SHAPES = [(), (1,), (2,), (3,), (1, 3), (2, 1), (2, 3), (3, 2), (2, 2, 3)]
DTYPES = ("float32", "int64")


def tensor(shape: tuple[int, ...], dtype: str) -> Any:
    count = 1
    for size in shape:
        count *= size
    # Class numbers must be below the smallest number of classes.
    values = torch.arange(count, dtype=torch.float32).reshape(shape) * 0.1 + 0.3 if dtype == "float32" else torch.zeros(shape)
    return values if dtype == "float32" else values.long()


def operand(name: str, shape: tuple[int, ...], dtype: str) -> Operand:
    return Operand(0, name, name, shape, dtype, leaf=True)


def agrees(choice: Choice, given: list[tuple[tuple[int, ...], str]], settings: Settings) -> None:
    """The builder and the engine say the same of this case."""
    names = [f"v{i}" for i in range(len(given))]
    found = fit(choice, [operand(name, *each) for name, each in zip(names, given, strict=True)], settings)
    values = {name: tensor(*each) for name, each in zip(names, given, strict=True)}
    code = code_of(choice, names, settings)
    raised, result = "", None
    try:
        if choice.writes:
            exec(code, {"torch": torch, **values}, bag := dict(values))
            result = bag["v0"]
        else:
            result = eval(code, {"torch": torch, **values})
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        raised = str(error)
    if found.reason:
        assert raised or choice in STRICT, f"{code} of {given} runs, but: {found.reason}"
    else:
        assert not raised, f"{code} of {given} does not run: {raised}"
        assert found.shape == tuple(result.shape), f"{code} of {given} is {tuple(result.shape)}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("choice", CHOICES)
def test_an_operation_fits_where_it_runs(choice: Choice) -> None:
    count = choice.operands or 2
    dims: tuple[int | None, ...] = (
        (None, 0, 1)
        if "over" in choice.settings
        else (0, 1)
        if "dim" in choice.settings or "index" in choice.settings
        else (0,)
    )
    for shapes in itertools.product(SHAPES, repeat=count):
        for dtypes in itertools.product(DTYPES, repeat=count):
            for dim in dims:
                agrees(choice, list(zip(shapes, dtypes, strict=True)), Settings(dim=dim, shape=(3, 2), index=1))


@pytest.mark.filterwarnings("ignore")
@given(st.integers(0, 3), st.booleans(), st.floats(-3, 3), st.sampled_from(SHAPES), st.sampled_from(SHAPES))
def test_settings_are_told_as_well(dim: int, keepdim: bool, number: float, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    settings = Settings(number, dim, keepdim, (2, 3), 0)
    for choice in itertools.chain.from_iterable(OPERATIONS.values()):
        if choice.operands == 1:
            agrees(choice, [(a, "float32")], settings)
        elif choice.operands == MANY:
            agrees(choice, [(a, "float32"), (b, "float32"), (a, "float32")], settings)


def test_reasons_are_sentences_a_learner_understands() -> None:
    a, b = operand("a", (2, 3), "float32"), operand("b", (2, 2), "float32")
    by_label = {choice.label: choice for choices in OPERATIONS.values() for choice in choices}
    assert fit(by_label["matrix product"], [a, b]).reason == "matmul: inner sizes 3 and 2 differ"
    assert fit(by_label["a + b"], [a, b]).reason == "broadcasting: sizes 3 and 2 in dimension 1 differ, and neither is 1"
    assert fit(by_label["a + b"], [a]).reason == "takes two tensors: choose another one, or a twice"
    assert fit(by_label["exp"], [a, b]).reason == "takes one tensor; 2 are chosen"
    assert fit(by_label["exp"], []).reason == "takes one tensor: choose it in the graph"
    assert fit(by_label["mean"], [operand("n", (2,), "int64")]).reason == "needs floating point numbers, and n is int64"


def test_writing_into_a_leaf_is_refused_outside_no_grad() -> None:
    leaf = Operand(0, "w", "w", (2,), requires_grad=True)
    choice = next(choice for choice in OPERATIONS["In place"] if choice.label == "fill")
    assert "w is a leaf that requires grad" in fit(choice, [leaf]).reason
    inside = fit(choice, [leaf], Settings(no_grad=True))
    assert inside.code == "with torch.no_grad():\n    w.fill_(2)"


def test_shapes_for_a_reshape_hold_the_same_elements() -> None:
    for count in (1, 6, 12, 16):
        for shape in shapes_of(count):
            product = 1
            for size in shape:
                product *= size
            assert product == count
    assert (2, 3) in shapes_of(6)
