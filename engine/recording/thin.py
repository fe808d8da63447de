"""The observer of what is recorded thinly: it takes notes of scalars that are used, of passes, steps and clearings, and of what
became of parameters and their gradients, and lets everything else go by.

It writes into the log of a `Recorder`, whose ids it shares. A tensor that it sees for the first time gets no id: what has none
is not spoken of. An exception is made for what turns out to matter, the root of a backward pass or a number that the program
reads; it is introduced with the place where it was made ("glimpsed"), because the results of one element of an iteration are
remembered.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from ..autograd.node import Node
from ..op.declare import Op
from ..tensor import Tensor
from .batch import HOLE
from .bounded_text import name_of
from .brief import brief
from .events import NOTHING, Read
from .numbering import IDS
from .recorder import Recorder, rates_of
from .store import StoredArray
from .writer import NOWHERE, Where

FEW = 200
"""Results of one element that are remembered in an iteration; a program of scalars has too many of them."""
JUMP = 10.0
"""A loss that is so many times the usual one is worth a look."""
USUAL = 32
"""Losses of which the usual one is the median."""


class ThinRecorder:
    """Observes the engine in a recorder's stead.

    Args:
        alarm: called when something happens that is worth a whole iteration: with its name where only its first time counts.
    """

    def __init__(self, recorder: Recorder, alarm: Callable[[str], None] = lambda once: None) -> None:
        self.recorder = recorder
        self.alarm = alarm
        self.left = FEW
        """How many scalars may still be remembered in this iteration."""
        self._scalars: dict[int, tuple[Tensor, Op, Any]] = {}
        """id() of a tensor of one element -> it, the operation that made it, and where."""
        self._dirty: dict[int, tuple[Tensor, Any, Op]] = {}
        """Id of a tensor that was written -> it, where for the first time, and what wrote it last."""
        self._aliases: dict[int, tuple[Tensor, Tensor]] = {}
        """id() of what `.data` or `detach()` made of a tensor that has an id -> both."""
        self._bound: dict[tuple[str, str], Tensor] = {}
        """Names of this iteration that stand for tensors without id: function and name."""
        self._held: dict[int, weakref.ref[Tensor]] = {}
        """Id of a tensor -> its `.grad` when that was last seen; nothing where there was none."""
        self._leaves: dict[int, tuple[Tensor, int]] = {}
        """Tensors that got a gradient, with their versions when they were last written down."""
        self._seen: set[str] = set()
        self._losses: deque[float] = deque(maxlen=USUAL)

    # --- iterations -------------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """An iteration is over: say what it has written, and forget the rest of it."""
        self._write_down()
        r = self.recorder
        for (function, name), _ in self._bound.items():
            if (function, name) in r._names:
                del r._names[(function, name)]
                r.named(NOWHERE, name, NOTHING, function)
        self._bound.clear()
        self._scalars.clear()
        self._aliases.clear()
        self.left = FEW

    def catch_up(self) -> None:
        """Something went by unseen: say what has become of the parameters and of their gradients since."""
        r = self.recorder
        changed = [tensor for tensor, version in self._leaves.values() if _version(tensor) != version]
        if changed:
            r.note(NOWHERE, "changed", None, [self._state(tensor) for tensor in changed])
        for number, (tensor, _) in list(self._leaves.items()):
            self._leaves[number] = tensor, _version(tensor)
            if not self._holds(tensor._grad, number):
                self._grad_changed(tensor, number, NOWHERE, "None" if tensor._grad is None else "unseen")

    def _write_down(self, here: Where = NOWHERE) -> None:
        """One event for each place at which tensors were written; `here` for those of which the place is not known."""
        if not self._dirty:
            return
        by_place: dict[Any, list[tuple[int, Tensor, Any, Op]]] = {}
        for number, (tensor, where, op) in self._dirty.items():
            by_place.setdefault(where[0], []).append((number, tensor, where, op))
        self._dirty.clear()
        for writes in by_place.values():
            _, _, where, op = writes[-1]
            at = here if where == NOWHERE else where
            self.recorder.note(at, "changed", op, [self._state(tensor) for _, tensor, _, _ in writes])
            for number, tensor, _, _ in writes:
                if number in self._leaves:
                    self._leaves[number] = tensor, _version(tensor)

    def _state(self, tensor: Tensor) -> tuple[Any, ...]:
        """What a tensor is now, with the statistics of its values."""
        r = self.recorder
        node = tensor._node
        described = node if r.known(node) >= 0 else None
        array = r.store.put(brief(tensor._array))
        return tensor, array, r.store.kind, tensor._needs, described, tensor._nr, _version(tensor)

    def _glimpse(self, tensor: Tensor) -> int:
        """The id of a tensor that matters; one without is introduced."""
        r = self.recorder
        number = r.known(tensor)
        if number >= 0:
            return number
        _, op, where = self._scalars.get(id(tensor)) or (tensor, _op_of(tensor._node), r._where)
        state = self._state(tensor)
        tensor._tape = IDS.give()
        number = tensor._tape - r.first
        r.note(where, "glimpsed", op, state, tensor._node is None)
        for (function, name), bound in list(self._bound.items()):
            if bound is tensor:
                del self._bound[function, name]
                r._names[(function, name)] = number
                r.named(where, name, number, function)
        return number

    # --- what the engine reports ------------------------------------------------------------------------------------------

    def op(self, op: Op, arguments: tuple[Any, ...], result: Any, node: Node | None) -> None:
        """An operation ran: its result is remembered where it is a single number."""
        if result.__class__ is not list and self.left and result._array.size == 1:
            self.left -= 1
            self._scalars[id(result)] = result, op, self.recorder.where()
        if "detaches" in op.traits and arguments:
            owner = arguments[0]
            r = self.recorder
            held = r.owner_of(owner)
            if held >= 0:
                r.owns(held, result)
            elif r.known(owner) >= 0:
                self._aliases[id(result)] = result, owner

    def wrote(self, op: Op, arguments: tuple[Any, ...], tensor: Tensor, node: Node | None) -> None:
        """An operation wrote in place: of interest for tensors that have an id, for their views, and for gradients."""
        r = self.recorder
        held = r.owner_of(tensor)
        if held >= 0:
            array = r.store.put(brief(tensor._array))
            r.note(r.where(), "grad_set", held, array, f"{r._encoder.describe(name_of(op.name), op)}_")
            return
        target: Any = tensor
        number = r.known(tensor)
        if number < 0:
            alias = self._aliases.get(id(tensor))
            target = alias[1] if alias is not None else tensor._view.base if tensor._view is not None else None
            number = r.known(target)
            if target is None or number < 0:
                return
        before = self._dirty.get(number)
        # An optimizer's writes happen where it steps, which is told once they are all done.
        where = before[1] if before is not None else NOWHERE if op.kind == "optimizer" else r.where()
        self._dirty[number] = target, where, op

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        r = self.recorder
        r._where = where = r.where()
        starts = [(self._glimpse(t), edge, g) for t, edge, g in roots]
        ids = tuple([self._glimpse(t) for t in inputs or ()])
        r._passes += 1
        r._running.append(r._passes)
        r.trains(via)
        r.note(where, "backward_began", r._passes, starts, bool(retain_graph), bool(create_graph), ids, via)
        for tensor, _, _ in roots:
            if tensor._array.size == 1:
                self._look(float(abs(tensor._array.item())), loss=True)

    def node_ran(self, node: Node, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]) -> None:
        """A node's rule ran."""

    def accumulated(self, tensor: Tensor, increment: Any, node: Node) -> None:
        """A gradient arrived in a `.grad`: how large the sum is now."""
        r = self.recorder
        number = r.known(tensor)
        if number < 0 or not r._running:
            return
        grad = tensor._grad
        assert grad is not None
        self._hold(tensor, number)
        stored = brief(grad._array)
        r.arrived(r._running[-1], number, NOTHING, r.store.put(stored), NOTHING)
        self._look(_norm(stored))

    def hook_ran(self, node: Node, before: Any, after: Any) -> None:
        """A hook replaced a gradient."""

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """The backward pass ended."""
        self.recorder.backward_ended(retain_graph, error)

    def grad_set(self, tensor: Tensor, how: str) -> None:
        """A `.grad` was assigned."""
        number = self.recorder.known(tensor)
        if number >= 0:
            self._grad_changed(tensor, number, self.recorder.where(), how)

    def _grad_changed(self, tensor: Tensor, number: int, where: Where, how: str) -> None:
        r = self.recorder
        self._hold(tensor, number)
        grad = tensor._grad
        r.note(where, "grad_set", number, NOTHING if grad is None else r.store.put(brief(grad._array)), how)

    def _hold(self, tensor: Tensor, number: int) -> None:
        """Know a tensor's `.grad` when it is written, and forget the one that it had before."""
        r, grad = self.recorder, tensor._grad
        if not self._holds(grad, number):
            before = self._held.pop(number, None)
            r.disowns(None if before is None else before())
            if grad is not None:
                self._held[number] = weakref.ref(grad)
        if grad is not None:
            r.owns(number, grad)
        if number not in self._leaves:
            self._leaves[number] = tensor, _version(tensor)

    def _holds(self, grad: Tensor | None, number: int) -> bool:
        """Whether a tensor's `.grad` is still what it was."""
        held = self._held.get(number)
        return grad is None if held is None else grad is not None and held() is grad

    def flag_set(self, tensor: Tensor, flag: str, value: bool) -> None:
        """`requires_grad` was changed or `retain_grad` called."""
        r = self.recorder
        number = r.known(tensor)
        if number >= 0:
            r.note(r.where(), "flag_set", number, flag, bool(value))

    def stepped(self, optimizer: Any, parameters: tuple[Any, ...]) -> None:
        """An optimizer stepped, after what it has written."""
        r = self.recorder
        r._where = where = r.where()
        self._write_down(where)
        known = [(p, number) for p in parameters if (number := r.known(p)) >= 0]
        updated = tuple([number for p, number in known if p._grad is not None])
        idle = tuple([number for p, number in known if p._grad is None])
        r.note(where, "stepped", name_of(type(optimizer).__name__), updated, idle, rates_of(optimizer))

    def read(self, tensor: Tensor, how: str) -> None:
        """The values of a tensor were handed out."""
        r = self.recorder
        number = r.known(tensor)
        if number < 0:
            if id(tensor) not in self._scalars:
                return
            r._where = r.where()
            number = self._glimpse(tensor)
        r._row(r.where(), (Read, how), lambda: Read(HOLE, how), number)
        if tensor._array.size == 1 and tensor._array.dtype.kind == "f":
            self._look(float(tensor._array.item()))

    def module_began(self, module: Any) -> None:
        """A module is called."""
        self.recorder.module_began(module)

    def module_ended(self) -> None:
        """The innermost module's call is over."""
        self.recorder.module_ended()

    def position(self) -> Where:
        """Where the program is now."""
        return self.recorder.where()

    # --- what the program reports -----------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any, function: str = "", given: bool = False) -> None:
        """A name was bound: one that stands for something without id now stands for nothing, as far as is known."""
        r = self.recorder
        if isinstance(value, Tensor):
            if r.known(value) >= 0:
                self._bound.pop((function, name), None)
                r._bind(name, value, function, r.where())
                return
            if id(value) in self._scalars:
                self._bound[(function, name)] = value  # it may be glimpsed
                return
        if (function, name) in r._names:
            del r._names[(function, name)]
            r.named(r.where(), name, NOTHING, function)

    # --- what is worth a whole iteration ----------------------------------------------------------------------------------

    def _look(self, size: float, loss: bool = False) -> None:
        if not math.isfinite(size):
            kind = "NaN" if math.isnan(size) else "infinity"
            if kind not in self._seen:
                self._seen.add(kind)
                self.alarm(kind)
        elif loss:
            if len(self._losses) == USUAL and size > JUMP * median(self._losses) > 0:
                self.alarm("")
            self._losses.append(size)


def _version(tensor: Tensor) -> int:
    return 0 if tensor._counter is None else tensor._counter.value


def _op_of(node: Node | None) -> Op | None:
    """The operation that made a node's tensor, as far as the node knows it."""
    found = getattr(node.__class__, "_op", None)
    return found if isinstance(found, Op) else None


def _norm(stored: StoredArray) -> float:
    """The norm of what was kept; NaN or infinite where there is either in it."""
    if stored.summary is not None:
        return math.nan if stored.summary.nan else math.inf if stored.summary.inf else stored.summary.norm
    values = stored.to_numpy()
    if values is None or values.dtype.kind not in "fc":
        return 0.0
    return float(abs(values).sum())
