r"""The third reading of a rule: on symbols, which gives the LaTeX of what a node sends along each of its edges.

`grad * other` comes out as `{grad} \cdot {other}`, a template with the names of what the node saves. Operations in a rule print
themselves by their own templates; a helper made of operations is read through, and stands as a call by its name where it does
what symbols cannot (looks at shapes, runs a loop). Where a rule decides by a plain argument (`if alpha == 1`), it has one text
for each outcome, with the conditions under which it holds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..itself import OURS
from .declare import TABLE, Op, Rule, argument_names, global_names, parameters_of
from .latex import ATOM, Text, escaped, fill, level_of, number, roman
from .symbol import PLACEHOLDER, Forbidden, Mathematics, Several, Symbol, Unreadable, placeholder

MAX_TEXTS = 8
"""Outcomes of decisions that are told apart; a rule with more stands as one call."""
MAX_LENGTH = 600
MAX_WORK = 400
"""Symbols that one reading may make; a loop that never ends makes more."""

_FACTS = ("_sym_sizes", "_sym_numel", "_sym_strides")

Condition = tuple[str, str, str, bool]
"""Name of a saved value, a comparison (`==`, `<`, …, `true`, `none`), the text it is compared with, and the outcome."""


@dataclass(frozen=True)
class RuleText:
    """What a rule says for one input."""

    input: str
    template: str
    elementwise: bool
    """Whether each element depends on the elements at the same position only."""
    call: bool
    """Whether the text is no more than a call."""
    when: tuple[Condition, ...] = ()


class _Again(Exception):
    """A helper turned out to be unreadable: read the rule again with the helper as a call."""


@functools.cache
def rule_texts(op: Op) -> tuple[RuleText, ...]:
    """The texts of an operation's rules, for each input one or several."""
    found: list[RuleText] = []
    for name in op.differentiable:
        rule = op.joint_vjp or op.rules[name]
        assert rule is not None
        found += _Reader(op, name, rule).texts()
    return tuple(found)


