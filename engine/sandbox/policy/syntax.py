"""The allow-list over a program's syntax tree: refuses what programs may not say, and puts guards where only a look at the
object can tell.

Kinds of nodes that are not listed are refused. Names are checked wherever they are bound or used. A guard stands inside an
attribute (`x._a` becomes `__read__(x, "_a")._a`), so that Python reads and writes attributes itself and every place in the
text stays what it was.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from .errors import PolicyError
from .names import (
    ATTRIBUTES,
    CHECKED,
    CONSTANTS,
    DEFINED,
    LITERAL,
    METHODS,
    NEVER,
    PINNED,
    PLACED,
    READ,
    REPLACED,
    STORED,
    instead,
    is_dunder,
    may_bind,
    normal,
)

READER, WRITER, OWN = "__read__", "__write__", "__own__"
PIN, TARGET, CAUGHT, NAMED = "__pin__", "__target__", "__caught__", "__named__"
"""Built-in names of the guards; a program cannot say them."""

PLAIN = (
    ast.Add, ast.And, ast.Assert, ast.BinOp, ast.BitAnd, ast.BitOr, ast.BitXor, ast.BoolOp, ast.Break,
    ast.Compare, ast.Constant, ast.Continue, ast.Del, ast.Delete, ast.Dict, ast.DictComp, ast.Div, ast.Eq, ast.Expr,
    ast.Expression, ast.FloorDiv, ast.For, ast.FormattedValue, ast.GeneratorExp, ast.Gt, ast.GtE, ast.If, ast.IfExp, ast.In,
    ast.Invert, ast.Is, ast.IsNot, ast.JoinedStr, ast.LShift, ast.Lambda, ast.List, ast.ListComp, ast.Load, ast.Lt, ast.LtE,
    ast.MatMult, ast.Match, ast.MatchOr, ast.MatchSequence, ast.MatchSingleton, ast.MatchValue, ast.Mod, ast.Module, ast.Mult,
    ast.NamedExpr, ast.Not, ast.NotEq, ast.NotIn, ast.Or, ast.Pass, ast.Pow, ast.RShift, ast.Raise, ast.Return, ast.Set,
    ast.SetComp, ast.Slice, ast.Starred, ast.Store, ast.Sub, ast.Try, ast.TryStar, ast.Tuple, ast.UAdd,
    ast.USub, ast.UnaryOp, ast.While, ast.With, ast.Yield, ast.YieldFrom, ast.arguments, ast.comprehension, ast.match_case,
    ast.withitem,
)  # fmt: skip
"""Nodes without names of their own, which are welcome."""

PLAIN_ERRORS = frozenset(
    name for name, thing in vars(builtins).items() if isinstance(thing, type) and issubclass(thing, Exception)
) - {kind.__name__ for kind in PLACED}  # fmt: skip
"""Built-in names of errors that a program has as they are."""

YIELDING, ENDING = (ast.Yield, ast.YieldFrom), (ast.Try, ast.TryStar, ast.With)
"""A generator that is within one of the latter when it is destroyed goes on in it."""

ASYNCHRONOUS = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)


Span = tuple[int, int, int, int]
Refusal = tuple[Span, str, str]


def check(tree: ast.Module) -> bool:
    """Check a program, and put the guards in.

    Returns:
        Whether it has generators that go on when they are destroyed.

    Raises:
        PolicyError: for the first construct that is refused, with its span.
    """
    one = _Check()
    one.walk(tree)
    if one.refused:
        span, message, help = min(one.refused)
        error = PolicyError(f"line {span[0]}: {message}" if span[0] else message, help)
        error.span = span
        raise error
    return not one.kinds.isdisjoint(YIELDING) and not one.kinds.isdisjoint(ENDING)


class _Check:
    def __init__(self) -> None:
        self.refused: list[Refusal] = []
        self.kinds: set[type[ast.AST]] = set()
        """The kinds of nodes that there are."""
        self.here: Span = (0, 0, 0, 0)
        """The span of the node in question, or of the one around it where a node has none."""
        self.written_out: set[int] = set()
        """id() of the targets whose value is a literal."""
        self.pinned: set[int] = set()
        """id() of the targets whose value is a special method that keeps its operands."""
        self.later: list[tuple[list[ast.expr], int]] = []
        """Lists of expressions and positions in them, which are pinned when all has been checked."""
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
            self.kinds.add(kind)
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
        for expressions, k in self.later:
            expressions[k] = _call(PIN, expressions[k])

    def refuse(self, what: str, help: str) -> None:
        """Note a refusal at the node in question."""
        self.refused.append((self.here, what, help))

    def binds(self, name: str | None) -> None:
        """A name is bound, in whatever way but an assignment."""
        if name is None:
            return
        name = normal(name)
        if name in LITERAL:
            self.refuse(f"{name} must be written out, as in {name} = ('x', 'y')", "Write its names as plain texts.")
        elif name in PINNED:
            self.refuse(f"'{name}' can only be bound by def or by an assignment", "Write it with def.")
        elif not may_bind(name):
            self.refuse(f"the name '{name}' cannot be bound in programs here", instead(name))

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
        elif id(node) not in self.written_out and id(node) not in self.pinned and name != "__doc__":
            self.binds(name)

    def assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        """`a = b`, `a: int = b`; names of attributes must be written out, and special methods keep their operands."""
        if node.value is None:
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target for target in targets if isinstance(target, ast.Name)]
        if _lists_names(node.value):
            self.written_out.update(id(target) for target in names if target.id in LITERAL)
        if any(normal(target.id) in PINNED for target in names):
            self.pinned.update(id(target) for target in names if normal(target.id) in PINNED)
            node.value = _call(PIN, node.value)
        for target in targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple) and len(target.elts) == len(node.value.elts):
                for k, (one, value) in enumerate(zip(target.elts, node.value.elts, strict=True)):
                    if isinstance(one, ast.Name) and normal(one.id) in PINNED and not isinstance(value, ast.Starred):
                        self.pinned.add(id(one))
                        self.later.append((node.value.elts, k))

    def subscript(self, node: ast.Subscript) -> None:
        """`x[a] = b`, where `x` may be a list that the making of `b` makes shorter."""
        if isinstance(node.ctx, ast.Store) and _may_have_steps(node.slice):
            node.value = _call(TARGET, node.value)

    def augment(self, node: ast.AugAssign) -> None:
        """`a += b`, which hands what it reads to the methods of `b`."""
        self.augmented.add(id(node.target))

    def attribute(self, node: ast.Attribute) -> None:
        """`x.a`, read, written or deleted."""
        name = normal(node.attr)
        if not isinstance(node.ctx, ast.Load):
            augmented = id(node) in self.augmented
            if name == "__dict__" and isinstance(node.ctx, ast.Store) and not augmented:
                _guard(node, WRITER, name)
                node.attr = "value"
                return
            if (is_dunder(name) and name not in STORED) or (augmented and (name in NEVER or name in REPLACED)):
                self.refuse(f"the attribute '{name}' cannot be set in programs here", instead(name))
                return
            if augmented and _is_guarded(name):
                _guard(node, READER, name)
            _guard(node, WRITER, name, *([True] if name == "shape" and isinstance(node.value, ast.Name) else []))
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
        if name in PINNED:
            # Last of all decorators: what C holds while the method runs stays in memory.
            node.decorator_list.insert(0, ast.copy_location(ast.Name(PIN, ast.Load()), node))

    def class_(self, node: ast.ClassDef) -> None:
        """`class`."""
        self.binds(node.name)

    def argument(self, node: ast.arg) -> None:
        """A parameter of a function."""
        self.parameter(node.arg)

    def keyword(self, node: ast.keyword) -> None:
        """`f(a=1)`, `class A(metaclass=B)`, and `f(**a)`, whose names are to be plain texts."""
        self.parameter(node.arg)
        if node.arg is None:
            node.value = _call(NAMED, node.value)

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
        for alias in node.names:
            name = normal(alias.name)
            if is_dunder(name) and name != "__version__":
                self.refuse(f"'{name}' cannot be imported", instead(name))
            self.binds(alias.asname or alias.name)

    def handler(self, node: ast.ExceptHandler) -> None:
        """`except A as b`; a look-alike is caught as what it stands for."""
        self.binds(node.name)
        if node.type is not None and not _is_plain(node.type):
            node.type = _call(CAUGHT, node.type)

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
    """Where a node stands, None for one that has no span."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) if hasattr(node, "lineno") else None


