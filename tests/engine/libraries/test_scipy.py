"""`scipy.integrate`, `signal` and `special` for programs: SciPy's numbers, and copies for what programs are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.signal
import scipy.special

from engine.libraries.scipy import integrate, signal, special
from engine.sandbox import run


def pendulum(t: Any, y: Any) -> Any:
    return [y[1], -np.sin(y[0]) - 0.1 * y[1]]


def hunters(t: Any, z: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return [a * z[0] - b * z[0] * z[1], -c * z[1] + d * z[0] * z[1]]


SOLVED: dict[str, Any] = {
    "as it is": (pendulum, (0, 10), [1.0, 0.0], {}),
    "at times that are wanted": (pendulum, (0, 10), [1.0, 0.0], {"t_eval": np.linspace(0, 10, 7), "rtol": 1e-8, "atol": 1e-10}),
    "backwards": (pendulum, (3, 0), [1.0, 0.0], {"method": "RK23", "max_step": 0.2}),
    "backwards at times": (pendulum, (5, 1), [1.0, 0.0], {"t_eval": [4.5, 3.0, 1.0], "first_step": 0.1}),
    "with arguments": (hunters, (0, 15), [10, 5], {"args": (1.5, 1, 3, 1)}),
    "of complex numbers": (lambda t, y: 1j * y, (0, 1), np.array([1.0 + 0j]), {}),
    "of columns": (lambda t, y: -y, (0, 1), [1.0, 2.0], {"vectorized": True}),
    "without a way": (lambda t, y: -y, (1, 1), [1.0], {}),
    "from rest": (lambda t, y: 0 * y, (0, 1), [0.0], {}),
    "to where it has no end": (lambda t, y: y**2, (0, 2), [1.0], {}),
}


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(("fun", "span", "begin", "options"), SOLVED.values(), ids=SOLVED)
def test_a_solution_has_scipys_numbers(fun: Any, span: Any, begin: Any, options: dict[str, Any]) -> None:
    ours, theirs = (module.solve_ivp(fun, span, begin, **options) for module in (integrate, scipy.integrate))
    for name in ("t", "y", "nfev", "njev", "nlu", "status", "message", "success", "sol", "t_events"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert repr(ours) == repr(theirs)


def test_a_solution_between_its_steps() -> None:
    ours, theirs = (m.solve_ivp(pendulum, (0, 5), [1.0, 0.0], dense_output=True).sol for m in (integrate, scipy.integrate))
    assert ours(2.5).tolist() == theirs(2.5).tolist()
    assert np.allclose(ours([0, 1, 4.9]), theirs([0, 1, 4.9]), rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"method": "Radau"}, "there are: RK45, RK23"),
        ({"events": pendulum}, "look for the event in the solution"),
        ({"y0": [[1.0]]}, "`y0` must be 1-dimensional"),
        ({"t_eval": [3.0, 11.0]}, "not within `t_span`"),
        ({"t_eval": [3.0, 2.0]}, "not properly sorted"),
        ({"max_step": 0}, "`max_step` must be positive"),
        ({"first_step": 20}, "`first_step` exceeds bounds"),
        ({"y0": ["a"]}, "an array of numbers"),
    ],
)
def test_what_cannot_be_solved_says_so(changed: dict[str, Any], said: str) -> None:
    given = {"t_span": (0, 10), "y0": [1.0, 0.0]} | changed
    with pytest.raises((NotImplementedError, TypeError, ValueError), match=said):
        integrate.solve_ivp(pendulum, **given)


def test_odeint_is_as_near_as_scipys() -> None:
    times = np.linspace(0, 6, 7)
    for args in (((lambda y, t, k: -k * y), 1.0, times, (0.3,)), ((lambda y, t: [y[1], -y[0]]), [1.0, 0.0], times)):
        ours, theirs = integrate.odeint(*args), scipy.integrate.odeint(*args)
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-6
    turned = integrate.odeint(pendulum, [1.0, 0.0], times[::-1], tfirst=True, full_output=True)
    assert turned[1]["message"] == "Integration successful."
    assert np.abs(turned[0] - scipy.integrate.odeint(pendulum, [1.0, 0.0], times[::-1], tfirst=True)).max() < 1e-6
    with pytest.raises(RuntimeError, match=r"The size of the array returned by func \(3\) does not match the size of y0 \(1\)"):
        integrate.odeint(lambda y, t: [1.0, 2.0, 3.0], 1.0, times)


INTEGRALS: dict[str, Any] = {
    "of a hill": (lambda x: np.exp(-(x**2)), 0, 2),
    "to no end": (lambda x: np.exp(-2 * x), 0, np.inf),
    "from no beginning": (np.exp, -np.inf, 1),
    "of all numbers": (lambda x: np.exp(-x * x), -np.inf, np.inf),
    "backwards": (np.cos, 1, 0),
    "of waves": (lambda x: np.sin(40 * x) ** 2, 0, 3),
    "beside a pole": (lambda x: 1 / np.sqrt(x), 0, 1),
}


@pytest.mark.parametrize(("function", "low", "high"), INTEGRALS.values(), ids=INTEGRALS)
def test_an_integral_is_scipys(function: Any, low: float, high: float) -> None:
    ours, theirs = integrate.quad(function, low, high), scipy.integrate.quad(function, low, high)
    assert ours[0] == pytest.approx(theirs[0], abs=1e-8)
    assert 0 < ours[1] < 1e-7


def test_integrals_of_values_are_scipys() -> None:
    y, x = np.array([1.0, 3, 2, 5, 4, 8]), np.array([0, 1, 2.5, 3, 4, 7])
    table = np.arange(12.0).reshape(3, 4) ** 2
    for m in ("trapezoid", "simpson", "cumulative_trapezoid"):
        ours, theirs = getattr(integrate, m), getattr(scipy.integrate, m)
        for given in ((y,), (y, x), (y[:5], x[:5]), (y[:2], x[:2]), (table,)):
            assert np.allclose(ours(*given), theirs(*given), rtol=1e-14), (m, given)
        assert np.allclose(ours(table, dx=0.5, axis=0), theirs(table, dx=0.5, axis=0), rtol=1e-14)
    assert integrate.cumulative_trapezoid(y, initial=0).tolist() == scipy.integrate.cumulative_trapezoid(y, initial=0).tolist()


def test_special_functions_are_scipys() -> None:
    x = np.array([0.1, 0.5, 0.9])
    for name in ("erf", "gamma", "gammaln", "digamma", "expit", "logit", "j0", "ndtri"):
        assert getattr(special, name)(x).tolist() == getattr(scipy.special, name)(x).tolist()
    assert special.softmax(np.eye(2), axis=1).tolist() == scipy.special.softmax(np.eye(2), axis=1).tolist()
    assert special.logsumexp([1.0, 2.0], b=[1, 2]) == scipy.special.logsumexp([1.0, 2.0], b=[1, 2])
    assert (special.comb(5, 2), special.comb(5, 2, exact=True), special.perm(5, 2)) == (10.0, 10, 20.0)


def test_a_programs_function_gets_copies_and_gives_numbers() -> None:
    text = """
