"""The engine's errors: PyTorch's exception types and words, then one sentence of help.

RuntimeError
└── AutogradError        the backward pass cannot do what was asked
    └── InplaceError     a tensor needed for the gradient was changed in place, or may not be
├── LinAlgError          a matrix that cannot be inverted or factored
NotImplementedError
└── Unsupported          PyTorch has it, Gradtape does not
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

from .compat.version import Changed, since
from .limits import DIMS

UNIMPLEMENTED: Changed[type[RuntimeError]] = since("2.15", NotImplementedError, before=RuntimeError)
"""What an operation raises for a dtype that it has no kernel for, where it says so itself."""


NOT_COMPLEX: Changed[type[Exception]] = since("2.15", TypeError, before=RuntimeError)
"""What an operation on complex numbers raises for real ones."""


def refuses_complex(text: str) -> Changed[Exception]:
    """What an operation raises for complex numbers that cannot be ordered."""
    return since("2.15", TypeError(text), before=RuntimeError(text))


class AutogradError(RuntimeError):
    """A backward pass, or the use of a graph, that PyTorch refuses as well."""


class InplaceError(AutogradError):
    """An in-place operation that would make gradients wrong."""


class LinAlgError(RuntimeError):
    """A matrix that has no inverse, no factor, or no solution."""


for _kind, _shown in ((AutogradError, "RuntimeError"), (InplaceError, "RuntimeError"), (LinAlgError, "_LinAlgError")):
    # A program that prints the type's name prints what it would print in PyTorch.
    _kind.__name__ = _kind.__qualname__ = _shown
    _kind.__module__ = "builtins" if _shown == "RuntimeError" else "torch._C"


class Unsupported(NotImplementedError, AttributeError):
    """A part of PyTorch that Gradtape does not have. Also an AttributeError, so that `hasattr` and `getattr` work."""


def unsupported(owner: str, name: str, supported: Iterable[str]) -> Unsupported:
    """The error for a name that is not there: says which, the nearest that is, and where the list stands."""
    return Unsupported(
        f"{owner}.{name} is not supported by Gradtape.{nearest(owner, name, supported)} "
        "What is supported: the page's Help, or print(torch.supported())."
    )


_read = ContextVar("read", default=True)
"""Whether an error's message may be read."""


@contextmanager
def unread() -> Iterator[None]:
    """While thousands of names are tried the errors' messages are not read, and what was meant takes milliseconds to find."""
    token = _read.set(False)
    try:
        yield
    finally:
        _read.reset(token)


def nearest(owner: str, name: str, supported: Iterable[str]) -> str:
    """A question whether a similar name was meant, "" if there is none."""
    if not _read.get():
        return ""
    near = get_close_matches(name, list(supported), n=1, cutoff=0.75)
    return f" Did you mean '{owner}.{near[0]}'?" if near else ""


_TOO_MANY = ("maximum supported dimension for an ndarray", "ndmin must be <= ndmax", "number of dimensions must be within")


def too_many_dims(error: Exception) -> RuntimeError | None:
    """PyTorch's error for a tensor of more dimensions than NumPy has; None if NumPy refused something else."""
    return (
        None
        if not str(error).startswith(_TOO_MANY)
        else RuntimeError(f"only tensors with up to {DIMS.value()} dims are supported")
    )


def expands(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Refuse, as PyTorch does, a shape that cannot be expanded to another one of as many dimensions or more.

    Raises:
        RuntimeError: for one that cannot.
    """
    for back in range(1, min(len(shape), len(target)) + 1):
        if shape[-back] not in (1, target[-back]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[-back]}) must match the existing size ({shape[-back]}) at "
                f"non-singleton dimension {len(target) - back}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
            )


def sizes_mismatch(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's error for two shapes that do not broadcast; the dimension named is the last one that differs."""
    n = max(len(a), len(b))
    for i in range(1, n + 1):
        x = a[-i] if i <= len(a) else 1
        y = b[-i] if i <= len(b) else 1
        if x != y and x != 1 and y != 1:
            return RuntimeError(
                f"The size of tensor a ({x}) must match the size of tensor b ({y}) at non-singleton dimension {n - i}"
            )
    return RuntimeError(f"shapes {list(a)} and {list(b)} cannot be broadcast together")
