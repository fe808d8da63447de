# ruff: noqa: E501  (programs are written as they are)
"""Walks everything that a program can get at, by the policy's own rules."""

from __future__ import annotations

import io
import sys
import types
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import engine
from engine.context import context
from engine.recording.recorder import Recorder
from engine.sandbox.facades import World
from engine.sandbox.facades.facade import Facade
from engine.sandbox.policy.errors import PolicyError
from engine.sandbox.policy.inert import is_look_alike

CALLED = """
buffers children copy dtype element_size items keys metadata modules name named_buffers named_children named_modules
named_parameters numpy parameters size state_dict stride tolist type values
"""
"""Methods without arguments that change nothing; what they return is reachable, too."""

ENOUGH = 40
"""Of each type, so many objects are looked into: tensors make tensors without end."""

SAMPLES = """
import torch, numpy as np, io, re, random, itertools, collections, functools, types, typing, enum, dataclasses, contextlib, copy
import warnings, weakref, decimal, datetime, operator
from torch import nn
x = torch.ones(2, 2, requires_grad=True)
y = (x @ x).exp().sum() + nn.functional.cross_entropy(x, torch.tensor([0, 1]))
node = y.grad_fn
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        global context
        context = ctx
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
custom = F.apply(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.LSTM(2, 2)
        self.c = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(2), nn.Dropout())
        self._own = 1
net = Net()
handle = net.register_forward_hook(lambda *a: None)
tensor_handle = x.register_hook(lambda g: g)
net.c(net.a(x)).sum().backward(retain_graph=True)
opts = [torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.Adam(net.parameters())]
for o in opts:
    o.step()
scheds = [torch.optim.lr_scheduler.StepLR(opts[0], 1), torch.optim.lr_scheduler.OneCycleLR(opts[1], 0.1, total_steps=5)]
data = torch.utils.data.TensorDataset(torch.arange(4.))
loader = torch.utils.data.DataLoader(data, batch_size=2, shuffle=True)
batches = iter(loader)
batch = next(batches)
array = np.arange(6.0).reshape(2, 3)
view, scalar, flags, flat, dt = array.T, array[0, 0], array.flags, array.flat, array.dtype
structured = np.zeros(2, dtype=[('a', 'i4'), ('b', 'f8')])
wrapped = x.detach().numpy()
rng, old = np.random.default_rng(0), np.random.RandomState(0)
nditer, vectorized, poly = np.nditer(array), np.vectorize(abs), np.poly1d([1, 2])
errors = []
for attempt in (lambda: x.nothing, lambda: {}['k'], lambda: 1 / 0, lambda: torch.ones(2) + torch.ones(3), lambda: net.nothing,
                lambda: torch.stft, lambda: np.load, lambda: nothing, lambda: np.linalg.inv(np.zeros((2, 2))), lambda: y.backward(x)):
    try:
        attempt()
    except Exception as e:
        errors.append(e)
try:
    import os
except ImportError as e:
    errors.append(e)
import argparse, csv, glob, gzip, hashlib, importlib, inspect, json, os, pathlib, shutil, tempfile, uuid, zipfile
text, binary, both = open('a.txt', 'w'), open('b', 'wb'), open('b', 'r+b')
path, status, entries, walk = pathlib.Path('a.txt'), os.stat('a.txt'), os.scandir('.'), os.walk('.')
entry = next(entries)
rows, row_writer, by_name = csv.reader(['1,2']), csv.writer(text), csv.DictReader(['a', '1'])
folder, unnamed, packed = tempfile.TemporaryDirectory(), tempfile.NamedTemporaryFile(), gzip.open('c.gz', 'w')
archive = zipfile.ZipFile('d.zip', 'w')
archive.writestr('x', 'y')
np.savez('e.npz', array)
arrays = np.load('e.npz')
info, hashed, unique = archive.infolist()[0], hashlib.md5(b'x'), uuid.uuid4()
parser = argparse.ArgumentParser()
action = parser.add_argument('--lr', type=float, default=0.1)
namespace, formatter = parser.parse_args([]), argparse.HelpFormatter('prog')
signatures = [inspect.signature(net.forward), inspect.signature(torch.nn.Linear), importlib.util.find_spec('math'), json.JSONEncoder()]
def gen():
    yield 1
generator, function, method, bound = gen(), gen, net.forward, x.sum
no_grad, enable = torch.no_grad(), torch.enable_grad()
partial, cached = functools.partial(pow, 2), functools.lru_cache(gen)
Point = collections.namedtuple('Point', 'x y')
point = Point(1, 2)
@dataclasses.dataclass
class D:
    a: int = 1
d = D()
class Color(enum.Enum):
    RED = 1
spaces = types.SimpleNamespace(a=1)
match = re.match('a(b)', 'ab')
pieces = [iter([]), zip(), map(abs, []), range(3), slice(1), reversed([]), itertools.count(), memoryview(b'a'), io.StringIO(), io.BytesIO()]
pieces += [contextlib.suppress(ValueError), contextlib.nullcontext(), contextlib.ExitStack(), warnings.catch_warnings(), weakref.ref(x)]
pieces += [decimal.getcontext(), typing.List[int], typing.Optional[int], typing.TypeVar('T'), typing.NewType('N', int), list[int]]
pieces += [type(node), type(gen), type(generator), type(array), type(dt), type(Color), type(net), type(type), type(handle)]
pieces += [property(gen), staticmethod(gen), classmethod(gen), random.Random(1), operator.attrgetter('x'), torch.device('cpu'), torch.Generator()]
pieces += [vars(net), vars(spaces), vars(D), globals(), locals(), dir(x), x.shape, x.dtype, torch.finfo(torch.float32), nn.utils.rnn.pack_sequence([x])]
"""


