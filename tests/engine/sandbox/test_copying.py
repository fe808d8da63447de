# ruff: noqa: E501  (programs are written as they are)
"""A program's copies are what Python's own copies are: the same values, sharing, cycles and classes."""

from __future__ import annotations

import copy
import copyreg
import datetime
import decimal
import enum
import fractions
import functools
import itertools
import operator
import random
import types
import weakref
from collections import ChainMap, Counter, OrderedDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from engine.sandbox import run
from engine.sandbox.parse import world
from engine.sandbox.policy import PolicyError
from tests.engine.sandbox.test_policy import attempt

ours = world().copying

CLASSES = '''
import collections, dataclasses, enum, functools, types, typing
import numpy as np, torch
import copy as copying
class Plain:
    def method(self): return self
class Slots:
    __slots__ = ("x", "_y", "__z", "w")
    def __init__(self, *a):
        self.x, self._y, self.__z = a
class Both(Slots):
    pass
@dataclasses.dataclass
class Data:
    a: object
    b: list = dataclasses.field(default_factory=list)
@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: object
    b: object = None
@dataclasses.dataclass(slots=True)
class Slotted:
    a: object
@dataclasses.dataclass(order=True)
class Initialised:
    a: object
    b: object = dataclasses.field(init=False, default=None)
    def __post_init__(self): self.b = [self.a]
Point = collections.namedtuple("Point", "x y", defaults=[0])
class Place(Point):
    def __new__(cls, x, y):
        return super().__new__(cls, x, y)
class Typed(typing.NamedTuple):
    x: object
    y: list
class Color(enum.Enum):
    RED = 1
    BLUE = [2]
class Mask(enum.Flag):
    A = 1
    B = 2
class Dict(dict):
    def __missing__(self, key): return 5
class List(list): pass
class Tuple(tuple): pass
class Set(set): pass
class Frozenset(frozenset): pass
class Ordered(collections.OrderedDict): pass
class Default(collections.defaultdict): pass
class Queue(collections.deque): pass
class Count(collections.Counter): pass
class UDict(collections.UserDict): pass
class Int(int): pass
class Float(float): pass
class Str(str): pass
class Bytes(bytes): pass
class Array(bytearray): pass
class Error(Exception):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b
class Silent(Exception): pass
class Spaces(types.SimpleNamespace): pass
class Custom:
    """The usual way to write it."""
    def __deepcopy__(self, memo):
        new = type(self).__new__(type(self))
        memo[id(self)] = new
        for name, value in vars(self).items():
            setattr(new, name, copying.deepcopy(value, memo))
        return new
    def __copy__(self):
        new = type(self)()
        vars(new).update(vars(self))
        return new
class Sharing:
    """Its first part stays what it is."""
    def __init__(self, big, own): self.big, self.own = big, own
    def __deepcopy__(self, memo):
        memo[id(self.big)] = self.big
        return Sharing(copying.deepcopy(self.big, memo), copying.deepcopy(self.own, memo))
class Single:
    def __copy__(self): return self
    def __deepcopy__(self, memo): return self
class Once:
    """Asks the memo itself."""
    def __deepcopy__(self, memo):
        if id(self) in memo: return memo[id(self)]
        memo[id(self)] = new = Once()
        new.parts = copying.deepcopy(self.parts, memo=memo)
        return new
class No:
    __deepcopy__ = None
class Cached:
    @functools.cached_property
    def value(self): return [1]
class Nosy:
    def __getattr__(self, name):
        if name[:2] == "__": raise AttributeError(name)
        return name
class Property:
    def __init__(self): self._x = [1]
    @property
    def x(self): return self._x
    @x.setter
    def x(self, value): raise ValueError
class Strict:
    def __setattr__(self, name, value): raise TypeError("nothing can be set")
T = typing.TypeVar("T")
class Generic(typing.Generic[T]):
    def __init__(self): self.x = [1]
def function(a=[1]): return a
'''


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own copies of exceptions, whatever other libraries have put into its table by now (tblib, with Dask)."""
    for kind in [kind for kind in copyreg.dispatch_table if issubclass(kind, BaseException)]:
        monkeypatch.delitem(copyreg.dispatch_table, kind)


def made_by(names: dict[str, Any]) -> Any:
    return types.SimpleNamespace(**{n: v for n, v in names.items() if n[0] != "_"})


def in_python() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CLASSES.replace(", torch", ""), "<program>", "exec", dont_inherit=True), names)
    return names


OURS, _problem = made_by((_attempted := attempt(CLASSES))[0]), _attempted[1]
assert _problem is None, _problem
PYTHONS = made_by(in_python())
"""The same classes: those of a program, whose `copy` is ours, and those of Python, whose `copy` is its own."""
C = OURS


@contextmanager
def classes(which: Any) -> Iterator[None]:
    """Things are made of these classes."""
    global C
    C = which
    yield
    C = OURS


def both(make: Callable[[], Any], name: str) -> tuple[Any, Any]:
    """What `copy` or `deepcopy` makes of a thing: ours, and Python's."""
    found = []
    for which, module in ((OURS, ours), (PYTHONS, copy)):
        with classes(which):
            found.append(outcome(getattr(module, name), make()))
    return found[0], found[1]


