"""The observer, one method for each report of the engine and the program, in one class because the engine knows one observer:
writes down what happens as it happens, as rows of numbers (`batch`).

The four reports of which a program makes the most (an operation, a node's rule, a gradient that arrives, a name) find the form
of their event by what is seen at once, and pack its numbers; all others, and the first one of each form, are described by the
`Encoder`.
"""

from __future__ import annotations

import struct
import sys
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import numpy as np

from ..autograd.node import AccumulateGrad, Node
from ..autograd.saved_variable import Result
from ..context import context
from ..nn.module import Module
from ..op.declare import Op
from ..tensor import Tensor
from .assembly import Assembly
from .batch import Batch
from .bounded_text import name_of, said
from .call_paths import Codes
from .encoder import Encoder, State, cut_of
from .events import NOTHING, AnyEvent, CellBegan, CellEnded, Printed, Raised, Scope, Site, Warned
from .log import Events, scopes_of, sites_of
from .module_paths import Calls
from .numbering import IDS
from .recording import OpInfo, Recording
from .store import CAP, ArrayStore, StoredArray
from .tensor_paths import tensor_paths
from .writer import NOWHERE, LoopNest, Where, Writer

BATCH = 20_000
HELD = 32 * 2**20
"""Events, and bytes of larger arrays, after which they are handed over."""
RATES = 64
"""Groups of an optimizer whose learning rates are noted."""
_PLAIN = frozenset((int, float, bool, str, type(None)))
_NUMBERS = frozenset((int, float))
_TENSOR, _NUMBER, _DEFAULT, _ARRAY, _RESULT, _TEXT, _LEAF, _NOTHING, _VERSIONED = range(-9, 0)
"""What stands in the key of an operation's form for what fills holes, or is left out."""


