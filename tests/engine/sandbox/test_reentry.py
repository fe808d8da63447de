"""What keeps memory in use while C calls back: it works like the original for programs that mean no harm, and keeps nothing."""

from __future__ import annotations

import collections
import itertools
import json
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from engine.sandbox.facades import mended
from engine.sandbox.policy import PolicyError, reentry
from engine.sandbox.policy.objects import private
from tests.engine.sandbox.test_reachability import execute

MICROGRAD = """
import numpy as np, functools
@functools.total_ordering
class Value:
    def __init__(self, data, children=()): self.data, self.grad, self.children = data, 0.0, children
    def __add__(self, other): return Value(self.data + _of(other).data, (self, other))
    def __mul__(self, other): return Value(self.data * _of(other).data, (self, other))
    def __neg__(self): return self * -1
    def __lt__(self, other): return self.data < _of(other).data
    def __eq__(self, other): return NotImplemented if not isinstance(other, Value) else self.data == other.data
    def __hash__(self): return id(self)
    def __repr__(self, digits=2): return f'Value({round(self.data, digits)})'
    __radd__, __rmul__ = __add__, __mul__
def _of(x): return x if isinstance(x, Value) else Value(x)
values = [Value(float(k)) for k in (3, 1, 2)]
total = sum(a * b for a, b in zip(values, values)) + 2 * values[0] + -values[1]
a = np.array(values, dtype=object)
b = a * 2 + a
b.sort()
found = [total.data, [v.data for v in sorted(values)], max(values).data, repr(total), total.__repr__(digits=1),
         [v.data for v in b], np.argsort(a).tolist(), (a == a).tolist(), values[0] == 5, values.index(values[2]),
         Value(1.0) >= Value(2.0), len({*values}), float(a.sum().data)]
"""


def test_a_program_with_operators_of_its_own_computes_what_it_should_and_nothing_is_kept() -> None:
    before = len(reentry.KEPT)
    found = execute(MICROGRAD)["found"]
    assert found == [
        19.0, [1.0, 2.0, 3.0], 3.0, "Value(19.0)", "Value(19.0)", [3.0, 6.0, 9.0], [1, 2, 0], [True] * 3, False, 2,
        False, 3, 6.0,
    ]  # fmt: skip
    assert len(reentry.KEPT) == before


LISTS = """
class A:
    def __lt__(self, other):
        a.clear()
        b.clear()
        return NotImplemented
    def __gt__(self, other): return True
a, b = [A()], [A()]
found = a < b
"""
ARRAYS = """
import numpy as np
class A:
    def __add__(self, other):
        a[0] = b[0] = None
        return 1
a, b = np.empty(1, object), np.empty(1, object)
a[0], b[0] = A(), A()
found = np.add(a, b)
"""
HOLD = sys.version_info >= (3, 12, 5)
"""Lists hold the items that they compare (gh-120384), so that nothing has to be kept."""


@pytest.mark.parametrize(("program", "kept"), [(LISTS, 0 if HOLD else 1), (ARRAYS, 1)], ids=["lists", "arrays"])
def test_an_operand_that_nobody_else_has_is_kept(program: str, kept: int) -> None:
    before = len(reentry.KEPT)
    execute(program)
    assert len(reentry.KEPT) == before + kept
    del reentry.KEPT[before:]


@pytest.mark.parametrize(
    "binding",
    [
        "for __lt__ in [f]: pass",
        "import math as __lt__",
        "__lt__: object",
        "(__lt__ := f)",
        "with f as __lt__: pass",
        "[__lt__, x] = [f, f]",
        "(__lt__, x) = f",
        "class __lt__: pass",
        "def g(): global __lt__",
        "try: pass\n    except ValueError as __lt__: pass",
    ],
)
def test_there_is_no_other_way_to_a_special_method(binding: str) -> None:
    with pytest.raises(PolicyError, match="__lt__"):
        execute(f"f = print\nclass A:\n    {binding}\n")


@pytest.mark.parametrize(
    "method",
    ["lambda self, other: 7", "staticmethod(lambda other: 7)", "property(lambda self: lambda other: 7)", "F()", "None"],
)
def test_a_special_method_may_be_made_of_anything(method: str) -> None:
    text = f"class F:\n    def __call__(self, other): return 7\nclass A:\n    __add__ = {method}\n"
    if method == "None":
        with pytest.raises(TypeError):
            execute(f"{text}A() + 1")
    else:
        assert execute(f"{text}found = A() + 1")["found"] == 7