def with_attributes(thing: Any, **attributes: Any) -> Any:
    for name, value in attributes.items():
        object.__setattr__(thing, name, value)
    return thing


def cyclic_list() -> Any:
    made: list[Any] = [1]
    made += [made, (made,), {"me": made}]
    return made


def cyclic_object(kind: Any) -> Any:
    a, b = kind(), kind()
    a.other, b.other, a.me = b, a, a
    a.parts = [a, b, (a, b)]
    return a


def noted() -> Exception:
    error = C.Error([1], [2])
    error.add_note("a note")
    return error  # type: ignore[no-any-return]


def caught() -> Exception:
    try:
        try:
            {}["k"]
        except KeyError as e:
            raise C.Silent([1]) from e
    except C.Silent as e:
        return e  # type: ignore[no-any-return]
    raise AssertionError


class Looked:
    """A class of no program, as the engine's are."""

    def __init__(self) -> None:
        self._own, self.parts = [1], [[2]]


THINGS: dict[str, Any] = {
    "atoms": lambda: [1, 2.5, "x", b"x", None, ..., True, 1j, range(3), len, abs, int, C.Plain, C.function, NotImplemented],
    "containers": lambda: [[1, [2]], (1, [2]), {1: {2: [3]}, (1, 2): 4}, {1, (2, 3)}, frozenset({1, (2,)}), bytearray(b"x")],
    "a tuple of atoms": lambda: (1, (2, "x"), C.Plain),
    "sharing": lambda: (lambda a: [a, a, {"a": a}, (a, 1), (a, 1)])([1]),
    "a shared tuple": lambda: (lambda t: [t, t])(([1],)),
    "a cyclic list": cyclic_list,
    "a cycle through a tuple": lambda: (lambda a: a.append((a,)) or (a,))([]),  # type: ignore[func-returns-value]
    "a cycle through a dict": lambda: (lambda d: d.update(me=d) or d)({}),  # type: ignore[func-returns-value]
    "library containers": lambda: [OrderedDict(a=[1]), defaultdict(list, a=[1]), Counter("aab"), deque([[1], 2], maxlen=3), ChainMap({"a": [1]}, {}), UserList([[1]])],
    "an object": lambda: with_attributes(C.Plain(), a=[1], _b={"x": [2]}, c=C.Plain()),
    "objects that know each other": lambda: cyclic_object(C.Plain),
    "slots": lambda: C.Slots([1], {2}, (3, [4])),
    "slots and attributes": lambda: with_attributes(C.Both([1], 2, 3), more=[5]),
    "dataclasses": lambda: [C.Data([1]), C.Frozen([1], {2}), C.Slotted([3]), C.Initialised([1])],
    "a dataclass twice": lambda: (lambda d: [d, d.b, d])(C.Data(1, [2])),
    "named tuples": lambda: [C.Point([1]), C.Place([1], 2), C.Typed([1], [2])],
    "enumerations": lambda: [C.Color.RED, C.Color.BLUE, C.Mask.A | C.Mask.B, {C.Color.RED: [1]}],
    "subclasses of containers": lambda: [C.Dict(a=[1]), C.List([[1]]), C.Tuple(([1],)), C.Set({1}), C.Frozenset({(1,)}), C.Ordered(b=[1], a=[2]), C.Default(list, a=[1]), C.Queue([[1]], 5), C.Count("aab"), C.UDict(a=[1])],
    "subclasses with attributes": lambda: [with_attributes(kind(), x=[1]) for kind in (C.Dict, C.List, C.Tuple, C.Set, C.Frozenset, C.Ordered, C.Queue, C.Count, C.UDict)],
    "subclasses of atoms": lambda: [with_attributes(C.Int(3), x=[1]), C.Float(2.5), with_attributes(C.Str("x"), y={1}), C.Bytes(b"x"), C.Array(b"x")],
    "exceptions": lambda: [ValueError("x", [1]), KeyError("k"), noted(), with_attributes(C.Silent(1), more=[2]), OSError(2, "no", "file"), ExceptionGroup("g", [ValueError([1])]), StopIteration([1])],
    "an exception that was caught": caught,
    "namespaces": lambda: [C.types.SimpleNamespace(a=[1], b=C.types.SimpleNamespace()), C.Spaces(a=[1])],
    "a __deepcopy__ of one's own": lambda: with_attributes(C.Custom(), a=[1], b=C.Custom()),
    "a __deepcopy__ of one's own, shared": lambda: (lambda c, a: [a, with_attributes(c, a=a, b=a), c, a])(C.Custom(), [1]),
    "a __deepcopy__ of one's own in cycles": lambda: cyclic_object(C.Custom),
    "a __deepcopy__ that shares": lambda: (lambda big: [C.Sharing(big, [1]), big])([[1], [2]]),
    "a __deepcopy__ that shares, after": lambda: (lambda big: [big, C.Sharing(big, [1])])([[1], [2]]),
    "something that is there once": lambda: [C.Single(), with_attributes(C.Plain(), s=C.Single())],
    "a memo that is asked": lambda: (lambda o: [with_attributes(o, parts=[o, [1]]), o])(C.Once()),
    "no __deepcopy__ after all": lambda: with_attributes(C.No(), x=[1]),
    "a cached property": lambda: (lambda c: [c.value, c])(C.Cached()),
    "objects that answer everything": lambda: with_attributes(C.Nosy(), x=[1]),
    "properties": C.Property,
    "objects that refuse attributes": lambda: with_attributes(C.Strict(), x=[1]),
    "a generic object": lambda: C.Generic[int](),
    "methods": lambda: (lambda p: [p.method, p])(with_attributes(C.Plain(), x=[1])),
    "partials": lambda: [functools.partial(C.function, [1], k=[2]), functools.partial(C.Plain)],
    "numbers and dates": lambda: [fractions.Fraction(1, 3), decimal.Decimal("1.5"), datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC), datetime.timedelta(1), datetime.date(2020, 1, 1)],
    "slices and getters": lambda: [slice(1, [2], None), operator.itemgetter(1)],
    "iterators": lambda: [iter([1, [2]]), itertools.count(3), itertools.cycle([1, 2]), itertools.permutations([1, 2, 3]), itertools.islice([1, 2], 1)],
    "arrays": lambda: [np.arange(6.0).reshape(2, 3).T, np.array(1), np.zeros((0, 2)), np.float32(2), np.array(["a"]), np.zeros(2, [("a", "i4"), ("b", "f8")])],
    "arrays of objects": lambda: [np.array([[1], [2, 3], None], dtype=object), np.array([1], dtype=object), np.array([([1],)], dtype=[("f", object)])],
    "a shared array": lambda: (lambda a: [a, {"a": a}, a])(np.arange(3)),
    "dtypes": lambda: [np.dtype("f4"), np.int64, np.add],
    "generators of random numbers": lambda: [random.Random(1), np.random.default_rng(1), np.random.RandomState(1)],
    "aliases": lambda: [list[int], int | None, C.T],
    "weak references": lambda: (lambda p: [p, weakref.ref(p)])(C.Plain()),
    "an object of a library": Looked,
}  # fmt: skip


