"""PyTorch's calling conventions, for every function that PyTorch parses itself: NumPy's names for arguments (`axis`,
`keepdims`, `x`), `out=`, and PyTorch's words for a call that does not fit.

What users call stands around the function that operations call among themselves. Where a call fits, that costs some 60 ns; what
it means is worked out only where it does not.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache, update_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from .. import compat, dtypes
from ..asking import UNANSWERED, answer, asks_first, overriding_in, state, when_begun
from ..compat.arguments import plain_kinds, refused
from ..compat.signatures import invalid_combination, overloads, written
from ..context import CALL, context, grad_mode, outside
from ..op.code_cache import codes
from ..op.codegen import named_result
from ..op.declare import traits_of
from ..tensor import Tensor
from .former_overloads import factors_of, reordered
from .memory.inplace import INPLACE
from .memory.overlap import check_out
from .memory.storage import resize_

NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""NumPy's names for arguments that PyTorch takes, with its own."""
_NAMES = {
    owner: names.split()
    for owner, names in re.findall(
        r"\[(.+?)\]\n([^\[]*)", Path(compat.__file__).with_name("native.txt").read_text(encoding="utf-8")
    )
}
_NATIVE = {owner: frozenset(name.rstrip("+") for name in names) for owner, names in _NAMES.items()}
"""The functions of each namespace that PyTorch parses itself; those that are written in Python take what they say."""
_TAKES_OUT = {owner: frozenset(name[:-1] for name in names if name.endswith("+")) for owner, names in _NAMES.items()}
"""Those that write their result where `out` says."""
_POSITIONAL, _NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
_REST = inspect.Parameter.VAR_POSITIONAL


class _Missing:
    """Stands for an argument that has not been given, and must be."""

    def __repr__(self) -> str:
        return "..."


MISSING = _Missing()


class _Called(NamedTuple):
    """A function as it is called: as a method or not, with `out` or not."""

    function: Callable[..., Any]
    name: str
    parameters: tuple[inspect.Parameter, ...]
    owner: str
    known_as: str
    """Its name in that namespace."""
    out: bool

    @property
    def method(self) -> bool:
        """Whether it is a tensor's."""
        return self.owner == "torch.Tensor"

    @property
    def rest(self) -> str:
        """The parameter that takes any number of arguments, as sizes are given; "" for none."""
        return next((p.name for p in self.parameters if p.kind is _REST), "")

    def own(self, name: str) -> str:
        """The parameter that an argument's name, PyTorch's or NumPy's, stands for; "" for none."""
        name = NUMPY.get(name, name)
        if name == "input" and not self.method:
            return self.parameters[0].name
        return name if any(p.name == name and p.kind is not _REST for p in self.parameters) else ""


_around: dict[tuple[int, str, str, bool], Callable[..., Any]] = {}
"""What stands around a function, by its id and how it is called."""


def callable_as(function: Callable[..., Any], owner: str, name: str) -> Callable[..., Any]:
    """The function as users call it by a name of one of PyTorch's namespaces; itself, where PyTorch's is written in Python, or
    where it takes any names."""
    if not isinstance(function, FunctionType):
        return function
    if name not in _NATIVE.get(owner, ()):
        if name in written().get(owner, ()):
            return _plain(function, owner, name)
        return function if owner == "torch.Tensor" else _asking_first(function, owner, name)
    out = name in _TAKES_OUT[owner]
    key = (id(function), name, owner, out)
    made = _around.get(key)
    if made is None:
        parameters = tuple(inspect.signature(function, follow_wrapped=False).parameters.values())
        called = _Called(function, function.__name__, parameters, owner, name, out)
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            made = _with_out(called) if out else _with_former(called, function)
        else:
            made = _written(called)
        _around[key] = made
    return made


def _written(called: _Called) -> Callable[..., Any]:
    names = {
        "__name__": __name__,
        "_function": called.function,
        "_called": called,
        "_settled": settled,
        "_MISSING": MISSING,
        "_failed": _failed,
        "_checked": _checked,
        "_Answer": Answer,
    }
    asked = plain_kinds(called.owner, called.known_as)
    shape = tuple((p.name, p.kind, p.default is p.empty, asked.get(p.name, "")) for p in called.parameters)
    names |= {f"_{p.name}": p.default for p in called.parameters}
    made = FunctionType(_code(shape), names, called.name)
    defaults = {p.name: MISSING if p.default is p.empty else p.default for p in called.parameters}
    made.__defaults__ = tuple(defaults[p.name] for p in called.parameters if p.kind is _POSITIONAL)
    made.__kwdefaults__ = {p.name: defaults[p.name] for p in called.parameters if p.kind is _NAMED}
    return _named(made, called)


