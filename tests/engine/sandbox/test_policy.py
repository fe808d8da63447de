# ruff: noqa: E501  (programs are written as they are)
"""What the language layer refuses, what it says about it, and that it changes nothing else."""

from __future__ import annotations

import ast
import io
import sys
import traceback
from contextlib import redirect_stdout
from typing import Any

import pytest

from engine.sandbox import Layers, run
from engine.sandbox.parse import world
from engine.sandbox.policy import PolicyError, check
from engine.sandbox.policy.names import normal

UNSAFE = (
    "__globals__", "__subclasses__", "__builtins__", "__code__", "__closure__", "__mro__", "__bases__", "__base__", "__reduce__",
    "__reduce_ex__", "__getattribute__", "__self__", "__func__", "__wrapped__", "__traceback__", "__loader__", "__spec__",
    "__import__", "__array_interface__", "__array_struct__", "__objclass__", "__subclasshook__", "__weakref__", "gi_frame",
    "f_globals", "f_back", "f_builtins", "tb_frame", "tb_next", "co_consts", "cr_frame", "ag_frame", "ctypes", "tofile",
    "func_globals", "func_code",
)  # fmt: skip
"""Names that lead out, each on its own."""

WAYS = {
    "an attribute": "y = x.{0}",
    "an attribute that is set": "x.{0} = 1",
    "an attribute that is deleted": "del x.{0}",
    "an augmented attribute": "x.{0} += 1",
    "a loop over an attribute": "for x.{0} in [1]: pass",
    "a with statement's attribute": "import contextlib\nwith contextlib.nullcontext(1) as x.{0}: pass",
    "an unpacked attribute": "a, (x.{0}, *b) = 1, (2, 3)",
    "an annotated attribute": "x.{0}: int = 1",
    "a method in a chain": "y = x.f().{0}()",
    "an f-string": "y = f'{{x.{0}}}'",
    "a nested f-string": "y = f'{{1:{{x.{0}}}}}'",
    "a lambda": "y = (lambda a: a.{0})(x)",
    "a comprehension": "y = [a.{0} for a in [x]]",
    "a decorator": "@x.{0}\ndef f(): pass",
    "a default": "def f(a=x.{0}): pass",
    "an annotation": "def f(a: x.{0}): pass",
    "a base class": "class B(x.{0}): pass",
    "a pattern": "match x:\n    case object({0}=y): pass",
    "a pattern's value": "match 1:\n    case x.{0}: pass",
    "getattr": "y = getattr(x, '{0}')",
    "getattr with a default": "y = getattr(x, '{0}', None)",
    "getattr by map": "y = list(map(getattr, [x], ['{0}']))",
    "attrgetter": "import operator\ny = operator.attrgetter('{0}')(x)",
    "a nested attrgetter": "import operator\ny = operator.attrgetter('me.{0}')(x)",
    "methodcaller": "import operator\ny = operator.methodcaller('{0}')(x)",
    "format": "y = '{{0.{0}}}'.format(x)",
    "format by name": "y = '{{a.{0}}}'.format(a=x)",
    "format in a format": "y = '{{0:{{1.{0}}}}}'.format(1, x)",
    "format_map": "y = '{{a.{0}}}'.format_map(dict(a=x))",
    "unbound format": "y = str.format('{{0.{0}}}', x)",
    "format handed over": "y = list(map('{{0.{0}}}'.format, [x]))",
    "format by getattr": "y = getattr('{{0.{0}}}', 'format')(x)",
    "format of a subclass": "class S(str): pass\ny = S('{{0.{0}}}').format(x)",
    "format of super": "class S(str):\n    def f(self, *a): return super().format(*a)\ny = S('{{0.{0}}}').f(x)",
    "format by attrgetter": "import operator\ny = operator.attrgetter('format')('{{0.{0}}}')(x)",
    "format by methodcaller": "import operator\ny = operator.methodcaller('format', x)('{{0.{0}}}')",
    "format of a UserString": "import collections\ny = collections.UserString('{{0.{0}}}').format(x)",
    "format by partial": "import functools\ny = functools.partial(str.format, '{{0.{0}}}')(x)",
    "vars": "y = vars(x)['{0}']",
    "a walrus": "y = (z := x).{0}",
    "a generator": "y = next(a.{0} for a in (x,))",
    "an assertion": "assert x.{0}",
    "an exception group": "try: raise x.{0}\nexcept* ValueError as g: pass",
}
SETTING = [
    way
    for way in WAYS.values()
    if "x.{0} =" in way or "del x" in way or "in [1]: pass" in way or "as x." in way or "x.{0}, *b" in way or "x.{0}:" in way
]
BINDERS = {
    "an assignment": "{0} = 1",
    "an augmented assignment": "{0} += ('x',)",
    "a chain of assignments": "a = {0} = [n for n in 'x']",
    "a walrus": "print({0} := 1)",
    "a for target": "for {0} in [1]: pass",
    "a comprehension's target": "[1 for {0} in [1]]",
    "with": "import contextlib\nwith contextlib.nullcontext(1) as {0}: pass",
    "import as": "import math as {0}",
    "from import as": "from math import pi as {0}",
    "except as": "try: 1 / 0\nexcept ZeroDivisionError as {0}: pass",
    "except star as": "try: 1 / 0\nexcept* ZeroDivisionError as {0}: pass",
    "a function": "def {0}(): pass",
    "a class": "class {0}: pass",
    "an argument": "def f({0}): pass",
    "a keyword-only argument": "def f(*, {0}=1): pass",
    "star arguments": "def f(*{0}): pass",
    "keyword arguments": "def f(**{0}): pass",
    "a lambda's argument": "f = lambda {0}: 1",
    "a keyword of a call": "dict({0}=1)",
    "a keyword of a class": "class A({0}=1): pass",
    "global": "def f():\n    global {0}",
    "nonlocal": "def f():\n    plain = 1\n    def g():\n        nonlocal {0}",
    "a captured pattern": "match 1:\n    case {0}: pass",
    "a pattern with as": "match 1:\n    case 1 as {0}: pass",
    "a star pattern": "match [1]:\n    case [*{0}]: pass",
    "a rest pattern": "match dict(a=1):\n    case {{**{0}}}: pass",
    "del": "del {0}",
    "an annotation": "{0}: int",
    "an annotated assignment": "{0}: int = 1",
    "import": "import {0}",
    "import below": "import math.{0} as {0}",
    "from import": "from math import {0}",
    "an or pattern": "match 1:\n    case (1 as {0}) | (2 as {0}): pass",
    "a pattern in a class's pattern": "match 1:\n    case int({0}): pass",
    "a pattern in a mapping": "match dict(a=1):\n    case {{'a': {0}}}: pass",
    "a nested function": "def f():\n    def {0}(): pass",
    "a lambda's star": "f = lambda *{0}: 1",
    "a comprehension's walrus": "[({0} := k) for k in [1]]",
    "with in parentheses": "import contextlib\nwith (contextlib.nullcontext(1) as a, contextlib.nullcontext(1) as {0}): pass",
    "a loop's tuple": "for a, ({0}, *b) in []: pass",
    "a tuple": "a, *{0} = 1, 2",
    "in a class": "class A:\n    {0} = 1",
    "in a class by a loop": "class A:\n    for {0} in [1]: pass",
}

