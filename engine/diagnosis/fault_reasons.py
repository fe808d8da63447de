"""Why an operation, or its derivative, gives NaN or an infinity at an element: in a sentence, with what to do about it."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from ..graph.numbers import number

Inputs = Sequence[tuple[str, Any]]
"""The tensors an operation takes: (name of the parameter, value of the element or None)."""

_CLAMP = "Keep the input away from that point: clamp(min=1e-8), or add a small epsilon."


def forward_reason(op: str, traits: Collection[str], inputs: Inputs, texts: dict[str, str], result: Any) -> tuple[str, str]:
    """Why the result is not finite, and the fix."""
    base = op.rstrip("_")
    x = inputs[0][1] if inputs else None
    y = inputs[1][1] if len(inputs) > 1 else _plain(texts, "other", "exponent")
    if not inputs:
        return "The data itself is not finite.", "Check the data: torch.isfinite(x).all(), or torch.nan_to_num."
    if ("logarithm" in traits or base in ("logit", "log1p")) and x is not None:
        return _logarithm(base, x)
    if "root" in traits and x is not None:
        if x < 0:
            return f"{base} of a negative number ({number(x)}) is NaN.", "Make the input non-negative: clamp(min=0)."
        return f"{base}(0) is infinite.", _CLAMP
    if "exponential" in traits and x is not None:
        return (
            f"{base}({number(x)}) is larger than the largest number of its dtype (exp overflows above 88.7 in float32).",
            "Subtract the maximum first, or use the stable form: logsumexp, log_softmax, softplus, …_with_logits.",
        )
    if "arc" in traits and x is not None:
        return f"{base}({number(x)}) does not exist outside of −1 … 1.", "Clamp the input: clamp(-1 + 1e-6, 1 - 1e-6)."
    if "division" in traits or base in ("fmod", "remainder"):
        divisor = x if base == "reciprocal" else y
        numerator = 1.0 if base == "reciprocal" else x
        if base == "div" and len(inputs) == 1 and "self" in texts:
            numerator = _plain(texts, "self")
        if divisor is not None and divisor == 0:
            what = (
                "0/0 is NaN"
                if numerator == 0 or (result is not None and math.isnan(abs(result)))
                else "A number divided by 0 is infinite"
            )
            return f"{what}: the divisor is 0.", (
                "Add a small epsilon to the divisor, clamp(min=1e-8) it, or leave out the elements where it is 0; for vectors "
                "there is F.normalize."
            )
    if base == "mul" and None not in (x, y) and 0 in (x, y):
        return "0 times infinity is NaN.", "Keep the factors finite."
    if base in ("add", "sub") and x is not None and y is not None and not (math.isfinite(x) and math.isfinite(y)):
        return "Infinity minus infinity is NaN.", "Keep the terms finite."
    if base == "pow" and x is not None:
        if x == 0:
            return "A negative power of 0 is infinite.", _CLAMP
        if x < 0 and result is not None and math.isnan(abs(result)):
            return f"A fractional power of a negative number ({number(x)}) is NaN.", "Make the base non-negative: clamp(min=0)."
    if base in ("std", "var"):
        return "The unbiased standard deviation of a single value is 0/0.", "Use more values, or correction=0."
    if base == "mean":
        return "The mean of no elements is 0/0.", "Check that the selection is not empty."
    if base in ("softmax", "log_softmax"):
        return (
            "Every entry of the row is −infinity, so the softmax is 0/0.",
            "Leave at least one entry unmasked, or mask with a finite number: torch.finfo(x.dtype).min, or -1e9 in float32.",
        )
    if base.startswith(("nll_loss", "cross_entropy")) and result is not None and math.isnan(result):
        return "The loss divides by the number of targets that count, and none does.", (
            "Leave out a batch in which every target is ignored; or take reduction='sum', divided by max(count, 1)."
        )
    if base == "ctc_loss" and result is not None and math.isinf(abs(result)):
        return (
            "The target does not fit into so few time steps: each label takes one, and one more stands between two labels that "
            "are equal.",
            "Give it longer inputs, with less pooling over time, or shorter targets; or CTCLoss(zero_infinity=True), which "
            "leaves such samples out.",
        )
    if result is not None and math.isinf(abs(result)):
        return (
            f"The inputs are finite and the result of {op} is beyond the largest number of its dtype (65,504 in float16, "
            "3.4e38 in float32).",
            "Scale the values down, or use a wider dtype; for a mask take torch.finfo(x.dtype).min instead of -1e9.",
        )
    return (
        f"The inputs are finite and the result of {op} is not: it is too large for its dtype, or not defined there.",
        "Scale the values down, or use float64.",
    )


def telling(op: str, traits: Collection[str], takes: int, low: float, high: float) -> float | None:
    """The number at which a result is not finite, where only the least and the largest that an operation takes are known.

    Args:
        takes: which of its inputs that is of, counted from 0.
    """
    base = op.rstrip("_")
    if "division" in traits and takes == (base != "reciprocal"):
        return 0.0 if 0 in (low, high) else None
    if takes:
        return None
    if "exponential" in traits:
        return high if high >= -low or base not in ("sinh", "cosh") else low
    if "arc" in traits:
        beyond = max(low, high, key=abs)
        return beyond if abs(beyond) > 1 else None
    if base == "logit":
        return low if low <= 0 else high if high >= 1 else None
    bound = -1 if base == "log1p" else 0
    return low if ("logarithm" in traits or "root" in traits or base in ("log1p", "pow")) and low <= bound else None


def telling_of_derivative(op: str, traits: Collection[str], takes: int, low: float, high: float) -> float | None:
    """The same of a number at which the derivative does not exist."""
    base = op.rstrip("_")
    if "norm" in base and low != high:
        return None  # only where all of them are zero
    anyway = _local(base, traits, None, None)
    return next((x for x in (low, high) if _local(base, traits, *((None, x) if takes else (x, None))) != anyway), None)


def _logarithm(base: str, x: Any) -> tuple[str, str]:
    if x < (-1 if base == "log1p" else 0):
        return f"{base} of a negative number ({number(x)}) is NaN.", "Make the input positive: clamp(min=1e-8)."
    if base == "log1p":
        return "log1p(−1) is −infinity.", _CLAMP
    return (
        f"{base}(0) is −infinity." if base != "logit" else f"logit({number(x)}) is infinite.",
        "Keep the input away from 0: log(x + 1e-8), clamp(min=1e-8); for probabilities use log_softmax, logsigmoid or xlogy.",
    )


def backward_reason(
    op: str, traits: Collection[str], inputs: Inputs, texts: dict[str, str], received: Any, mask: str
) -> tuple[str, str]:
    """Why a gradient is not finite, and the fix; `mask` is where a branch that was not taken was cut off."""
    base = op.rstrip("_")
    x = inputs[0][1] if inputs else None
    y = inputs[1][1] if len(inputs) > 1 else _plain(texts, "other", "exponent")
    local = _local(base, traits, x, y)
    what = f"the derivative of {op} there, {local}," if local else f"what {op} makes of it"
    if mask:
        return (
            f"The element is not chosen ({mask}), so a gradient of 0 arrives; but {what} is not finite, and 0 times infinity "
            "is NaN. where() and masks hide a value, not its derivative.",
            "Make the input safe before the operation, not its result after it: torch.where(ok, x, 1.0) inside, and where() "
            "again outside.",
        )
    if received == 0 and local:
        return f"A gradient of 0 arrives, and {what} is not finite: 0 times infinity is NaN.", _fix(base, traits)
    if local:
        return f"{what[0].upper()}{what[1:]} is not finite.", _fix(base, traits)
    if "spectral" in traits:
        return (
            "It divides by the differences of the eigenvalues or singular values, and two of them are equal (or a singular "
            "value is 0): then the vectors that belong to them are not determined, and have no derivative.",
            "Use only the values, or what does not depend on the choice of the vectors; or keep the values apart, with a small "
            "different number added to each entry of the diagonal.",
        )
    return f"The gradient that arrives is finite; {what} is not.", "Scale the loss or the values down."


def _local(base: str, traits: Collection[str], x: Any, y: Any) -> str:
    """The derivative at the element, where it does not exist."""
    if base == "sqrt" and x == 0:
        return "1/(2·sqrt(0))"
    if base == "rsqrt" and x == 0:
        return "−1/(2·sqrt(0)³)"
    if "logarithm" in traits and x is not None and x == 0:
        return "1/0"
    if base == "pow" and x is not None and x == 0:
        return f"{number(y)}·0^{number(y - 1)}" if y is not None else "a negative power of 0"
    if base == "pow" and x is not None and x < 0:
        return f"which needs log({number(x)})"
    if "division" in traits and (y if base != "reciprocal" else x) == 0:
        return "1/0"
    if "arc" in traits and x is not None and abs(x) >= 1:
        return f"1/sqrt(1 − {number(x)}²)"
    if "norm" in base and x is not None and x == 0:
        return "0/‖0‖"
    if "exponential" in traits and x is not None and x > 50:
        return f"exp({number(x)})"
    return {"std": "0/0", "atan2": "0/(0² + 0²)"}.get(base, "")


def _fix(base: str, traits: Collection[str]) -> str:
    if "root" in traits or "norm" in base:
        return "Add an epsilon inside the root: sqrt(x + 1e-12)."
    if "arc" in traits:
        return "Clamp the input: clamp(-1 + 1e-6, 1 - 1e-6)."
    if base == "std":
        return "Add an epsilon to the variance before the root: sqrt(x.var() + 1e-12)."
    if "exponential" in traits:
        return "Use the stable form: logsumexp, log_softmax, softplus."
    return _CLAMP


def _plain(texts: dict[str, str], *names: str) -> float | None:
    for name in names:
        try:
            return float(texts[name])
        except (KeyError, ValueError):
            continue
    return None
