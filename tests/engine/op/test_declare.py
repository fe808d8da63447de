"""A declaration that names what there is not is refused where it stands, and says what there is."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pytest

from engine.op.declare import TABLE, op


def bent(self, eps=1e-3):  # type: ignore[no-untyped-def]
    """A formula that is declared wrongly."""
    return self + eps


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (lambda: op("{self}", input=lambda grad: grad), "a rule is given for 'input', which is no argument"),
        (lambda: op("{self}", self=lambda grad, bound: grad), "the rule of self asks for 'bound', which is no"),
        (lambda: op("{self}", self=None, joint_vjp=lambda grad, other, needs: ()), "the rule of joint_vjp asks for 'other'"),
        (lambda: op("{self} + {epsilon}", self=lambda grad: grad), "the template names 'epsilon', which is no argument"),
    ],
)  # fmt: skip
def test_a_name_that_stands_for_nothing_is_refused(declared: Callable[[], Callable[[Any], Any]], said: str) -> None:
    with pytest.raises(TypeError, match=f"^bent: {said}.*; the arguments are self, eps$"):
        declared()(bent)
    assert "bent" not in TABLE


def test_an_input_at_least_has_a_rule() -> None:
    with pytest.raises(TypeError, match=r"^bent: no input has a rule; the arguments are self, eps, and self=None says"):
        op("{self}")(bent)
    assert "bent" not in TABLE


def test_a_rule_does_not_use_numpy() -> None:
    with pytest.raises(TypeError, match=r"^bent: the rule of self uses NumPy, and would fail on tensors and symbols"):
        op("{self}", self=lambda grad, self: grad * np.sign(self))(bent)
    assert "bent" not in TABLE


def methods_of(rule: FunctionType) -> list[str]:
    """The attributes beside ndim and shape that a rule asks its arguments for, those of functions within it, too."""
    return [name for code in _codes(rule.__code__) for name in _asked(code) if name not in ("ndim", "shape")]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _asked(code: CodeType) -> Iterator[str]:
    before = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and before is not None and before.opname.startswith("LOAD_FAST"):
            yield str(instruction.argval)
        before = instruction


def test_rules_ask_their_arguments_for_no_methods() -> None:
    """They are given arrays, tensors and symbols, which have few in common."""
    assert methods_of(lambda grad, self: grad * self.exp()) == ["exp"]
    found = {
        f"{name}: {argument}": methods_of(rule)
        for name, o in TABLE.items()
        for argument, rule in [*o.rules.items(), ("joint_vjp", o.joint_vjp)]
        if isinstance(rule, FunctionType) and methods_of(rule)
    }
    assert found == {}
