"""How things are written into pickles: by what they are made again."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.creation.generator import Generator
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..tensor_attributes import Size, device, layout
from .makers import DTYPE
from .names import name
from .tensors import Memory

MULTIARRAY = {n: name("numpy._core.multiarray", n) for n in ("_reconstruct", "scalar")}


def is_plain(thing: Any, dtype: Any) -> bool:
    """Whether an array or a scalar is one of numbers or texts.

    Raises:
        TypeError: if it is not.
    """
    if not DTYPE.fullmatch(dtype.str):
        raise TypeError(f"cannot pickle an array of dtype {dtype} here")
    return True


def dtype_state(dtype: Any) -> tuple[Any, ...]:
    width, order = (dtype.itemsize, dtype.alignment) if dtype.kind in "SU" else (-1, -1)
    return 3, dtype.str[0], None, None, None, width, order, 0


def _array_reduced(array: Any) -> Any:
    is_plain(array, array.dtype)
    fortran = bool(array.flags.f_contiguous and not array.flags.c_contiguous)
    state = 1, array.shape, array.dtype, fortran, array.tobytes("F" if fortran else "C")
    return MULTIARRAY["_reconstruct"], (np.ndarray, (0,), b"b"), state


def memory_of(thing: Any) -> Memory | None:
    """The memory that something is, if it is memory."""
    if type(thing) in (TypedStorage, UntypedStorage):
        return Memory(thing._flat, type(thing) is TypedStorage)
    return thing if type(thing) is Memory else None


def _storage_reduced(thing: Any) -> Any:
    from .objects import Objects
    from .torch_files import legacy_written

    memory = memory_of(thing)
    assert memory is not None
    return name("torch.storage", "_load_from_bytes"), (legacy_written(memory, Objects()),)


def _generator_reduced(generator: Any) -> Any:
    return name("torch._C", "Generator"), (device("cpu"),), (generator.initial_seed(), None, generator.get_state())


REDUCED: dict[type, Callable[[Any], Any]] = {
    OrderedDict: lambda x: (OrderedDict, (), vars(x) or None, None, iter(list(x.items()))),
    Counter: lambda x: (Counter, (dict(x),)),
    defaultdict: lambda x: (defaultdict, (x.default_factory,), None, None, iter(list(x.items()))),
    deque: lambda x: (deque, ((), x.maxlen) if x.maxlen is not None else (), None, iter(list(x))),
    Size: lambda x: (Size, (tuple(x),)),
    device: lambda x: (device, (x.type,) if x.index is None else (x.type, x.index)),
    layout: lambda x: (name("torch.serialization", "_get_layout"), (repr(x),)),
    complex: lambda x: (complex, (x.real, x.imag)),
    range: lambda x: (range, (x.start, x.stop, x.step)),
    slice: lambda x: (slice, (x.start, x.stop, x.step)),
    np.ndarray: _array_reduced,
    Memory: _storage_reduced,
    TypedStorage: _storage_reduced,
    UntypedStorage: _storage_reduced,
    Generator: _generator_reduced,
}