class _Reader:
    """Reads the rule of one input."""

    def __init__(self, op: Op, name: str, rule: Rule) -> None:
        self.op, self.name, self.rule = op, name, rule
        self.opaque: set[str] = set()
        """Helpers that stand as calls."""
        self.trail: list[tuple[Condition, bool]] = []
        """Decisions on the way, and whether their other outcome was tried."""
        self.at = 0
        self.calls = self.work = 0

    def texts(self) -> list[RuleText]:
        """All texts of the rule."""
        for _ in range(40):
            try:
                found = list(self._outcomes())
                return found if all(len(f.template) <= MAX_LENGTH for f in found) else [self._call()]
            except _Again:
                continue
            except Unreadable:
                break
        return [self._call()]

    def _outcomes(self) -> Iterator[RuleText]:
        self.trail = []
        for _ in range(MAX_TEXTS):
            yield self._one()
            while self.trail and self.trail[-1][1]:
                self.trail.pop()
            if not self.trail:
                return
            (name, sign, text, outcome), _ = self.trail[-1]
            self.trail[-1] = ((name, sign, text, not outcome), True)
        raise Unreadable

    def _one(self) -> RuleText:
        if self.op.joint_vjp is not None:
            raise Unreadable
        self.at = self.calls = self.work = 0
        parameters = parameters_of(self.rule)
        try:
            result = self.read(self.rule)(self._upstream(), *[self._saved(p) for p in parameters])
        except (_Again, Unreadable):
            raise
        except Exception:
            raise Unreadable from None
        if self.op.tensor_lists:
            result = result[0] if isinstance(result, list | tuple) else result
        if not isinstance(result, Symbol):
            result = self.symbol(result)
        latex = result.latex
        if "\x02grad" not in latex and latex != "0":
            raise Unreadable
        if self.op.tensor_lists and self.name in self.op.tensor_lists:
            latex = rf"{Symbol(self, latex, result.level).at_least(ATOM)}_{{{placeholder('edge')}}}"
        when = tuple(condition for condition, _ in self.trail[: self.at])
        return RuleText(self.name, _template(latex), result.elementwise, self.calls > 0, when)

    def _call(self) -> RuleText:
        saved = [n for n in parameters_of(self.rule) if n in self.op.rules or n in self.op.outputs]
        arguments = ", ".join(placeholder(n) for n in ("grad", *saved))
        name = escaped(self.op.name.strip("_"))
        return RuleText(self.name, _template(rf"\mathrm{{vjp}}_{{\mathrm{{{name}}}}}\left({arguments}\right)"), False, True)

    def _upstream(self) -> Any:
        first = next(iter(argument_names(self.rule)), "grad")
        return Several(self) if first in ("grads", "known") else Symbol(self, placeholder("grad"))

    def _saved(self, name: str) -> Any:
        tensor = name in self.op.rules or name in self.op.outputs
        if name in self.op.tensor_lists:
            raise Unreadable
        default = next((p.default for p in self.op.parameters if p.name == name), None)
        optional = name not in self.op.outputs and not name.endswith(_FACTS) and default is None
        if optional and self.decide(name, "none", ""):
            return None
        return Symbol(self, placeholder(name), plain="" if tensor else name)

    def decide(self, name: str, sign: str, text: str) -> bool:
        """The outcome of a decision: as planned, or true at the first time."""
        self.worked()
        if self.at == len(self.trail):
            known = [c[3] for c, _ in self.trail if c[:3] == (name, sign, text)]
            if known:
                return known[0]
            self.trail.append(((name, sign, text, True), False))
        self.at += 1
        return self.trail[self.at - 1][0][3]

    def worked(self) -> None:
        """Count a piece of work."""
        self.work += 1
        if self.work > MAX_WORK:
            raise Unreadable

    # --- the names in a rule ----------------------------------------------------------------------------------------------

    def read(self, function: Rule) -> Callable[..., Any]:
        """The same function with the names in it standing for their symbols."""
        if not isinstance(function, FunctionType):
            raise Unreadable
        outside = function.__globals__
        names = {n: self.translated(n, outside[n]) for n in global_names(function.__code__) if n in outside}
        vocabulary = {"__builtins__": outside["__builtins__"], "__name__": outside["__name__"], "tuple": _tuple, **names}
        made = FunctionType(function.__code__, vocabulary, function.__name__, function.__defaults__, function.__closure__)
        made.__kwdefaults__ = function.__kwdefaults__
        return made

    def translated(self, name: str, value: Any) -> Any:
        """What a name in a rule stands for."""
        if value is math:
            return Mathematics(self)
        if name == "where":
            return functools.partial(self.printed, TABLE["_where"])
        if name == "numel":
            return self.numel
        if isinstance(value, ModuleType):
            return Forbidden()
        if isinstance(value, FunctionType):
            op = getattr(value, "_op", None)
            if op is not None:
                return functools.partial(self.printed, op)
            if value.__module__.startswith(f"{OURS}ops"):
                return functools.partial(self.helper, value)
        return value

    def numel(self, value: Any) -> Symbol:
        """The number of elements of something that the node saves."""
        saved = PLACEHOLDER.fullmatch(self.symbol(value).latex)
        if saved is None:
            raise Unreadable
        return Symbol(self, placeholder(f"numel_{saved[1]}"))

    def printed(self, op: Op, *arguments: Any, **options: Any) -> Symbol:
        """An operation on symbols, by its template."""
        values = {p.name: p.default for p in op.parameters}
        values.update(zip(values, arguments, strict=False))
        values.update(options)
        if op.forward.__name__ == "spread":
            # Every element gets the same: what broadcasting does in a formula without saying so.
            return self.symbol(arguments[0])
        symbols = {n: self.symbol(v) for n, v in values.items() if v is not None and _readable(v)}
        shown = fill(op.template, lambda n: Text(symbols[n].latex, symbols[n].level) if n in symbols else None)
        inner = [symbols[n].elementwise for n in op.tensors if n in symbols]
        simple = "elementwise" in op.traits
        only = op.template.strip()[1:-1] if op.template.strip() in {f"{{{n}}}" for n in symbols} else ""
        if only and op.forward.__name__ in ("clone", "alias"):
            return symbols[only]
        if only and not simple:
            # Where the elements go is more than a formula says.
            shown, level = rf"{roman(op.name.strip('_'))}\left({shown}\right)", ATOM
        else:
            level = symbols[only].level if only else level_of(shown)
        return Symbol(self, shown, level, elementwise=simple and all(inner))

    def helper(self, function: FunctionType, *arguments: Any, **options: Any) -> Any:
        """A plain function made of operations: read through, or a call."""
        name = f"{function.__module__}.{function.__name__}"
        if name not in self.opaque:
            try:
                return self.read(function)(*arguments, **options)
            except _Again:
                raise
            except Exception:
                self.opaque.add(name)
                raise _Again from None
        shown = [self.symbol(a) for a in (*arguments, *options.values()) if _readable(a)]
        shown = [s for s in shown if not s.plain]
        if not shown:
            if not any(isinstance(a, Symbol) for a in arguments):
                raise Unreadable
            return Symbol(self, roman(function.__name__.strip("_")))
        self.calls += 1
        inner = ", ".join(s.latex for s in shown)
        return Symbol(self, rf"{roman(function.__name__.strip('_'))}\left({inner}\right)", elementwise=False)

    def symbol(self, value: Any) -> Symbol:
        """A value as a symbol."""
        if isinstance(value, Symbol):
            return value
        if isinstance(value, Several):
            return Symbol(self, placeholder("grad"), elementwise=False)
        if isinstance(value, np.ndarray | np.generic) and value.size == 1:
            value = value.item()
        if isinstance(value, bool | int | float):
            shown = number(value)
            return Symbol(self, shown.latex, shown.level)
        raise Unreadable


def _tuple(value: Any = ()) -> Any:
    return value if isinstance(value, Symbol) else tuple(value)


def _readable(value: Any) -> bool:
    single = isinstance(value, np.ndarray | np.generic) and value.size == 1
    return single or isinstance(value, Symbol | Several | bool | int | float)


def _template(latex: str) -> str:
    doubled = latex.replace("{", "{{").replace("}", "}}")
    return doubled.replace("\x02", "{").replace("\x03", "}")