class Recorder:
    """Observes the engine and keeps the log, which only grows.

    Args:
        program: file names under which the program's code was compiled, with their cell numbers.
        cap: elements up to which an array is kept whole.
    """

    def __init__(self, program: dict[str, int] | None = None, cap: int = CAP) -> None:
        self.codes = Codes({"<program>": 0} if program is None else program)
        self.store = ArrayStore(cap)
        self.batch = BATCH
        """Events after which they are handed over."""
        self.first = IDS.next
        self.module_calls = Calls()
        """The modules whose `forward` runs."""
        self.writer = Writer(self.store, self.codes)
        self._encoder = Encoder(self.writer, self.first)
        self._rows = self.writer.rows
        self._forms = self.writer.forms
        self._gradients = self._encoder.gradients
        self._known = self.codes.known
        self._assembly = Assembly()
        self._loops: LoopNest = ((), ())
        self._scopes: dict[tuple[str, str], dict[Any, int]] = {}
        """The scopes of the loops that run: module → code (and call path) → row."""
        self._here: dict[Any, int] = {}
        """Those of the module that runs."""
        self._grads: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        """id() of a `.grad` tensor -> (that tensor, id of its owner)."""
        self._grads_most = 256
        """How many of them may be there before those that are gone are forgotten."""
        self._names: dict[tuple[str, str], int] = {}
        self._named: dict[int, int] = {}
        """What has a name -> within how many calls of the program it was given one, the fewest."""
        self._running: list[int] = []
        """Numbers of the backward passes under way, the innermost last."""
        self._passes = 0
        self._where: Where = NOWHERE
        self.trained: tuple[tuple[int, int, int], ...] | None = None
        """The loops around the last backward pass that filled `.grad`; as long as there is none, around the last one."""
        self._fills = False
        self._enter_scopes()

    @property
    def program(self) -> dict[str, int]:
        """File names under which the program's code was compiled, with their cell numbers."""
        return self.codes.program

    # --- the log ----------------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many events there are."""
        return self.writer.count

    @property
    def events(self) -> Sequence[AnyEvent]:
        """The events so far."""
        return self.recording().events

    @property
    def sites(self) -> Sequence[Site]:
        """Places in the text that events refer to."""
        return self.recording().sites

    @property
    def scopes(self) -> Sequence[Scope]:
        """Functions and loop iterations that events refer to."""
        return self.recording().scopes

    @property
    def arrays(self) -> Sequence[StoredArray]:
        """The arrays that events refer to."""
        return self.recording().arrays

    @property
    def ops(self) -> dict[str, OpInfo]:
        """The operations that events name."""
        return self.writer.ops

    def take(self) -> Batch:
        """What has come since the last time, which is forgotten here."""
        return self.writer.take()

    def flush(self) -> None:
        """Hand over what has come since the last time: here, to what makes a recording of it."""
        self._assembly.add(self.take())

    def trains(self, via: str) -> None:
        """A backward pass runs in the loops that run now."""
        if via == "backward" or not self._fills:
            self.trained = self._loops[0]
            self._fills = via == "backward"

    def misses_some(self) -> None:
        """From now on things happen that are not recorded, or have happened."""
        self._encoder.thinned = True

    def note(self, where: Where, what: str, *arguments: Any) -> None:
        """Write an event down: the Encoder's method with this name makes it of its arguments."""
        self.writer.write(where, getattr(self._encoder, what), *arguments)
        if len(self._rows) >= self.batch or self.store.held > HELD:
            self.flush()

    def recording(self, source: tuple[str, ...] = ()) -> Recording:
        """What was recorded so far."""
        self.flush()
        tape = self._assembly.tape()
        return Recording(source, Events(tape), sites_of(tape), scopes_of(tape), self._assembly.stored(), dict(self.writer.ops))

    # --- where ------------------------------------------------------------------------------------------------------------

    def where(self) -> Where:
        """What runs now: the sites and scopes of the program's innermost frame."""
        # Frame 0 is this, 1 reports to the recorder, 2 is the engine's function that called it.
        frame: FrameType | None = sys._getframe(3)
        known = self._known
        while frame is not None:
            code = frame.f_code
            met = known.get(id(code)) or self.codes.of(code)
            if met.cell >= 0:
                instruction = frame.f_lasti
                site = met.sites.get(instruction)
                if site is None:
                    site = self.writer.site(met, instruction)
                if met.top:
                    path, key = (), met
                else:
                    path = self.codes.path(frame)
                    key = met, path
                scope = self._here.get(key)
                if scope is None:
                    scope = self._here[key] = self.writer.scope(met, self._loops, self.module_calls.inside, path)
                return site, scope
            frame = frame.f_back
        return NOWHERE

    def loops(self, nest: LoopNest) -> None:
        """Other loops, or other iterations of them, run from now on."""
        self._loops = nest
        self._scopes = {}
        self._enter_scopes()

    def _enter_scopes(self) -> None:
        inside = self.module_calls.inside
        here = self._scopes.get(inside)
        if here is None:
            here = self._scopes[inside] = {}
        self._here = here

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
        state = self._state(tensor)  # first, because there may be no memory for it
        tensor._tape = IDS.give()
        running = self._running[-1] if self._running else 0
        self.note(self._where, "introduced", state, tensor._node, running, self.owner_of(tensor))
        return tensor._tape - self.first

    def _state(self, tensor: Tensor) -> State:
        """What of a tensor may change later."""
        counter = tensor._counter
        return (
            tensor,
            self.store.keep(tensor._array),
            self.store.kind,
            tensor._needs,
            tensor._node,
            tensor._nr,
            0 if counter is None else counter.value,
        )

    def owner_of(self, tensor: Any) -> int:
        """The id of the tensor whose `.grad` a tensor is or was, NOTHING for none."""
        found = self._grads.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else NOTHING

    def owns(self, owner: int, grad: Tensor) -> None:
        """A tensor has a `.grad`. It is not kept alive."""
        grads = self._grads
        found = grads.get(id(grad))
        if found is not None and found[0]() is grad:
            return
        if len(grads) > self._grads_most:
            self._grads = grads = {key: held for key, held in grads.items() if held[0]() is not None}
            self._grads_most = 2 * len(grads) + 256
        grads[id(grad)] = weakref.ref(grad), owner

    def disowns(self, grad: Tensor | None) -> None:
        """Something is no longer a `.grad`."""
        if self.owner_of(grad) >= 0:
            del self._grads[id(grad)]

    # --- what the engine reports ----------------------------------------------------------------------------------------------

    def op(self, op: Op, arguments: tuple[Any, ...], result: Any, node: Node | None) -> None:
        """An operation ran."""
        self._where = where = self.where()
        needs, key, filling = self._arguments(op, arguments)
        several = result.__class__ is list
        outputs = result if several else (result,)
        number = IDS.next
        if node is not None:
            node._tape = number
            number += 1
        states = []
        for tensor in outputs:
            tensor._tape = number
            number += 1
            states.append(self._state(tensor))
        IDS.next = number
        grad = context.grad
        cut, opened = "", NOTHING
        if node is None:
            if needs:
                cut = cut_of(op, grad, context.inference)
                opened = _opened(grad)
            if "detaches" in op.traits and (owner := self.owner_of(arguments[0])) >= 0:
                self.owns(owner, result)  # a write to `w.grad.data` is a write to `w.grad`
        running = self._running[-1] if self._running else 0
        if key is None or several:
            self.note(where, "op", op, arguments, states, node, grad, cut, opened, running)
            return
        leaves: list[AccumulateGrad] = []
        if node is not None:
            leaves = self._key_of_node(node, key, filling)
        (state,) = states
        _, array, kind, needed, _, output, version = state
        view = result._view
        if view is not None:
            filling.append(self.known(view.base))
        filling.append(result._tape - self.first)
        filling.append(array)
        if version:
            filling.append(version)
        if running:
            filling.append(running)
        key += (kind, needed, output, version != 0, view is not None, result.__class__, grad, cut, opened, running != 0)
        self._op_row(where, tuple(key), filling, leaves, result, (op, arguments, states, node, grad, cut, opened, running))

    def _op_row(
        self,
        where: Where,
        key: tuple[Any, ...],
        filling: list[int],
        leaves: list[AccumulateGrad],
        result: Tensor,
        described: tuple[Any, ...],
    ) -> None:
        """Write down an operation of which the form is perhaps known."""
        form = self._forms.get(key)
        if form is None:
            # It is described; where that comes to the same numbers, what is like it need not be.
            form, filled = self.writer.describe(self._encoder.op, *described)
            if filled == filling:
                self._forms[key] = form
            filling = filled
        else:
            for leaf in leaves:
                leaf._tape = IDS.give()
            if result._view is not None:
                self._encoder.share(result)
        try:
            row = form[1](form[0], *where, *filling)
        except struct.error:  # a number of more than 32 bits
            self.note(where, "op", *described)
            return
        self._rows.append(row)
        if len(self._rows) >= self.batch or self.store.held > HELD:
            self.flush()

    def _arguments(self, op: Op, arguments: tuple[Any, ...]) -> tuple[bool, list[Any] | None, list[int]]:
        """Whether an argument needs a gradient, the beginning of the key of the operation's form, and what fills its holes; no
        key where there are lists of tensors, or things that have to be written out. Tensors have an id then."""
        first = self.first
        needs = False
        key: list[Any] | None = [op]
        filling: list[int] = []
        parameters = op.parameters
        for place, a in enumerate(arguments):
            kind = a.__class__
            if kind is Tensor or (kind not in _PLAIN and isinstance(a, Tensor)):
                try:
                    number = a._tape - first
                except AttributeError:
                    number = NOTHING
                if number < 0:
                    number = self.identify(a)
                if a._needs:
                    needs = True
                if key is not None:
                    key.append(_TENSOR)
                    filling.append(number)
            elif kind not in _PLAIN:
                key = None
                if isinstance(a, list | tuple):
                    for inner in a:
                        if isinstance(inner, Tensor):
                            self.identify(inner)
            elif key is None:
                pass
            elif a is None or (place < len(parameters) and a is parameters[place].default):
                key.append(_DEFAULT)
            elif kind in _NUMBERS:
                key.append(_NUMBER)
                filling.append(self.writer.number(a))
            else:
                key.append((kind, a))
        return needs, key, filling

    def _key_of_node(self, node: Node, key: list[Any], filling: list[int]) -> list[AccumulateGrad]:
        """What the key of an operation's form has of its node; returns the ends of paths that are first seen here."""
        first = self.first
        leaves: list[AccumulateGrad] = []
        own = [node._tape - first]
        for target, input in node.edges:
            if target is None:
                key.append(_NOTHING)
                continue
            try:
                number = target._tape - first
            except AttributeError:
                number = NOTHING
            if number < 0:
                if target.__class__ is not AccumulateGrad:
                    key.append(object())  # one that is made once: what is behind the node is described with it
                    return []
                if target not in leaves:
                    leaves.append(target)
                    key.append(_LEAF)
                    filling.append(IDS.next + len(leaves) - 1 - first)
                    filling.append(self.known(target.variable))
                number = IDS.next + leaves.index(target) - first
            key.append(input)
            own.append(number)
        own.append(node.sequence)
        versions = node.versions
        for place, value in enumerate(node.saved or ()):
            kind = value.__class__
            if value is None:
                key.append(_NOTHING)
            elif kind is Tensor or (kind not in _PLAIN and isinstance(value, Tensor)):
                own.append(self.known(value))
                if versions:
                    own.append(versions[place])
                    key.append(_VERSIONED)
                else:
                    key.append(_TENSOR)
            elif kind is Result:
                own.append(value.version)
                key.append(_RESULT)
            elif kind is np.ndarray:
                own.append(self._encoder.gradient(value))
                key.append(_ARRAY)
            else:
                own.append(self.writer.number(value))
                key.append(_TEXT)
        filling += own
        return leaves

    def wrote(self, op: Op, arguments: tuple[Any, ...], tensor: Tensor, node: Node | None) -> None:
        """An operation wrote in place."""
        self._where = where = self.where()
        owner = self.owner_of(tensor)
        if owner >= 0:
            name = self._encoder.describe(name_of(op.name), op)
            self.note(where, "grad_set", owner, self.store.keep(tensor._array), f"{name}_")
            if self.known(tensor) < 0:
                return
        tensors = self._arguments(op, arguments)[0]
        needs = node is None and tensors
        if self.known(tensor) < 0:
            self.identify(tensor)
        states = [self._state(tensor)]
        for alias in self._encoder.aliases(tensor):
            if alias is not tensor and self.known(alias) >= 0:
                with suppress(RuntimeError):  # a view that may no longer be used says so to the program, not to us
                    alias.grad_fn  # noqa: B018  (a view catches up with the write when it is asked)
                states.append(self._state(alias))
        grad = context.grad
        cut, opened = (cut_of(op, grad, context.inference), _opened(grad)) if needs else ("", NOTHING)
        running = self._running[-1] if self._running else 0
        self.note(where, "wrote", op, arguments, states, tensor._node, grad, cut, opened, running)

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self._where = where = self.where()
        starts = [(self.identify(t), edge, g) for t, edge, g in roots]
        ids = tuple([self.identify(t) for t in inputs or ()])
        self._passes += 1
        self._running.append(self._passes)
        self.trains(via)
        self.note(where, "backward_began", self._passes, starts, bool(retain_graph), bool(create_graph), ids, via)

    def node_ran(self, node: Node, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]) -> None:
        """A node's rule ran; nothing is said of one that was made unseen."""
        number = self.known(node)
        if number < 0:
            return
        if number in self._encoder.blunt:
            self.note(self._where, "node_ran", self._running[-1], node, received, raw, sent)
            return
        gradients, gradient = self._gradients, self._encoder.gradient
        key: list[int] = []
        filling = [self._running[-1], number]
        for g in received:
            if g is None:
                key.append(_NOTHING)
            else:
                key.append(_ARRAY)
                kept = gradients.get(id(g))
                filling.append(gradient(g) if kept is None else kept[1])
        for (target, input), before, after in zip(node.edges, raw, sent, strict=True):
            if after is None or target is None or (to := self.known(target)) < 0:
                key.append(_DEFAULT)
                continue
            filling.append(to)
            kept = gradients.get(id(after))
            filling.append(gradient(after) if kept is None else kept[1])
            if before is after or before is None:
                key.append(2 * input)
            else:
                key.append(2 * input + 1)
                filling.append(gradient(before))
        form = self._forms.get(tuple(key))
        if form is None:
            form, filled = self.writer.describe(self._encoder.node_ran, self._running[-1], node, received, raw, sent)
            if filled == filling:
                self._forms[tuple(key)] = form
            filling = filled
        self._rows.append(form[1](form[0], *self._where, *filling))
        if len(self._rows) >= self.batch or self.store.held > HELD:
            self.flush()

    def accumulated(self, tensor: Tensor, increment: Any, node: Node) -> None:
        """A gradient arrived in a `.grad`."""
        grad = tensor._grad
        assert grad is not None
        number = self.identify(tensor)
        self.owns(number, grad)
        running = self._running[-1] if self._running else self._passes
        self.note(self._where, "accumulated", running, number, increment, self.store.keep(grad._array), node)
        if self.known(grad) >= 0:
            # The program holds the gradient itself, which grew in place.
            self.note(self._where, "grew", [self._state(grad)], self._running[-1] if self._running else 0)

    def hook_ran(self, node: Node, before: Any, after: Any) -> None:
        """A hook replaced a gradient."""
        self.note(self._where, "hook_ran", node, before, after)

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """The backward pass ended."""
        number = self._running.pop()
        self.note(self._where, "backward_ended", number, not retain_graph, "" if error is None else said(error))

    def grad_set(self, tensor: Tensor, how: str) -> None:
        """A `.grad` was assigned."""
        self._where = where = self.where()
        number = self.identify(tensor)
        grad = tensor._grad
        array = NOTHING
        if grad is not None:
            self.owns(number, grad)
            array = self.store.keep(grad._array)
        self.note(where, "grad_set", number, array, how)

    def flag_set(self, tensor: Tensor, flag: str, value: bool) -> None:
        """`requires_grad` was changed or `retain_grad` called."""
        self._where = where = self.where()
        self.note(where, "flag_set", self.identify(tensor), flag, bool(value))

    def stepped(self, optimizer: Any, parameters: tuple[Any, ...]) -> None:
        """An optimizer with these parameters stepped."""
        self._where = where = self.where()
        updated: list[int] = []
        idle: list[int] = []
        for p in parameters:
            (idle if p._grad is None else updated).append(self.identify(p))
        self.note(where, "stepped", name_of(type(optimizer).__name__), updated, idle, rates_of(optimizer))

    def read(self, tensor: Tensor, how: str) -> None:
        """The values of a tensor were handed out; of interest only for tensors that have been seen."""
        number = self.known(tensor)
        if number >= 0:
            self.note(self.where(), "read", number, how)

    def module_began(self, module: Any) -> None:
        """A module is called."""
        self.module_calls.enter(module)
        self._enter_scopes()

    def module_ended(self) -> None:
        """The innermost module's call is over."""
        self.module_calls.leave()
        self._enter_scopes()

    def position(self) -> Where:
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
            self.note(self.where(), "named", name_of(name), NOTHING, name_of(function))
        if value.__class__ in _PLAIN:
            return
        module = isinstance(value, Module)
        if module:
            self.module_calls.named(value, name)
        calls = self._calls(self.where()) if module else 0
        for path, tensor, held in tensor_paths(value):
            # What has a name keeps it, but for parameters that functions had named before the program bound the model;
            # attributes are of interest only if they have been seen.
            number = self.known(tensor)
            before = self._named.get(number)
            bound = held or number >= 0 if before is None else module and held and calls < before
            if bound:
                self._bind(name + path, tensor, function, self.where())

    def _bind(self, name: str, tensor: Tensor, function: str, where: Where) -> None:
        self._where = where
        number = self.identify(tensor)
        if self._names.get((function, name)) == number:
            return
        self._names[(function, name)] = number
        calls = self._calls(where)
        self._named[number] = min(self._named.get(number, calls), calls)
        form = self._forms.get((name, function))
        if form is None:
            form, _ = self.writer.describe(self._encoder.named, name_of(name), number, name_of(function))
            self._forms[name, function] = form
        self._rows.append(form[1](form[0], *where, number))

    def _calls(self, where: Where) -> int:
        """How many calls of the program are around a position."""
        return self.writer.depth_of[where[1]] if where[1] >= 0 else 0

    def printed(self, text: str, stream: str = "stdout") -> None:
        """The program wrote text."""
        self.writer.once(self.where(), Printed(text, stream))

    def warned(self, category: str, message: str) -> None:
        """A warning was shown."""
        self.writer.once(self.where(), Warned(name_of(category), message))

    def raised(self, type: str, message: str, span: Site | None = None) -> None:
        """The program ended with an exception, at `span`."""
        site = NOTHING if span is None else self.writer.add_site(span)
        self.writer.once((site, NOTHING), Raised(type, message))

    def cell_began(self, cell: int) -> None:
        """A notebook cell begins."""
        self.writer.once(NOWHERE, CellBegan(cell))

    def cell_ended(self, cell: int, result: str | None) -> None:
        """A notebook cell ended."""
        self.writer.once(NOWHERE, CellEnded(cell, result))


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


def _opened(grad: bool) -> int:
    """The site at which gradients were switched off, where they are."""
    return NOTHING if grad or not context.opened else context.opened[0]


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