def _is_guarded(name: str) -> bool:
    """Whether an attribute may be read of some objects only."""
    return name in CHECKED or (name[0] == "_" and name[:2] != "__")


def _guard(node: ast.Attribute, guard: str, *said: str | bool) -> None:
    """`x.a` becomes `guard(x, "a").a`."""
    at = node.value
    node.value = _call(guard, at, *[ast.copy_location(ast.Constant(what), at) for what in said])


def _call(guard: str, value: ast.expr, *others: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(guard, ast.Load()), value)
    return ast.copy_location(ast.Call(function, [value, *others], []), value)


def _lists_names(value: ast.expr) -> bool:
    """Whether an expression is a text, or texts in a tuple or list, none of them a name of Python's own."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    return all(isinstance(p, ast.Constant) and isinstance(p.value, str) and not is_dunder(normal(p.value)) for p in parts)


def _may_have_steps(index: ast.expr) -> bool:
    """Whether an index may be a slice with steps."""
    if isinstance(index, ast.Slice):
        return index.step is not None
    plain = isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub) and isinstance(index.operand, ast.Constant)
    return not (plain or isinstance(index, ast.Constant | ast.Tuple | ast.Compare | ast.JoinedStr))


def _is_plain(kinds: ast.expr) -> bool:
    """Whether the kinds of errors to be caught are such by name."""
    named = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    return all(isinstance(kind, ast.Name) and kind.id in PLAIN_ERRORS for kind in named)


def _construct(kind: type[ast.AST]) -> tuple[str, str]:
    if kind in ASYNCHRONOUS:
        return "async and await are not available to programs here", "Use plain functions, loops and generators."
    return f"a construct that is not known here ({kind.__name__})", "Use an older form of it."


_PLAIN = frozenset(PLAIN)
_HANDLERS: dict[type[ast.AST], Callable[[_Check, Any], None]] = {
    ast.AnnAssign: _Check.assign,
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
    ast.Subscript: _Check.subscript,
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
