"""Programs put together at random from Python's grammar, with hostile names in every place: refused, or harmless."""

from __future__ import annotations

import ast
import dis
import re
from collections.abc import Iterator
from types import CodeType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.program import Program, ProgramError
from engine.sandbox import Layers, Limits, run
from engine.sandbox.policy import PolicyError, check
from engine.sandbox.policy.names import ATTRIBUTES, CONSTANTS, DEFINED, NEVER, REPLACED, STORED, is_dunder, normal
from engine.sandbox.policy.syntax import NAMED, OWN, READER, WRITER
from engine.sandbox.processes.forking import Server
from engine.sandbox.runner import job_for
from engine.sandbox.transport.receiver import CollectedRun
from tests.engine.sandbox.test_attacks import INSIDES, MEMORY
from tests.thorough import examples

STEADY = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
GUARDS = frozenset((NAMED, READER, WRITER, OWN))
FROM_PYTHON = frozenset(
    [
        "__annotations__",
        "__class__",
        "__classcell__",
        "__classdict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__name__",
        "__qualname__",
        "__static_attributes__",
        "__type_params__",
    ]
)
"""What Python itself puts into the code of classes and functions."""
WHY_NOT = (PolicyError, SyntaxError, ValueError, RecursionError, MemoryError)

# --- the grammar -------------------------------------------------------------------------------------------------------------

HOSTILE = [
    "__class__",
    "__globals__",
    "__builtins__",
    "__subclasses__",
    "__mro__",
    "__bases__",
    "__dict__",
    "__code__",
    "__closure__",
    "__self__",
    "__func__",
    "__import__",
    "__getattribute__",
    "__reduce__",
    "__reduce_ex__",
    "__init_subclass__",
    "__traceback__",
    "__loader__",
    "__spec__",
    "__array_interface__",
    "__gradtape__",
    "__read__",
    "__write__",
    "__own__",
    "__wrapped__",
    "__origin__",
    "__module__",
    "__name__",
    "__init__",
    "__new__",
    "__getattr__",
    "__setattr__",
    "__call__",
    "__match_args__",
    "__slots__",
    "__ｇlobals__",
    "__ｃlass__",
    "ｇi_frame",
    "gi_frame",
    "gi_code",
    "gi_yieldfrom",
    "f_back",
    "f_globals",
    "f_builtins",
    "tb_frame",
    "tb_next",
    "cr_frame",
    "ag_frame",
    "co_consts",
    "func_globals",
    "obj",
    "mro",
    "base",
    "fields",
    "format",
    "format_map",
    "tofile",
    "dump",
    "dumps",
    "ctypes",
    "data",
    "readinto",
    "resize",
    "setflags",
    "register",
    "op",
    "stream",
    "_x",
    "_array",
    "_real",
    "__x",
    "_abc_impl",
    "_module",
    "modules",
    "sys",
    "os",
    "open",
    "eval",
    "exec",
    "compile",
]
KNOWN = ["a", "b", "c", "d", "e", "f", "g", "h", "m", "t", "np", "torch", "print", "getattr", "type"]
ORDINARY = [*KNOWN, "x", "y", "z", "self", "value"]
names = st.sampled_from(ORDINARY) | st.sampled_from(HOSTILE)
things = st.sampled_from([*KNOWN, "super", "globals", "vars", "(1)", "'x'", "[].append", "f()", "c()"])
texts = st.sampled_from([*HOSTILE, *("{0.%s}" % n for n in HOSTILE), *("%s.%s" % (n, n) for n in HOSTILE[:20])])


