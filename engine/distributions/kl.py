"""`torch.distributions.kl`: which formula gives the Kullback–Leibler divergence of two distributions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

Pair = tuple[type, type]
_KL_REGISTRY: dict[Pair, Callable[[Any, Any], Any]] = {}
_KL_MEMOIZE: dict[Pair, Any] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Let a function give the divergence of two kinds of distributions, and of kinds made of them; a decorator."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) and issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()  # what was found before may be another one now
        return fun

    return decorator


def _nearest(pairs: list[Pair]) -> Pair:
    """The pair of the most special kinds, the first of each pair before the second."""

    def closer(a: Pair, b: Pair) -> bool:
        for x, y in zip(a, b):
            if not issubclass(x, y):
                return False
            if x is not y:
                break
        return True

    best = pairs[0]
    for pair in pairs[1:]:
        if not closer(best, pair):
            best = pair
    return best


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The formula of the nearest kinds that have one, with a warning where two are as near."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left_p, left_q = _nearest(matches)
    right_q, right_p = _nearest([(q, p) for p, q in matches])
    found = _KL_REGISTRY[left_p, left_q]
    if found is not _KL_REGISTRY[right_p, right_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left_p.__name__}, "
            f"{right_q.__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return found


def kl_divergence(p: Any, q: Any) -> Any:
    r"""\(\mathrm{KL}(p \Vert q) = \int p(x) \ln \frac{p(x)}{q(x)} dx\).

    Raises:
        NotImplementedError: where there is no formula for the pair.
    """
    pair = type(p), type(q)
    if pair not in _KL_MEMOIZE:
        _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    fun = _KL_MEMOIZE[pair]
    if fun is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return fun(p, q)
