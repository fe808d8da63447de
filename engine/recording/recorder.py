"""The observer, one method for each report of the engine and the program, in one class because the engine knows one observer:
notes what happens, as cheaply as it can, and has it written up as events later.

A note is a tuple of what would be gone afterwards (the array's bytes, the frame's instruction) and references to what stays.
Writing events at once made recorded programs seven times slower; a note costs a tenth of that. `flush` writes up the notes;
`events` and the tables do it first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeAlias

from ..autograd.node import Node
from ..context import context
from ..nn.module import Module
from ..op.declare import Op
from ..tensor import Tensor
from .bounded_text import name_of, said, shown
from .call_paths import Codes
from .encoder import Encoder
from .events import NOTHING, AnyEvent, Scope, Site
from .module_paths import Calls
from .recording import OpInfo, Recording
from .store import CAP, ArrayStore, StoredArray
from .tensor_paths import tensor_paths

_next = 0
"""The next id of any recorder. Ids grow over all recorders of a process, so an id below a recorder's first is not its own."""

BATCH = 20_000
HELD = 32 * 2**20
"""Notes, and bytes of arrays in them, after which they are written up, because they keep tensors alive."""
RATES = 64
"""Groups of an optimizer whose learning rates are noted."""
_PLAIN = frozenset((int, float, bool, str, type(None)))
LoopNest: TypeAlias = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]
"""The loops that run, outermost first: (line, iteration), and (cell, calls around it) of each, as `Scope` has them."""