def _plain(function: FunctionType, owner: str, name: str) -> Callable[..., Any]:
    """Around a function that PyTorch has written in Python, one with its very parameters, which says of a call that has failed
    what PyTorch says."""
    key = (id(function), name, owner, False)
    made = _around.get(key)
    if made is None:
        parameters = tuple(inspect.signature(function, follow_wrapped=False).parameters.values())
        if any(p.kind not in (_POSITIONAL, _NAMED) for p in parameters):
            return _asking_first(function, owner, name)
        called = _Called(function, function.__name__, parameters, owner, name, out=False)
        code = _plain_code(tuple((p.name, p.kind) for p in parameters))
        made = FunctionType(code, _scope(function, called), name)
        made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        _around[key] = made = _named(made, called)
    return made


def _scope(function: Callable[..., Any], called: _Called) -> dict[str, Any]:
    return {"__name__": __name__, "_function": function, "_called": called, "_failed": _failed, "_Answer": Answer}


@cache
def _plain_code(shape: tuple[tuple[str, Any], ...]) -> CodeType:
    """The code for parameters of these names and kinds."""
    positional, keywords = ([name for name, kind in shape if kind is each] for each in (_POSITIONAL, _NAMED))
    head = ", ".join([*positional, *(["*"] if keywords else []), *keywords])
    given = ", ".join(f"{name!r}: {name}" for name, _ in shape)
    text = f"def call({head}):\n" + _tried(", ".join([*positional, *(f"{n}={n}" for n in keywords)]), given, "()")
    scope: dict[str, FunctionType] = {}
    exec(codes.code(text, CALL), scope)
    return scope["call"].__code__


def _tried(arguments: str, given: str, more: str) -> str:
    """The call itself, and what is raised where it fails."""
    return (
        f"    try: return _function({arguments})\n"
        f"    except Exception:\n"
        f"        worded = _failed(_called, {{{given}}}, {more})\n"
        f"        if worded is None: raise\n"
        f"    if worded.__class__ is _Answer: return worded.result\n"
        f"    raise worded\n"
    )


def _named(made: Callable[..., Any], called: _Called) -> Callable[..., Any]:
    update_wrapper(made, called.function)
    # Python names them where it says what they cannot be called with.
    made.__module__ = "torch" if called.method else called.owner
    if called.method:
        made.__qualname__ = f"Tensor.{made.__name__}"
    made._declared, made._called = called.function, called  # type: ignore[attr-defined]
    if state.begun:
        _let_ask(called, made)
    return made


def ask() -> None:
    """From now on, let functions ask the classes of their arguments first."""
    for made in _around.values():
        called = getattr(made, "_called", None)
        if called is not None:
            _let_ask(called, made)


when_begun(ask)


def _let_ask(called: _Called, made: Any) -> None:
    """Let a function ask first; it stays the same function, wherever a program keeps it."""
    if made.__closure__:
        return
    before = FunctionType(made.__code__, made.__globals__, made.__name__, made.__defaults__)
    before.__kwdefaults__ = made.__kwdefaults__
    made.__globals__.update(_before=before, _itself=made, _answered=_answered, _UNANSWERED=UNANSWERED)
    made.__defaults__ = made.__kwdefaults__ = None
    made.__code__ = _asking_code()
    made._before = before


@cache
def _asking_code() -> CodeType:
    text = (
        "def call(*arguments, **named):\n"
        "    result = _answered(_called, _itself, arguments, named)\n"
        "    return _before(*arguments, **named) if result is _UNANSWERED else result\n"
    )
    scope: dict[str, FunctionType] = {}
    exec(codes.code(text, CALL), scope)
    return scope["call"].__code__