import numpy as np, torch
from scipy.integrate import odeint, solve_ivp
kept = []
def f(t, y):
    kept.append(y)
    made = -y
    y[:] = 100.0
    return made
print(np.round(solve_ivp(f, (0, 1), [1.0], t_eval=[1.0]).y, 4), all(y.base is None for y in kept))
print(solve_ivp(lambda t, y: -torch.tensor(y), (0, 1), torch.ones(2)).y[:, -1])
class Row:
    def __array__(self, *_, **__): return np.array([object()])
for wrong in (lambda t, y: Row(), lambda t, y: 'a', lambda t, y: [None]):
    try: solve_ivp(wrong, (0, 1), [1.0])
    except Exception as error: print(type(error).__name__)
"""
    result = run(text)
    assert result.output == (
        "[[0.3681]] True\n[0.36809008 0.36809008]\nPolicyError\nTypeError\nTypeError\n".replace("\\\n", "\n")
    ), (result.output, result.error)


@pytest.mark.parametrize(
    "use",
    ["import scipy.stats as st\nst.norm", "from scipy import stats\nstats.norm", "from scipy.io import loadmat\nloadmat('a')"],
)
def test_another_part_is_refused_where_it_is_used(use: str) -> None:
    error = run(use).error
    assert error is not None
    assert error.line == 2
    assert error.help.startswith(("Use torch.distributions", "Save the arrays with np.savez"))


signals = np.random.default_rng(0)
WAVE, SHORT = signals.standard_normal(20), signals.standard_normal(5)
PICTURE, KERNEL = signals.standard_normal((7, 8)), signals.standard_normal((3, 4))
MODES = ("full", "same", "valid")
SIGNALS: dict[str, Any] = {
    **{f"convolve {m}": lambda s, m=m: (s.convolve(WAVE, SHORT, m), s.correlate(WAVE, SHORT, m)) for m in MODES},
    **{f"convolve2d {m}": lambda s, m=m: (
           s.convolve2d(PICTURE, KERNEL, m), s.correlate2d(PICTURE, KERNEL, m), s.convolve(PICTURE, KERNEL, m),
       ) for m in MODES},
    **{f"{b} {m}": lambda s, b=b, m=m: (s.convolve2d(PICTURE, KERNEL, m, b), s.correlate2d(PICTURE, KERNEL, m, b))
       for b in ("wrap", "symm") for m in MODES},
    "filled": lambda s: s.convolve2d(PICTURE, KERNEL, "same", fillvalue=2),
    "the small one first": lambda s: (
        s.convolve(SHORT, WAVE, "valid"), s.correlate(SHORT, WAVE, "valid"), s.correlate2d(KERNEL, PICTURE, "valid"),
        s.convolve(SHORT, WAVE, "same"),
    ),
    "whole numbers": lambda s: s.convolve([1, 2, 3], [0, 1, 2], "same"),
    "complex numbers": lambda s: s.correlate(WAVE + 1j, SHORT - 2j),
    "by Fourier transforms": lambda s: (s.fftconvolve(PICTURE, KERNEL, "same"), s.convolve(WAVE, SHORT, "same", method="fft")),
    "returns of rewards": lambda s: s.lfilter([1], [1, -0.9], WAVE[::-1], axis=0)[::-1],
    "a filter": lambda s: (s.lfilter([1, 0.5], [2, -0.3, 0.1], PICTURE), s.lfilter(SHORT, 1.0, PICTURE, axis=0)),
    "a filter that remembers": lambda s: s.lfilter([1, 0.5], [2, -0.3, 0.1], WAVE, zi=[0.5, -0.5]),
    "savgol": lambda s: (
        s.savgol_filter(WAVE, 7, 2), s.savgol_filter(PICTURE, 5, 3, axis=0),
        s.savgol_filter(WAVE, 5, 2, deriv=1, delta=0.5),
    ),
    "savgol at the ends": lambda s: tuple(
        s.savgol_filter(WAVE, 7, 3, mode=m) for m in ("nearest", "mirror", "wrap", "constant")
    ),
    "detrend": lambda s: (s.detrend(WAVE), s.detrend(PICTURE, axis=0), s.detrend(PICTURE, type="constant")),
    "waves": lambda s: (
        s.sawtooth(WAVE * 9), s.sawtooth(WAVE * 9, 0.3), s.square(WAVE * 9), s.square(WAVE * 9, 0.2), s.sawtooth(1.0, 0.5),
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", SIGNALS.values(), ids=SIGNALS)
def test_signals_are_scipys(code: Any) -> None:
    ours, theirs = code(signal), code(scipy.signal)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (ours, theirs)), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "code",
    [
        lambda s: s.convolve([1], [[1]]), lambda s: s.convolve2d([1], [[1]]), lambda s: s.convolve(WAVE, SHORT, "half"),
        lambda s: s.convolve2d(PICTURE, KERNEL.T.repeat(4, 1), "valid"), lambda s: s.savgol_filter(WAVE, 3, 3),
        lambda s: s.savgol_filter(WAVE, 31, 3), lambda s: s.detrend(WAVE, type="x"), lambda s: s.correlate([1], [[1]]),
    ],
)  # fmt: skip
def test_signals_are_refused_as_scipy_does(code: Any) -> None:
    said = []
    for module in (signal, scipy.signal):
        with pytest.raises(ValueError, match=r"\w") as caught:
            code(module)
        said.append(str(caught.value).rstrip("."))
    assert said[0] == said[1]


def test_a_program_filters_a_signal() -> None:
    result = run(
        "from scipy import signal\nimport scipy.signal as s\nprint(signal.lfilter([1], [1, -0.5], [1.0, 0, 0]), s is signal)\n"
    )
    assert (result.output, result.error) == ("[1.   0.5  0.25] True\n", None)
