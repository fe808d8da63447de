"""Faults of NumPy's own by which memory is read or written out of bounds, each mended at the one place that all come by.

As `natives` does with types of Python's: methods of arrays and scalars, and functions written in C, look at what they are given
before NumPy goes by it. Whoever calls them, the engine and NumPy's own modules among them, comes by here.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy._core import arrayprint

from . import dtypes, fields
from .errors import PolicyError
from .names import named
from .natives import replace, set_maker

ARRAY: Any = np.ndarray
DIGITS = 3000
"""Of a number that is written out; NumPy writes into 16 kB of its own, and looks only half-heartedly where they end."""


def mend() -> None:
    """Replace them in this process."""
    _shut_strings()
    replace(np.void, "__new__", staticmethod(_no_void))
    replace(np.generic, "byteswap", _named(_swapped_scalar, np.generic.byteswap))
    replace(type(np.zeros(0).flags), "__setitem__", _no_flag)
    fields.allow()
    for name, function in (
        ("__array__", _as_array), ("astype", _astype), ("byteswap", _byteswap), ("getfield", _getfield), ("repeat", _repeat),
        ("setfield", _setfield), ("view", _view),
    ):  # fmt: skip
        replace(ARRAY, name, _named(function, _REAL[name]))
    replaced = [(f, _named(mended, f)) for f, mended in ((_joined, _concatenate), (_unpacked, _unpackbits))]
    replaced += [(f, _of_few_digits(f)) for f in (np.format_float_positional, np.format_float_scientific)]
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] in ("numpy", "scipy"):
            for real, instead in replaced:
                for held in [n for n, v in vars(module).items() if v is real]:
                    setattr(module, held, instead)
    # What all readers of NumPy's own files come by, before an array is made.
    headers = np.lib.format.read_array.__globals__
    headers["descr_to_dtype"] = _described(headers["descr_to_dtype"])
    setattr(np.vectorize, "__init__", _named(_vectorized, np.vectorize.__init__))  # noqa: B010
    for name in ("_make_options_dict",):  # what all ways to set how arrays are written come by
        setattr(arrayprint, name, _of_few_digits(getattr(arrayprint, name)))


_REAL = {name: vars(ARRAY)[name] for name in ("__array__", "astype", "byteswap", "getfield", "repeat", "setfield", "view")}
_joined: Any = np.concatenate
_unpacked: Any = np.unpackbits


def _named(function: Any, real: Any) -> Any:
    name = real.__name__
    function.__name__, function.__qualname__, function.__doc__ = name, getattr(real, "__qualname__", name), real.__doc__
    return function


# --- types that are not there -------------------------------------------------------------------------------------------------


def _shut_strings() -> None:
    """Let nobody make NumPy's `StringDType`: each has memory of its own, and an array looked at with another's reads beyond it.

    Its maker becomes that of `np.dtype`, which refuses to make any but those that NumPy began with.

    Raises:
        RuntimeError: if it can be made nevertheless.
    """
    if not hasattr(np.dtypes, "StringDType"):
        return
    set_maker(np.dtypes.StringDType, np.dtype)
    make: Any = np.dtype
    try:
        make("T")
    except TypeError:
        return
    raise RuntimeError("this NumPy does not let its StringDType be shut out")


def _no_void(cls: Any, *_: Any, **__: Any) -> NoReturn:
    """What `np.void` makes of anything would lie in memory as it is found, or hold objects that nobody put there."""
    raise PolicyError(f"'{cls.__name__}' objects cannot be made by calling their type here", "Index an array with fields.")


def _no_flag(self: Any, name: Any, value: Any) -> NoReturn:
    """An array that must not be written to says so by a flag."""
    raise PolicyError("the flags of an array cannot be set in programs here", "Use copy() to get an array that can be written.")


# --- what is looked at as another type ----------------------------------------------------------------------------------------


def _swapped_scalar(self: Any, inplace: Any = False) -> Any:
    if inplace:
        raise ValueError("cannot byteswap a scalar in-place")
    # NumPy itself hands out memory as it is found where there are fields.
    return np.array(self).byteswap()[()]


def _byteswap(self: Any, *others: Any, **options: Any) -> Any:
    if dtypes.has_text(self.dtype):
        raise PolicyError("the bytes of text cannot be swapped here", "Use a.astype(a.dtype.newbyteorder()).")
    return _REAL["byteswap"](self, *others, **options)


def _as_array(self: Any, *others: Any, **options: Any) -> Any:
    if others:
        others = (dtypes.settled(others[0]), *others[1:])
    return _REAL["__array__"](self, *others, **_of_dtype(options))


def _astype(self: Any, *others: Any, **options: Any) -> Any:
    if others:
        others = (dtypes.settled(others[0]), *others[1:])
    return _REAL["astype"](self, *others, **_of_dtype(options))


def _view(self: Any, *others: Any, **options: Any) -> Any:
    if not others and not options:
        return _REAL["view"](self)
    if others and not (isinstance(others[0], type) and issubclass(others[0], ARRAY)):
        others = (dtypes.settled(others[0]), *others[1:])
    found = _REAL["view"](self, *others, **_of_dtype(options))
    before, after = self.dtype, found.dtype
    if before.kind in _NUMBERS and after.kind in _NUMBERS:
        return found
    return dtypes.seen(before, found)


_NUMBERS = "biufcSOmM"
"""Kinds of types in which no text can be."""


def _getfield(self: Any, dtype: Any, offset: Any = 0) -> Any:
    return dtypes.seen(self.dtype, _REAL["getfield"](self, dtypes.settled(dtype), offset), aside=True)


def _setfield(self: Any, val: Any, dtype: Any, offset: Any = 0) -> None:
    dtype = dtypes.settled(dtype)
    if dtypes.has_text(self.dtype) or dtypes.has_text(np.dtype(dtype)):
        raise PolicyError("setfield cannot write to or as text here", "Assign to the field: a['name'] = values.")
    _REAL["setfield"](self, val, dtype, offset)


def _of_dtype(options: dict[str, Any]) -> dict[str, Any]:
    if options:
        options = named(options)
        if "dtype" in options:
            options["dtype"] = dtypes.settled(options["dtype"])
    return options


_vectorize: Any = np.vectorize.__init__


def _vectorized(self: Any, pyfunc: Any = np._NoValue, otypes: Any = None, *others: Any, **options: Any) -> None:
    if otypes is not None and not isinstance(otypes, str):
        otypes = [dtypes.settled(kind) for kind in list(otypes)]
    _vectorize(self, pyfunc, otypes, *others, **options)


def _described(real: Any) -> Callable[..., Any]:
    """A function that reads a type out of a file's header, with a look at the type."""

    def described(descr: Any) -> Any:
        return dtypes.checked(real(dtypes.undivided(descr)))

    return _named(described, real)  # type: ignore[no-any-return]


