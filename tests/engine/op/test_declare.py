"""A declaration that names what there is not is refused where it stands, and says what there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
