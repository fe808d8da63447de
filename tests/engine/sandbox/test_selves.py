# ruff: noqa: E501  (programs are written as they are)
"""What looks at what methods are called with, and at what libraries set, is not noticed by programs that mean no harm."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.safe_attributes import meant_for
from engine.sandbox import Limits, run
from tests.engine.sandbox.test_held import as_python

PROGRAM = """
import enum, dataclasses, functools
class C(enum.Enum):
    def __new__(cls, v, w):
        o = object.__new__(cls)
        o._value_ = v
        o.w = w
        return o
    A = (1, 2)
    B = (3, 4)
print(C.A, C.A.w, C(3))
class I(enum.IntEnum):
    X = 1
class F(enum.Flag):
    A = 1
    B = 2
print(F.A | F.B, I.X + 1)
class S(str, enum.Enum):
    P = 'p'
print(S.P, enum.Enum('Z', 'a b').a)
class M:
    def __new__(cls, *a):
        o = object.__new__(cls); o._value_ = a[0]; return o
class E2(M, enum.Enum):
    Q = 5
print(E2.Q, E2.Q.value)
@dataclasses.dataclass(order=True, slots=True)
class D:
    x: int
    y: list = dataclasses.field(default_factory=list)
print(D(1) < D(2), D(1) == D(1), D(1), sorted([D(3), D(1)]))
@dataclasses.dataclass(frozen=True)
class P:
    x: int
print({P(1): 2}[P(1)], hash(P(1)) == hash(P(1)))
class Q(P):
    def __init__(self, v):
        P.__init__(self, v)
    def __eq__(self, o): return P.__eq__(self, o)
print(Q(3), Q(3) == Q(3))
@functools.total_ordering
class T:
    def __init__(s, n): s.n = n
    def __lt__(s, o): return s.n < o.n
    def __eq__(s, o): return s.n == o.n
print(T(1) <= T(2), max(T(1), T(3)).n)
import argparse
p = argparse.ArgumentParser()
p.add_argument('--n', type=int, default=3); p.add_argument('--v', action='count', default=0); p.add_argument('--l', action='append'); p.add_argument('--b', action=argparse.BooleanOptionalAction); p.add_argument('--t', action='store_true'); p.add_argument('--c', action='append_const', const=1); p.add_argument('--e', action='extend', nargs='+')
s = p.add_subparsers(dest='cmd'); q = s.add_parser('go'); q.add_argument('z')
print(p.parse_args(['--n','4','--v','--v','--l','a','--l','b','--no-b','--t','--c','--e','1','2','--n','5','go','7']))
class Cfg: pass
c = Cfg(); p.parse_args(['--n', '9'], c); print(c.n, vars(c))
print(p.parse_args([]) == p.parse_args([]))
import contextlib, io, numpy as np, warnings
s = io.StringIO()
with contextlib.redirect_stdout(s):
    print('a')
    with contextlib.redirect_stderr(s): pass
print(repr(s.getvalue()))
with np.errstate(divide='ignore', invalid='ignore') as e: print(np.array([1.])/0, e)
@np.errstate(all='raise')
def f(): return np.array([1.])/0
try: f()
except FloatingPointError as e: print(e)
with np.errstate(all='raise'):
    try: np.array([1.])/0
    except FloatingPointError as e: print(e)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always'); warnings.warn('x'); print(len(w), w[0].message)
import argparse, zipfile, io, optparse
p = argparse.ArgumentParser(); p.add_argument('--a', type=int); p.add_argument('rest', nargs='*', type=int)
print(p.parse_intermixed_args('1 --a 5 2 3'.split()))
b = io.BytesIO()
with zipfile.ZipFile(b, 'w') as z: z.writestr('a', 'hello'); z.open('q', 'w').close()
with zipfile.ZipFile(b) as z: print(z.read('a'), z.read(z.infolist()[0]), z.open('a').read())
q = optparse.OptionParser(); q.add_option('--x', type='int', default=3); g = optparse.OptionGroup(q, 'g'); g.add_option('--y'); q.add_option_group(g)
print(vars(q.parse_args(['--x', '4', '--y', 'k'])[0]))
"""


def test_enumerations_data_classes_parsers_and_contexts_are_those_of_python() -> None:
    result = run(PROGRAM, Limits(seconds=20))
    assert result.status == "ok", result.error
    assert result.output == as_python(PROGRAM)


def test_what_is_read_is_an_object_of_the_class() -> None:
    assert meant_for(True, int) is True
    with pytest.raises(TypeError, match="expected a 'int' object, not a 'str' object"):
        meant_for("1", int)


def test_no_method_of_a_class_is_handed_out_without_a_look() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "tests.engine.sandbox.reading_classes"], capture_output=True, text=True, check=True
    )
    *through, count = found.stdout.splitlines()
    assert through == []
    assert int(count) > 10_000


STRANGERS = """
import torch, functools
from torch import nn
class Stranger:
    training = True
    def children(self): return []
class Own(nn.Module):
    method = nn.Module.train
    @classmethod
    def of_super(cls): return super().train
def tried(call, *given):
    try:
        print(call(*given))
    except TypeError as error:
        print(str(error).partition(' for ')[0])
for _ in range(1000):
    nn.Module.train
tried(nn.Module.train, Stranger())
tried(Own.train, Stranger())
tried(Own.method, Stranger())
tried(Own.of_super(), Stranger())
tried(super(Own, Own).train, Stranger())
tried(getattr(nn.Module, 'train'), Stranger())
tried(functools.partial(nn.Module.train, Stranger()))
tried(nn.Module.train, nn.Module)
tried(torch.Tensor.grad.fget, Stranger())
tried(nn.Parameter.__new__, Stranger)
tried(functools.partial(nn.Parameter.__new__, cls=Stranger))
"""
OWN = """
import torch, inspect, functools
from abc import ABC, ABCMeta, abstractmethod
from typing import Generic, Protocol, TypeVar
from torch import nn
T = TypeVar('T')
class Shape(Protocol):
    def area(self): ...
