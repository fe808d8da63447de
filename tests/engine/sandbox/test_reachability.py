# ruff: noqa: E501  (programs are written as they are)
"""Whatever a program gets hold of, it leads neither to a module nor a frame, and no name of Python's own can be put on it."""

from __future__ import annotations

import ast
import warnings
from types import CodeType
from typing import Any

import pytest

from engine.sandbox.facades.libraries import MODULES
from engine.sandbox.parse import world
from engine.sandbox.policy import check
from tests.engine.sandbox.reach import forbidden, reachable

INTERFACE = "__array_interface__"
"""The name by which NumPy asks any object for its memory."""


def compiled(text: str) -> CodeType:
    tree = ast.parse(text)
    check(tree)
    return compile(tree, "<program>", "exec", dont_inherit=True)


def execute(text: str) -> dict[str, Any]:
    """The names of a program that ran within the language layer."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__builtins__": world().builtins}
    exec(compiled(text), namespace)
    return namespace


@pytest.fixture(scope="module")
def everything() -> list[tuple[str, Any]]:
    for library in MODULES:
        world().load(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(reachable(world(), compiled))


@pytest.mark.thorough
def test_nothing_that_a_program_can_reach_leads_out(everything: list[tuple[str, Any]]) -> None:
    assert len(everything) > 10_000, "the walk must get somewhere"
    assert {way: why for way, thing in everything if (why := forbidden(thing))} == {}


def test_the_walk_would_find_what_leads_out() -> None:
    import io
    import os
    import sys

    for thing in (os, sys.modules, vars(os), eval, compiled("1"), sys._getframe(), type("Meta", (type,), {}), io.TextIOBase()):
        assert forbidden(thing), thing


@pytest.mark.thorough
def test_no_attribute_has_the_name_that_a_private_name_of_a_class_becomes(everything: list[tuple[str, Any]]) -> None:
    # `self.__x` in a class C is read unguarded as `_C__x`.
    for way, thing in everything:
        if isinstance(thing, type) and thing.__module__.startswith(("engine", "numpy", "torch")):
            mangled = [n for n in vars(thing) if n[0] == "_" != n[1:2] and "__" in n.lstrip("_") and not n.endswith("__")]
            assert not mangled, (way, mangled)


@pytest.mark.thorough
def test_no_keyword_puts_a_name_of_pythons_own_on_an_object(everything: list[tuple[str, Any]]) -> None:
    """Every class and function is called with such a keyword; what comes of it is asked for memory."""
    tried = 0
    for way, thing in everything:
        if not callable(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
            continue
        if way.count(".") > 2 or "(" in way or getattr(thing, "__name__", "") in ("exit", "quit", "leave"):
            continue
        for arguments in ((), ("x",), ({INTERFACE: {"x": 1}},)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = thing(*arguments, **{INTERFACE: {"data": (0, False)}})
            except Exception:
                continue
            tried += 1
            if not isinstance(made, dict | type(None)):
                assert INTERFACE not in getattr(made, "__dict__", {}), way
                assert not (isinstance(made, type) and hasattr(made, INTERFACE)), way
    assert tried > 10


INJECTIONS = {
    "setattr": "setattr(thing, name, evil)",
    "object.__setattr__": "object.__setattr__(thing, name, evil)",
    "vars": "vars(thing)[name] = evil",
    "update": "thing.__dict__.update({name: evil})",
    "in place": "d = vars(thing)\nd |= {name: evil}",
    "setdefault": "vars(thing).setdefault(name, evil)",
    "a namespace": "import types\nthing = types.SimpleNamespace(**{name: evil})",
    "an old namespace's __init__": "import types\nn = types.SimpleNamespace()\nn.__init__(**{name: evil})\nthing = n",
    "an enumeration": "import enum\nthing = enum.Enum('E', {name: evil})",
    "a dataclass": "import dataclasses\nthing = dataclasses.make_dataclass('D', [(name, dict, evil)])()",
    "a dataclass's namespace": "import dataclasses\nthing = dataclasses.make_dataclass('D', [], namespace={name: evil})()",
    "a named tuple": "import collections\nthing = collections.namedtuple('T', [name])(evil)",
    "wraps": (
        "import functools\ndef f(): pass\nvars(f)[name] = evil\n@functools.wraps(f)\ndef thing(): pass"
    ),
    "update_wrapper": "import functools\nfunctools.update_wrapper(thing, thing, assigned=[name], updated=[name])",
    "three arguments of type": "thing = type('T', (), {name: evil})",
    "a buffer": "thing = torch.nn.Module()\nthing.register_buffer(name, torch.ones(2))",
    "a parameter": "thing = torch.nn.Module()\nthing.register_parameter(name, torch.nn.Parameter(torch.ones(2)))",
    "a module": "thing = torch.nn.Module()\nthing.add_module(name, torch.nn.Module())",
    "a dict of modules": "thing = torch.nn.ModuleDict({name: torch.nn.Module()})",
    "a dict of parameters": "thing = torch.nn.ParameterDict({name: torch.ones(2)})",
    "a sequence": "import collections\nthing = torch.nn.Sequential(collections.OrderedDict([(name, torch.nn.ReLU())]))",
    "a module's buffers": "thing = torch.nn.Module()\nthing._buffers[name] = evil",
    "a scheduler's state": (
        "p = torch.nn.Parameter(torch.ones(1))\nthing = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([p], 0.1), 1)\n"
        "thing.load_state_dict({name: evil})"
    ),
    "a callable's state": (
        "class F:\n    def __call__(self, e): return 1.0\nthing = F()\n"
        "s = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1), thing)\n"
        "s.load_state_dict({'lr_lambdas': [{name: evil}]})"
    ),
    "settings of a module": "class R(torch.nn.ReLU):\n    pass\nthing = R()\ntorch.nn.modules.activation.Softplus.__init__(thing, **{name: evil})",
    "functional_call": (
        "class M(torch.nn.Module):\n    def forward(self):\n        global thing\n        thing = self\n        return probe(self)\n"
        "torch.func.functional_call(M(), {name: evil}, ())"
    ),
    "copy": "import copy\nclass S:\n    def f(self): pass\ns = S()\nvars(s)[name] = evil\nthing = copy.copy(s)",
    "a text that passes for the name": (
        "class Text(str):\n    def __eq__(self, o): return True\n    def __hash__(self): return hash(name)\n"
        "vars(thing)[Text('x')] = evil"
    ),
    "setattr with such a text": (
        "class Text(str):\n    def __eq__(self, o): return True\n    def __hash__(self): return hash(name)\n"
        "setattr(thing, Text('x'), evil)"
    ),
    "a parameter dict's attributes": (
        "thing = torch.nn.ParameterDict()\nthing['__dict__'][name] = evil"
    ),
    "get_parameter": (
        "thing = torch.nn.Module()\nthing._parameters['__dict__'] = torch.nn.Parameter(torch.ones(1))\n"
        "thing.get_parameter('__dict__')[name] = evil"
    ),
    "an LSTM's weights": (
        "thing = torch.nn.LSTM(1, 1)\nthing._all_weights = [['__dict__']]\nthing.all_weights[0][0][name] = evil"
    ),
    "a property cached under the name": (
        "import functools\nclass C(functools.cached_property):\n    def __init__(self, f):\n        super().__init__(f)\n"
        "        self.attrname = name\nclass X:\n    y = C(lambda self: evil)\nthing = X()\nthing.y"
    ),
    "a function's own __getattr__": "class G:\n    def __getattr__(self, n): return evil\nthing = G()",
    "__getattr__ while the class is made": (
        "class Early:\n    def __set_name__(self, owner, n):\n        global thing\n        thing = probe(owner())\n"
        "class G:\n    def __getattr__(self, n): return evil\n    e = Early()"
    ),
    "a decorated __getattr__": (
        "def bare(f):\n    return lambda self, n: evil\nclass G:\n    @bare\n    def __getattr__(self, n): return 1\nthing = G()"
    ),
}  # fmt: skip
BEFORE = f"""
import torch, numpy as np
name = '{INTERFACE}'
evil = {{'shape': (8,), 'typestr': '|u1', 'data': (id(torch), True), 'version': 3}}
class A: pass
thing = A()
leaked = []
def probe(x):
    a = np.asarray(x)
    if a.dtype != object and a.size:
        leaked.append(bytes(a))
    return x
"""


@pytest.mark.parametrize("how", INJECTIONS.values(), ids=INJECTIONS.keys())
def test_memory_cannot_be_read_by_way_of_a_name(how: str) -> None:
    """Whatever refuses it, NumPy must not see the name in the end."""
    indented = "\n".join("    " + line for line in how.splitlines())
    text = f"{BEFORE}try:\n{indented}\nexcept Exception as e:\n    pass\ntry:\n    probe(thing)\nexcept Exception as e:\n    pass\n"
    try:
        names = execute(text)
    except Exception as error:
        assert type(error).__name__ == "PolicyError"
        return
    assert names["leaked"] == []
    assert not hasattr(names["thing"], INTERFACE)
