"""Arrays of objects and C types that work on copies: programs that mean no harm notice nothing, and numbers go as before."""

from __future__ import annotations

import collections
import contextlib
import io
import itertools
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from engine.sandbox import Limits, run
from engine.sandbox.facades import mended
from engine.sandbox.policy import arrays

OBJECTS = """
import numpy as np
class Value:
    def __init__(self, d): self.d = d
    def __add__(self, o): return Value(self.d + (o.d if isinstance(o, Value) else o))
    def __mul__(self, o): return Value(self.d * (o.d if isinstance(o, Value) else o))
    __radd__ = __add__
    __rmul__ = __mul__
    def __eq__(self, o): return self.d == (o.d if isinstance(o, Value) else o)
    def __lt__(self, o): return self.d < (o.d if isinstance(o, Value) else o)
    def __repr__(self): return f'V({self.d})'
    def __ge__(self, o): return not self < o
    def __gt__(self, o): return o < self
    def __le__(self, o): return not self > o
    def __float__(self): return float(self.d)
    def exp(self): return Value(2.5 ** self.d)
    __hash__ = object.__hash__
a = np.array([Value(k) for k in (3, 1, 2)])
print(a + 1, 2 * a, a * a, a == 3, (a == 3).dtype, a.sum(), a.max(), a.min(), a.argmax(), a.astype(float))
print(np.sort(a), np.exp(a))
print(np.float64(2) * Value(3), np.ones(2) * Value(3), np.ones(2) + [Value(1), Value(2)], a @ a, np.dot(a, a))
print(sum(a), a.cumsum(), a[a == 3])
o = np.zeros(3, object)
r = np.add(a, 1, out=o)
print(r is o, o)
o += 1
print(o)
o[1:] = 7
print(o)
o[[0, 1]] = [Value(8), None]
print(o)
b = a.reshape(3, 1)
b[0] = Value(99)
print(a[0], np.vstack([a, a]).shape, np.concatenate([a, a]), np.where(a == 99, a, 0), a.tolist())
print(np.unique([1, 1, 2]))
print(np.float32(1) + np.int64(2), np.float64(3) + [1, 2], 3 in np.arange(5), np.array(['a', 'b']) == 'a')
print(np.array([1, 2]) + [2 ** 100, 1])
x = np.arange(6.0).reshape(2, 3)
x += 1
x[0, 1:] *= 2
print(x, x.T @ x, x.sum(0, keepdims=True), np.add.reduce(x, axis=1))
print(np.maximum(x, 3, where=x > 2, out=np.zeros((2, 3))), np.logical_and(x > 1, x < 5).any())
c = np.array([None, 'x', (1, 2)], dtype=object)
print(c == None, c[2], c.shape)
np.copyto(o, [1, 2, 3])
np.put(o, [0], ['z'])
np.place(o, [False, True, False], [5])
print(o)
np.add.at(o[1:], [0, 0], 1)
print(o)
o.fill(3)
print(o, np.array_equal(o, [3, 3, 3]), o.any(), o.all(), o.prod(), np.median(o))
from fractions import Fraction
f = np.array([Fraction(1, 3), Fraction(1, 2)])
print(f.sum(), f * 2, f.mean(), np.dot(f, f), f > Fraction(2, 5))
import datetime
d = np.array([datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)])
print(d.min(), (d - d[1])[0].days)
s = np.array([{1, 2}, {2, 3}], dtype=object)
print(s & {2}, s | s)
m = np.array([[1, 2], [3, 4]], dtype=object)
print(m @ m, m.T, m ** 2, m // 2, -m, abs(m), m.sum(axis=0), np.linalg.norm(m.astype(float)))
v = np.vectorize(lambda p, q: p.d + q)(a, 1)
print(v)
print(np.einsum('i,i->', a.astype(float), a.astype(float)), np.outer(a, [1, 2]).shape)
print(np.isin(np.array([1, 'b'], object), ['b']))
st = np.zeros(2, dtype=[('x', object), ('y', int)])
st['x'] = [Value(1), 'q']
st[0] = (Value(5), 2)
print(st, st['x'] == 'q')
"""


