"""What the written code of an operation calls off its fast path: arguments that are no tensors, dtypes that differ, errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.saved_variable import Inference
from ..compat.signatures import invalid_combination, overloads, type_name
from ..compat.version import Changed
from ..context import context
from ..dtypes import result_dtype
from ..errors import UNIMPLEMENTED, sizes_mismatch, too_many_dims
from ..stand_ins import StandIn
from ..tensor import Tensor
from .declare import Op

INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
    "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use "
    "`torch.no_grad()` instead of `torch.inference_mode()`."
)
NUMBERS = (bool, int, float, complex, np.number, np.bool_)


def variable(name: str) -> str:
    """The variable of the written code that holds a parameter."""
    return "input" if name == "self" else name


def coerce(op: Op, value: Any, name: str, position: int) -> Any:
    """An argument that is not a tensor where one may stand: a number, None where that is the default, or a TypeError."""
    if (
        isinstance(value, NUMBERS)
        and accepts_numbers(op, name)
        and (position > 1 or name != "self" or not op.traits.isdisjoint(("number_first", "one_number")))
    ):
        return value.item() if isinstance(value, np.generic) else value
    if value is None and (op.parameters[position - 1].default is None or (name not in op.broadcast and position > 1)):
        return None
    shown = "input" if name == "self" else name
    if op.name in overloads():
        # The caller is the written function: its variables are the arguments.
        arguments = sys._getframe(1).f_locals
        given = [arguments[variable(p.name)] for p in op.parameters if p.name in op.rules or p.default is p.empty]
        raise invalid_combination(op.name, *given)
    raise TypeError(f"{op.name}(): argument '{shown}' (position {position}) must be Tensor, not {type_name(value)}")


def accepts_numbers(op: Op, name: str) -> bool:
    """Whether a number may stand for the input."""
    return name in op.broadcast and "tensors_only" not in op.traits


def number(value: Tensor, what: str) -> Any:
    """What a tensor stands for that is given for an argument that is none: the number that it holds, if it holds a single one.

    Raises:
        TypeError: if it needs a gradient, of which nothing would arrive at it.
    """
    array = value._array
    if array.__class__ is not np.ndarray or array.ndim:
        return value
    if value.requires_grad:
        raise TypeError(f"{what} must be Number, not Tensor")
    return array.item()


def real(value: Any) -> float:
    """A number as a float, as an argument that is none of a gradient's.

    Raises:
        TypeError: for anything else; what users call says it in PyTorch's words.
    """
    if value.__class__ is not float:
        if isinstance(value, Tensor):
            value = number(value, "an argument")
        elif isinstance(value, str):
            raise TypeError("a text is no number")
    return float(value)


def coerce_list(op: Op, values: Any, name: str) -> list[Any]:
    """The arrays of a sequence of tensors, brought to one dtype."""
    if isinstance(values, Tensor) or not isinstance(values, list | tuple):
        kind = type(values).__name__
        raise TypeError(f"{op.name}(): argument '{name}' (position 1) must be tuple of Tensors, not {kind}")
    for i, t in enumerate(values):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    arrays = [t._array for t in values]
    if arrays and any(a.dtype is not arrays[0].dtype for a in arrays):
        d = result_dtype(tuple(arrays))
        arrays = [a.astype(d, copy=False) for a in arrays]
    return arrays


FLOAT32 = np.dtype(np.float32)
NUMBERS32: dict[Any, np.ndarray[Any, Any]] = {}
"""0-d float32 arrays of Python numbers met so far: NumPy spends 200 ns on converting one, each time."""
MOST_NUMBERS = 1000


def promote(op: Op, *operands: Any) -> list[Any]:
    """The operands as arrays of the result's dtype; None stays None."""
    several = len(operands) == len(op.tensors) and "number_first" not in op.traits
    if several and not any([isinstance(x, np.ndarray) for x in operands]):
        raise invalid_combination(op.name, *operands)
    if "difference" in op.traits:
        _check_difference(operands)
    d = result_dtype(tuple(x for x in operands if x is not None))
    if op.floating and d.kind not in dtypes.INEXACT:
        d = dtypes.get_default_dtype()._numpy
    arrays: list[Any] = []
    exact = op.exact_numbers and d.char in "eE"
    for k, x in enumerate(operands):
        if exact and k and x is not None and np.ndim(x) == 0:
            # Beside numbers of 16 bits a single one is not rounded to them.
            arrays.append(np.asarray(x).astype(FLOAT32))
        elif x is None or (x.__class__ is np.ndarray and x.dtype is d):
            arrays.append(x)
        elif isinstance(x, np.ndarray):
            arrays.append(x if x.dtype is d else x.astype(d))
        else:
            array = np.asarray(x).astype(d)
            # Zero has two signs and True equals 1, so neither is kept.
            if x and d is FLOAT32 and x.__class__ is not bool:
                if len(NUMBERS32) > MOST_NUMBERS:
                    NUMBERS32.clear()
                NUMBERS32[x] = array
            arrays.append(array)
    return arrays


def _check_difference(operands: Sequence[Any]) -> None:
    truths = [x.__class__ is bool or (x.__class__ is np.ndarray and x.dtype.kind == "b") for x in operands]
    if any(truths):
        raise no_difference(sum(truths))


def no_difference(truths: int) -> RuntimeError:
    """What PyTorch says of differences of truth values: of one, or of two."""
    return UNIMPLEMENTED.now(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
        "instead."
        if truths == 2
        else "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
        "`~` or `logical_not()` operator instead."
    )