class Recorder:
    """Observes the engine and keeps the log: `events` and the tables they refer to, all append-only.

    Args:
        program: file names under which the program's code was compiled, with their cell numbers.
        sink: called with each event as it is written.
        cap: elements up to which an array is kept whole.
    """

    def __init__(
        self, program: dict[str, int] | None = None, sink: Callable[[AnyEvent], None] | None = None, cap: int = CAP
    ) -> None:
        self.codes = Codes({"<program>": 0} if program is None else program)
        self.store = ArrayStore(cap)
        self.batch = BATCH
        """Notes after which they are written up."""
        self.first = _next
        self.module_calls = Calls()
        """The modules whose `forward` runs."""
        self._encoder = Encoder(self.store, self.first, self.codes, sink)
        self._notes: list[tuple[Any, ...]] = []
        self._loops: LoopNest = ((), ())
        self._grads: dict[int, tuple[Tensor, int]] = {}
        """id() of a `.grad` tensor -> (that tensor, id of its owner)."""
        self._names: dict[tuple[str, str], int] = {}
        self._named: dict[int, int] = {}
        """What has a name -> within how many calls of the program it was given one, the fewest."""
        self._running: list[int] = []
        """Numbers of the backward passes under way, the innermost last."""
        self._passes = 0
        self._where: tuple[Any, ...] = ()
        self.trained: LoopNest | None = None
        """The loops around the last backward pass that filled `.grad`; as long as there is none, around the last one."""
        self._fills = False
        self._left = self.store.left

    @property
    def program(self) -> dict[str, int]:
        """File names under which the program's code was compiled, with their cell numbers."""
        return self.codes.program

    # --- the log ----------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many events there are, about: notes count as one each."""
        return self._encoder.taken + len(self._encoder.events) + len(self._notes)

    @property
    def events(self) -> list[AnyEvent]:
        """The events so far."""
        self.flush()
        return self._encoder.events

    @property
    def sites(self) -> list[Site]:
        """Places in the text that events refer to."""
        self.flush()
        return self._encoder.sites

    @property
    def scopes(self) -> list[Scope]:
        """Functions and loop iterations that events refer to."""
        self.flush()
        return self._encoder.scopes

    @property
    def arrays(self) -> list[StoredArray]:
        """The arrays that events refer to."""
        self.flush()
        return self.store.arrays

    @property
    def ops(self) -> dict[str, OpInfo]:
        """The operations that events name."""
        self.flush()
        return self._encoder.ops

    def take(self) -> tuple[list[AnyEvent], list[Site], list[Scope], list[StoredArray]]:
        """What has come since the last time: events and the tables they refer to, which are forgotten here."""
        self.flush()
        return (*self._encoder.take(), self.store.take())

    def flush(self) -> None:
        """Write up all notes."""
        notes, self._notes = self._notes, []
        self._left = self.store.left
        self._encoder.write_up(notes)

    def trains(self, via: str) -> None:
        """A backward pass runs in the loops that run now."""
        if via == "backward" or not self._fills:
            self.trained = self._loops
            self._fills = via == "backward"

    def misses_some(self) -> None:
        """From now on things happen that are not recorded, or have happened."""
        self._encoder.thinned = True

    def drop_notes(self) -> None:
        """Forget what is not written up; whatever comes later must not refer to it."""
        self._notes = []

    def note(self, *what: Any) -> None:
        """Take a note: the name of the Encoder's method, then its arguments."""
        self._notes.append(what)
        if len(self._notes) >= self.batch or self._left - self.store.left > HELD:
            self.flush()

    def recording(self, source: tuple[str, ...] = ()) -> Recording:
        """What was recorded so far."""
        self.flush()
        encoder = self._encoder
        return Recording(
            source=source,
            events=list(encoder.events),
            sites=list(encoder.sites),
            scopes=list(encoder.scopes),
            arrays=list(self.store.arrays),
            ops=dict(encoder.ops),
        )

    # --- where ------------------------------------------------------------------------------------------------------------

    def where(self) -> tuple[Any, ...]:
        """What runs now: code, cell and instruction of the program's innermost frame, loops, module and call path."""
        # Frame 0 is this, 1 reports to the recorder, 2 is the engine's function that called it.
        frame: FrameType | None = sys._getframe(3)
        codes = self.codes
        while frame is not None:
            code = frame.f_code
            cell = codes.cell(code)
            if cell >= 0:
                return code, cell, frame.f_lasti, self._loops, self.module_calls.inside, codes.path(frame)
            frame = frame.f_back
        return ()

    # --- ids --------------------------------------------------------------------------------------------------------------

    def known(self, thing: Any) -> int:
        """The id of a tensor or node, NOTHING if it has none yet."""
        try:
            return int(thing._tape) - self.first if thing._tape >= self.first else NOTHING
        except AttributeError:
            return NOTHING

    def identify(self, tensor: Tensor) -> int:
        """The id of a tensor; one that came about unseen (a `.grad`, an array of the engine's) is introduced first."""
        number = self.known(tensor)
        if number >= 0:
            return number
        global _next
        state = self._state(tensor)  # first, because there may be no memory for it
        tensor._tape = _next
        _next += 1
        owner = self._grads.get(id(tensor))
        owner_id = NOTHING if owner is None else owner[1]
        self.note("introduced", self._where, state, tensor._node, self._running[-1:], owner_id)
        return tensor._tape - self.first

    def _state(self, tensor: Tensor) -> tuple[Any, ...]:
        """What of a tensor may change later."""
        counter = tensor._counter
        return (
            tensor,
            self.store.keep(tensor._array),
            tensor._needs,
            tensor._node,
            tensor._nr,
            0 if counter is None else counter.value,
        )

    # --- what the engine reports ----------------------------------------------------------------------------------------------

    def op(self, op: Op, arguments: tuple[Any, ...], result: Any, node: Node | None) -> None:
        """An operation ran."""
        global _next
        self._where = where = self.where()
        plain = self._arguments(arguments)
        needs = False
        saved = None
        number = _next
        if node is None:
            needs = any([a._needs for a in arguments if isinstance(a, Tensor)])
        else:
            node._tape = number
            number += 1
            saved = node.saved
        states = []
        keep = self.store.keep
        for tensor in result if result.__class__ is list else (result,):
            tensor._tape = number
            number += 1
            counter = tensor._counter
            version = 0 if counter is None else counter.value
            states.append((tensor, keep(tensor._array), tensor._needs, tensor._node, tensor._nr, version))
        _next = number
        if "detaches" in op.traits and (owner := self._grads.get(id(arguments[0]))) is not None:
            # A write to `w.grad.data` is a write to `w.grad`.
            self._grads[id(result)] = (result, owner[1])
        mode = _mode() if needs else context.grad
        self._notes.append(("op", where, op, plain, states, node, saved, mode, needs, self._running[-1:]))
        if len(self._notes) >= self.batch or self._left - self.store.left > HELD:
            self.flush()

    def _arguments(self, arguments: tuple[Any, ...]) -> Any:
        """The arguments as they are now: ids of tensors are settled, other things that may change become text."""
        first = self.first
        for a in arguments:
            kind = a.__class__
            if kind is Tensor:
                try:
                    if a._tape >= first:
                        continue
                except AttributeError:
                    pass
                self.identify(a)
            elif kind not in _PLAIN:
                return [self._argument(a) for a in arguments]
        return arguments

    def _argument(self, a: Any) -> Any:
        if isinstance(a, Tensor):
            self.identify(a)
            return a
        if isinstance(a, list | tuple):
            tensors = [inner for inner in a if isinstance(inner, Tensor)]
            for inner in tensors:
                self.identify(inner)
            return tuple(a) if tensors or isinstance(a, tuple) else Text(a)
        return a if a.__class__ in _PLAIN else Text(a)

    def wrote(self, op: Op, arguments: tuple[Any, ...], tensor: Tensor, node: Node | None) -> None:
        """An operation wrote in place."""
        self._where = where = self.where()
        if tensor._counter is not None:
            self.flush()  # so that the encoder knows all who share the memory
        owner = self._grads.get(id(tensor))
        if owner is not None:
            name = self._encoder.describe(name_of(op.name), op)
            self.note("grad_set", where, owner[1], self.store.keep(tensor._array), f"{name}_")
            if self.known(tensor) < 0:
                return
        plain = self._arguments(arguments)
        needs = node is None and any([a._needs for a in arguments if isinstance(a, Tensor)])
        states = [self._state(tensor)]
        for alias in self._encoder.aliases(tensor):
            if alias is not tensor and self.known(alias) >= 0:
                with suppress(RuntimeError):  # a view that may no longer be used says so to the program, not to us
                    alias.grad_fn  # noqa: B018  (a view catches up with the write when it is asked)
                states.append(self._state(alias))
        mode = _mode() if needs else context.grad
        self.note("wrote", where, op, plain, states, tensor._node, mode, needs, self._running[-1:])

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self._where = where = self.where()
        starts = [(self.identify(t), edge, g) for t, edge, g in roots]
        ids = tuple([self.identify(t) for t in inputs or ()])
        self._passes += 1
        self._running.append(self._passes)
        self.trains(via)
        self.note("backward_began", where, self._passes, starts, bool(retain_graph), bool(create_graph), ids, via)

    def node_ran(self, node: Node, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]) -> None:
        """A node's rule ran."""
        self._notes.append(("node_ran", self._where, self._running[-1], node, received, raw, sent))

    def accumulated(self, tensor: Tensor, increment: Any, node: Node) -> None:
        """A gradient arrived in a `.grad`."""
        grad = tensor._grad
        assert grad is not None
        number = self.identify(tensor)
        self._grads[id(grad)] = (grad, number)
        running = self._running[-1] if self._running else self._passes
        self.note("accumulated", self._where, running, number, increment, self.store.keep(grad._array), node)
        if self.known(grad) >= 0:
            # The program holds the gradient itself, which grew in place.
            self.note("grew", self._where, [self._state(grad)], self._running[-1:])

    def hook_ran(self, node: Node, before: Any, after: Any) -> None:
        """A hook replaced a gradient."""
        self.note("hook_ran", self._where, node, before, after)

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """The backward pass ended."""
        number = self._running.pop()
        self.note("backward_ended", self._where, number, not retain_graph, "" if error is None else said(error))

    def grad_set(self, tensor: Tensor, how: str) -> None:
        """A `.grad` was assigned."""
        self._where = where = self.where()
        number = self.identify(tensor)
        grad = tensor._grad
        array = NOTHING
        if grad is not None:
            self._grads[id(grad)] = (grad, number)
            array = self.store.keep(grad._array)
        self.note("grad_set", where, number, array, how)

    def flag_set(self, tensor: Tensor, flag: str, value: bool) -> None:
        """`requires_grad` was changed or `retain_grad` called."""
        self._where = where = self.where()
        self.note("flag_set", where, self.identify(tensor), flag, bool(value))

    def stepped(self, optimizer: Any, parameters: tuple[Any, ...]) -> None:
        """An optimizer with these parameters stepped."""
        self._where = where = self.where()
        updated: list[int] = []
        idle: list[int] = []
        for p in parameters:
            (idle if p._grad is None else updated).append(self.identify(p))
        self.note("stepped", where, name_of(type(optimizer).__name__), tuple(updated), tuple(idle), rates_of(optimizer))

    def read(self, tensor: Tensor, how: str) -> None:
        """The values of a tensor were handed out; of interest only for tensors that have been seen."""
        number = self.known(tensor)
        if number >= 0:
            self.note("read", self.where(), number, how)

    def module_began(self, module: Any) -> None:
        """A module is called."""
        self.module_calls.enter(module)

    def module_ended(self) -> None:
        """The innermost module's call is over."""
        self.module_calls.leave()

    def position(self) -> tuple[Any, ...]:
        """Where the program is now."""
        return self.where()

    # --- what the program reports ---------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any, function: str = "") -> None:
        """A name of the program was bound; tensors in lists, dicts, modules and objects are named by the path to them."""
        if isinstance(value, Tensor):
            self._bind(name, value, function, self.where())
            return
        if (function, name) in self._names:
            del self._names[(function, name)]
            self.note("named", self.where(), name_of(name), NOTHING, name_of(function))
        if value.__class__ in _PLAIN:
            return
        module = isinstance(value, Module)
        if module:
            self.module_calls.named(value, name)
        calls = _calls(self.where()) if module else 0
        for path, tensor, held in tensor_paths(value):
            # What has a name keeps it, but for parameters that functions had named before the program bound the model;
            # attributes are of interest only if they have been seen.
            number = self.known(tensor)
            before = self._named.get(number)
            bound = held or number >= 0 if before is None else module and held and calls < before
            if bound:
                self._bind(name + path, tensor, function, self.where())

    def _bind(self, name: str, tensor: Tensor, function: str, where: tuple[Any, ...]) -> None:
        self._where = where
        number = self.identify(tensor)
        if self._names.get((function, name)) == number:
            return
        self._names[(function, name)] = number
        calls = _calls(where)
        self._named[number] = min(self._named.get(number, calls), calls)
        self.note("named", where, name_of(name), number, name_of(function))

    def printed(self, text: str, stream: str = "stdout") -> None:
        """The program wrote text."""
        self.note("printed", self.where(), text, stream)

    def warned(self, category: str, message: str) -> None:
        """A warning was shown."""
        self.note("warned", self.where(), name_of(category), message)

    def raised(self, type: str, message: str, span: Site | None = None) -> None:
        """The program ended with an exception, at `span`."""
        self.note("raised", type, message, span)

    def cell_began(self, cell: int) -> None:
        """A notebook cell begins."""
        self.note("cell_began", cell)

    def cell_ended(self, cell: int, result: str | None) -> None:
        """A notebook cell ended."""
        self.note("cell_ended", cell, result)


