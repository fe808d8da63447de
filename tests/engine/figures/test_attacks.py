"""Programs that use plots as a way in: their own methods, markup, addresses, and figures that take for ever."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.export.figures import draw
from engine.figures import Call, Figure, decoded, encoded
from engine.sandbox import Limits, RunResult, run
from engine.sandbox.calls import CallError

pytest.importorskip("matplotlib")

HEAD = "import numpy as np\nimport torch\nimport matplotlib.pyplot as plt\nimport matplotlib.ticker as ticker\n"


def drawn(program: str) -> RunResult:
    return run(HEAD + program, Limits(seconds=8))


CALLED = "        print('called')\n"
OWN = {
    "an array": f"class A:\n    def __array__(self, *a, **k):\n{CALLED}        return np.zeros(3)\nplt.plot(A())\n",
    "a number": f"class A(float):\n    def __float__(self):\n{CALLED}        return 1.0\nplt.plot([A(1), A(2)])\n",
    "an index": f"class A(int):\n    def __index__(self):\n{CALLED}        return 1\nplt.hist([1, 2], bins=A(5))\n",
    "a list": f"class A(list):\n    def __iter__(self):\n{CALLED}        return iter([])\nplt.plot(A([1, 2]), A([3, 4]))\n",
    "a text": f"class A(str):\n    def __str__(self):\n{CALLED}        return 'x'\n    __format__ = __str__\n"
    "plt.plot([1], label=A('l'))\nplt.title(A('t'))\nplt.legend()\n",
    "a dict": f"class A(dict):\n    def items(self):\n{CALLED}        return []\nplt.text(0, 0, 'x', bbox=A(a=1))\n",
}


@pytest.mark.parametrize("name", OWN)
def test_no_method_of_the_program_is_called_while_a_call_is_noted(name: str) -> None:
    assert "called" not in drawn(OWN[name]).output


def test_a_generator_that_closes_everything_meanwhile_harms_nothing() -> None:
    result = drawn(
        "def points():\n    for k in range(3):\n        plt.close('all')\n        plt.clf()\n        yield k\n"
        "plt.plot([0, 1, 2], points())\nprint('end')\n"
    )
    assert (result.status, result.output) == ("ok", "end\n")


def test_a_tensor_that_requires_grad_is_refused_in_pytorchs_words() -> None:
    error = drawn("plt.plot(torch.ones(3, requires_grad=True))").error
    assert error is not None
    assert error.message == "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


REACHING = (
    "plt.figure()._calls",
    "plt.figure()._figure",
    "plt.figure()._size = (1, 2)",
    "type(plt.figure())._note(1, 2, 3, 4)",
    "plt.Axes.plot = print",
    "plt.notes",
    "plt.opened",
    "plt.gca().plot._of",
    "plt.imread('/etc/passwd')",
)


@pytest.mark.parametrize("program", REACHING)
def test_nothing_behind_the_facade_is_reached(program: str) -> None:
    assert drawn(program).status == "policy"


@pytest.mark.parametrize(
    "program", ["plt.style.use('/etc/passwd')", "plt.style.use('http://x/y.mplstyle')", "plt.imshow('/etc/passwd')"]
)
def test_no_path_is_taken(program: str) -> None:
    error = drawn(program).error
    assert error is not None
    assert error.type in ("OSError", "TypeError")


MARKUP = (
    "plt.plot([1, 2], label='<script>alert(1)</script>')\nplt.title('\"><img src=x onerror=alert(1)>')\nplt.legend()\n"
    "plt.xlabel('</svg><script>1</script>]]>&amp;')\nplt.bar(['<a href=x>', 'b'], [1, 2])\n"
)
LINKS = (
    "plt.plot([1], url='javascript:alert(1)', gid='own', picker=print)\nplt.gca().set_url('http://evil')\n"
    "plt.title('x', url='http://evil', usetex=True)\nplt.rcParams['svg.fonttype'] = 'none'\n"
    "plt.rcParams['text.usetex'] = True\n"
)


@pytest.mark.thorough
@pytest.mark.parametrize("program", [MARKUP, LINKS], ids=["markup", "links"])
def test_markup_and_addresses_do_not_get_into_the_picture(program: str) -> None:
    result = drawn(program)
    assert result.status == "ok"
    for shown in result.figures:
        picture = draw(shown.figure).decode()
        names = {"svg", "g", "path", "use", "image", "defs", "clipPath", "rect"}
        assert set(re.findall(r"<([A-Za-z]+)", picture)) <= names
        assert not re.search(r"script|onerror|javascript|evil|own\"|<a |<!", picture)


BOMBS = {
    "bins": ("plt.hist([1, 2, 3], bins=10**9)", "at most 10,000 bins"),
    "bins by a far point": ("plt.hist([0.0] * 50 + [1e-9] * 50 + [1e12], bins='fd')", "at most 10,000 bins"),
    "axes": ("plt.subplots(1000, 1000)", "at most 400 axes"),
    "a deep list": ("a = []\nfor _ in range(5000):\n    a = [a]\nplt.plot(a)", "too deep"),
    "a list within itself": ("a = []\na.append(a)\nplt.text(0, 0, 'x', bbox={'a': a})", "too deep"),
    "figures": ("for k in range(150):\n    plt.figure()\n    plt.plot([k])\n    plt.show()", "at most 100 figures"),
    "calls": ("for k in range(6000):\n    plt.plot([k])", "at most 4,000 calls"),
    "ticks": ("plt.plot([0, 1])\nplt.xticks(range(10**6))", "at most 2,000,000 characters"),
    "size": ("plt.figure(figsize=(1e9, 1e9), dpi=1e9)\nplt.plot([1, 2])", "at most 40 inches"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_too_much_is_said(name: str) -> None:
    program, said = BOMBS[name]
    result = drawn(program)
    assert said in result.output + (result.error.message if result.error is not None else "")


LARGE = {
    "size": "plt.figure(figsize=(1e9, 1e9), dpi=1e9)\nplt.plot([1, 2])",
    "points": "plt.plot(np.random.randn(5_000_000))",
    "pixels": "plt.imshow(np.random.rand(4000, 4000))",
    "mathematics": "plt.title('$' + '{' * 90 + 'x' + '}' * 90 + '$')\n"
    "plt.xlabel('$' + 'x^{' * 45 + '1' + '}' * 45 + '$')\nplt.plot([1])",
    "formats": "plt.plot([1])\nplt.gca().yaxis.set_major_formatter(ticker.StrMethodFormatter('{x:999999999}'))\n"
    "plt.gca().xaxis.set_major_formatter(ticker.FormatStrFormatter('%0999999999d'))",
    "levels": "plt.contour(np.random.rand(5, 5), 10**9)",
    "a locator": "plt.plot([0, 1e9])\nplt.gca().xaxis.set_major_locator(ticker.MultipleLocator(1e-3))",
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", LARGE)
def test_a_large_figure_is_drawn_smaller_or_not_and_ends(name: str) -> None:
    result = drawn(LARGE[name])
    assert result.status == "ok", result.error
    (shown,) = result.figures
    assert len(draw(shown.figure)) < 2**21


def forged(*calls: Any, **more: Any) -> str:
    return encoded(Figure(1, 3.0, 2.0, calls=[Call(0, "add_subplot", [111], {}, [1]), *calls], **more))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "call",
    [
        Call(0, "savefig", ["/tmp/x"]),
        Call(0, "__init__", []),
        Call(1, "figure.savefig", ["/tmp/x"]),
        Call(1, "__class__.mro", []),
        Call(1, "set_url", ["http://evil"]),
        Call(1, "plot", [[1, 2]], {"url": "http://evil"}),
        Call(1, "text", [0, 0, "x"], {"usetex": True}),
        Call(7, "plot", [[1]]),
        Call(1, "plot", [{"c": "os.system", "v": ["true"], "d": {}}]),
        Call(1, "plot", [{"r": 1, "p": "figure.canvas"}]),
        Call(1, "plot", [{"a": "AAAA", "t": "|O8", "s": [1]}]),
        Call(1, "plot", [{"a": "AAAA", "t": "<f8", "s": [2**30]}]),
        Call(1, "plot", [{"r": 0}]),
    ],
    ids=str,
)
def test_a_forged_call_has_no_effect(call: Call) -> None:
    assert draw(forged(call)) == draw(forged())


@pytest.mark.parametrize(
    "text", ["", "[]", '{"number":1}', "{" * 5000, forged().replace("3.0", "1e9"), forged().replace("100.0", "0.0")]
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"figure|characters"):
        decoded(text)
    with pytest.raises(CallError):
        draw(text)


@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("colorbar", [{"r": 2}], {"ax": {"r": 1}, "format": "{x.__class__.__new__}"}),
        ("colorbar", [{"r": 2}], {"ax": {"r": 1}, "format": "{x:{x.__class__}}"}),
        ("colorbar", [{"r": 2}], {"ax": {"r": 1}, "format": {"c": "StrMethodFormatter", "v": ["{x.base}"], "d": {}}}),
    ],
)
def test_a_format_does_not_look_into_what_it_is_given(method: str, args: list[Any], kwargs: dict[str, Any]) -> None:
    from matplotlib.figure import Figure as Real

    from engine.export.figures.drawing import Replay

    replay = Replay(Real())
    replay.call(Call(0, "add_subplot", [1, 1, 1], {}, [1]))
    replay.call(Call(1, "imshow", [[[1.0, 2.0]]], {}, [2]))
    assert not replay.refused
    replay.call(Call(0, method, args, kwargs, [3]))
    assert replay.refused == [f"{method}: ValueError: a format that looks into what it is given"]
    replay.call(Call(0, method, args, {"ax": {"r": 1}, "format": "{x:.2f}"}, [4]))
    assert len(replay.refused) == 1
