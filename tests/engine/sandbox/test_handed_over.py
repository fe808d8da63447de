"""What is handed to a program, or kept of what it gave, stays what it is for programs that mean no harm."""

from __future__ import annotations

import pytest

from engine.sandbox import Limits, run

FIELDS = """
import dataclasses
f = dataclasses.field(default=3)
@dataclasses.dataclass
class A:
    x: int = f
@dataclasses.dataclass
class B:
    y: int = f
C = dataclasses.make_dataclass('C', [('z', int, f), 'w'], kw_only=True)
print([each.name for kind in (A, B, C) for each in dataclasses.fields(kind)], A(), B(y=1), C(w=2))
"""
NUMBERS = """
import numpy as np, torch
class Half(float):
    __array_ufunc__ = None
    def __rmul__(self, other):
        seen.append(other)
        return other * 0.5
seen = []
a = np.ones(2)
print(a * Half(), seen[0] is a)
print(torch.nn.functional.leaky_relu(torch.tensor([-2.0]), Half(0.5)).item())
"""
WINDOWS = """
import numpy as np, torch
x = torch.arange(6.0).reshape(2, 3)
print(x.unfold(1, 2, 1).tolist(), x.T.unfold(0, 3, 2).tolist(), x.unfold(0, 0, 1).shape)
print(np.lib.stride_tricks.sliding_window_view(np.arange(4), 3).tolist())
print(np.lib.stride_tricks.sliding_window_view(np.arange(4).reshape(2, 2), (1, 2)).shape)
"""

MEMORY = """
import numpy as np
m = memoryview(bytearray(b'abc'))
print(isinstance(m, memoryview), type(m), m[1:].tobytes(), np.arange(3).data.tolist(), memoryview(np.ones(2)).cast('B').nbytes)
print(np.frombuffer(memoryview(b'ab'), 'u1'), np.frombuffer(np.arange(2), 'i8'))
a = np.zeros(2, [('t', 'U2'), ('y', 'i8'), ('z', 'f8')])
a['y'] = 1, 2
print(a[['y', 'z']].view(), a['y'].view('f8').shape, a[['y']].copy().tolist(), a[['y']].view('V').dtype.kind)
a[['z', 'y']] = [(0.5, 7), (1.5, 8)]
print(a[['y', 'z']].tolist(), a[0][['t', 'y']], a[a['y'] > 7][['y']]['y'], a[['t', 'y', 'z']].base is a, a[1:].dtype == a.dtype)
"""
NAMED = """
import contextlib, dataclasses, enum, functools
class A:
    @functools.cached_property
    def x(self):
        print('once')
        return 5
    __slots__ = ()
class B(A): pass
class D(dict):
    @functools.cached_property
    def x(self): return len(self)
b, d = B(), D(a=1)
print(b.x, b.x, vars(b), d.x)
try: A().x
except TypeError as error: print(str(error)[:37])
def f():
    \"\"\"Said.\"\"\"
f.told = 1
g = functools.cache(f)
print(g.told, g.__doc__)
def h(): yield 3
h.told = 2
print(contextlib.contextmanager(h).told)
E = enum.Enum('E', {'_a': 1, 'b': 2})
print(list(E), enum.IntEnum('I', 'x y').y + 1)
class Gives:
    def __get__(self, thing, cls=None): return dataclasses.field(default=7)
@dataclasses.dataclass
class F:
    x: int = Gives()
print(F())
"""


@pytest.mark.parametrize(
    ("program", "prints"),
    [
        (
            MEMORY,
            "True <class 'memoryview'> b'bc' [0, 1, 2] 16\n[97 98] [0 1]\n[(1, 0.) (2, 0.)] (2,) [(1,), (2,)] V\n"
            "[(7, 0.5), (8, 1.5)] ('', 7) [8] True True\n",
        ),
        (
            NAMED,
            "once\n5 5 {'x': 5} 1\nNo '__dict__' attribute on 'A' instan\n1 Said.\n2\n[<E._a: 1>, <E.b: 2>] 3\nF(x=7)\n",
        ),
        (FIELDS, "['x', 'y', 'z', 'w'] A(x=3) B(y=1) C(z=3, w=2)\n"),
        (NUMBERS, "[0.5 0.5] True\n-1.0\n"),
        (
            WINDOWS,
            "[[[0.0, 1.0], [1.0, 2.0]], [[3.0, 4.0], [4.0, 5.0]]] [[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]] torch.Size([3, 3, 0])\n"
            "[[0, 1, 2], [1, 2, 3]]\n(2, 1, 1, 2)\n",
        ),
    ],
)
def test_it_is_as_it_was(program: str, prints: str) -> None:
    result = run(program, Limits(seconds=20))
    assert result.status == "ok", result.error
    assert result.output == prints