def drawn(thing: Any, originals: dict[int, Any]) -> Any:
    """A thing as nested tuples: kinds, values, what is shared, and what is the original itself."""
    numbers: dict[int, int] = {}
    alive = []

    def one(x: Any) -> Any:
        if type(x) in (int, float, str, bytes, bool, type(None), complex, range):
            return repr(x)
        if id(x) in numbers:
            return "again", numbers[id(x)]
        numbers[id(x)] = len(numbers)
        alive.append(x)
        same = "the original" if id(x) in originals else "another"
        parts: list[Any] = []
        if isinstance(x, type | types.FunctionType | types.BuiltinFunctionType | np.ufunc | weakref.ref):
            return same, type(x).__name__, getattr(x, "__qualname__", "")
        if isinstance(x, np.ndarray | np.generic):
            parts = [x.dtype.str, x.shape, x.tobytes() if not x.dtype.hasobject else one(x.tolist())]
            parts += [x.strides] if isinstance(x, np.ndarray) else []
            return (same if isinstance(x, np.ndarray) else "", type(x).__name__, tuple(parts))
        if isinstance(x, np.random.Generator | np.random.RandomState | random.Random):
            state = (
                x.bit_generator.state
                if isinstance(x, np.random.Generator)
                else (x.get_state() if isinstance(x, np.random.RandomState) else x.getstate())
            )
            return same, type(x).__name__, repr(state)
        if isinstance(x, dict):
            parts = [(one(k), one(v)) for k, v in x.items()]
        elif isinstance(x, set | frozenset):
            parts = sorted(map(repr, map(one, x)))
        elif isinstance(x, list | tuple | deque):
            parts = [one(v) for v in x] + ([x.maxlen] if isinstance(x, deque) else [])
        elif isinstance(x, BaseException):
            parts = [one(x.args), x.__cause__ is None, x.__context__ is None, one(getattr(x, "filename", None))]
        elif isinstance(x, functools.partial):
            parts = [one(x.func), one(x.args), one(x.keywords)]
        elif isinstance(x, types.MethodType):
            parts = [one(x.__func__), one(x.__self__)]
        elif isinstance(x, slice):
            parts = [one(x.start), one(x.stop), one(x.step)]
        elif isinstance(
            x, enum.Enum | decimal.Decimal | fractions.Fraction | datetime.date | datetime.timedelta | bytearray | np.dtype
        ):
            return same if isinstance(x, enum.Enum | bytearray) else "", repr(x)
        elif hasattr(type(x), "__next__"):
            return same, type(x).__name__, repr(list(itertools.islice(copy.copy(x), 5)))
        elif type(x).__module__ in ("typing", "types"):
            parts = [repr(x)] if type(x).__name__ != "SimpleNamespace" else []
        slots = [n for c in type(x).__mro__ for n in getattr(c, "__slotnames__", ())]
        parts += [(n, one(getattr(x, n))) for n in slots if hasattr(x, n)]
        if not isinstance(x, type | types.MethodType | types.GenericAlias | types.UnionType) and "__dict__" in dir(x):
            parts += [(n, one(v)) for n, v in object.__getattribute__(x, "__dict__").items()]
        return same, type(x).__name__, tuple(parts)

    return one(thing)


