"""The only global state of the engine: whether gradients are tracked, who observes, and the sequence counter of nodes."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from .itself import OURS


class Observer(Protocol):
    """What may watch the engine. Every method is called after the fact, with live tensors and nodes."""

    def op(self, op: Any, arguments: tuple[Any, ...], result: Any, node: Any) -> None:
        """`op` ran on `arguments` (in the order of its parameters) and made `result`, one tensor or a tuple."""

    def wrote(self, op: Any, arguments: tuple[Any, ...], tensor: Any, node: Any) -> None:
        """`op` ran in place and wrote `tensor`."""

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began at `roots`: triples (tensor, node edge, gradient)."""

    def node_ran(self, node: Any, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]) -> None:
        """A node's rule turned the gradients `received` into `raw`, and `sent` them on with broadcasting undone."""

    def accumulated(self, tensor: Any, increment: Any, node: Any) -> None:
        """`increment` was added to (or, for a retained non-leaf, became) `tensor.grad`."""

    def hook_ran(self, node: Any, before: Any, after: Any) -> None:
        """A hook replaced the gradient `before` by `after`."""

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """The backward pass ended."""

    def grad_set(self, tensor: Any, how: str) -> None:
        """`tensor.grad` was assigned."""

    def flag_set(self, tensor: Any, flag: str, value: bool) -> None:
        """`requires_grad` was changed or `retain_grad` called."""

    def stepped(self, optimizer: Any, parameters: tuple[Any, ...]) -> None:
        """An optimizer stepped."""

    def read(self, tensor: Any, how: str) -> None:
        """The values of a tensor were handed out as numbers or as a NumPy array."""

    def module_began(self, module: Any) -> None:
        """An `nn.Module` is called."""

    def module_ended(self) -> None:
        """The innermost module's call is over, by return or exception."""

    def position(self) -> Any:
        """Where the program is now, to be kept as `Context.opened`."""


class Context:
    """Grad mode, the observer and the number the next node gets. Not per thread: one program runs in one thread."""

    __slots__ = (
        "_absent", "_dual", "_inference", "_layouts", "_linked", "_observer", "callbacks", "casts",
        "copy", "deepcopy", "fast", "grad", "node", "opened", "passes",
        "reached", "restricted", "sequence", "special", "task", "writing",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad = True
        self.sequence = 0
        self.special = False
        """Whether there is an observer, inference mode, stand-ins for arrays, arrays that do not stand row by row, or interest
        in new nodes or in tangents: what operations look at after they ran."""
        self._inference = False
        self._observer: Observer | None = None
        self._linked: Callable[[Any], None] | None = None
        self._dual: Callable[[Any, tuple[Any, ...], Any], None] | None = None
        self._absent: Callable[[Any, tuple[Any, ...], Any], None] | None = None
        self._layouts: Callable[[Any, tuple[Any, ...], Any], None] | None = None
        self.passes = 0
        """How many backward passes have begun."""
        self.reached: Any = None
        """The nodes that the backward pass under way reaches."""
        self.task = -1
        """The number of the backward pass under way, -1 outside of one."""
        self.restricted = False
        """Whether a backward pass under way is for some inputs only."""
        self.opened: Any = ()
        """Where gradients were switched off last, as the observer says it; () for nowhere."""
        self.node: Any = None
        """The node being executed, when the pass is observed or hooked."""
        self.fast: Any = None
        """The smaller dtype that products are computed in within `autocast`; None outside of it."""
        self.casts: dict[int, tuple[Any, Any]] | None = None
        """What leaves have been cast to within `autocast`, by the leaf's identity; None where nothing is kept."""
        self.callbacks: list[Callable[[], None]] = []
        """What is to be called when the backward pass under way has ended."""
        self.writing: Callable[[Any], None] | None = None
        """Called with each tensor that is about to be written in place; None for no call."""
        self.copy: Callable[[Any], Any] = copy.copy
        self.deepcopy: Callable[[Any], Any] = copy.deepcopy
        """How things of the program are copied: as Python does, or as a sandbox that runs the program does."""

    def _look(self) -> None:
        self.special = (
            self._inference
            or self._observer is not None
            or self._linked is not None
            or self._dual is not None
            or self._absent is not None
            or self._layouts is not None
        )

    @property
    def inference(self) -> bool:
        """Whether results are inference tensors, which autograd never takes up again."""
        return self._inference

    @inference.setter
    def inference(self, value: bool) -> None:
        self._inference = value
        self._look()

    @property
    def observer(self) -> Observer | None:
        """The observer, None for none."""
        return self._observer

    @observer.setter
    def observer(self, value: Observer | None) -> None:
        self._observer = value
        self._look()

    @property
    def linked(self) -> Callable[[Any], None] | None:
        """Called with each new node; None for no call."""
        return self._linked

    @linked.setter
    def linked(self, value: Callable[[Any], None] | None) -> None:
        self._linked = value
        self._look()

    @property
    def dual(self) -> Callable[[Any, tuple[Any, ...], Any], None] | None:
        """Called with each operation that has run, its arguments and its result, where tensors may carry tangents."""
        return self._dual

    @dual.setter
    def dual(self, value: Callable[[Any, tuple[Any, ...], Any], None] | None) -> None:
        self._dual = value
        self._look()

    @property
    def absent(self) -> Callable[[Any, tuple[Any, ...], Any], None] | None:
        """Called with each operation that has run, its arguments and its result, where there are stand-ins for arrays."""
        return self._absent

    @absent.setter
    def absent(self, value: Callable[[Any, tuple[Any, ...], Any], None] | None) -> None:
        self._absent = value
        self._look()

    @property
    def layouts(self) -> Callable[[Any, tuple[Any, ...], Any], None] | None:
        """Called with each operation that has run, its arguments and its result, once there are tensors whose elements do not
        stand in memory row by row."""
        return self._layouts

    @layouts.setter
    def layouts(self, value: Callable[[Any, tuple[Any, ...], Any], None] | None) -> None:
        self._layouts = value
        self._look()


context = Context()

_warned: set[str] = set()
_always = [False]


def warn_once(message: str, stacklevel: int = 2) -> None:
    """Warn as PyTorch does of what it says only once in a process, unless `set_warn_always(True)` asked for more."""
    if _always[0] or message not in _warned:
        _warned.add(message)
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)


def outside() -> int:
    """The `stacklevel` with which a warning of the caller's points at the program's line, as PyTorch's from C++ do."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(OURS):
        level, frame = level + 1, frame.f_back
    return level


def beyond(level: int) -> int:
    """A `stacklevel` of PyTorch's Python as it is here, where what users call stands around some functions as well."""
    real, counted, frame = 1, 1, sys._getframe(1)
    while counted < level and frame.f_back is not None:
        real, frame = real + 1, frame.f_back
        counted += frame.f_code.co_filename != CALL
    return real


CALL = "<engine op call>"
"""The file name of the code that stands around functions."""


def set_warn_always(b: bool) -> None:
    """Whether warnings that appear once in a process are to appear each time."""
    _always[0] = b


def is_warn_always_enabled() -> bool:
    """Whether warnings that appear once in a process appear each time."""
    return _always[0]


@contextmanager
def observed(observer: Observer | None) -> Iterator[None]:
    """Let `observer` watch the engine within the block; `None` for no observer."""
    before = context.observer
    context.observer = observer
    try:
        yield
    finally:
        context.observer = before


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Track gradients, or not, within the block."""
    before = context.grad
    context.grad = enabled
    try:
        yield
    finally:
        context.grad = before
