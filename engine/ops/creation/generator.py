"""The source of random numbers: generators, and the one that `manual_seed` sets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...compat.classes import known_as
from ...cuda import not_loaded
from ...rng import Stream
from ...safe_attributes import meant_for
from ...tensor import Tensor, constant
from ...tensor_attributes import as_device, device

DEFAULT_SEED = 67280421310721


class Generator:
    """A source of random numbers, as `torch.Generator`."""

    _stream: Stream = None  # type: ignore[assignment]  # each object has its own

    def __init__(self, device: Any = "cpu") -> None:
        if as_device(device).type == "cuda":
            raise not_loaded("get CUDA generator")
        self._stream = Stream(DEFAULT_SEED)

    @property
    def device(self) -> device:
        """Always the CPU."""
        return device("cpu")

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`."""
        self._stream.seed(int(seed))
        return self

    def seed(self) -> int:
        """Start from a seed that is different each time."""
        self.manual_seed(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]))
        return self._stream.begun

    def initial_seed(self) -> int:
        """The seed it was started from."""
        return self._stream.begun

    def get_state(self) -> Tensor:
        """The state as a tensor of bytes."""
        return constant(self._stream.state())

    def set_state(self, new_state: Tensor) -> Generator:
        """Go on from a state that `get_state` gave."""
        if not isinstance(new_state, Tensor) or new_state._array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        self._stream.restore(new_state._array)
        return self


known_as("torch._C", Generator)
default_generator = Generator()
default_generator.seed()


def manual_seed(seed: int) -> Generator:
    """Set the seed of all random functions."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Set a seed that is different each time, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed the random functions were started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the random functions as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Go on from a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, **_: Any) -> Iterator[None]:
    """Restore the state of the random functions at the end of the block."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)


def source(generator: Generator | None) -> Stream:
    """The stream of a generator, of the default one for None."""
    return (default_generator if generator is None else meant_for(generator, Generator))._stream