def originals_of(thing: Any) -> dict[int, Any]:
    """Everything in a thing, by id()."""
    found: dict[int, Any] = {}
    pending = [thing]
    while pending:
        x = pending.pop()
        if id(x) in found:
            continue
        found[id(x)] = x
        if isinstance(x, dict):
            pending += [*x.keys(), *x.values()]
        elif isinstance(x, list | tuple | set | frozenset | deque):
            pending += list(x)
        elif isinstance(x, types.MethodType):
            pending += [x.__func__, x.__self__]
        if isinstance(x, functools.partial):
            pending += [x.func, x.args, x.keywords, *x.args, *x.keywords.values()]
        if isinstance(x, BaseException):
            pending += [x.args]
        pending += [getattr(x, n) for c in type(x).__mro__ for n in getattr(c, "__slotnames__", ()) if hasattr(x, n)]
        if "__dict__" in dir(x) and not isinstance(x, type | types.MethodType | types.GenericAlias | types.UnionType):
            pending += list(object.__getattribute__(x, "__dict__").values())
    return found


def outcome(how: Any, thing: Any) -> Any:
    """What a copy is like, or what is said instead."""
    try:
        made = how(thing)
    except Exception as error:
        return type(error).__name__, str(error)
    return drawn(made, originals_of(thing))