def to_floating(array: Any) -> Any:
    """The array in the default floating point dtype if it holds integers or bools."""
    return array if array is None or array.dtype.kind in dtypes.INEXACT else array.astype(dtypes.get_default_dtype()._numpy)


def autocast(*values: Any, raised: bool = False) -> list[Any]:
    """Arguments as `autocast` wants them: floating point tensors in its smaller dtype, or (`raised`) in float32."""
    target = dtypes.float32 if raised else context.fast
    return [_cast(v, target) if isinstance(v, Tensor) else v for v in values]


def _cast(tensor: Tensor, target: Any) -> Tensor:
    kind = tensor._array.dtype
    if kind.kind not in dtypes.FLOATING or kind.itemsize == 8 or kind == target._numpy:
        return tensor
    casts = context.casts
    if casts is None or not tensor._needs or tensor._node is not None or tensor._view is not None or not context.grad:
        made: Tensor = tensor.to(target)
        return made
    # A leaf, such as a weight, is cast once within the block.
    kept = casts.get(id(tensor))
    if kept is None or kept[0] is not tensor or kept[1].dtype is not target:
        kept = casts[id(tensor)] = (tensor, tensor.to(target))
    cast: Tensor = kept[1]
    return cast


def in_single(op: Op, *arguments: Any, **named: Any) -> Any:
    """What a formula gives for arrays of float16 or bfloat16: computed in float32, results in what they are.

    Raises:
        NotImplementedError, RuntimeError: for complex arrays, where the operation is for real numbers only.
    """
    if op.real_only:
        for value in (*arguments, *named.values()):
            for array in value if isinstance(value, list) else (value,):
                if array.__class__ is np.ndarray and array.dtype.kind == "c":
                    raise not_for(op.real_only, array.dtype)
    if "product" in op.traits and not op.broadcast and len({a.dtype for a in arguments if a.__class__ is np.ndarray}) > 1:
        return op.forward(*arguments, **named)  # which says that their dtypes differ
    first = next((k for value in (*arguments, *named.values()) if (k := _floating_of(value)) is not None), None)
    out = op.forward(*[_widened(a) for a in arguments], **{name: _widened(a) for name, a in named.items()})
    return tuple([_narrowed(a, first) for a in out]) if isinstance(out, tuple | list) else _narrowed(out, first)


def not_for(what: str | Exception | Changed[Exception], dtype: Any) -> Exception:
    """PyTorch's error for a dtype that an operation does not take: of a kernel by its name, or as a sentence."""
    if isinstance(what, Changed):
        what = what.now
    if isinstance(what, Exception):
        return type(what)(*what.args)
    if " " in what:
        return NotImplementedError(what)
    return NotImplementedError(f"\"{what}\" not implemented for '{dtypes.SCALAR_NAMES[dtypes.OF_NUMPY[dtype]]}'")


def _widened(value: Any) -> Any:
    if isinstance(value, list):
        return [_widened(v) for v in value]
    return value.astype(FLOAT32) if value.__class__ is np.ndarray and value.dtype.char in "eE" else value


def _floating_of(value: Any) -> Any:
    """The dtype of an array of floating point numbers, or of the first of a list of them; None of anything else."""
    if isinstance(value, list):
        return _floating_of(value[0]) if value else None
    return value.dtype if value.__class__ is np.ndarray and value.dtype.kind in dtypes.INEXACT else None


def _narrowed(value: Any, first: Any) -> Any:
    single = first is not None and first.char in "eE" and isinstance(value, np.ndarray | np.generic) and value.dtype == FLOAT32
    return np.asarray(value).astype(first) if single else value


def otherwise(op: Op, error: Exception, arrays: tuple[Any, ...], inputs: tuple[Any, ...]) -> Any:
    """What comes of an operation whose formula failed: on the meta device, where there is nothing for it to look at, what it
    makes of zeros.

    Raises:
        Exception: anywhere else, what PyTorch says of it.
    """
    if not any(a.__class__ is not np.ndarray and isinstance(a, StandIn) for a in tensors_of(arrays)):
        raise explain(op, error, arrays) from None
    from ..stand_ins.meta import of_zeros

    try:
        return of_zeros(op, inputs)
    except (ValueError, IndexError) as again:
        raise explain(op, again, arrays) from None


def tensors_of(arrays: Sequence[Any]) -> list[Any]:
    """The arrays, those in lists too."""
    return [a for x in arrays for a in (x if isinstance(x, list) else [x])]


def explain(op: Op, error: Exception, arrays: tuple[Any, ...]) -> Exception:
    """PyTorch's error for what NumPy refused."""
    if isinstance(error, IndexError):
        return too_many_dims(error) or error
    chosen = [a for n, a in zip(op.tensors, arrays, strict=True) if n in op.broadcast or not op.tensor_lists]
    shapes = [a.shape for a in chosen if isinstance(a, np.ndarray)]
    if op.broadcast and len(shapes) > 1:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            for other in shapes[1:]:
                try:
                    np.broadcast_shapes(shapes[0], other)
                except ValueError:
                    return sizes_mismatch(shapes[0], other)
            return sizes_mismatch(shapes[-2], shapes[-1])
    return too_many_dims(error) or RuntimeError(f"{op.name}: {error}")


def versions_of(saved: tuple[Any, ...]) -> tuple[int, ...]:
    """The version counters of the tensors among `saved`, 0 for the rest.

    Raises:
        RuntimeError: for an inference tensor, which autograd does not take up.
    """
    if any([isinstance(v, Tensor) and v._counter.__class__ is Inference for v in saved]):
        raise RuntimeError(INFERENCE_SAVED)
    return tuple(v._counter.value if isinstance(v, Tensor) and v._counter is not None else 0 for v in saved)
