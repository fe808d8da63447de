"""L-BFGS: a quasi-Newton method that remembers the last few steps, with a line search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..compat.version import since, when_followed
from ..context import grad_mode
from ..tensor import Array, Tensor, constant
from .optimizer import Optimizer, State, looked_at
from .update_rules import check, number, options

Evaluate = Callable[[Any], tuple[float, Array]]
"""Loss and gradient at a step length along the direction."""

KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")
"""What the state keeps from one `step()` to the next."""


class LBFGS(Optimizer):
    r"""Limited-memory BFGS (Nocedal 1980), after Schmidt's minFunc: $\theta \leftarrow \theta - t\,H g$.

    $H$ approximates the inverse Hessian from the last `history_size` pairs of steps $s$ and changes $y$ of the gradient (the
    two-loop recursion). One call of `step` makes up to `max_iter` iterations and calls the closure up to
    `max_eval` times. Without `line_search_fn="strong_wolfe"` the step length is `lr`.

    Raises:
        ValueError: for a learning rate below zero, or several parameter groups.
        RuntimeError: for another line search, when it is first needed.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        self._begin(params, options(locals()))

    def _begin(self, params: Iterable[Any], options: dict[str, Any]) -> None:
        check(options["lr"])
        if options["max_eval"] is None:
            options["max_eval"] = options["max_iter"] * 5 // 4
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Minimise for up to `max_iter` iterations; `closure` clears the gradients, computes the loss and calls backward.

        Returns the loss before the step.
        """
        group = self._looked_at(self.param_groups[0])
        params = group["params"]
        lr, history = number(group["lr"]), group["history_size"]
        sign = -1 if group.get("maximize") else 1
        state = self.state[params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def run() -> Any:
            with grad_mode(True):
                return closure()

        first = run()
        loss = sign * _number(first)
        evaluations = 1
        state["func_evals"] += 1
        g = sign * _gradient(params)
        if np.abs(g).max() <= group["tolerance_grad"]:
            return first
        kept: dict[str, Any] = {name: _plain(looked_at(state.get(name))) for name in KEPT}

        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            d = kept["d"] = _direction(g, kept, state, history)
            kept["prev_flat_grad"] = g.copy()
            previous = kept["prev_loss"] = loss
            t = min(1.0, 1.0 / np.abs(g).sum()) * lr if state["n_iter"] == 1 else lr
            kept["t"] = t
            slope = g.dot(d)
            if slope > -group["tolerance_change"]:
                break
            used = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p._array.copy() for p in params]

                def evaluate(t: Any, d: Array = d, start: list[Array] = start) -> tuple[float, Array]:
                    _move(self, params, t, d)
                    loss = sign * _number(run())
                    g = sign * _gradient(params)
                    for p, array in zip(params, start):
                        p._array[...] = array
                        self._wrote(p)
                    return loss, g

                limit = group["max_eval"] - evaluations
                loss, g, t, used = strong_wolfe(evaluate, t, d, loss, g, slope, most=limit)
                kept["t"] = t
                _move(self, params, t, d)
                optimal = np.abs(g).max() <= group["tolerance_grad"]
            else:
                _move(self, params, t, d)
                optimal = False
                if iteration != group["max_iter"]:
                    # Not after the last iteration: it would not be used.
                    loss = sign * _number(run())
                    g = sign * _gradient(params)
                    optimal = np.abs(g).max() <= group["tolerance_grad"]
                    used = 1
            evaluations += used
            state["func_evals"] += used
            if (
                evaluations >= group["max_eval"]
                or optimal
                or np.abs(d * t).max() <= group["tolerance_change"]
                or abs(loss - previous) < group["tolerance_change"]
            ):
                break

        state.update({name: _wrapped(value) for name, value in kept.items()})
        return first


def _direction(g: Array, kept: dict[str, Any], state: State, history: int) -> Array:
    r"""$-Hg$ by the two-loop recursion, the memory updated first."""
    if state["n_iter"] == 1:
        kept.update(old_dirs=[], old_stps=[], ro=[], H_diag=1)
        return np.negative(g)
    changes, steps, ro = kept["old_dirs"], kept["old_stps"], kept["ro"]
    y = g - kept["prev_flat_grad"]
    s = kept["d"] * kept["t"]
    curvature = y.dot(s)
    if curvature > 1e-10:
        if len(changes) == history:
            for memory in (changes, steps, ro):
                memory.pop(0)
        changes.append(y)
        steps.append(s)
        ro.append(1.0 / curvature)
        kept["H_diag"] = curvature / y.dot(y)
    al = state.setdefault("al", [None] * history)
    a = [None] * len(changes)
    q: Array = np.negative(g)
    for i in reversed(range(len(changes))):
        a[i] = steps[i].dot(q) * ro[i]
        q -= changes[i] * a[i]
        al[i] = constant(a[i])
    q *= kept["H_diag"]
    for i in range(len(changes)):
        q += steps[i] * (a[i] - changes[i].dot(q) * ro[i])
    return q


def _gradient(params: list[Any]) -> Array:
    """All gradients in one array; a parameter without one counts as zero."""
    grads = [p._grad.to_dense() if p._grad is not None and p._grad.is_sparse else p._grad for p in params]
    return np.concatenate(
        [(np.zeros_like(p._array) if g is None else g._array).ravel() for p, g in zip(params, grads, strict=True)]
    )


def _move(optimizer: LBFGS, params: list[Any], t: Any, d: Array) -> None:
    r"""$\theta \leftarrow \theta + t d$."""
    offset = 0
    for p in params:
        array = p._array
        array += d[offset : offset + array.size].reshape(array.shape) * float(t)
        offset += array.size
        optimizer._wrote(p)


def _able_to_maximize(
    self: LBFGS,
    params: Iterable[Any],
    lr: float | Tensor = 1,
    max_iter: int = 20,
    max_eval: int | None = None,
    tolerance_grad: float = 1e-7,
    tolerance_change: float = 1e-9,
    history_size: int = 100,
    line_search_fn: str | None = None,
    *,
    maximize: bool = False,
) -> None:
    self._begin(params, options(locals()))


_able_to_maximize.__name__, _able_to_maximize.__qualname__ = LBFGS.__init__.__name__, LBFGS.__init__.__qualname__
CONSTRUCTOR = since("2.15", _able_to_maximize, before=LBFGS.__init__)
"""How it is made: with 2.15 it can look for the largest value, too."""


def _renew() -> None:
    LBFGS.__init__ = CONSTRUCTOR.now  # type: ignore[method-assign]


when_followed(_renew)


def _number(loss: Any) -> float:
    return float(loss.item() if isinstance(loss, Tensor) else loss)


def _plain(value: Any) -> Any:
    """State as arrays and NumPy scalars."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, Tensor):
        return value._array if value._array.ndim else value._array[()]
    return value