class A(nn.Module, ABC):
    @abstractmethod
    def f(self): ...
class B(A):
    def f(self): return 1
    def __new__(cls, *given): return super().__new__(cls)
    def train(self, mode=True): return super(B, self).train(mode)
class C(nn.Module, Shape): pass
class D(Generic[T], nn.Module): pass
class E(nn.Module, metaclass=ABCMeta): pass
b = B()
print(B().f(), isinstance(b, A), isinstance(D(), A), issubclass(E, nn.Module), C(), b.train(False).training)
print(type(B).__name__, type(nn.Module) is type, isinstance(nn.Linear, type), inspect.signature(nn.Module.train))
print(nn.Module.train(b).training, nn.Module.eval(self=b).training, functools.reduce(torch.Tensor.add, [torch.ones(1)] * 3))
print(list(map(torch.Tensor.item, torch.ones(2))), nn.Linear.__name__)
try:
    A()
except TypeError as error:
    print(str(error)[:35])
"""


def test_a_method_read_from_a_class_takes_objects_of_it_only() -> None:
    result = run(STRANGERS)
    assert result.status == "ok", result.error
    *descriptors, positional, named = result.output.splitlines()
    assert descriptors == ["descriptor 'train'"] * 8 + ["descriptor 'grad'"]
    assert positional == "Parameter.__new__(Stranger): Stranger is not a subtype of Parameter"
    assert named == "Parameter.__new__(None): None is not a subtype of Parameter"


def test_classes_are_what_they_are_and_methods_read_from_them_take_their_objects() -> None:
    result = run(OWN)
    assert result.status == "ok", result.error
    assert result.output.splitlines() == [
        "1 True False True C() False",
        "ABCMeta True True (self, mode=True)",
        "True False tensor([3.])",
        "[1.0, 1.0] Linear",
        "Can't instantiate abstract class A ",
    ]


TYRO = """
import dataclasses, tyro
@dataclasses.dataclass
class A:
    lr: float = 0.1
    name: str = 'x'
print(tyro.cli(A, args=['--lr', '0.5']), tyro.cli(A, args=[], default=A(0.3, 'y')))
"""
CONTAINERS = """
import torch
from torch import nn
s = nn.Sequential(nn.ReLU(), nn.Tanh())
s[0] = nn.Sigmoid()
del s[1]
l = nn.ParameterList([torch.ones(1)])
l[0] = torch.zeros(2)
m = nn.LazyLinear(2)
m(torch.ones(1, 3))
print(s, l[0].shape, type(m).__name__, torch.distributions.Normal(0., 1.).expand([2]).loc)
import einops
from einops.layers.torch import Reduce
print(Reduce('a b -> a', 'max')(torch.ones(2, 3)), einops.reduce(torch.ones(2, 2).numpy(), 'a b -> b', 'sum'))
"""


MAKERS = """
import argparse, copy, inspect, torch
from collections import UserDict
from torch import nn
class Named(nn.Parameter):
    def __new__(cls, data, name):
        made = super().__new__(cls, data)
        made.name = name
        return made
print(Named(torch.ones(1), 'a').name, nn.Parameter.__new__(nn.Parameter, torch.ones(1)).tolist(), inspect.signature(nn.Parameter))
class Options(argparse.Namespace):
    lr = 3
    def __init__(self): self.given = True
class Model(nn.Module, argparse.Namespace): pass
parser = argparse.ArgumentParser()
parser.add_argument('--lr', type=float, default=0.1)
parser.add_argument('--tag', action='append', default=['x'])
one, other = parser.parse_args(['--tag', 'y'], Options()), parser.parse_args(['--lr', '2'], Options())
print(one.lr, one.given, one.tag, other.lr, other.tag, parser.parse_args([], Model()).lr)
class Registry(UserDict): pass
first = Registry(a=[1])
second, third = first.copy(), copy.deepcopy(first)
print(type(second).__name__, second, second['a'] is first['a'], third['a'] is first['a'])
class Mixed(nn.Module, torch.utils.data.Dataset): pass
class Kept(nn.Module):
    __slots__ = ('own',)
print(Mixed(), len(list(Kept().parameters())))
"""


@pytest.mark.parametrize(
    ("program", "prints"),
    [
        (
            MAKERS,
            "a [1.0] (data=None, requires_grad=True)\n3 True ['x', 'y'] 2.0 ['x'] 0.1\n"
            "Registry {'a': [1]} True False\nMixed() 0\n",
        ),
        (TYRO, "A(lr=0.5, name='x') A(lr=0.3, name='y')\n"),
        (
            CONTAINERS,
            "Sequential(\n  (0): Sigmoid()\n) torch.Size([2]) Linear tensor([0., 0.])\ntensor([1., 1.]) [2. 2.]\n",
        ),
    ],
)
def test_libraries_and_containers_do_what_they_did(program: str, prints: str) -> None:
    result = run(program, Limits(seconds=20))
    assert result.status == "ok", result.error
    assert result.output == prints


def test_messages_say_what_python_says_of_a_class() -> None:
    result = run(
        "import torch\nfor use in (lambda c: c[0:1], lambda c: c + 1, len):\n    try:\n        use(torch.no_grad)\n    except TypeError as error:\n        print(error)\n"
    )
    assert result.output.splitlines() == [
        "type 'no_grad' is not subscriptable",
        "unsupported operand type(s) for +: 'type' and 'int'",
        "object of type 'type' has no len()",
    ]
