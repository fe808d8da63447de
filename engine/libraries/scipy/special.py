"""`scipy.special`: functions that SciPy has of numbers and arrays."""

from __future__ import annotations

from typing import Any

import scipy.special as real

from .numbers import numbers

_OF_NUMBERS = """
beta betainc betaln binom digamma ellipe ellipk entr erf erfc erfcx erfi erfinv exp1 expi expit expm1 factorial gamma gammainc
gammaincc gammaln hyp2f1 i0 i0e i1 i1e iv j0 j1 jv k0 k1 kl_div kv lambertw log1p log_ndtr logit ndtr ndtri poch polygamma psi
rel_entr rgamma sinc spence xlog1py xlogy y0 y1 yv zeta
"""
_ALONG = "log_softmax logsumexp softmax"
__all__ = [*_OF_NUMBERS.split(), *_ALONG.split(), "comb", "perm"]


def _of_numbers(name: str) -> Any:
    function = getattr(real, name)

    def called(*values: Any) -> Any:
        return function(*map(numbers, values))

    called.__name__ = called.__qualname__ = name
    return called


def _along(name: str) -> Any:
    function = getattr(real, name)

    def called(x: Any, axis: Any = None, **options: Any) -> Any:
        """Of all elements, or along an axis."""
        given = {key: numbers(value) if key == "b" else bool(value) for key, value in options.items()}
        return function(numbers(x), axis=axis if axis is None else tuple(numbers([axis], int).ravel().tolist()), **given)

    called.__name__ = called.__qualname__ = name
    return called


globals().update({name: _of_numbers(name) for name in _OF_NUMBERS.split()})
globals().update({name: _along(name) for name in _ALONG.split()})


def comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:  # noqa: N803
    """How many ways there are to choose `k` of `N` things."""
    given = (int(N), int(k)) if exact else (numbers(N), numbers(k))
    return real.comb(*given, exact=bool(exact), repetition=bool(repetition))


def perm(N: Any, k: Any, exact: Any = False) -> Any:  # noqa: N803
    """How many ways there are to choose `k` of `N` things in an order."""
    given = (int(N), int(k)) if exact else (numbers(N), numbers(k))
    return real.perm(*given, exact=bool(exact))