@pytest.mark.parametrize("make", THINGS.values(), ids=THINGS.keys())
@pytest.mark.filterwarnings("ignore:.*pickle.*:DeprecationWarning")
def test_copies_are_pythons(make: Any) -> None:
    for name in ("copy", "deepcopy"):
        mine, theirs = both(make, name)
        assert mine == theirs, name
        made = make()
        for k in range(len(made) if isinstance(made, list) else 0):
            mine, theirs = both(lambda k=k: make()[k], name)  # type: ignore[misc]
            assert mine == theirs, (name, k)


@pytest.mark.filterwarnings("ignore:Pickle, copy, and deepcopy support will be removed:DeprecationWarning")  # of itertools
@pytest.mark.parametrize("make", THINGS.values(), ids=THINGS.keys())
def test_a_memo_is_shared_by_several_copies(make: Any) -> None:
    same: list[Any] = []
    for which, module in ((OURS, ours), (PYTHONS, copy)):
        with classes(which):
            thing, memo = make(), {}
            try:
                same.append(module.deepcopy([thing], memo)[0] is module.deepcopy((thing, 1), memo)[0])
            except TypeError as error:
                same.append(str(error))
    assert same[0] == same[1]


def test_a_memo_may_say_what_stays_as_it_is() -> None:
    makers: list[Callable[[Any], Any]] = [
        lambda big: [big], lambda big: {"b": big}, lambda big: (big, 1), lambda big: with_attributes(C.Plain(), b=big),
        lambda big: C.Data(big), lambda big: C.Slots(big, 1, 2), lambda big: deque([big]), lambda big: OrderedDict(b=big),
        lambda big: C.Point(big), lambda big: C.List([big]), lambda big: [C.Custom(), big], lambda big: C.Frozen(big),
        lambda big: with_attributes(C.Custom(), b=big), lambda big: with_attributes(C.Silent(1), b=big), lambda big: C.Silent(big),
    ]  # fmt: skip
    for make in makers:
        drawings = []
        for which, module in ((OURS, ours), (PYTHONS, copy)):
            with classes(which):
                big = [1]
                container = make(big)
                drawings.append(drawn(module.deepcopy(container, {id(big): big}), originals_of(container)))
        assert drawings[0] == drawings[1]


def test_other_libraries_have_nothing_to_say_of_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    """As tblib puts functions into the table for all exceptions that there are, when Dask is loaded."""
    for kind in (ValueError, C.Silent):
        monkeypatch.setitem(copyreg.dispatch_table, kind, lambda error: (print, ("the table was asked",)))
        big = [1]
        copied = ours.deepcopy(kind(big), {id(big): big})
        assert type(copied) is kind
        assert copied.args[0] is big
        assert type(ours.copy(kind(big))) is kind


def random_thing(draw: random.Random, pool: list[Any], deep: int) -> Any:
    """A graph of objects with shared parts and cycles."""
    if pool and draw.random() < 0.25:
        return draw.choice(pool)
    if deep == 0 or draw.random() < 0.15:
        return draw.choice([1, "x", None, (1, 2), len, C.Plain, 2.5, C.Color.RED])
    part = functools.partial(random_thing, draw, pool, deep - 1)
    kind = draw.randrange(19)
    if kind < 8:
        made: Any = [[], {}, C.Plain(), C.Custom(), C.List(), deque(), C.Both(1, 2, 3), C.types.SimpleNamespace()][kind]
        pool.append(made)
        for k in range(draw.randrange(4)):
            if isinstance(made, list | deque):
                made.append(part())
            elif isinstance(made, dict):
                made[k] = part()
            else:
                setattr(made, f"a{k}", part())
        return made
    made = [
        lambda: (part(), part()), lambda: C.Point(part(), part()), lambda: C.Data(part(), [part()]), lambda: C.Frozen(part()),
        lambda: functools.partial(C.function, part(), k=part()), lambda: C.Silent(part()), lambda: OrderedDict(a=part(), b=part()),
        lambda: with_attributes(C.Dict(a=part()), x=part()), lambda: C.Place(part(), 1), lambda: with_attributes(C.Plain(), x=part()).method,
        lambda: np.array([None, part()], dtype=object),
    ][kind - 8]()  # fmt: skip
    pool.append(made)
    return made


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(40))
def test_random_graphs_are_copied_as_python_copies_them(seed: int) -> None:
    for k in range(10):

        def make(k: int = k) -> Any:
            draw = random.Random(f"{seed} {k}")
            return [random_thing(draw, [], 5) for _ in range(3)]

        for name in ("copy", "deepcopy"):
            mine, theirs = both(make, name)
            assert mine == theirs
            for part in range(3):
                mine, theirs = both(lambda part=part: make()[part], name)  # type: ignore[misc]
                assert mine == theirs


