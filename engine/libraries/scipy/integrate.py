"""`scipy.integrate`: ordinary differential equations and integrals."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ..attribute_dict import AttributeDict
from .numbers import numbers
from .quadrature import cumulative_trapezoid, quad, simpson, trapezoid
from .runge_kutta import METHODS, Piece, RungeKutta

__all__ = ["cumulative_trapezoid", "odeint", "quad", "simpson", "solve_ivp", "trapezoid"]

ENDS = {
    0: "The solver successfully reached the end of the integration interval.",
    -1: "Required step size is less than spacing between numbers.",
}
RTOL, ATOL = 1e-10, 1e-12
"""Of `odeint`, whose own method, LSODA, is as near to the solution as 1.5e-8 unless it is told otherwise."""


class OdeSolution:
    """The solution at any time, from one step to the next."""

    __slots__ = ("_pieces", "_times", "t_max", "t_min")
    __module__ = "scipy.integrate"

    def __init__(self, times: list[Any], pieces: list[Piece]) -> None:
        self._times, self._pieces = times, pieces
        self.t_min, self.t_max = min(times), max(times)

    def __call__(self, t: Any) -> Any:
        """The values (n,), or (n, times) for several times."""
        t = numbers(t, float)
        found = [self._pieces[self._which(each)](each) for each in t.ravel()]
        return found[0] if not t.ndim else np.stack(found, -1)

    def _which(self, t: float) -> int:
        backwards = self._times[-1] < self._times[0]
        times, t = ([-each for each in self._times], -t) if backwards else (self._times, t)
        return min(max(bisect.bisect_left(times, t) - 1, 0), len(self._pieces) - 1)


class OdeResult(AttributeDict):
    """What `solve_ivp` found, by names that are attributes as well."""

    __module__ = "scipy.integrate._ivp.ivp"

    def __repr__(self) -> str:
        width = max(map(len, self), default=0) + 1
        with np.printoptions(linewidth=74 - width, edgeitems=2, threshold=12, formatter={"float_kind": _written}):
            shown = [(name, str(value).replace("\n", "\n" + " " * (width + 2))) for name, value in self.items()]
        return "\n".join(f"{name.rjust(width)}: {value}" for name, value in shown)


def _written(x: Any) -> str:
    if not np.isfinite(x):
        return f"{x:>10}"
    return np.format_float_scientific(x, precision=3, pad_left=2, unique=False)


def solve_ivp(
    fun: Callable[..., Any], t_span: Any, y0: Any, method: Any = "RK45", t_eval: Any = None, dense_output: Any = False,
    events: Any = None, vectorized: Any = False, args: Any = None, **options: Any,
) -> OdeResult:  # fmt: skip
    r"""Solve $y' = f(t, y)$ from `y0` at the beginning of `t_span`, with steps that follow the error.

    Raises:
        NotImplementedError: for methods other than RK45 and RK23, and for events.
    """
    if method not in METHODS:
        raise NotImplementedError(f"solve_ivp with method={method!r} is not here; there are: {', '.join(METHODS)}")
    if events is not None:
        raise NotImplementedError(
            "solve_ivp with events is not here; look for the event in the solution at the times of t_eval"
        )
    begin, end = map(float, t_span)
    wanted = _wanted(t_eval, begin, end)
    solver = RungeKutta(METHODS[method], _function(fun, args, vectorized), begin, numbers(y0), end, **options)
    times, values, pieces = [begin], [solver.y], []
    found: list[tuple[Any, Any]] = []
    status = 0
    if begin == end and wanted is None:
        times, values = 2 * times, 2 * values
    while solver.t != end:
        if not solver.step():
            status = -1
            break
        piece = solver.piece()
        pieces.append(piece)
        times.append(solver.t)
        values.append(solver.y)
        if wanted is not None:
            now = wanted[: np.searchsorted(wanted, solver.t, "right")] if end > begin else wanted[: np.sum(wanted >= solver.t)]
            wanted = wanted[len(now) :]
            if len(now):
                found.append((now, piece(now)))
    if wanted is None:
        t, y = np.array(times), np.vstack(values).T
    else:
        t, y = (np.hstack([part[k] for part in found]) for k in range(2)) if found else (np.array([]), np.array([]))
    return OdeResult(
        message=ENDS[status], success=status >= 0, status=status, t=t, y=y,
        sol=OdeSolution(times, pieces) if dense_output and pieces else None, t_events=None, y_events=None, nfev=solver.calls,
        njev=0, nlu=0,
    )  # fmt: skip


def _wanted(t_eval: Any, begin: float, end: float) -> Any:
    if t_eval is None:
        return None
    t = numbers(t_eval)
    if t.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(t < min(begin, end)) or np.any(t > max(begin, end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if np.any(np.diff(t) * np.sign(end - begin) <= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t


def _function(fun: Callable[..., Any], args: Any, vectorized: Any = False) -> Callable[..., Any]:
    """What is integrated, of a copy of the values; it gives as many."""
    given = () if args is None else tuple(args)

    def called(t: Any, y: Any) -> Any:
        if vectorized:
            return numbers(fun(t, y[:, None].copy(), *given)).ravel()
        return numbers(fun(t, y.copy(), *given))

    return called


def odeint(
    func: Callable[..., Any], y0: Any, t: Any, args: Any = (), Dfun: Any = None, col_deriv: Any = 0, full_output: Any = 0,  # noqa: N803
    ml: Any = None, mu: Any = None, rtol: Any = None, atol: Any = None, tcrit: Any = None, h0: Any = 0.0, hmax: Any = 0.0,
    hmin: Any = 0.0, ixpr: Any = 0, mxstep: Any = 0, mxhnil: Any = 0, mxordn: Any = 12, mxords: Any = 5, printmessg: Any = 0,
    tfirst: Any = False,
) -> Any:  # fmt: skip
    r"""The values (times, n) of the solution of $y' = f(y, t)$ at the times `t`, of which the first is that of `y0`.

    It is computed by Runge-Kutta here, nearer to the solution than LSODA's steps are; what tells LSODA how to go on is taken
    without effect.
    """
    given = args if isinstance(args, tuple) else (args,)
    times, first = numbers(t, float), np.atleast_1d(numbers(y0))
    if times.ndim != 1 or first.ndim != 1:
        raise ValueError("Initial condition and times must be 1-D.")
    first = first.astype(float)

    def called(at: Any, y: Any) -> Any:
        made = numbers(func(at, y.copy(), *given) if tfirst else func(y.copy(), at, *given)).astype(float)
        if made.size != first.size:
            raise RuntimeError(
                f"The array return by func must be one-dimensional, but got ndim={made.ndim}." if made.ndim > 1 else
                f"The size of the array returned by func ({made.size}) does not match the size of y0 ({first.size})."
            )  # fmt: skip
        return made.reshape(-1)

    rows = [first]
    for begin, end in pairwise(times.tolist()):
        solver = RungeKutta(METHODS["RK45"], called, begin, rows[-1], end, rtol=RTOL, atol=ATOL)
        while solver.t != end and solver.step():
            pass
        rows.append(solver.y)
    values = np.array(rows[: len(times)])
    return (values, {"message": "Integration successful."}) if full_output else values
