"""The observer, one method for each report of the engine and the program, in one class because the engine knows one observer:
writes down what happens as it happens, as rows of numbers (`batch`).

The `Encoder` describes each as an event. For operations and rules of nodes, of which programs make the most, there are
`shortcuts` once they have been described some times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from sys import _getframe
from types import FrameType
from typing import Any

import numpy as np

from ..autograd.node import Node
from ..autograd.saved_variable import Uncounted
from ..context import context
from ..op.declare import Op
from ..tensor import Tensor
from .batch import HOLE
from .bounded_text import name_of, said
from .call_paths import CallPath, Codes
from .encoder import Encoder, State, cut_of
from .events import (
    NOTHING,
    BackwardEnded,
    GradSet,
    Read,
    Stepped,
)  # fmt: skip
from .logbook import Logbook
from .numbering import IDS
from .shortcuts import MOST, Learnt, Shortcut, Unlike, of_op, of_rule
from .store import CAP
from .tensor_paths import ENGINE
from .writer import NOWHERE, Form, Where

RATES = 64
"""Groups of an optimizer whose learning rates are noted."""
OFTEN = 2
"""Events of one form that are described before there is a shortcut for the next ones."""


class Recorder(Logbook):
    """Observes the engine and keeps the log, which only grows.

    Args:
        program: file names under which the program's code was compiled, with their cell numbers; or what finds its code.
        cap: elements up to which an array is kept whole.
    """

    kinds = ENGINE

    def __init__(self, program: dict[str, int] | Codes | None = None, cap: int = CAP) -> None:
        codes = program if isinstance(program, Codes) else Codes({"<program>": 0} if program is None else program)
        super().__init__(codes, cap)
        self.first = IDS.next
        self._encoder = Encoder(self.writer, self.first)
        self._shortcuts: dict[Any, tuple[Shortcut, ...]] = {}
        """For operations, and for the classes of nodes."""
        self._learnt: dict[Any, list[Learnt]] = {}
        self._times: dict[tuple[Any, int], int] = {}
        """How often events of a form have been described for one of these."""

    # --- the log ----------------------------------------------------------------------------------------------------------

    def misses_some(self) -> None:
        """From now on things happen that are not recorded, or have happened."""
        self._encoder.thinned = True

    def note(self, where: Where, what: str, *arguments: Any) -> None:
        """Write an event down: the Encoder's method with this name makes it of its arguments."""
        self.writer.write(where, getattr(self._encoder, what), *arguments)
        self._sent_on()

    def _keyed(self, where: Where, key: Any, filling: tuple[int, ...], what: str, *arguments: Any) -> None:
        """The same for an event whose form is known by a key. `filling` is what the Encoder's method fills the holes with, in
        its order: where that is not so, the event is described each time."""
        form = self._forms.get(key)
        if form is None:
            form, filled = self.writer.describe(getattr(self._encoder, what), *arguments)
            if (*filled,) == filling:
                self._forms[key] = form
            self._rows.append(form[1](form[0], *where, *filled))
        else:
            self._rows.append(form[1](form[0], *where, *filling))
        self._sent_on()

    # --- where ------------------------------------------------------------------------------------------------------------

    def where(self) -> Where:
        """What runs now: the sites and scopes of the program's innermost frame."""
        # Frame 0 is this, 1 reports to the recorder, 2 is the engine's function that called it.
        frame: FrameType | None = _getframe(3)
        known = self._known
        while frame is not None:
            met = known.get(id(frame.f_code))
            if met is None:
                met = self.codes.of(frame.f_code)
            if met.cell >= 0:
                instruction = frame.f_lasti
                site = met.sites.get(instruction)
                if site is None:
                    site = self.writer.site(met, instruction)
                path: CallPath = ()
                key: Any = met
                if not met.top:
                    path = self.codes.path(frame)
                    key = met, path
                scope = self._here.get(key)
                if scope is None:
                    scope = self._here[key] = self.writer.scope(met, self._loops, self.module_calls.inside, path)
                return site, scope
            frame = frame.f_back
        return NOWHERE

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
        owner = self.owner_of(tensor)
        array, kind, needs, node, output, version = state[1:]
        if node is None and tensor._view is None and tensor._array.__class__ is np.ndarray:
            like = self.store.describe(kind), tensor.__class__ is Tensor
            key = "introduced", *like, needs, output, version > 0, owner >= 0, running > 0
            filling = [owner] if owner >= 0 else []
            filling += [tensor._tape - self.first, array, *([version] if version else []), *([running] if running else [])]
            self._keyed(self._where, key, tuple(filling), "introduced", state, node, running, owner)
        else:
            self.note(self._where, "introduced", state, node, running, owner)
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

    # --- what the engine reports ----------------------------------------------------------------------------------------------

    def op(self, op: Op, arguments: tuple[Any, ...], result: Any, node: Node | None) -> None:
        """An operation ran."""
        self._where = where = self.where()
        if self._running:
            self._describe(where, op, arguments, result, node, self._identify(arguments))
            return
        shortcuts = self._shortcuts.get(op, ())
        for shortcut in shortcuts:
            if shortcut(arguments, result, node, *where):
                if len(self._rows) >= self.batch:
                    self.flush()
                return
        number = IDS.next
        needs = self._identify(arguments)
        if IDS.next != number:  # no shortcut applies to what has no id yet, such as a `.grad` that is first used
            for shortcut in shortcuts:
                if shortcut(arguments, result, node, *where):
                    self._sent_on()
                    return
        self._describe(where, op, arguments, result, node, needs)

    def _describe(
        self, where: Where, op: Op, arguments: tuple[Any, ...], result: Any, node: Node | None, needs: bool
    ) -> None:  # fmt: skip
        """Write down an operation for which there is no shortcut; after some of its form, there is one. `needs` says whether an
        argument needs a gradient."""
        number = IDS.next
        if node is not None:
            node._tape = number
            number += 1
        states = []
        for tensor in result if result.__class__ is list else (result,):
            tensor._tape = number
            number += 1
            states.append(self._state(tensor))
        IDS.next = number
        grad = context.grad
        cut, opened = "", NOTHING
        if node is None and needs:
            cut, opened = cut_of(op, grad, context.inference), _opened(grad)
        owner = self.owner_of(arguments[0]) if "detaches" in op.traits else NOTHING
        if owner >= 0:
            self.owns(owner, result)  # a write to `w.grad.data` is a write to `w.grad`
        if result.__class__ is not list and result._counter.__class__ is Uncounted:
            self._encoder.share(result, arguments[0])
        running = self._running[-1] if self._running else 0
        described = op, arguments, states, node, grad, cut, opened, running
        form = self.writer.write(where, self._encoder.op, *described)
        if "detaches" not in op.traits and not running and not cut and result.__class__ is not list:
            leaves = IDS.next - number
            made = partial(of_op, self._encoder, op, arguments, result, node, leaves)
            self._learn(op, form, states[0][2], made)
        self._sent_on()

    def _identify(self, arguments: tuple[Any, ...]) -> bool:
        """Give the tensors among some arguments ids; whether one of them, not in a list, needs a gradient."""
        needs = False
        for a in arguments:
            if isinstance(a, Tensor):
                self.identify(a)
                needs = needs or a._needs
            elif isinstance(a, list | tuple):
                for inner in a:
                    if isinstance(inner, Tensor):
                        self.identify(inner)
        return needs

    def _learn(self, key: Any, form: Form, kind: int, make: Callable[[dict[int, Form]], Learnt]) -> None:
        """An event of a form has been described: once that has happened some times, write a shortcut for what is like it."""
        times = self._times[key, form[0]] = self._times.get((key, form[0]), 0) + 1
        if times != OFTEN:
            return
        with suppress(Unlike):
            known = self._learnt.setdefault(key, [])
            learnt = make({kind: form})
            same = next((other for other in known if other.is_like(learnt)), None)
            if same is not None:
                same.forms[kind] = form
            elif len(known) < MOST:
                known.append(learnt)
                self._shortcuts[key] = tuple([each.shortcut for each in known])

    def wrote(self, op: Op, arguments: tuple[Any, ...], tensor: Tensor, node: Node | None) -> None:
        """An operation wrote in place."""
        self._where = where = self.where()
        owner = self.owner_of(tensor)
        if owner >= 0:
            name = self._encoder.describe(name_of(op.name), op)
            self._set(where, owner, self.store.keep(tensor._array), f"{name}_")
            if self.known(tensor) < 0:
                return
        needs = self._identify(arguments) and node is None
        number = self.identify(tensor)
        aliases = self._encoder.aliases(tensor)
        states = [self._state(tensor)]
        for alias in aliases:
            if self.known(alias) >= 0:
                with suppress(RuntimeError):  # a view that may no longer be used says so to the program, not to us
                    alias.grad_fn  # noqa: B018  (a view catches up with the write when it is asked)
                states.append(self._state(alias))
        grad = context.grad
        cut, opened = (cut_of(op, grad, context.inference), _opened(grad)) if needs else ("", NOTHING)
        running = self._running[-1] if self._running else 0
        what = op, arguments, states, tensor._node, grad, cut, opened, running
        given = None if aliases or running or tensor._node is not None else self._given(op, arguments)
        if given is None:
            self.note(where, "wrote", *what)
            return
        kinds, filling = given
        _, array, _, requires, _, output, version = states[0]
        key = "wrote", op, kinds, requires, output, grad, cut, opened
        self._keyed(where, key, (*filling, number, version, array), "wrote", *what)

    def _given(self, op: Op, arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int]] | None:
        """What tells arguments of one form from those of another, and what fills the holes of the form; None where they have to
        be described."""
        kinds: list[Any] = []
        filling: list[int] = []
        parameters = op.parameters
        for k, value in enumerate(arguments):
            if isinstance(value, Tensor):
                kinds.append(Tensor)
                filling.append(value._tape - self.first)
            elif value is None or (k < len(parameters) and value is parameters[k].default):
                kinds.append(None)
            elif value.__class__ in (int, float):
                kinds.append(float)
                filling.append(self.writer.number(value))
            elif value.__class__ in (bool, str):
                kinds.append((value,))
            else:
                return None
        return tuple(kinds), filling

    def _set(self, where: Where, owner: int, array: int, how: str) -> None:
        """Write down that a `.grad` was set."""
        self._row(where, (GradSet, how), lambda: GradSet(HOLE, HOLE - 1, how), owner, array)

    def backward_began(self, roots: Any, retain_graph: bool, create_graph: bool, inputs: Any, via: str) -> None:
        """A backward pass began."""
        self._where = where = self.where()
        starts = [(self.identify(t), edge, g) for t, edge, g in roots]
        ids = tuple([self.identify(t) for t in inputs or () if isinstance(t, Tensor)])  # an edge may be asked for, too
        self._passes += 1
        self._running.append(self._passes)
        self.trains(via)
        what = self._passes, starts, bool(retain_graph), bool(create_graph), ids, via
        if len(starts) != 1 or ids or (node := self.known(starts[0][1][0])) < 0:
            self.note(where, "backward_began", *what)
            return
        root, (_, output), gradient = starts[0]
        key = "backward_began", output, *what[2:4], via
        self._keyed(where, key, (self._passes, root, self._encoder.gradient(gradient), node), "backward_began", *what)

    def node_ran(self, node: Node, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]) -> None:
        """A node's rule ran; nothing is said of one that was made unseen."""
        number = self._running[-1]
        for shortcut in self._shortcuts.get(node.__class__, ()):
            if shortcut(node, received, raw, sent, number, *self._where):
                if len(self._rows) >= self.batch:
                    self.flush()
                return
        if self.known(node) < 0:
            return
        form = self.writer.write(self._where, self._encoder.node_ran, number, node, received, raw, sent)
        self._learn(node.__class__, form, 0, partial(of_rule, self._encoder, node, received, raw, sent))
        self._sent_on()

    def accumulated(self, tensor: Tensor, increment: Any, node: Node) -> None:
        """A gradient arrived in a `.grad`."""
        grad = tensor._grad
        assert grad is not None
        number = self.identify(tensor)
        self.owns(number, grad)
        running = self._running[-1] if self._running else self._passes
        self.arrived(running, number, self._encoder.gradient(increment), self.store.keep(grad._array), self.known(node))
        if self.known(grad) >= 0:
            # The program holds the gradient itself, which grew in place.
            self.note(self._where, "grew", [self._state(grad)], self._running[-1] if self._running else 0)

    def hook_ran(self, node: Node, before: Any, after: Any) -> None:
        """A hook replaced a gradient."""
        self.note(self._where, "hook_ran", node, before, after)

    def backward_ended(self, retain_graph: bool, error: BaseException | None) -> None:
        """The backward pass ended."""
        number, freed = self._running.pop(), not retain_graph
        self._encoder.forget_gradients()
        if error is None:
            self._row(self._where, (BackwardEnded, freed), lambda: BackwardEnded(HOLE, freed), number)
        else:
            self.note(self._where, "backward_ended", number, freed, said(error))

    def grad_set(self, tensor: Tensor, how: str) -> None:
        """A `.grad` was assigned."""
        self._where = where = self.where()
        number = self.identify(tensor)
        grad = tensor._grad
        array = NOTHING
        if grad is not None:
            self.owns(number, grad)
            array = self.store.keep(grad._array)
        self._set(where, number, array, how)

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
        name, rates = name_of(type(optimizer).__name__), rates_of(optimizer)
        key = Stepped, name, len(updated), len(idle), rates
        self._keyed(where, key, (*updated, *idle), "stepped", name, updated, idle, rates)

    def read(self, tensor: Tensor, how: str) -> None:
        """The values of a tensor were handed out; of interest only for tensors that have been seen."""
        number = self.known(tensor)
        if number >= 0:
            self._row(self.where(), (Read, how), lambda: Read(HOLE, how), number)

    def position(self) -> Where:
        """Where the program is now."""
        return self.where()

    # --- what the program reports ---------------------------------------------------------------------------------------------

    def bound(self, name: str, tensor: Tensor, function: str) -> None:
        """The same for a tensor, of which the name was mostly bound before."""
        self._where = where = self.where()
        form = self._forms.get((name, function))
        try:
            number = tensor._tape - self.first
        except AttributeError:
            number = NOTHING
        if form is None or number < 0:
            self._bind(name, tensor, function, where)
            return
        key = function, name
        if self._names.get(key) == number:
            return
        self._names[key] = number
        calls = self._calls(where)
        if self._named.setdefault(number, calls) > calls:
            self._named[number] = calls
        self._rows.append(form[1](form[0], *where, number))


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