def test_what_python_cannot_copy_is_refused_in_its_words() -> None:
    for thing in ((n for n in [1]), memoryview(b"x"), {}.keys(), types.SimpleNamespace(a={}.items())):
        assert outcome(ours.deepcopy, thing) == outcome(copy.deepcopy, thing)
        assert outcome(ours.deepcopy, thing)[0] == "TypeError"


def test_deep_structures_may_be_as_deep_as_pythons() -> None:
    def chain(length: int) -> Any:
        made = None
        for _ in range(length):
            made = with_attributes(C.Plain(), next=made)
        return made

    longest = next(n for n in range(400, 100, -1) if outcome(copy.deepcopy, chain(n))[0] != "RecursionError")
    assert ours.deepcopy(chain(longest)).next is not None
    nested: Any = []
    for _ in range(300):
        nested = [nested]
    assert ours.deepcopy(nested) == nested


def test_originals_live_as_long_as_the_copy_is_made() -> None:
    """A `__deepcopy__` that makes new things each time must not get those of another."""
    text = (
        "import copy\n"
        "class Made:\n"
        "    def __init__(self, n): self.n = n\n"
        "    def __deepcopy__(self, memo): return copy.deepcopy([self.n, [self.n]], memo)\n"
        "y = copy.deepcopy([Made(k) for k in range(500)])\n"
        "memo = {}\n"
        "z = [copy.deepcopy([k, [k]], memo) for k in range(500)]\n"
    )
    names, error = attempt(text)
    assert error is None
    assert names["y"] == names["z"] == [[k, [k]] for k in range(500)]


def test_a_memo_shows_no_insides() -> None:
    for thing in (np.random.default_rng(0), random.Random(0), functools.partial(len), Looked(), world().modules["numpy"].r_):
        memo: dict[Any, Any] = {}
        made = ours.deepcopy(thing, memo)
        shown = [v for k, v in memo.items() if k != id(memo)]
        assert all(v is made for v in shown if not isinstance(v, int)) or isinstance(thing, Looked)
        assert not any(v is vars(made).get("_own") for v in shown if hasattr(made, "__dict__")) or not hasattr(made, "_own")


def test_a_state_is_set_by_the_rules_for_attributes() -> None:
    names, error = attempt(
        "import torch\nclass A:\n    def __new__(cls): return given\nclass S:\n    __slots__ = ('_array',)\n    def __new__(cls): return given\n"
        "a = object.__new__(A)\na.x = 1\ns = object.__new__(S)\ns._array = 1\n"
    )
    assert error is None
    import engine

    for given in (engine.relu, world().modules["math"], engine.ones(1), C.function):
        names["given"] = given
        for how in (ours.copy, ours.deepcopy):
            for thing in ("a", "s"):
                allowed = (thing == "a" and (isinstance(given, engine.Tensor) or given is C.function)) or (
                    thing == "s" and given is C.function
                )
                if allowed:
                    how(names[thing])
                else:
                    with pytest.raises(PolicyError):
                        how(names[thing])
    vars(C.function).clear()


def test_names_of_pythons_own_are_not_copied() -> None:
    for name in ("__array_interface__", "__reduce_ex__", "__class__"):
        thing = C.Plain()
        vars(thing)[name] = 1
        for how in (ours.copy, ours.deepcopy):
            with pytest.raises(PolicyError):
                how(thing)
    thing = C.Plain()
    vars(thing).update(__name__="f", __doc__="text")
    assert vars(ours.deepcopy(thing)) == {"__name__": "f", "__doc__": "text"}