# --- sums of sizes ------------------------------------------------------------------------------------------------------------


def _look_at(elements: float, what: str) -> None:
    """NumPy adds up how many elements there will be without a look at whether that can be said in 64 bits.

    Raises:
        ValueError: if it cannot.
    """
    if elements >= 2**62:
        raise ValueError(f"array is too big: {what} would have more elements than can be counted")


def _repeat(self: Any, repeats: Any, axis: Any = None) -> Any:
    if type(repeats) is int:
        total: float = repeats
    else:
        repeats = np.array(repeats)
        if repeats.dtype.kind not in "biu":
            return _REAL["repeat"](self, repeats, axis)
        total = int(repeats.flat[0]) if repeats.size == 1 else float(repeats.sum(dtype=float))
    _look_at(total * max(self.size, *self.shape, 1) * max(self.itemsize, 1), "what is repeated")
    return _REAL["repeat"](self, repeats, axis)


def _concatenate(*given: Any, **options: Any) -> Any:
    if given and type(given[0]) is not ARRAY and hasattr(type(given[0]), "__len__"):
        # What is no list either is made an array now: afterwards it might be a larger one.
        arrays = [a if type(a) in _COUNTED else np.asanyarray(a) for a in given[0]]
        _look_at(sum([a.size for a in arrays if isinstance(a, ARRAY)]), "the arrays together")
        given = (arrays, *given[1:])
    return _joined(*given, **options)


_COUNTED = frozenset((ARRAY, bool, complex, float, int, list, tuple))


def _unpackbits(*given: Any, **options: Any) -> Any:
    if given:
        given = (np.asanyarray(given[0]), *given[1:])
        _look_at(8 * given[0].size, "the bits")
    return _unpacked(*given, **options)


# --- numbers as text ----------------------------------------------------------------------------------------------------------


def _of_few_digits(real: Any) -> Callable[..., Any]:
    """A function that writes a number, or notes how all are written, with as many digits and blanks as there is room for."""
    names = [*inspect.signature(real).parameters]

    def written(*given: Any, **options: Any) -> Any:
        options, first = named(options), names[: len(given)]
        if len(given) > len(first) or not options.keys().isdisjoint(first):
            raise TypeError(f"{real.__name__}() got too many arguments, or one of them twice")
        options |= zip(first, given, strict=True)
        for name in _LENGTHS & options.keys():
            length = options[name]
            if length is not None and type(length) is not bool:
                options[name] = length = operator.index(length)
                if length > DIGITS:
                    raise ValueError(f"{name} is at most {DIGITS} here")
        return real(**options)

    return _named(written, real)  # type: ignore[no-any-return]


_LENGTHS = frozenset(("exp_digits", "min_digits", "pad_left", "pad_right", "precision"))
