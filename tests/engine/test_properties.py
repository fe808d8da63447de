"""Random computations: values and gradients equal PyTorch's, and gradients equal finite differences."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.dtypes import ALL
from engine.recording.recorder import record
from tests.thorough import examples

UNARY = ["tanh", "sigmoid", "sin", "cos", "exp", "neg", "relu", "square", "abs"]
BINARY = ["add", "sub", "mul", "maximum", "atan2"]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(UNARY), st.integers(0, 9)),
        st.tuples(st.sampled_from(BINARY), st.integers(0, 9), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=8,
)
SHAPES = st.lists(st.sampled_from([(), (3,), (1, 3), (2, 1), (2, 3)]), min_size=1, max_size=3)


def compute(t: Any, steps: Any, leaves: list[Any]) -> Any:
    values = list(leaves)
    for name, *operands in steps:
        value = getattr(t, name)(*[values[k % len(values)] for k in operands])
        values.append(t.tanh(value))  # keeps numbers small
    return values[-1].sum()


def leaves_of(t: Any, shapes: Any) -> list[Any]:
    rng = np.random.default_rng(len(shapes))
    return [t.tensor(np.asarray(rng.uniform(-1.5, 1.5, s)), requires_grad=True) for s in shapes]


@settings(deadline=None, max_examples=examples(150))
@given(steps=STEPS, shapes=SHAPES)
def test_gradients_equal_pytorchs(torch: ModuleType, steps: Any, shapes: Any) -> None:
    results = []
    for t in (engine, torch):
        leaves = leaves_of(t, shapes)
        loss = compute(t, steps, leaves)
        if not loss.requires_grad:
            return
        for _ in range(2):
            loss.backward(retain_graph=True)
        results.append([loss, *[x.grad for x in leaves]])
    for ours, theirs in zip(*results, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), rtol=1e-9, atol=1e-12)


@settings(deadline=None, max_examples=examples(60))
@given(steps=STEPS, shapes=SHAPES)
def test_gradients_equal_finite_differences(steps: Any, shapes: Any) -> None:
    smooth = [s for s in steps if s[0] not in ("relu", "abs", "maximum", "atan2")]
    if not smooth:
        return
    leaves = leaves_of(engine, shapes)
    compute(engine, smooth, leaves).backward()
    for k, leaf in enumerate(leaves):
        if leaf.grad is None:
            continue
        for place in np.ndindex(leaf.shape):
            ends = []
            for h in (1e-6, -1e-6):
                moved = [x.detach().clone() for x in leaves]
                moved[k][place] = leaf.detach()[place] + h
                ends.append(compute(engine, smooth, moved).item())
            slope = (ends[0] - ends[1]) / 2e-6
            assert leaf.grad[place].item() == pytest.approx(slope, rel=1e-4, abs=1e-6)


@settings(deadline=None, max_examples=examples(60))
@given(steps=STEPS, shapes=SHAPES)
def test_being_recorded_changes_nothing_and_the_recording_is_sound(steps: Any, shapes: Any) -> None:
    plain, watched = leaves_of(engine, shapes), leaves_of(engine, shapes)
    compute(engine, steps, plain).backward()
    with record({__file__: 0}) as tape:
        compute(engine, steps, watched).backward()
    tape.recording(("",)).check()
    for a, b in zip(plain, watched, strict=True):
        assert (a.grad is None) == (b.grad is None)
        if a.grad is not None and b.grad is not None:
            np.testing.assert_array_equal(a.grad.numpy(), b.grad.numpy())


@pytest.mark.parametrize("op", ["add", "mul", "div", "maximum"])
@pytest.mark.parametrize("kind", ["tensor", "zero-d", "number"])
def test_dtypes_are_promoted_as_in_pytorch(torch: ModuleType, op: str, kind: str) -> None:
    numbers = [True, 2, 2.5]
    for a in ALL:
        others = numbers if kind == "number" else [*ALL]
        for b in others:
            results = []
            for t in (engine, torch):
                x = t.ones(2, dtype=getattr(t, a.name))
                if kind == "number":
                    if op == "maximum":
                        continue
                    y: Any = b
                else:
                    y = t.ones(() if kind == "zero-d" else 2, dtype=getattr(t, b.name))
                if op == "maximum" and (a.is_complex or b.is_complex):
                    continue  # refused by both
                if not a.is_complex and kind == "zero-d" and b.is_complex and a.name == "float16":
                    continue  # PyTorch's result is complex32
                results.append(str(getattr(t, op)(x, y).dtype))
            assert len(set(results)) <= 1, (a, b, results)