def rates_of(optimizer: Any) -> tuple[float, ...]:
    """The learning rates of an optimizer's groups; () where one of them is no number, so that no code of the program's runs."""
    rates = []
    for group in optimizer.param_groups[:RATES]:
        rate = group.get("lr")
        if isinstance(rate, Tensor) and rate._array.size == 1:
            rate = rate._array.item()
        if rate.__class__ not in (int, float):
            return ()
        rates.append(float(rate))
    return tuple(rates)


def _mode() -> Any:
    """The grad mode; where gradients are not tracked, with what switched that off: (inference mode, where)."""
    return context.grad or (context.inference, context.opened)


class Text(str):
    """The text of an argument that is no plain value."""

    __slots__ = ()

    def __new__(cls, value: Any) -> Text:
        return str.__new__(cls, shown(value))

    def __repr__(self) -> str:
        return str(self)


@contextmanager
def record(program: dict[str, int] | None = None) -> Iterator[Recorder]:
    """Record what the engine does: `with record({__file__: 0}) as tape: ...`, then `tape.recording()`."""
    recorder = Recorder(program)
    before = context.observer
    context.observer = recorder
    try:
        yield recorder
    finally:
        context.observer = before


def _calls(where: tuple[Any, ...]) -> int:
    """How many calls of the program are around a position."""
    return len(where[-1]) // 3 if where else 0