def as_python(text: str) -> str:
    """What a program prints in plain Python."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(text, {"__name__": "__main__"})
    return out.getvalue()


def test_a_program_with_objects_in_arrays_computes_what_numpy_does() -> None:
    result = run(OBJECTS, Limits(seconds=20))
    assert result.status == "ok", result.error
    assert result.output == as_python(OBJECTS)


@pytest.fixture
def armed() -> Iterator[None]:
    arrays.allow()
    arrays.arm()
    yield
    arrays.disarm()


def test_only_a_program_with_arrays_and_what_is_called_back_has_numpy_watched() -> None:
    shown = "print(type(np.add.reduce).__name__, np.add.reduce.__qualname__)\n"
    called = "class A:\n    def __eq__(self, other): return True\n"
    for text, watched in (
        (f"import numpy as np\n{shown}", False),
        (f"{called}import numpy as np\n{shown}", True),
        (f"import numpy as np\n{called}{shown}", True),
        ("import numpy as np, torch\nclass D(torch.utils.data.Dataset):\n    def __len__(self): return 1\n"
         f"    def __getitem__(self, k): return k\n{shown}", False),
        (f"import numpy as np\ndef f():\n    try: yield\n    finally: pass\n{shown}", True),
        (f"import numpy as np, weakref\n{shown}", True),
        (f"import numpy as np\nfrom fractions import Fraction\nclass A(Fraction): numerator = 1\n{shown}", True),
        (f"import numpy as np, collections\nclass A(collections.UserDict):\n    def items(self): return []\n{shown}", True),
        ("import numpy as np, torch, collections, enum\nclass A(torch.nn.Sequential): pass\nclass B(torch.nn.Parameter): pass\n"
         f"class C(collections.OrderedDict): pass\nclass D(enum.Enum):\n    X = 1\nclass E(KeyError): pass\n{shown}", False),
        (f"import numpy as np, functools\nfunctools.cmp_to_key(max)\n{shown}", True),
    ):  # fmt: skip
        result = run(text, Limits(seconds=20))
        assert result.status == "ok", result.error
        assert result.output.startswith("method" if watched else "builtin"), text


def test_arrays_reach_a_program_by_tensors_as_well() -> None:
    text = (
        "import torch\nclass A:\n    def __eq__(self, other):\n        a[:] = None\n        return True\n"
        "n = torch.ones(1).numpy()\na = n.astype(object)\na[0] = tuple(A() for _ in range(9))\n"
        "print(a == a.copy(), type(getattr(n, 'sum')).__name__)\n"
    )
    result = run(text, Limits(seconds=20))
    assert (result.status, result.output) == ("ok", "[ True] builtin_function_or_method\n"), result.error


def test_calls_that_write_elsewhere_write_there(armed: None) -> None:
    a, out = np.array([1, 2, 3], object), np.zeros(3, object)
    assert np.add(a, 1, out) is out
    assert np.multiply(a, 2, out=out) is out
    assert out.tolist() == [2, 4, 6]
    view = out[1:]
    view += a[1:]
    assert out.tolist() == [2, 6, 9]
    np.add.at(out, [0, 0], 1)
    assert out.tolist() == [4, 6, 9]
    whole = np.zeros((), object)
    assert a.sum(out=whole) is whole
    assert whole[()] == 6
    quotient, rest = np.zeros(3), np.zeros(3)
    assert np.divmod([7.0, 8.0, 9.0], 4.0, out=(quotient, rest))[1] is rest
    assert (quotient.tolist(), rest.tolist()) == ([1, 2, 2], [3, 0, 1])


def test_what_numpy_had_is_there_again_afterwards() -> None:
    before = [vars(np.ufunc)[name] for name in arrays.UFUNCS], np.ufunc.__flags__, vars(np.ndarray)["__setitem__"]
    arrays.allow()
    arrays.arm()
    assert vars(np.ufunc)["__call__"] is not before[0][0]
    arrays.disarm()
    assert ([vars(np.ufunc)[name] for name in arrays.UFUNCS], np.ufunc.__flags__, vars(np.ndarray)["__setitem__"]) == before


def test_what_is_replaced_in_python_itself_does_what_it_did() -> None:
    """In a process of its own: the types of this one stay as they are."""
    text = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nfrom engine.sandbox.policy import natives\n"
        "from tests.engine.sandbox.test_held import seen\nbefore = seen()\nnatives.mend()\n"
        "assert list.__repr__.__code__.co_name == '_repr_of_list'\nassert seen() == before, (seen(), before)\n"
    )
    done = subprocess.run([sys.executable, "-c", text, sys.path[0] or "."], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Listed(list[Any]):
    """A kind of list."""


EXPRESSIONS = """
repr([]), repr([1, "x", [2.5, None]]), str(ring), repr(Listed([1, [2]])), f"{[1]!r:>9}"
list.__repr__(5)
repr(list[int, "x"]), repr(dict[str, list[int]] | None), repr(GenericAlias(list, ([int, str],)))
[1, 2] < [1, 3], [[1], [2]] >= [[1], [1, 5]], Listed([1]) < [2], [[2, 0]] > [[2]]
[1] < 5
[1] < ["a"]
sorted([[3, 1], [2], [], [2, 0]]), max([[1], [2]])
b.find(b","), b.count(b" "), b" " in b, 97 in b, b.split(), b.join([b"x", b"y"]), b * 2, 2 * b, b.decode()
b.startswith(b"a"), b.hex(), bytearray(b"%d") % 5, b.replace(b"a", b"zz"), b.translate(None, b"a"), b.index(97)
b.index(b"q")
bytearray.find(b"x", b"x")
od == other, od != other, od == {"b": 2, "a": 1}, od == od.copy(), od == 5, od != 5, type(od.copy()), od.copy()
collections.OrderedDict.copy(5)
"%s %r" % (1, "x"), b"%s" % b"y", "%(a)s" % {"a": 1}, "a" % ()
"%d" % "x"
5 % "x"
"""


def seen() -> list[Any]:
    """What the methods that are replaced give for all kinds of things."""
    ring: list[Any] = [1]
    ring.append([ring, {"a": ring}])
    names = {"ring": ring, "b": bytearray(b"a b,c"), "od": collections.OrderedDict(a=1, b=2), "collections": collections}
    names |= {"other": collections.OrderedDict(b=2, a=1), "Listed": Listed, "GenericAlias": types.GenericAlias}
    found: list[Any] = []
    for expression in EXPRESSIONS.strip().splitlines():
        try:
            found.append(eval(expression, names))
        except (TypeError, ValueError, AttributeError) as error:
            found.append(type(error) if ".copy(5)" not in expression else "refused")
    return found


def test_iterators_are_those_of_itertools() -> None:
    rng = random.Random(1)
    for _ in range(600):
        n, bounds = rng.randrange(6), [rng.choice([None, 0, 1, 2, 3, 7, -1, "x", 2.0]) for _ in range(rng.randrange(5))]
        for name, way in {
            "islice": lambda f, take: f(take(n), *bounds),  # noqa: B023
            "cycle": lambda f, take: f(take(n)),  # noqa: B023
            "chain": lambda f, take: f(take(n), "ab", take(2)),  # noqa: B023
            "zip_longest": lambda f, take: f(take(n), take(3), fillvalue=9),  # noqa: B023
        }.items():
            assert drawn(getattr(mended, name), way) == drawn(getattr(itertools, name), way), (name, n, bounds)
    assert list(mended.chain.from_iterable(["ab", "c"])) == ["a", "b", "c"]  # type: ignore[attr-defined]
    assert list(mended.zip_longest()) == []


def drawn(function: Callable[..., Any], way: Callable[..., Any]) -> Any:
    """What an iterator gives, and what it took for that."""
    taken: list[int] = []

    def take(n: int) -> Iterator[int]:
        for k in range(n):
            taken.append(k)
            yield k

    try:
        items = way(function, take)
        return [item for _, item in zip(range(30), items, strict=False)], taken
    except (TypeError, ValueError) as error:
        return type(error), str(error), taken