def reachable(world: World, tree_to_code: Any, deep: int = 9) -> Iterator[tuple[str, Any]]:
    """Everything that a program can get at without calling what changes things, each once, with the way there."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": world.builtins}
    exec(tree_to_code(SAMPLES), namespace)
    roots = {n: v for n, v in namespace.items() if n != "__builtins__"}
    roots |= {n: v for n, v in world.builtins.items() if n[:2] != "__"} | dict(world.modules)
    pending = deque((name, value, 0) for name, value in roots.items())
    seen: dict[Any, Any] = {}
    many: Counter[type] = Counter()
    while pending:
        way, thing, depth = pending.popleft()
        key = _identity(thing)
        if key in seen or isinstance(thing, str | int | float | complex | bytes | None):
            continue
        seen[key] = thing
        yield way, thing
        many[type(thing)] += 1
        if depth < deep and many[type(thing)] <= (10_000 if isinstance(thing, type | Facade | types.FunctionType) else ENOUGH):
            pending.extend((f"{way}{step}", value, depth + 1) for step, value in _next(world, thing))


def _identity(thing: Any) -> Any:
    """What makes a thing another one: bound methods are made anew each time they are read."""
    inner = getattr(thing, "__func__", None) if type(thing) is types.MethodType else None
    if inner is not None:
        return id(inner), type(thing.__self__)
    if type(thing) in (types.BuiltinMethodType, types.MethodWrapperType) and not isinstance(thing.__self__, types.ModuleType):
        return thing.__qualname__, type(thing.__self__)
    return id(thing)


def _next(world: World, thing: Any) -> Iterator[tuple[str, Any]]:
    names = dict.fromkeys((*dir(thing), "__class__", "__dict__", "__annotations__", "base", "fields", "_base", "_saved_self"))
    for name in names:
        try:
            value = world.guards.get(thing, name)
        except (PolicyError, AttributeError):
            continue
        except Exception:  # a property that fails
            continue
        yield f".{name}", value
        if name in CALLED.split() and callable(value) and not isinstance(thing, type):
            try:
                result = value()
            except Exception:
                continue
            yield f".{name}()", result
            if isinstance(result, types.GeneratorType):
                yield from ((f".{name}()[{k}]", item) for k, item in enumerate(result))
    if isinstance(thing, dict):
        yield from ((f"[{k!r}]", v) for k, v in list(thing.items()))
        yield from ((f".key({k!r})", k) for k in list(thing))
    elif isinstance(thing, list | tuple | set | frozenset | deque):
        yield from ((f"[{k}]", v) for k, v in enumerate(list(thing)))


_MODULE_DICTS = {id(vars(m)) for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)}
_NATIVE = ("__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr", "globals", "hasattr", "input", "locals", "open", "setattr", "vars")  # fmt: skip
_BUILTINS = {id(vars(__import__("builtins"))[n]): n for n in _NATIVE}


def forbidden(thing: Any) -> str:
    """Why a program must not have something, "" if it may."""
    if isinstance(thing, types.ModuleType):
        return "a module"
    if isinstance(thing, types.FrameType | types.CodeType | types.TracebackType):
        return "the inside of a function"
    if isinstance(thing, io.IOBase) and not isinstance(thing, io.StringIO | io.BytesIO):
        return "a file"
    if id(thing) in _BUILTINS:
        return f"the real {_BUILTINS[id(thing)]}"
    if isinstance(thing, type) and issubclass(thing, type) and not is_look_alike(thing):
        return "a metaclass"
    if isinstance(thing, dict) and (id(thing) in _MODULE_DICTS or "__builtins__" in thing):
        return "a module's names"
    if type(thing).__name__ == "PyCapsule" or type(thing).__module__ in ("ctypes", "_ctypes"):
        return "raw memory"
    if thing is sys.modules or thing is context or isinstance(thing, Recorder | World):
        return "the sandbox itself"
    if isinstance(thing, Facade) and vars(thing) is vars(engine):
        return "the engine's names"
    return ""