EXPRESSIONS = (
    "$E.$N", "$E.$N()", "$E.$N.$N", "$E[$E]", "$E($E)", "($N := $E)", "[$E for $N in $E]", "{k: $E for k in $E}",
    "(lambda $N=$E: $E)()", "(lambda *$N, **k: $E)()", "getattr($E, $T)", "getattr($E, $T, $E)", "$T.format($E)",
    "str.format($T, $E)", "$T.format_map({'x': $E})", "operator.attrgetter($T)($E)", "operator.methodcaller($T)($E)",
    "$E if $E else $E", "$E + $E", "f'{$E}'", "f'{$E!r:>{$E}}'", "type($E)", "vars($E)", "dict($N=$E)", "$E($N=$E)",
    "types.SimpleNamespace(**{$T: $E})", "collections.UserString($T).format($E)", "list(map($E, [$E]))", "[*$E]", "super().$N",
    "functools.partial($E, $E)", "next($E)", "(yield $E)", "$E == $E", "weakref.ref($E)()", "copy.copy($E)",
)  # fmt: skip
LINES = (
    "print($E)", "$N = $E", "$E.$N = $E", "$E.$N += $E", "del $E.$N", "$N: $E = $E", "$N += $E", "$E[$T] = $E",
    "for $N in $E: print($E)", "for $E.$N in $E: print($E)", "with $E as $N: print($E)", "with $E as $E.$N: print($E)",
    "import $N", "import $N as $N", "from $N import $N as $N", "from torch import $N", "from collections import $N", "import torch.$N",
    "def $N($N, /, $N=$E, *$N, **k): print($E)", "class $N(c, x=$E): $N = $E", "class K(c, **{$T: $E}): pass", "global $N",
    "@$E\ndef $N(): return $E", "async def $N(): return $E", "setattr($E, $T, $E)", "delattr($E, $T)", "raise $E from $E",
    "match $E:\n    case $N: print($N)", "match $E:\n    case c($N=$N): print($E)", "match $E:\n    case {**$N}: print($E)",
    "match $E:\n    case [*$N]: print($E)", "match $E:\n    case $E.$N: print($E)", "match $E:\n    case object($N=q): print(q)",
    "try: print($E)\nexcept Exception as $N: print($E)", "try: $E\nexcept Exception as q: print(q.$N); q.$N += h",
    "try: $E\nexcept* Exception as $N: print($E)", "assert $E, $E", "return $E", "nonlocal $N", "try: torch.nn.$N\nexcept Exception as q: print($E)",
)  # fmt: skip
"""Where `$E` stands for an expression, `$N` for a name, and `$T` for a text."""


@st.composite
def written(draw: st.DrawFn, templates: tuple[str, ...], deep: int = 0) -> str:
    """One of these templates, filled."""

    def hole(found: re.Match[str]) -> str:
        if found[1] == "N":
            return draw(names)
        if found[1] == "T":
            return repr(draw(texts))
        return draw(things) if deep > 2 or draw(st.booleans()) else draw(written(EXPRESSIONS, deep + 1))

    return re.sub(r"\$([ENT])", hole, draw(st.sampled_from(templates)))


lines = written(LINES)
programs = st.lists(lines, min_size=1, max_size=5).map("\n".join)

BEFORE = """
import collections, copy, functools, operator, types, weakref, torch, numpy as np
class H:
    def __radd__(self, other):
        print(other)
        return 0
    def __eq__(self, other):
        print(other)
        return False
    def __iadd__(self, other):
        print(other)
        return self
    __hash__ = None
class c:
    def __init_subclass__(cls, **k): print(k)
    def method(self): return self
def f(): return 1
def generator(): yield 1
a, b, g, h, m, t = c(), c().method, generator(), H(), torch.nn, torch.ones(2, requires_grad=True)
d = np.array([1.0, 2.0])
try: torch.nn.nothing_of_this_name
except AttributeError as q: e = q
"""


# --- the properties ----------------------------------------------------------------------------------------------------------


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def assert_harmless(code: CodeType) -> None:
    """No instruction reads or writes what only a guard may."""
    for part in codes(code):
        for i in dis.get_instructions(part):
            name = i.argval
            if i.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "STORE_ATTR", "DELETE_ATTR"):
                assert i.opname.startswith("LOAD_") is False or name not in NEVER | REPLACED, i
                assert not is_dunder(name) or name in ATTRIBUTES | STORED, i
            elif i.opname.startswith(("STORE_", "DELETE_")) and isinstance(name, str) and is_dunder(name):
                assert name in DEFINED | FROM_PYTHON | CONSTANTS, i
                assert name not in GUARDS, i
            elif i.opname.startswith("LOAD_") and isinstance(name, str) and is_dunder(name) and "CONST" not in i.opname:
                assert name in ATTRIBUTES | FROM_PYTHON | GUARDS | CONSTANTS | {
                    "__debug__",
                    "__build_class__",
                    "__class_getitem__",
                }, i


