# ruff: noqa: E501  (programs are written as they are)
"""Copying by rules of our own, and NumPy's names on no object of a program: each holds where the other is missing."""

from __future__ import annotations

import collections
import enum
import functools
import io
import json
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.sandbox.parse import world
from engine.sandbox.policy import PolicyError, protocols
from engine.sandbox.policy.classes import look_at_names
from tests.engine.sandbox import alone
from tests.engine.sandbox.test_policy import attempt

ROOT = Path(__file__).parents[3]


def reaching(what: str) -> list[str]:
    """The attacks that reach their goal where something is missing."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.engine.sandbox.alone", what]
    found: list[str] = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return found


@pytest.mark.thorough
def test_without_both_mends_memory_is_read() -> None:
    found = reaching("both")
    assert len(found) >= 20
    assert {"a memo whose get answers with a state", "a live memo with ids of freed tuples"} <= {*found}


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["copying", "names", "syntax"])
def test_without_one_of_them_no_memory_is_read(what: str) -> None:
    assert reaching(what) == []


# --- NumPy's names ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shut() -> Iterator[None]:
    protocols.shut()
    yield
    protocols.reopen()


class Color(enum.Enum):
    RED = 1


Point = collections.namedtuple("Point", "x y")


class Place(Point):
    pass


def of_a_program() -> Any:
    names, error = attempt("class A: pass\na = A()")
    assert error is None
    return names["a"]


def of_a_program_that_answers_everything() -> Any:
    names, error = attempt("class A:\n    def __getattr__(self, name): return marks[name]\na = A()")
    assert error is None
    return names["a"]


def function() -> Any:
    def f() -> None: ...

    return f


BEARERS: dict[str, Callable[[], Any]] = {
    "an object of a program": of_a_program,
    "an object of a program that answers everything": of_a_program_that_answers_everything,
    "an exception": lambda: ValueError("x"),
    "a function": function,
    "a cached function": lambda: functools.lru_cache(function()),
    "a partial": lambda: functools.partial(abs),
    "an OrderedDict": collections.OrderedDict,
    "a UserDict": collections.UserDict,
    "bytes in memory": io.BytesIO,
    "text in memory": io.StringIO,
    "a namespace": types.SimpleNamespace,
    "a member of an enumeration": lambda: Color.RED,
    "a named tuple": lambda: Place(1, 2),
    "a module": lambda: engine.nn.Linear(1, 1),
    "an optimizer": lambda: engine.optim.SGD([engine.ones(1, requires_grad=True)], 0.1),
    "a scheduler": lambda: engine.optim.lr_scheduler.StepLR(engine.optim.SGD([engine.ones(1, requires_grad=True)], 0.1), 1),
    "a loader": lambda: engine.utils.data.DataLoader([1]),
    "a static method": lambda: staticmethod(function()),
    "a polynomial": lambda: np.poly1d([1, 2]),
    "a module of Python's": lambda: types.ModuleType("m"),
}


@pytest.mark.parametrize("bearer", BEARERS.values(), ids=BEARERS.keys())
def test_names_among_the_attributes_of_an_object_are_not_found(shut: None, bearer: Callable[[], Any]) -> None:
    """They are put there by force, as no program can."""
    asked: list[str] = []
    address = {"data": (id(int), True), "shape": (8,), "typestr": "<u8", "version": 3}
    thing = bearer()
    for name in protocols.NAMES:
        if not any(name in vars(c) for c in type(thing).__mro__[:-1]):
            vars(thing)[name] = address if name == "__array_interface__" else functools.partial(asked.append, name)
            assert not hasattr(thing, name)
    assert "__array_interface__" in vars(thing)
    for use in (
        np.asarray,
        np.array,
        lambda x: np.array([x, [x]], dtype=object),
        lambda x: np.array([[x]]),
        lambda x: np.add(x, 1),
        lambda x: np.zeros(8, "u8") + x,
        lambda x: x * np.ones(3),
        lambda x: np.copyto(np.zeros(8, "u8"), x),
        lambda x: np.zeros(9)[x],
        lambda x: np.concatenate([x, x]),
        lambda x: np.sin(x),
        lambda x: np.sum(x),
        lambda x: np.from_dlpack(x),
        lambda x: np.zeros(1, dtype=x),
        lambda x: np.random.default_rng(0).normal(x),
        lambda x: engine.tensor(x),
        lambda x: engine.as_tensor([x]),
        lambda x: engine.ones(8) * x,
        memoryview,
    ):
        try:
            found = use(thing)
        except Exception:
            continue
        assert getattr(found, "dtype", None) != np.uint64
    assert asked == []
    assert not isinstance(thing, types.FunctionType) or np.asarray(thing).dtype == object


def test_names_cannot_be_set_on_anything(shut: None) -> None:
    for thing in (function(), type("A", (), {})(), type("A", (), {}), ValueError()):
        for name in protocols.NAMES:
            with pytest.raises(AttributeError):
                setattr(thing, name, 1)
            with pytest.raises(AttributeError):
                object.__getattribute__(thing, name)


def test_what_has_them_keeps_them(shut: None) -> None:
    x = engine.ones(2)
    assert np.asarray(x).tolist() == [1, 1]
    assert np.add(x, 1).tolist() == [2, 2]
    assert np.asarray(np.float32(1)).dtype == np.float32
    assert np.ones(2).__array_interface__["shape"] == (2,)
    assert np.broadcast_to(np.ones(2), (3, 2)).sum() == 6
    assert np.lib.stride_tricks.sliding_window_view(np.arange(4), 2).shape == (3, 2)
    assert np.asarray(np.poly1d([1, 2])).tolist() == [1, 2]
    assert np.ndarray.__array_wrap__(np.ones(2), np.ones(2)).tolist() == [1, 1]
    assert engine.Tensor.__array_priority__ == 1000
    assert engine.Tensor.__array__(x).tolist() == [1, 1]
    assert not hasattr(Color, "__array_ufunc__")


def test_what_stands_in_a_class_counts(shut: None) -> None:
    text = "import numpy as np\nclass A:\n    __array_ufunc__ = None\n    def __rmul__(self, o): return 'mine'\nclass B(A): pass\ny = np.ones(2) * B()\n"
    names, error = attempt(text)
    assert error is None
    assert names["y"] == "mine"


def test_what_is_shut_can_be_opened_for_tests() -> None:
    class Asked:
        pass

    thing = Asked()
    vars(thing)["__array_interface__"] = {"data": (id(int), True), "shape": (1,), "typestr": "<u8", "version": 3}
    protocols.shut()
    assert protocols.holds()
    assert np.asarray(thing).dtype == object
    protocols.reopen()
    assert not protocols.holds()
    assert np.asarray(thing).dtype == np.uint64, "what the tests look for cannot be seen"


# --- classes ----------------------------------------------------------------------------------------------------------------

BINDING = {
    "an assignment": "{0} = 1",
    "an annotated assignment": "{0}: int = 1",
    "a walrus": "({0} := 1)",
    "a loop": "for {0} in [1]: pass",
    "a with statement": "with open_(1) as {0}: pass",
    "an import": "import math as {0}",
    "an import from": "from math import pi as {0}",
    "a function": "def {0}(): pass",
    "a class": "class {0}: pass",
    "a pattern": "match 1:\n        case {0}: pass",
    "a pattern with as": "match 1:\n        case 1 as {0}: pass",
    "a star pattern": "match [1]:\n        case [*{0}]: pass",
    "a rest pattern": "match kept:\n        case {{**{0}}}: pass",
    "a star": "a, *{0} = 1, 2",
    "locals": "vars().update({{'{0}': 1}}); {0} = 1",
}
"""How a name gets into a class; after `except … as` it is gone again."""
NEVER = (
    "__array_interface__", "__array_struct__", "__array_finalize__", "__array_function__", "__array_wrap__", "__buffer__",
    "__dlpack__", "__numpy_dtype__", "__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__",
    "__getattribute__", "__dict__", "__class__", "__prepare__", "__mro_entries__", "__subclasshook__", "__release_buffer__",
)  # fmt: skip


@pytest.mark.parametrize("way", BINDING.values(), ids=BINDING.keys())
def test_a_class_with_a_name_of_pythons_own_is_not_made_however_it_was_bound(way: str) -> None:
    """Without the check of the text."""
    before = "import contextlib\nkept = {'__dict__': 1}\nopen_ = contextlib.nullcontext\n"
    for name in (*NEVER, "__slots__"):
        with pytest.raises(PolicyError):
            alone.run(world(), f"{before}class A:\n    {way.format(name)}\n", language=False)


@pytest.mark.parametrize(
    "slots",
    [
        "('x', '__array_interface__')",
        "['__dict__']",
        "'__array_struct__'",
        "{'__array_interface__': 1}",
        "iter(['x'])",
        "(1,)",
        "(Text('x'),)",
        "Text('x')",
    ],
)
def test_slots_are_plain_names_when_the_class_is_made(slots: str) -> None:
    program = f"class Text(str): pass\nclass A:\n    __slots__ = {slots}\n"
    with pytest.raises(PolicyError, match="__slots__"):
        alone.run(world(), program, language=False)


def test_slots_as_programs_write_them() -> None:
    for text in ("('x', 'y')", "['x', '_y']", "'x'", "()", "('__x',)"):
        for form in ("__slots__ = {0}", "__slots__: tuple = {0}"):
            names, error = attempt(f"class A:\n    {form.format(text)}\na = A()\n")
            assert error is None
            assert not hasattr(names["a"], "__dict__")


def test_the_dict_of_an_enumeration_is_looked_at_as_well() -> None:
    names, error = attempt(
        "import enum\nclass E(enum.Enum):\n    A = 1\n    def __deepcopy__(self, memo): return 5\n    def __getattr__(self, n): return n\ne = E.A.other"
    )
    assert error is None
    assert names["e"] == "other"
    with pytest.raises(PolicyError):
        look_at_names({"__reduce__": 1}, lambda memo, caller: memo, lambda cls, name: False)


def test_what_numpy_may_find_in_a_class() -> None:
    before = "import numpy as np\nclass A:\n    def __rmul__(self, o): return 'mine'\n    def __array__(self, dtype=None, copy=None): return kept\n"
    for text, expected in (("    __array_priority__ = 1000\n", "mine"), ("    __array_ufunc__ = None\n", "mine"), ("", None)):
        names, error = attempt(
            f"{before}{text}kept = np.arange(3)\na = np.ones(3) * A()\nb = np.asarray(A())\nc = b is kept, (b == kept).all()\n"
        )
        assert error is None
        assert expected is None or names["a"] == expected
        assert names["c"] == (False, True)
    for bad in ("__array_priority__ = '1'", "__array_ufunc__ = len", "__array_priority__ = type('')('x')"):
        assert isinstance(attempt(f"class A:\n    {bad}\n")[1], PolicyError)
    _, error = attempt("import numpy as np\nclass A:\n    def __array__(self, *a, **k): return [1]\nnp.asarray(A())")
    assert isinstance(error, ValueError)
