"""The allow-list over a program's syntax tree: refuses what programs may not say, and puts guards where only a look at the
object can tell.

Kinds of nodes that are not listed are refused. Names are checked wherever they are bound or used. A guard stands inside an
attribute (`x._a` becomes `__read__(x, "_a")._a`), so that Python reads and writes attributes itself and every place in the
text stays what it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from engine.sandbox.policy.errors import PolicyError
from engine.sandbox.policy.names import (
    ATTRIBUTES,
    CHECKED,
    CONSTANTS,
    DEFINED,
    LITERAL,
    METHODS,
    NEVER,
    READ,
    REPLACED,
    STORED,
    instead,
    is_dunder,
    may_bind,
    normal,
)

READER, WRITER, SHIELD, OWN = "__read__", "__write__", "__shield__", "__own__"
"""Built-in names of the guards; a program cannot say them."""

PLAIN = (
    ast.Add, ast.And, ast.AnnAssign, ast.Assert, ast.BinOp, ast.BitAnd, ast.BitOr, ast.BitXor, ast.BoolOp, ast.Break,
    ast.Compare, ast.Constant, ast.Continue, ast.Del, ast.Delete, ast.Dict, ast.DictComp, ast.Div, ast.Eq, ast.Expr,
    ast.Expression, ast.FloorDiv, ast.For, ast.FormattedValue, ast.GeneratorExp, ast.Gt, ast.GtE, ast.If, ast.IfExp, ast.In,
    ast.Invert, ast.Is, ast.IsNot, ast.JoinedStr, ast.LShift, ast.Lambda, ast.List, ast.ListComp, ast.Load, ast.Lt, ast.LtE,
    ast.MatMult, ast.Match, ast.MatchOr, ast.MatchSequence, ast.MatchSingleton, ast.MatchValue, ast.Mod, ast.Module, ast.Mult,
    ast.NamedExpr, ast.Not, ast.NotEq, ast.NotIn, ast.Or, ast.Pass, ast.Pow, ast.RShift, ast.Raise, ast.Return, ast.Set,
    ast.SetComp, ast.Slice, ast.Starred, ast.Store, ast.Sub, ast.Subscript, ast.Try, ast.TryStar, ast.Tuple, ast.UAdd,
    ast.USub, ast.UnaryOp, ast.While, ast.With, ast.Yield, ast.YieldFrom, ast.arguments, ast.comprehension, ast.match_case,
    ast.withitem,
)  # fmt: skip
"""Nodes without names of their own, which are welcome."""

ASYNCHRONOUS = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)


Span = tuple[int, int, int, int]
Refusal = tuple[Span, str, str]


def check(tree: ast.Module) -> None:
    """Check a program, and put the guards in.

    Raises:
        PolicyError: for the first construct that is refused, with its place.
    """
    one = _Check()
    one.walk(tree)
    if one.refused:
        span, message, help = min(one.refused)
        error = PolicyError(f"line {span[0]}: {message}" if span[0] else message, help)
        error.span = span
        raise error


class _Check:
    def __init__(self) -> None:
        self.refused: list[Refusal] = []
        self.here: Span = (0, 0, 0, 0)
        """The place of the node in question, or of the one around it where a node has none."""
        self.written_out: set[int] = set()
        """id() of the targets whose value is a literal."""
        self.called: set[int] = set()
        """id() of the names that are called."""
        self.augmented: set[int] = set()
        """id() of the targets that are read before they are written, as in `x.a += 1`."""

    def walk(self, tree: ast.AST) -> None:
        """Check all nodes, those outside before those inside."""
        pending: list[tuple[ast.AST, Span]] = [(tree, self.here)]
        while pending:
            node, around = pending.pop()
            kind = type(node)
            at = _span(node) or around
            # Children first: a guard that is put in is not looked at.
            for value in vars(node).values():
                if isinstance(value, ast.AST):
                    if not isinstance(value, ast.expr_context):
                        pending.append((value, at))
                elif isinstance(value, list):
                    pending.extend((v, at) for v in value if isinstance(v, ast.AST))
            if kind in _PLAIN:
                continue
            self.here = at
            handler = _HANDLERS.get(kind)
            if handler is None:
                self.refuse(*_construct(kind))
            else:
                handler(self, node)

    def refuse(self, what: str, help: str) -> None:
        """Note a refusal at the node in question."""
        self.refused.append((self.here, what, help))

    def binds(self, name: str | None) -> None:
        """A name is bound, in whatever way but an assignment."""
        if name is not None and not may_bind(normal(name)):
            self.refuse(f"the name '{normal(name)}' cannot be bound in programs here", instead(normal(name)))

    def parameter(self, name: str | None) -> None:
        """A name that a function takes or is given."""
        if name is not None and is_dunder(normal(name)):
            self.refuse(f"'{normal(name)}' cannot be the name of an argument here", instead(normal(name)))

    # --- names --------------------------------------------------------------------------------------------------------------

    def name(self, node: ast.Name) -> None:
        """A variable."""
        name = normal(node.id)
        if name == "super" and id(node) not in self.called:
            self.refuse("'super' can only be called", "Write super().method(…).")
        if not is_dunder(name):
            return
        if isinstance(node.ctx, ast.Load):
            if name not in READ and name not in METHODS and name not in CONSTANTS:
                self.refuse(f"the name '{name}' is not available to programs here", instead(name))
        elif name in LITERAL and id(node) not in self.written_out:
            self.refuse(f"{name} must be written out, as in {name} = ('x', 'y')", "Write its names as plain texts.")
        elif name not in LITERAL and name != "__doc__":
            self.binds(name)

    def assign(self, node: ast.Assign) -> None:
        """`a = b`; what lists names of attributes must be written out."""
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in LITERAL and _lists_names(node.value):
                self.written_out.add(id(target))

    def augment(self, node: ast.AugAssign) -> None:
        """`a += b`, which hands what it reads to the methods of `b`."""
        self.augmented.add(id(node.target))

    def attribute(self, node: ast.Attribute) -> None:
        """`x.a`, read, written or deleted."""
        name = normal(node.attr)
        if not isinstance(node.ctx, ast.Load):
            augmented = id(node) in self.augmented
            if (is_dunder(name) and name not in STORED) or (augmented and (name in NEVER or name in REPLACED)):
                self.refuse(f"the attribute '{name}' cannot be set in programs here", instead(name))
                return
            if augmented and _is_guarded(name):
                _guard(node, READER, name)
            _guard(node, WRITER, name)
        elif name in NEVER:
            self.refuse(f"the attribute '{name}' is not available to programs here", instead(name))
        elif name in REPLACED:
            _guard(node, READER, name)
            node.attr = "value"
        elif _is_guarded(name):
            _guard(node, READER, name)
        elif is_dunder(name) and name not in ATTRIBUTES:
            self.refuse(f"the attribute '{name}' is not available to programs here", instead(name))

    def names(self, node: ast.Global | ast.Nonlocal) -> None:
        """`global a`, `nonlocal a`."""
        for name in node.names:
            self.binds(name)

    # --- definitions --------------------------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> None:
        """`def`."""
        name = normal(node.name)
        if is_dunder(name) and name not in DEFINED:
            self.refuse(f"'{name}' cannot be defined in programs here", instead(name))
        if name == "__getattr__":
            # Last of all decorators: what NumPy asks objects for in memory's name never reaches the program.
            node.decorator_list.insert(0, ast.copy_location(ast.Name(SHIELD, ast.Load()), node))

    def class_(self, node: ast.ClassDef) -> None:
        """`class`."""
        self.binds(node.name)

    def argument(self, node: ast.arg) -> None:
        """A parameter of a function."""
        self.parameter(node.arg)

    def keyword(self, node: ast.keyword) -> None:
        """`f(a=1)`, `class A(metaclass=B)`."""
        self.parameter(node.arg)

    def call(self, node: ast.Call) -> None:
        """A call; `super` with arguments is given a class of the program's own."""
        if not isinstance(node.func, ast.Name):
            return
        self.called.add(id(node.func))
        if node.func.id == "super" and (node.args or node.keywords):
            if len(node.args) != 2 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
                self.refuse("super takes a class and an object, or nothing", "Write super().method(…).")
                return
            node.args[0] = _call(OWN, node.args[0])

    def parameters_of_type(self, node: Any) -> None:
        """A type parameter, as in `def f[T](x: T)`."""
        self.parameter(node.name)

    # --- statements that bind -----------------------------------------------------------------------------------------------

    def import_(self, node: ast.Import) -> None:
        """`import a.b as c`."""
        for alias in node.names:
            self.binds(alias.asname or alias.name.partition(".")[0])

    def import_from(self, node: ast.ImportFrom) -> None:
        """`from a import b as c`."""
        if node.level:
            self.refuse("relative imports do not work in a program that is one file", "Write the code into this program.")
        for alias in node.names:
            name = normal(alias.name)
            if is_dunder(name) and name != "__version__":
                self.refuse(f"'{name}' cannot be imported", instead(name))
            self.binds(alias.asname or alias.name)

    def handler(self, node: ast.ExceptHandler) -> None:
        """`except A as b`."""
        self.binds(node.name)

    def captured(self, node: ast.MatchAs | ast.MatchStar) -> None:
        """`case a`, `case [*a]`."""
        self.binds(node.name)

    def mapping(self, node: ast.MatchMapping) -> None:
        """`case {**a}`."""
        self.binds(node.rest)

    def pattern(self, node: ast.MatchClass) -> None:
        """`case A(b=c)` reads attributes, unguarded."""
        for name in map(normal, node.kwd_attrs):
            if name[0] == "_" or name in NEVER or name in REPLACED or name in CHECKED:
                self.refuse(f"a pattern cannot look at the attribute '{name}'", "Read it in the case's body.")

    def nothing(self, node: ast.AST) -> None:
        """What is checked with the node around it."""