if sys.version_info >= (3, 12):
    BINDERS |= {"a type": "type {0} = int", "a function's type": "def f[{0}](): pass", "a class's type": "class A[{0}]: pass"}


def compiled(text: str) -> Any:
    tree = ast.parse(text)
    check(tree)
    return compile(tree, "<program>", "exec", dont_inherit=True)


def attempt(text: str) -> tuple[dict[str, Any], BaseException | None]:
    """A program within the language layer: its names, and how it failed."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": world().builtins}
    try:
        exec(compiled(text), namespace)
    except Exception as error:
        return namespace, error
    return namespace, None


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_no_way_of_writing_an_attribute_gets_round_the_policy(way: str) -> None:
    before = "class X:\n    def f(self): return self\nx = X()\nx.me = x\n"
    # The program may give its own objects attributes of the names that frames have.
    sets = way in SETTING
    for name in (n for n in UNSAFE if n[:2] == "__" or not sets):
        names, error = attempt(before + way.format(name))
        assert "y" not in names or names["y"] is None, name
        # A dict of attributes does not have the name; all others say what is wrong.
        assert isinstance(error, PolicyError | KeyError), (name, error)


@pytest.mark.parametrize("way", BINDERS.values(), ids=BINDERS.keys())
def test_no_way_of_binding_a_name_gets_round_the_policy(way: str) -> None:
    literal = ("__slots__", "__match_args__", "__ſlots__")
    for name in (
        "__array_interface__",
        "__getattribute__",
        "__builtins__",
        "__module__",
        "__build_class__",
        "__gradtape__",
        *literal,
    ):
        with pytest.raises(PolicyError):
            compiled(way.format(name))
    if "def {0}" not in way:
        with pytest.raises(PolicyError):
            compiled(way.format("__getattr__"))
    compiled(way.format("plain")) if "del" not in way else None


@pytest.mark.parametrize(
    "text",
    ["x.__ｇlobals__", "x.__glo﹍bals__".replace("﹍", ""), "ｅval('1')", "x.__𝔤lobals__", "def __ｇetattribute__(self): pass"],
)
def test_letters_that_look_alike_are_the_same_letters(text: str) -> None:
    assert normal("__ｇlobals__") == "__globals__"
    _, error = attempt("x = 1\n" + text)
    assert isinstance(error, PolicyError)


def test_every_kind_of_node_is_known_or_refused() -> None:
    """What a newer Python adds is refused until somebody has looked at it."""
    from engine.sandbox.policy import syntax

    known = {*syntax.PLAIN, *syntax._HANDLERS, *syntax.ASYNCHRONOUS}
    abstract = {
        "AST",
        "Index",
        "ExtSlice",
        "Suite",
        "AugLoad",
        "AugStore",
        "Param",
        "Num",
        "Str",
        "Bytes",
        "NameConstant",
        "Ellipsis",
    }
    others = {k.__name__ for k in vars(ast).values() if isinstance(k, type) and issubclass(k, ast.AST)} - abstract
    left = {n for n in others if getattr(ast, n) not in known and not getattr(ast, n).__subclasses__()}
    assert left <= {"FunctionType", "Interactive", "TypeIgnore", "TemplateStr", "Interpolation"}


ESCAPES = {
    "the class of a class": "y = type(type(1))('X', (), {'__getattribute__': 1})",
    "the class of an exception class": "y = ValueError.__class__('X', (), {'__getattribute__': 1})",
    "a metaclass": "class M(type): pass\ny = M",
    "a metaclass from an alias": "import typing\nclass M(typing.Type[int]): pass\ny = M",
    "a metaclass of an abstract class": "import abc\ny = abc.ABCMeta('X', (), {'__array_interface__': 1})",
    "a derived metaclass": "import abc\nclass M(abc.ABCMeta): pass\ny = M",
    "a metaclass of a class statement": "class A(metaclass=lambda *a, **k: a): pass\ny = A",
    "the origin of a type": "y = type[int]('X', (), {'__getattribute__': 1})",
    "a type that is called": "import types\ny = types.FunctionType((lambda: 1), {})",
    "the type of a function": "y = type(lambda: 1)((lambda: 1), {})",
    "the type of a module": "import math\ny = type(math)('x')",
    "a real import": "y = __import__('os')",
    "a real import from the built-ins": "y = __builtins__['open']",
    "an import of the engine": "import engine.sandbox.processes.child as y",
    "a submodule through another": "from torch import sandbox as y",
    "ctypes through NumPy": "from numpy import ctypeslib as y",
    "a module in a module": "import random\ny = random._os",
    "sys in warnings": "import warnings\ny = warnings.sys",
    "sys in an object": "import warnings\ny = warnings.catch_warnings()._module",
    "sys in a subclass": "import warnings\nclass C(warnings.catch_warnings):\n    def f(self): return self._module\ny = C().f()",
    "the engine's modules": "import torch\ny = torch.codegen",
    "the engine's context": "import torch\ny = torch.context",
    "the recorder": "import sys\ny = sys.stdout.tape",
    "the recorder behind a name": "import sys\ny = getattr(sys.stdout, '_name').upper()",
    "names of a function that calls back": (
        "import torch\nw = torch.nn.Parameter(torch.ones(1))\no = torch.optim.SGD([w], 0.1)\ny = o.step(globals)"
    ),
    "local names of a function that calls back": (
        "import torch\nw = torch.nn.Parameter(torch.ones(1))\no = torch.optim.SGD([w], 0.1)\ny = o.step(locals)"
    ),
    "attributes of a class in a state": (
        "import torch\no = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1)\n"
        "s = torch.optim.lr_scheduler.LambdaLR(o, lambda e: 1.0)\ns.lr_lambdas = [object]\n"
        "y = s.state_dict()['lr_lambdas'][0]['__getattribute__']"
    ),
    "a module's function by name": (
        "import torch\nclass R(torch.nn.ReLU, calls='__getattribute__'): pass\ny = R()('__dict__')"
    ),
    "a module's format": "import torch\nclass R(torch.nn.ReLU, shows='{inplace.__class__.__mro__}'): pass\ny = repr(R())",
    "the object of an AttributeError": "try: (1).x\nexcept AttributeError as e: y = e.obj",
    "the object by a subclass": (
        "class E(AttributeError):\n    def f(self): return super().obj\ny = E(obj=1).f()"
    ),
    "the object by a pattern": "try: (1).x\nexcept AttributeError as e:\n    match e:\n        case AttributeError(obj=y): pass",
    "a frame of a generator": "def g(): yield y.gi_frame\ny = g()\ny = next(y)",
    "a frame of a traceback": (
        "class C:\n    def __enter__(self): pass\n    def __exit__(self, a, b, tb):\n        global y\n        y = tb.tb_frame\n"
        "with C(): 1 / 0"
    ),
    "a dataclass field with code in it": (
        "import dataclasses\nclass A: pass\nA.__annotations__['x):\\n import os #'] = int\n"
        "y = dataclasses.fields(dataclasses.dataclass(A)) or None"
    ),
    "annotations that are evaluated": "import typing\ndef f(a: '__import__(\"os\")'): pass\ny = typing.get_type_hints(f)",
    "a reference that is evaluated": "import typing\ny = typing.List['1'].__args__[0]._evaluate({}, {}, set())",
    "annotations of single dispatch": (
        "import functools\n@functools.singledispatch\ndef f(a): pass\n@f.register\ndef g(a: '().__class__'): pass\ny = g"
    ),
    "a time that runs text": "import timeit\ny = timeit.timeit('().__class__')",
    "memory of an array": "import numpy as np\ny = np.zeros(3).ctypes.data",
    "an array on freed memory": "import numpy as np\na = np.zeros(9)\na.resize(1, refcheck=False)\ny = a",
    "strides of an array": "import numpy as np\na = np.zeros(3)\na.strides = (10**6,)\ny = a",
    "any strides": "import numpy as np\ny = np.lib.stride_tricks.as_strided(np.zeros(1), (10**6,), (8,))",
    "any strides in torch": "import torch\ny = torch.as_strided(torch.zeros(1), (2,), (10**6,))",
    "negative strides in torch": "import torch\ny = torch.as_strided(torch.zeros(9), (2,), (-10**6,))",
    "strides of another type": (
        "import torch, numpy as np\nt = torch.from_numpy(np.zeros(80, np.int8).view(np.float64))\ny = torch.as_strided(t, (80,), (1,))"
    ),
    "memory of given strides": "import torch\ny = torch.empty_strided((2, 2), (10**6, 1 - 10**6))",
    "a dtype of pointers over numbers": (
        "import numpy as np\nd = np.dtype({'names': ['a', 'b'], 'formats': ['O', 'i8'], 'offsets': [0, 0]})\ny = np.zeros(1, d)"
    ),
    "a dtype that is changed": (
        "import numpy as np\nd = np.dtype([('a', 'i8')])\nd.fields['a'] = (np.dtype('O'), 0)\n"
        "y = None if np.zeros(1, d)['a'].dtype == 'i8' else d"
    ),
    "an array of pointers in a buffer": "import numpy as np\ny = np.frombuffer(b'12345678', dtype=object)",
    "an array of pointers as numbers": "import numpy as np\ny = np.array([1], dtype=object).view('i8')",
    "a state beyond the generator's": (
        "import numpy as np\ns = np.random.get_state()\nnp.random.set_state((s[0], s[1], 10**6, 0, 0.0))\ny = 1"
    ),
    "a state beyond torch's generator": "import torch\ny = torch.set_rng_state(torch.full((5056,), 255, dtype=torch.uint8))",
    "the inside of a generator": "import numpy as np\ny = np.random.default_rng(0).bit_generator.ctypes",
    "the inside of torch's generator": "import torch\ny = torch.default_generator._stream.bits.capsule",
    "a file of arrays": "import numpy as np\ny = np.load('/etc/passwd', allow_pickle=True)",
    "a file of text": "import numpy as np\ny = np.loadtxt('/etc/passwd')",
    "an array written": "import numpy as np\ny = np.zeros(3).dump('/tmp/x')",
    "an array written unbound": "import numpy as np\ny = np.float64.dump(np.float64(1), '/tmp/x')",
    "a file": "y = open('/etc/passwd')",
    "a stream": "import io\ny = io.open('/etc/passwd')",
    "code in a text": "y = eval('1')",
    "statements in a text": "exec('y = 1')",
    "a compiled text": "y = compile('1', 'x', 'eval')",
    "a saved object that is a program": (
        "import torch, io\ny = torch.load(io.BytesIO(b'cos\\nsystem\\n(S\"true\"\\ntR.'), weights_only=False)"
    ),
    "a string's matrix": "import numpy as np\ny = np.r_['__builtins__']",
    "private attributes of tensors": "import torch\ny = torch.ones(2)._array",
    "private attributes that are set": "import torch\nx = torch.ones(2)\nx._array = 5\ny = x",
    "private attributes that become an attribute": "import torch\nx = torch.ones(2)\nsetattr(x, '_array', 5)\ny = x",
    "a class of ours": "import torch\ntorch.Tensor.add = lambda *a: 1\ny = 1",
    "a function of ours": "import torch\ntorch.relu._op = 1\ny = 1",
    "a module of ours": "import torch\ntorch.relu = abs\ny = 1",
    "a module of ours by a name": "import torch\nsetattr(torch, 'relu', abs)\ny = 1",
    "a built-in": "import torch\nlen.x = 1\ny = 1",
    "super of another's class": "import types\nclass N(types.SimpleNamespace): pass\ny = super(types.SimpleNamespace, N())",
    "super as a value": "s = super\ny = s",
    "slots that are computed": "class A:\n    __slots__ = ['__array' + '_interface__']\ny = A",
    "patterns that are computed": "class A:\n    __match_args__ = ('__glo' + 'bals__',)\ny = A",
    "patterns of a dataclass": (
        "import abc, dataclasses\n@dataclasses.dataclass\nclass A(abc.ABC):\n    format: str\nA.register(str)\n"
        "match '{0.__class__}':\n    case A(f): y = f(1)"
    ),
    "patterns of a protocol": (
        "import typing, dataclasses\n@dataclasses.dataclass\n@typing.runtime_checkable\nclass A(typing.Protocol):\n    format: str\n"
        "match '{0.__class__}':\n    case A(f): y = f(1)"
    ),
    "a coroutine": "async def f(): pass\ny = f().cr_frame",
    "an import of everything": "from subprocess import *\ny = 1",
    "a relative import": "from . import x as y",
    "a mro": "y = int.mro()",
    "pickled state": "class A:\n    def __reduce__(self): return (print, ())\ny = A",
    "a copy's state": "import copy\nclass A:\n    def __getstate__(self): return {'__array_interface__': 1}\ny = copy.copy(A())",
}  # fmt: skip


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES.keys())
def test_an_attempt_to_get_out_gets_nothing(escape: str) -> None:
    names, error = attempt(escape)
    assert error is not None or names.get("y") is None
    assert names.get("y") is None or type(names["y"]).__name__ in ("generator", "Net", "A"), names["y"]


def test_a_refusal_names_the_construct_its_line_and_what_to_do_instead() -> None:
    result = run("import torch\nx = torch.ones(2)\nprint('never')\nprint(x.__class__.__dictoffset__)\n")
    assert (result.status, result.output) == ("policy", "")
    assert result.error is not None
    assert result.error.type == "PolicyError"
    assert result.error.message == "line 4: the attribute '__dictoffset__' is not available to programs here"
    assert (result.error.line, result.error.column, result.error.end_column) == (4, 6, 32)
    assert "double underscores" in result.error.help


def test_what_is_refused_at_work_has_its_place_as_well() -> None:
    result = run("print('before')\nx = 1\ny = getattr(x, '__class' + '_getitem__')\n")
    assert (result.status, result.output) == ("policy", "before\n")
    assert result.error is not None
    assert (result.error.line, result.error.column) == (3, 4)
    assert "engine" not in result.error.traceback
    assert "getattr(x" in result.error.traceback


def test_the_first_refusal_in_the_text_is_the_one_that_is_told() -> None:
    with pytest.raises(PolicyError, match="line 2"):
        check(ast.parse("x = 1\ndef f(): return x.__code__\nx.__globals__"))


def test_a_notebook_cell_is_checked_as_well() -> None:
    from engine.program import Program

    result = run(Program.from_cells(("x = 1\nx", "x.__class__.__flags__")))
    assert [c.status for c in result.cells] == ["ok", "error"]
    assert result.status == "policy"
    assert result.error is not None
    assert (result.error.cell, result.error.line) == (1, 1)


def test_a_program_may_try_an_import() -> None:
    text = "try:\n    import keras.plotting as plt\nexcept ImportError as e:\n    plt = None\n    print(type(e).__name__, e)\n"
    assert run(text).output.startswith("MissingModule No module named 'keras.plotting'")
    assert run("import keras as k\nimport requests, urllib.request, keras.layers as layers").status == "ok"
    used = ("k.read_csv('a')", "print(k.__version__)", "k.x.y", "from keras import DataFrame\nDataFrame()")
    for refused in (run(f"import keras as k\nimport keras.x\n{line}") for line in used):
        assert refused.status == "policy"
        assert refused.error is not None
        assert "Use torch.nn" in refused.error.help
    assert run("import keras.__class__").status == "policy"
    tried = run("try:\n    import wandb\nexcept ImportError:\n    wandb = None\nprint(wandb)")
    assert tried.output == "None\n"


def test_a_program_of_colab_runs_and_knows_that_it_is_elsewhere() -> None:
    drive = "from google.colab import drive, files\ndrive.mount('/content/drive')\nfiles.download('a')\n"
    assert run(drive).status == "ok"
    upload = run(drive + "files.upload()")
    assert upload.error is not None
    assert "open its files together with it" in upload.error.help
    asked = "try:\n    {0}\n    here = True\nexcept ImportError:\n    here = False\nprint(here)"
    for line in ("import google.colab", "from google.colab import files"):
        assert run(asked.format(line)).output == "False\n"


def test_hasattr_says_no_where_getattr_refuses() -> None:
    out = run("print(hasattr(1, '__globals__'), hasattr(len, '__self__'), hasattr([], 'append'), hasattr(1, '__add__'))").output
    assert out == "False False True True\n"


def test_guards_leave_every_place_in_the_text_where_it_was() -> None:
    text = "class A:\n    def __init__(self): self._x = 1\na = A()\nb = 'ö'; a._x.nothing\n"
    layers = [run(text, layers=Layers(language=on)).error for on in (True, False)]
    places = [(e.line, e.column, e.end_column, e.message, e.traceback) for e in layers if e is not None]
    assert len(places) == 2
    assert places[0] == places[1]


def test_a_dictionary_may_be_its_own_attributes_and_nothing_else_may_be_another_s() -> None:
    text = """