def _answered(called: _Called, function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What modes and classes make of a call."""
    if called.method:
        function = state.handed(function, called.known_as)
    return answer(function, arguments, named, f"{called.owner}.{called.known_as}", _in_python(called))


def _in_python(called: _Called) -> bool:
    """Whether PyTorch has written a function in Python."""
    return called.known_as not in _NATIVE.get(called.owner, ())


def declared_as(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that one which users call stands around; itself, where it stands around none."""
    found: Callable[..., Any] = getattr(function, "_declared", function)
    return found


@cache
def _code(shape: tuple[tuple[str, Any, bool, str], ...]) -> CodeType:
    """The code for parameters of these names and kinds, of which each must be given or not, and may take one type only."""
    positional = [name for name, kind, _, _ in shape if kind is _POSITIONAL]
    keywords = [name for name, kind, _, _ in shape if kind is _NAMED]
    rest = next((name for name, kind, _, _ in shape if kind is _REST), "")
    head = ", ".join([*(f"{n}=None" for n in positional), f"*{rest or 'more'}", *(f"{n}=None" for n in keywords), "**others"])
    needed = [f"{name} is _MISSING" for name, kind, must, _ in shape if must and kind is not _REST]
    doubtful = [f"({_not_of(name, type_)} and {name} is not _{name})" for name, _, _, type_ in shape if type_]
    unlike = " or ".join([*([] if rest else ["more"]), "others", *needed])
    given = ", ".join(f"{name!r}: {name}" for name in (*positional, *keywords))
    arguments = ", ".join([*positional, *([f"*{rest}"] if rest else []), *(f"{n}={n}" for n in keywords)])
    text = (
        f"def call({head}):\n"
        f"    if {unlike}: return _settled(_called, {{{given}}}, {rest or 'more'}, others)\n"
        + (f"    if {' or '.join(doubtful)}: _checked(_called, {{{given}}}, {rest or 'more'})\n" if doubtful else "")
        + _tried(arguments, given, rest or "more")
    )
    scope: dict[str, FunctionType] = {}
    exec(codes.code(text, CALL), scope)
    return scope["call"].__code__


def _not_of(name: str, kind: str) -> str:
    """Whether a parameter's value is of none of the types that values of a kind mostly have."""
    types = {"int": ("int",), "bool": ("bool",), "float": ("float", "int"), "Number": ("float", "int")}[kind]
    return " and ".join([f"{name}.__class__ is not {each}" for each in types])


def _checked(called: _Called, given: dict[str, Any], more: Sequence[Any]) -> None:
    """Raise what PyTorch says of arguments that the function does not take."""
    error = _failed(called, given, more)
    if isinstance(error, Exception):
        raise error


class Answer:
    """What another class than Tensor made of a call that failed without it."""

    def __init__(self, result: Any) -> None:
        self.result = result


def _failed(called: _Called, given: dict[str, Any], more: Sequence[Any]) -> Exception | Answer | None:
    """What PyTorch says of a call that has failed, where it was given what the function does not take; or what a class makes of
    it that says so itself."""
    positional, named = _as_given(called, given)
    arguments = (*positional.values(), *more)
    if overriding_in((*arguments, *named.values())):
        function = _around[id(called.function), called.known_as, called.owner, called.out]
        result = _answered(called, function, arguments, named)
        if result is not UNANSWERED:
            return Answer(result)
    return refused(called.owner, called.known_as, positional, named, called.rest, more)


def _as_given(called: _Called, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a call was given by position, and by name."""
    positional: dict[str, Any] = {}
    named: dict[str, Any] = {}
    gap = False
    for p in called.parameters:
        if p.name not in given or _is_free(called, given, p.name):
            gap = True
        else:
            (named if gap or p.kind is _NAMED else positional)[p.name] = given[p.name]
    return positional, named


def settled(called: _Called, given: dict[str, Any], more: Sequence[Any], others: dict[str, Any]) -> Any:
    """The result of a call whose arguments do not fit as they stand.

    Args:
        given: what the parameters were given, `MISSING` for nothing.
        more: what was given beyond the positional ones, which may be sizes.
        others: what was given by names that the function does not have.

    Raises:
        TypeError: in PyTorch's words, where they do not fit by other names either.
    """
    out = others.pop("out", None) if called.out else None
    rest, unknown = called.rest, {}
    if rest in others and not more:
        more = (others.pop(rest),)
    for name, value in others.items():
        own = called.own(name)
        if own and _is_free(called, given, own):
            given[own] = value
        else:
            unknown[name] = value
    missing = [name for name, value in given.items() if value is MISSING]
    if more and not rest and not unknown:
        before = [value for name, value in given.items() if value is not MISSING and not _is_free(called, given, name)]
        if (former := reordered(called.name, called.method, called.parameters, [*before, *more])) is not None:
            return called.function(*former[0], **former[1])
    if unknown or (more and not rest) or missing:
        raise _misfit(called, given, more, unknown, missing)
    positional = [given.pop(p.name) for p in called.parameters if p.kind is _POSITIONAL]
    if out is None:
        return called.function(*positional, *more, **given)
    return _into(called, out, [*positional, *more], given)


def _asking_first(function: FunctionType, owner: str, name: str) -> Callable[..., Any]:
    """Around a function that takes what it says, one that asks the classes of its arguments first."""
    key = (id(function), name, owner, False)
    made = _around.get(key)
    if made is None:
        called = _Called(function, name, (), owner, name, out=False)
        made = _around[key] = _named(asks_first(function, f"{owner}.{name}"), called)
    return made


def _with_out(called: _Called) -> Callable[..., Any]:
    """Around a function that takes any names, one that takes `out` besides."""

    def call(*arguments: Any, out: Any = None, **named: Any) -> Any:
        if state.begun:
            given = named if out is None else {**named, "out": out}
            if (result := _answered(called, call, arguments, given)) is not UNANSWERED:
                return result
        try:
            return called.function(*arguments, **named) if out is None else _into(called, out, arguments, named)
        except Exception:
            worded = refused(called.owner, called.known_as, {}, {}, called.rest, arguments[called.method :])
            if worded is None:
                raise
        raise worded

    return _named(call, called)


def _with_former(called: _Called, function: Any) -> Callable[..., Any]:
    """Around a method that writes in place, one that takes a factor before its tensors, too; itself, where it has none."""
    of = getattr(function, "_of", None)
    parameters = () if of is None else tuple(inspect.signature(of, follow_wrapped=False).parameters.values())
    if not called.method or not factors_of(parameters):
        return called.function

    def call(*arguments: Any, **named: Any) -> Any:
        if len(arguments) > 2 and not named:
            former = reordered(called.name, True, parameters, list(arguments))
            if former is not None:
                return called.function(*former[0], **former[1])
        return called.function(*arguments, **named)

    return _named(call, called)


def _is_free(called: _Called, given: dict[str, Any], name: str) -> bool:
    """Whether a parameter has been given nothing yet."""
    default = next((p.default for p in called.parameters if p.name == name), inspect.Parameter.empty)
    return given[name] is MISSING or (default is not inspect.Parameter.empty and given[name] is default)


def _misfit(
    called: _Called, given: dict[str, Any], more: Sequence[Any], unknown: dict[str, Any], missing: list[str]
) -> TypeError:
    positional = [p for p in called.parameters if p.kind is _POSITIONAL][called.method :]
    needed = [p for p in positional if p.default is p.empty]
    own = [p for p in called.parameters[called.method :] if p.name in given and not _is_free(called, given, p.name)]
    if called.name in overloads() and not called.method:
        return invalid_combination(called.name, *[given[p.name] for p in own], *more, **unknown)
    if more:
        few = f"from {len(needed)} to {len(positional)}" if len(needed) < len(positional) else str(len(positional))
        noun = "argument" if len(positional) == 1 == len(needed) else "arguments"
        count = len(positional) + len(more)
        verb = "was" if count == 1 else "were"
        return TypeError(f"{called.name}() takes {few} positional {noun} but {count} {verb} given")
    if missing:
        error = _failed(called, given, more)
        if isinstance(error, TypeError):
            return error
        names = ", ".join(f'"{"input" if name == "self" else name}"' for name in missing)
        noun = "arguments" if len(missing) == 1 else "argument"  # as PyTorch has them
        return TypeError(f"{called.name}() missing {len(missing)} required positional {noun}: {names}")
    return TypeError(f"{called.name}() got an unexpected keyword argument '{next(iter(unknown))}'")


# --- out= -----------------------------------------------------------------------------------------------------------------


def _into(called: _Called, out: Any, arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """The result written where `out` says, which is given back.

    Raises:
        RuntimeError: where a gradient would have to be recorded, or the dtype of `out` cannot hold the result.
    """
    targets = list(out) if isinstance(out, tuple | list) else [out]
    for target in targets:
        if not isinstance(target, Tensor):
            raise TypeError(f"{called.name}(): argument 'out' must be Tensor, not {type(target).__name__}")
    given = [*arguments, *named.values()]
    values = [each for value in given for each in (value if isinstance(value, tuple | list) else (value,))]
    if context.grad and any(isinstance(each, Tensor) and each.requires_grad for each in (*values, *targets)):
        raise RuntimeError(
            f"{called.name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    for target in targets:
        check_out(target, traits_of(called.name), f"{called.name}_" in INPLACE, given)
    with grad_mode(False):
        result = called.function(*arguments, **named)
        results = list(result) if isinstance(result, tuple | list) else [result]
        if len(results) != len(targets):
            raise invalid_combination(called.name, *given, out=out)
        for one, target in zip(results, targets, strict=True):
            _write(one, target)
    if isinstance(result, Tensor):
        return out
    fields = getattr(type(result), "fields", None)
    return tuple(targets) if fields is None else named_result(f"{called.name}_out", fields)(*targets)


def _write(result: Tensor, target: Tensor) -> None:
    if not dtypes.can_cast(result.dtype, target.dtype):
        names = dtypes.SCALAR_NAMES
        raise RuntimeError(f"result type {names[result.dtype]} can't be cast to the desired output type {names[target.dtype]}")
    shape = result._array.shape
    if target._array.shape != shape:
        if target._array.size:
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(target._array.shape)}, which does "
                f"not match the required output shape {list(shape)}. This behavior is deprecated, and in a future PyTorch "
                "release outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t "
                "by resizing it, inplace, to zero elements with t.resize_(0).",
                stacklevel=outside(),
            )
        resize_(target, shape)
    INPLACE["copy_"](target, result)