def _span(node: Any) -> Span | None:
    """Where a node stands, None for one that has no place."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) if hasattr(node, "lineno") else None


def _is_guarded(name: str) -> bool:
    """Whether an attribute may be read of some objects only."""
    return name in CHECKED or (name[0] == "_" and name[:2] != "__")


def _guard(node: ast.Attribute, guard: str, name: str) -> None:
    """`x.a` becomes `guard(x, "a").a`."""
    at = node.value
    node.value = _call(guard, at, ast.copy_location(ast.Constant(name), at))


def _call(guard: str, value: ast.expr, *others: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(guard, ast.Load()), value)
    return ast.copy_location(ast.Call(function, [value, *others], []), value)


def _lists_names(value: ast.expr) -> bool:
    """Whether an expression is a text, or texts in a tuple or list, none of them a name of Python's own."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return all(isinstance(p, ast.Constant) and isinstance(p.value, str) and not is_dunder(normal(p.value)) for p in parts)


def _construct(kind: type[ast.AST]) -> tuple[str, str]:
    if kind in ASYNCHRONOUS:
        return "async and await are not available to programs here", "Use plain functions, loops and generators."
    return f"a construct that is not known here ({kind.__name__})", "Use an older form of it."


_PLAIN = frozenset(PLAIN)
_HANDLERS: dict[type[ast.AST], Callable[[_Check, Any], None]] = {
    ast.Assign: _Check.assign,
    ast.Attribute: _Check.attribute,
    ast.AugAssign: _Check.augment,
    ast.Call: _Check.call,
    ast.ClassDef: _Check.class_,
    ast.ExceptHandler: _Check.handler,
    ast.FunctionDef: _Check.function,
    ast.Global: _Check.names,
    ast.Import: _Check.import_,
    ast.ImportFrom: _Check.import_from,
    ast.MatchAs: _Check.captured,
    ast.MatchClass: _Check.pattern,
    ast.MatchMapping: _Check.mapping,
    ast.MatchStar: _Check.captured,
    ast.Name: _Check.name,
    ast.Nonlocal: _Check.names,
    ast.alias: _Check.nothing,
    ast.arg: _Check.argument,
    ast.keyword: _Check.keyword,
}
# Newer Pythons' `def f[T](…)` and `type A = …`.
for _kind in ("ParamSpec", "TypeVar", "TypeVarTuple"):
    if hasattr(ast, _kind):
        _HANDLERS[getattr(ast, _kind)] = _Check.parameters_of_type
if hasattr(ast, "TypeAlias"):
    _HANDLERS[ast.TypeAlias] = _Check.nothing