from collections import OrderedDict
class Ordered(OrderedDict):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.__dict__ = self
class Own:
    def __init__(self, values): self.__dict__ = values
class Set(dict):
    def __setattr__(self, name, value): self[name] = value
    def link(self): self.__dict__ = self
o = Ordered(a=1, b=2)
o.c = 3
del o.a
print(list(o.items()), list(reversed(o)), o.c)
for attempt in (lambda: Own({"a": 1}), Set().link):
    try: attempt()
    except Exception as e: print(e)
"""
    ordered, other, set_by_itself = run(text).output.splitlines()
    assert ordered == "[('b', 2), ('c', 3)] ['c', 'b'] 3"
    assert "can only be set to the object itself" in other
    assert "a class with a __setattr__" in set_by_itself


def test_errors_show_no_guard() -> None:
    text = "class A: pass\nx = A()\ntry:\n    x._y\nexcept AttributeError as e:\n    print(e)\nsetattr(x, 3, 1)\n"
    result = run(text)
    assert result.output == "'A' object has no attribute '_y'\n"
    assert result.error is not None
    assert "__read__" not in result.error.traceback
    assert "engine" not in result.error.traceback
    assert result.error.type == "TypeError"


def test_the_layer_can_be_switched_off() -> None:
    assert run("print(().__class__.__bases__)", layers=Layers(language=False)).status == "ok"


def test_the_numerical_check_runs_within_the_layer() -> None:
    from engine.diagnosis.gradcheck.check import check_numerically

    good = "import torch\nclass A:\n    def __init__(self): self._k = torch.tensor(2.0, requires_grad=True)\na = A()\n(a._k * a._k).backward()"
    assert not check_numerically(good).problem
    assert check_numerically(good + "\na.__class__.__flags__").problem


def test_a_class_may_have_what_teaching_code_has() -> None:
    """Definitions of all special methods that are allowed, in one class."""
    from engine.sandbox.policy.names import DEFINED

    methods = "".join(f"    def {name}(self, *a): return 1\n" for name in sorted(DEFINED - {"__del__", "__init_subclass__"}))
    _, error = attempt(f"class A:\n{methods}")
    assert error is None


def test_printing_an_exception_in_the_program_shows_its_own_lines_only() -> None:
    text = "import traceback\ndef f():\n    return 1 / 0\ntry:\n    f()\nexcept ZeroDivisionError:\n    print(traceback.format_exc())\n"
    out = run(text).output
    assert out.count("File") == 2
    assert "engine" not in out
    assert "ZeroDivisionError: division by zero" in out


def test_what_python_says_about_the_program_names_no_path_of_ours() -> None:
    with redirect_stdout(io.StringIO()):
        _, error = attempt("x = [1]\nx.y = 2\n")
    assert error is not None
    assert "site-packages" not in "".join(traceback.format_exception_only(error))