@pytest.mark.thorough
@given(programs)
@settings(STEADY, max_examples=examples(800))
def test_a_program_is_refused_at_a_line_or_its_code_is_harmless(text: str) -> None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    try:
        check(tree)
    except PolicyError as refused:
        assert 1 <= refused.span[0] <= text.count("\n") + 1
        assert refused.help or str(refused)
        return
    try:
        code = compile(tree, "<program>", "exec", dont_inherit=True)
    except SyntaxError:  # `return` outside a function, and the like
        return
    assert_harmless(code)


@pytest.fixture(scope="module")
def bare() -> Iterator[Server]:
    """Where only the language layer holds."""
    alone = Server(landlocked=False)
    yield alone
    alone.close()


@pytest.mark.thorough
@given(st.lists(lines, min_size=10, max_size=40))
@settings(STEADY, max_examples=examples(80))
def test_what_is_not_refused_reaches_nothing(bare: Server, parts: list[str]) -> None:
    kept = [part for part in parts if _passes(part)]
    body = "".join("try:\n" + _indented(part) + "except BaseException as q: print(type(q).__name__)\n" for part in kept)
    program, limits = Program.from_text(BEFORE + body), Limits(seconds=2)
    collected = CollectedRun(program, limits)
    result = collected.result(bare.exchange(job_for(program, limits, layers=Layers(system=False)), collected), 0.0)
    assert not INSIDES.search(result.output), result.output
    assert not MEMORY.search(result.output), result.output
    assert result.status != "crashed", body


def _passes(part: str) -> bool:
    try:
        tree = ast.parse(_in_try(part))
        check(tree)
        compile(tree, "", "exec", dont_inherit=True)
    except (PolicyError, SyntaxError):
        return False
    return not part.startswith("import ") or normal(part) == part


def _in_try(part: str) -> str:
    return "try:\n" + _indented(part) + "except BaseException: pass\n"


def _indented(part: str) -> str:
    return "".join(f"    {line}\n" for line in part.splitlines())


odd = (
    st.text(max_size=200)
    | st.binary(max_size=200).map(lambda b: b.decode("latin-1"))
    | st.text("()[]{}:,.*=\"'\\\n\t\f\0 abdefilmnoprstx_0#@", max_size=300)
)


@given(odd)
@settings(STEADY, max_examples=examples(300))
def test_no_text_makes_the_check_fail(text: str) -> None:
    try:
        check(ast.parse(text))
    except WHY_NOT:
        pass


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        "x" * 490_000, "(" * 490_000, "-" * 490_000 + "1", "x." * 200_000 + "x", "[" * 90 + "]" * 90, "not " * 100_000 + "x", "9" * 490_000, "'" + "x" * 480_000 + "'",
        "x = " + "lambda: " * 2_000 + "1", "x" + "[0]" * 50_000, "x" + "()" * 50_000, "f'" + "{" * 400 + "'", "if x:\n" + " x\n" * 100_000, "\f\f\fx = 1", "x = 1\0",
        "\ufeffprint(1)", "# coding: utf-16\nprint(1)", "print('\ud800')", "x = '\udc80'", "\r\r\r", "\x1a", "x = 1\x0cy = 2", "a" * 100 + "=" + "b=" * 50_000 + "1",
        "class A:\n " + "class A: pass;" * 10_000, "match x:\n case " + "(" * 2_000 + "1" + ")" * 2_000 + ": pass", "x = {" + "**x," * 50_000 + "}", "1" + "if 1 else 1" * 1_000,
        "del " + "(" * 300 + "x" + ")" * 300, "@x\n" * 50_000 + "def f(): pass", "try: pass\n" + "except A: pass\n" * 30_000, "global " + "x," * 10_000 + "x", "\\\n" * 100_000,
        "print(" + "*x," * 50_000 + ")", "def f(" + ",".join(f"a{k}" for k in range(20_000)) + "): pass", "x = " + "1 if 1 else " * 3_000 + "1", "😀", "𝐱 = 1\nprint(x)",
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_no_text_breaks_a_run(text: str) -> None:
    assert run(text, Limits(seconds=1.5)).status in ("ok", "error", "policy", "timeout", "memory", "too_large")
    assert run("print('next')", Limits(seconds=30)).output == "next\n"


def test_a_text_that_is_too_long_is_refused_in_words() -> None:
    with pytest.raises(ProgramError, match="characters"):
        run("x = 1\n" * 200_000)