@pytest.mark.parametrize("binding", ["__add__ = f", "__add__: object = f", "(__add__, x) = f, 1", "__radd__ = __add__ = f"])
def test_a_special_method_that_an_assignment_binds_keeps_its_operands(binding: str) -> None:
    text = f"class F:\n    def __call__(self, other): return self\nf = F()\nclass A:\n    {binding}\n"
    assert execute(text)["A"].__add__.__code__ is reentry.pin(print).__code__


@pytest.mark.parametrize("method", ["next", "{}.pop", "dict.pop", "object.__eq__", "A().__add__"])
def test_what_is_written_in_c_or_bound_keeps_its_operands_as_well(method: str) -> None:
    text = f"class A:\n    def __add__(self, other): return 7\nclass B:\n    __add__ = {method}\n"
    assert type(execute(text)["B"].__dict__["__add__"]).__name__ == "function"


@pytest.mark.parametrize("binding", ["__add__ = 5", "__add__: object = 5", "__add__, __sub__ = 5, None"])
def test_what_is_no_method_is_refused(binding: str) -> None:
    with pytest.raises(PolicyError, match="special method"):
        execute(f"class A:\n    {binding}")


STORES = {
    "a slice with steps": "a[::2] = (k for k in 'xyz')",
    "a slice with steps in a variable": "s = slice(None, None, -1)\na[s] = range(5)",
    "an item": "i = 2\na[i] = 'x'",
    "an item that is added to": "i = 2\na[i] += 7",
    "a slice that is added to": "a[1::2] += []",
    "an item of a list in a list": "b = [a]\ni = 0\nb[i][i] = 'y'",
    "a target of a loop": "i = 1\nfor a[i] in 'pq': pass",
    "several": "i = 0\na[i], a[i + 1] = 8, 9",
    "a method": "a.__setitem__(slice(0, 4, 2), iter('uv'))",
    "a method of the class": "list.__setitem__(a, 0, 'w')",
}


@pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())
def test_lists_are_stored_into_as_in_python(store: str) -> None:
    text = f"a = [1, 2, 3, 4, 5]\n{store}\n"
    expected: dict[str, Any] = {}
    exec(text, expected)
    assert execute(text)["a"] == expected["a"]


def test_a_list_of_ones_own_gets_what_is_stored() -> None:
    text = "class L(list):\n    def __setitem__(self, k, v): seen.append(v)\nseen = []\nL(range(9))[::2] = iter('ab')"
    assert type(execute(text)["seen"][0]).__name__ == "str_ascii_iterator"


def test_numbers_are_not_copied_and_lists_of_objects_are() -> None:
    numbers = [[1.0, 2.0], [3.0, 4.0]]
    assert private(numbers[0]) is numbers[0]
    inner = [object()]
    assert private([inner])[0] is not inner
    assert private([inner]) == [inner]


Grouped = Callable[..., Any]


def test_groups_and_pairs_are_those_of_itertools() -> None:
    assert mended.groupby is not itertools.groupby
    rng = random.Random(1)
    ways: list[Callable[[Grouped, list[int]], Any]] = [
        lambda by, d: [(k, list(g)) for k, g in by(d)],
        lambda by, d: [k for k, g in by(d)],
        lambda by, d: [list(itertools.islice(g, 1)) for k, g in by(d)],
        lambda by, d: [list(g) for g in [g for k, g in by(d)]],
        lambda by, d: [(k, list(g)) for k, g in by(d, key=lambda x: -x)],
    ]
    for _ in range(300):
        d = [rng.randrange(3) for _ in range(rng.randrange(8))]
        for way in ways:
            assert way(mended.groupby, d) == way(itertools.groupby, d)
        assert list(mended.pairwise(d)) == list(itertools.pairwise(d))


def test_json_deques_and_counters_are_those_of_the_library() -> None:
    thing = {"a": [1, 2.5, None, True, "é"], "b": {}, "c": float("inf")}
    for options in ({}, {"indent": 2}, {"sort_keys": True, "separators": (",", ":")}, {"ensure_ascii": False}):
        assert mended.dumps(thing, **options) == json.dumps(thing, **options)  # type: ignore[arg-type]
    ours, real = mended.deque([1, 2, 3, 2], 9), collections.deque([1, 2, 3, 2], 9)
    assert repr(ours) == repr(real)
    assert (ours.index(2), ours.index(2, 2)) == (real.index(2), real.index(2, 2))
    counted: dict[str, int] = {}
    mended.count_elements(counted, "abracadabra")
    assert counted == collections.Counter("abracadabra")