def _wrapped(value: Any) -> Any:
    """Arrays and NumPy scalars as tensors; Python numbers stay."""
    if isinstance(value, list):
        return [_wrapped(v) for v in value]
    # A NumPy float64 is a Python float as well.
    return constant(value) if isinstance(value, np.ndarray | np.generic) else value


class Point:
    """A trial of the line search: step length, loss, gradient, and slope along the direction."""

    __slots__ = ("f", "g", "slope", "t")

    def __init__(self, t: Any, f: Any, g: Array, slope: Any) -> None:
        self.t, self.f, self.g, self.slope = t, f, g, slope


def interpolate(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points and their slopes is least, within `bounds` (Nocedal & Wright 2006, eq. 3.59)."""
    low, high = bounds if bounds is not None else (min(a.t, b.t), max(a.t, b.t))
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(square)
    if a.t > b.t:
        a, b = b, a
    least = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(least, low), high)


def strong_wolfe(
    evaluate: Evaluate,
    t: Any,
    d: Array,
    f: float,
    g: Array,
    slope: Any,
    most: int,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance: float = 1e-9,
) -> tuple[float, Array, Any, int]:
    r"""A step length with $f(t) \le f + c_1 t f'$ and $|f'(t)| \le c_2 |f'|$, by bracketing and zooming.

    Returns loss, gradient, step length, and how often the function was evaluated.
    """
    start = Point(0, f, g, slope)

    def trial(t: Any) -> Point:
        f, g = evaluate(t)
        return Point(t, f, g, g.dot(d))

    def too_high(p: Point) -> bool:
        return bool(p.f > f + c1 * p.t * slope)

    def flat(p: Point) -> bool:
        return bool(abs(p.slope) <= -c2 * slope)

    before, now = start, trial(t)
    iterations = 0
    bracket = None
    while iterations < most:
        if too_high(now) or (iterations > 1 and now.f >= before.f):
            bracket = [before, now]
            break
        if flat(now):
            return now.f, now.g, now.t, iterations + 1
        if now.slope >= 0:
            bracket = [before, now]
            break
        t = interpolate(before, now, (now.t + 0.01 * (now.t - before.t), now.t * 10))
        before, now = now, trial(t)
        iterations += 1
    if bracket is None:
        bracket = [start, now]

    widest = np.abs(d).max()
    stuck = False
    low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
    while iterations < most:
        if abs(bracket[1].t - bracket[0].t) * widest < tolerance:
            break
        t = interpolate(bracket[0], bracket[1])
        left, right = min(bracket[0].t, bracket[1].t), max(bracket[0].t, bracket[1].t)
        margin = 0.1 * (right - left)
        # Twice near an end, or at it: progress is insufficient, so step inside by a tenth.
        if min(right - t, t - left) < margin:
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = trial(t)
        iterations += 1
        if too_high(now) or now.f >= bracket[low].f:
            bracket[high] = now
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        done = flat(now)
        if not done and now.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = now
        if done:
            break
    best = bracket[low]
    return best.f, best.g, best.t, iterations + 1