def test_a_memo_must_be_a_dict() -> None:
    for memo in ([], weakref.WeakKeyDictionary(), 5):
        with pytest.raises(TypeError, match="must be a dict"):
            ours.deepcopy([1], memo)


def test_replace_takes_plain_names() -> None:
    spaces = C.types.SimpleNamespace(a=1)
    assert vars(ours.replace(spaces, b=2)) == {"a": 1, "b": 2}
    with pytest.raises(PolicyError):
        ours.replace(spaces, **{"__array_interface__": 1})
    with pytest.raises(TypeError):
        ours.replace([], a=1)


def test_a_user_dict_copies_user_dicts_only() -> None:
    kinds = vars(world().modules["collections"])
    for kind in (kinds["UserDict"], kinds["UserList"]):
        assert kind([]).copy() == kind([])
        for other in (np.zeros(3), C.types.SimpleNamespace(data=[]), [1]):
            with pytest.raises(TypeError):
                kind.__copy__(other)


STATES = """
import torch, copy
from torch import nn
class Plain(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super(Plain, self).__init__(params, dict(lr=lr))
    def __setstate__(self, state):
        super(Plain, self).__setstate__(state)
        print(sorted(state))
        for group in self.param_groups: group.setdefault('amsgrad', False)
    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]['params']: self.state[p]['n'] = self.state[p].get('n', 0) + 1
w = nn.Parameter(torch.ones(2))
first, second = Plain([w]), Plain([w])
first.step()
second.load_state_dict(first.state_dict())
print(second.param_groups[0]['amsgrad'], second.state[w], copy.deepcopy(first).param_groups[0]['amsgrad'])
class Layer(nn.TransformerEncoderLayer):
    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, 'activation'): self.activation = torch.relu
        print(len(state) > 3)
copied = copy.deepcopy(Layer(4, 2, 8))
print(copied(torch.ones(1, 1, 4)).shape, sum(p.numel() for p in copied.parameters()))
class Rows(nn.GRU):
    def __setstate__(self, d): super().__setstate__(d); print('rows')
print(copy.deepcopy(Rows(2, 3))(torch.ones(1, 1, 2))[0].shape)
class Mine:
    def __init__(self): self.x = 1
    def __setstate__(self, d): self.__dict__.update(d); self.y = 2
mine = copy.copy(Mine())
print(mine.x, mine.y)
"""
STATED = """['param_groups', 'state']
['defaults', 'param_groups', 'state']
False {'n': 1} False
True
torch.Size([1, 1, 4]) 172
rows
torch.Size([1, 1, 3])
1 2
"""


def test_a_class_takes_its_state_by_a_method_of_its_own_as_pytorchs_do(torch: types.ModuleType, capsys: Any) -> None:
    result = run(STATES)
    assert result.output == STATED, result.error
    exec(STATES, {"__name__": "stated"})
    assert capsys.readouterr().out == STATED


@pytest.mark.parametrize(
    "call",
    [
        "torch.nn.Linear(1, 1).__setstate__({})",
        "torch.optim.SGD.__setstate__(optimizer, {'x': 1})",
        "optimizer.__setstate__({'x': 1})",
        "[].__setstate__({})",
        "class A(torch.optim.SGD):\n    def take(self, d): super().__setstate__(d)\nA([w], 1).take({'__class__': 1})",
        "class A(torch.optim.SGD):\n    def take(self, d): super().__setstate__(d)\nA([w], 1).take({'_missing_of_ours': 1, 3: 4})",
        "class A(Exception):\n    def take(self, d): super().__setstate__(d)\nA().take({'x': 1})",
        "class A(torch.nn.Module):\n    def take(self, d): super().__setstate__(d)\nA().take({'_call_hooks': 1, '__array_interface__': 2})",
        "class D(dict): pass\nclass A(torch.nn.Module):\n    def take(self, d): super().__setstate__(d)\nA().take(D(x=1))",
    ],
)
def test_nothing_else_is_given_a_state(call: str) -> None:
    begin = "import torch\nw = torch.ones(1, requires_grad=True)\noptimizer = torch.optim.SGD([w], 1)\n"
    assert run(begin + call).error is not None
