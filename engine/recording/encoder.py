"""Describes what an observer is told as events, with holes where events of one form differ (`batch`), in one class: events of
all kinds go through the same tables, so each further object would cost a call an operation.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ..autograd.node import AccumulateGrad, Node
from ..autograd.saved_variable import Counter, Result, Uncounted
from ..limits import RULE
from ..op.declare import Op
from ..op.symbolic import rule_texts
from ..tensor import Tensor
from . import events as e
from .bounded_text import name_of, plain, shown
from .events import NOTHING, AnyEvent, Argument, NodeInfo, Saved, Sent, TensorInfo, Write
from .numbering import IDS
from .op_info import OpInfo, RecordedRule
from .writer import Writer

State = tuple[Any, ...]
"""(tensor, array id, its kind, requires_grad, node, output number, version)."""
UNSEEN = 200
"""Nodes made while the recording was thin that are described when one that leads to them is."""
HELD = 32 * 2**20
"""Bytes of gradients that are kept alive to tell one that is received from what was sent before."""
FLYING = 4_096
"""Gradients that are kept alive for that, at most."""
_UNDECLARED = {"constant": ("creation",)}
"""Traits of what is entered for tensors that came about unseen, beside what is declared."""
_VARYING = frozenset((int, float, list, np.ndarray))
"""Types of arguments that differ from event to event: their texts are no part of the event's form."""


class Encoder:
    """Makes events of things of the engine."""

    def __init__(self, writer: Writer, first: int) -> None:
        self.writer = writer
        self.store = writer.store
        self.hole = writer.hole
        self.first = first
        self.thinned = False
        """Whether something has happened that was not recorded."""
        self.blunt: set[int] = set()
        """Ids of nodes that were described without their edges."""
        self.gradients: dict[int, int] = {}
        """id() of a gradient under way → array id: one array is sent by one node and received by the next."""
        self.flying: list[Any] = []
        """These gradients, kept so that their id() stays their own."""
        self._held = 0
        self._sharing: dict[int, tuple[Any, list[weakref.ref[Tensor]]]] = {}
        self._sharers: dict[int, int] = {}

    # --- things -------------------------------------------------------------------------------------------------------------

    def known(self, thing: Any) -> int:
        """The id of a tensor or node, NOTHING if it has none."""
        try:
            return int(thing._tape) - self.first if thing._tape >= self.first else NOTHING
        except AttributeError:
            return NOTHING

    def describe(self, name: str, op: Op | None = None) -> str:
        """Enter an operation in the table; returns its name."""
        ops = self.writer.ops
        if name not in ops:
            if op is None:
                ops[name] = OpInfo(name, "", name, traits=_UNDECLARED.get(name, ()))
            else:
                ops[name] = OpInfo(
                    name, op.symbol, plain(op.template, RULE), plain(op.doc, RULE), traits=tuple(sorted(op.traits))
                )
        return name

    def share(self, tensor: Tensor, source: Tensor) -> None:
        """Remember that a tensor shares the memory of another: as a view, or as its `.data`."""
        memory = _memory(tensor)
        group = self._sharing.get(id(memory))
        if group is None:
            group = self._sharing[id(memory)] = (memory, [weakref.ref(source)])
        tensors = group[1]
        tensors.append(weakref.ref(tensor))
        if len(tensors) > self._sharers.get(id(memory), 64):
            tensors[:] = [reference for reference in tensors if reference() is not None]
            self._sharers[id(memory)] = 2 * len(tensors) + 64

    def aliases(self, tensor: Tensor) -> list[Tensor]:
        """The other living tensors that share the memory of `tensor`, as far as they are known."""
        group = self._sharing.get(id(_memory(tensor)))
        if group is None:
            return []
        living = [t for r in group[1] if (t := r()) is not None]
        if len(living) < len(group[1]):
            group[1][:] = [weakref.ref(t) for t in living]
        return [t for t in living if t is not tensor]

    def tensor(self, state: State, grad_of: int = NOTHING, node_id: int | None = None) -> TensorInfo:
        """A tensor described; `node_id` is what stands for its node's id where that has been said before."""
        tensor, array, kind, needs, node, output, version = state
        hole = self.hole
        view = tensor._view
        base = NOTHING
        if view is not None:
            base = hole(self.known(view.base))
            self.share(tensor, view.base)
        dtype, shape = self.store.describe(kind)
        if node is None:
            node_id = NOTHING
        elif node_id is None:
            node_id = hole(node._tape - self.first)
        return TensorInfo(
            hole(tensor._tape - self.first),
            dtype,
            shape,
            hole(array),
            needs,
            node is None,
            node_id,
            output,
            hole(version) if version else 0,
            base,
            tensor.__class__ is not Tensor,
            grad_of,
            *(_whereabouts(tensor) if tensor._array.__class__ is not np.ndarray else ()),
        )

    def nodes(self, node: Node | None, saved: tuple[Any, ...] | None, own: bool = False) -> tuple[NodeInfo, ...]:
        """The nodes first seen with `node`, itself last, after those it leads to; with `own`, `node` is new although it has an
        id.

        Once the recording has grown thinner, there may be any number of nodes that were made unseen behind it. Where there
        are many, none of them is described, and its edges lead nowhere.
        """
        if node is None or (not own and self.known(node) >= 0):
            return ()
        if self.thinned and self._much_unseen(node):
            if self.known(node) < 0:
                node._tape = IDS.give()
            self.blunt.add(self.known(node))
            return (self.node_info(node, saved),)
        fresh: list[NodeInfo] = []
        stack = [node]
        while stack:
            top = stack[-1]
            if self.known(top) >= 0 and not (own and top is node):
                stack.pop()
                continue
            below = [n for n, _ in top.edges if n is not None and self.known(n) < 0]
            if below:
                stack.extend(reversed(below))
                continue
            stack.pop()
            if self.known(top) < 0:
                top._tape = IDS.give()
            fresh.append(self.node_info(top, saved if top is node else top._saved))
        return tuple(fresh)

    def _much_unseen(self, node: Node) -> bool:
        """Whether there are more nodes behind one, never seen, than are described at once."""
        found = {node}
        stack = [node]
        while stack:
            for below, _ in stack.pop().edges:
                if below is not None and below not in found and self.known(below) < 0:
                    found.add(below)
                    stack.append(below)
            if len(found) > UNSEEN:
                return True
        return False

    def node_info(self, node: Node, saved: tuple[Any, ...] | None) -> NodeInfo:
        """A node described."""
        hole, known = self.hole, self.known
        end = node if isinstance(node, AccumulateGrad) else None
        return NodeInfo(
            hole(known(node)),
            name_of(node.__class__.__name__),
            tuple([(NOTHING if n is None or known(n) < 0 else hole(known(n)), k) for n, k in node.edges]),
            hole(node.sequence) if end is None else end.sequence,
            NOTHING if end is None else hole(known(end.variable)),
            tuple(self.saved(node, saved)) if saved else (),
            self.rule(node),
        )

    def rule(self, node: Node) -> str:
        """The entry with the texts of a node's rules, made when it is first asked for; "" for a node of no operation."""
        op = getattr(node.__class__, "_op", None)
        if op is None:
            return ""
        name = f"d {op.forward.__name__}"
        ops = self.writer.ops
        if name not in ops:
            texts = tuple([RecordedRule(t.input, t.template, t.elementwise, t.call, t.when) for t in rule_texts(op)])
            ops[name] = OpInfo(name, "", op.template, op.doc, texts, op.outputs, ())
        return name

    def saved(self, node: Node, values: tuple[Any, ...]) -> list[Saved]:
        """What a node saves, described."""
        items = []
        versions = node.versions
        hole = self.hole
        for i, (name, value) in enumerate(zip(node.saved_names, values, strict=False)):
            if value.__class__ is Tensor or isinstance(value, Tensor):
                items.append(Saved(name, hole(self.known(value)), hole(versions[i]) if versions else 0))
            elif value.__class__ is Result:
                items.append(Saved(name, NOTHING, hole(value.version), NOTHING, "result"))
            elif isinstance(value, np.ndarray):
                items.append(Saved(name, NOTHING, 0, hole(self.gradient(value))))
            elif value is not None:
                items.append(Saved(name, self.writer.said(value)))
        return items

    def gradient(self, g: Any) -> int:
        """The array id of an array that does not change while it is under way."""
        if g is None:
            return NOTHING
        number = self.gradients.get(id(g))
        if number is None:
            array = g if isinstance(g, np.ndarray) else g._array if isinstance(g, Tensor) else np.asarray(g)
            self._held += array.nbytes
            if self._held > HELD or len(self.gradients) > FLYING:
                self.forget_gradients()
            number = self.gradients[id(g)] = self.store.keep(array)
            self.flying.append(g)
        return number

    def quick(self, g: Any) -> int:
        """The same for an array that is not known to have been sent or received, mostly a small one of a kind that is known."""
        store, gradients = self.store, self.gradients
        if g.__class__ is not np.ndarray and not isinstance(g, np.generic):
            return self.gradient(g)
        try:
            kind = store.kinds[id(g.dtype)][1][g.shape]
        except (KeyError, AttributeError):
            return self.gradient(g)
        if len(gradients) > FLYING or kind in store.large:
            return self.gradient(g)
        number = store.next
        store.data.append(g.tobytes())
        store.numbers.append(kind)
        store.next = number + 1
        gradients[id(g)] = number
        self.flying.append(g)
        return number

    def forget_gradients(self) -> None:
        """Let go of the gradients of a pass."""
        self.gradients.clear()
        self.flying.clear()
        self._held = 0

    def inputs(self, op: Op, arguments: tuple[Any, ...]) -> tuple[Argument, ...]:
        """The arguments described; those left at their defaults are left out."""
        items = []
        parameters = op.parameters
        hole, first = self.hole, self.first
        for i, value in enumerate(arguments):
            name = parameters[i].name if i < len(parameters) else "data"
            if isinstance(value, Tensor):
                items.append(Argument(name, hole(value._tape - first)))
            elif isinstance(value, list | tuple) and any([isinstance(v, Tensor) for v in value]):
                several = [(k, v) for k, v in enumerate(value) if isinstance(v, Tensor)]
                items.extend([Argument(f"{name}[{k}]", hole(v._tape - first)) for k, v in several])
            elif value is not None and not (i < len(parameters) and value is parameters[i].default):
                varies = value.__class__ in _VARYING
                items.append(Argument(name, self.writer.said(value)) if varies else Argument(name, text=shown(value)))
        return tuple(items)

    # --- one method for each kind of event ------------------------------------------------------------------------------------

    def op(
        self, op: Op, arguments: tuple[Any, ...], states: list[State], node: Node | None, mode: bool, cut: str, opened: int,
        running: int,
    ) -> AnyEvent:  # fmt: skip
        """An operation ran."""
        name = self.describe(name_of(op.name), op)
        inputs = self.inputs(op, arguments)
        fresh = self.nodes(node, None if node is None else node._saved, own=True)
        last = fresh[-1] if fresh else None
        outputs = tuple([self.tensor(s, NOTHING, last.id if last is not None and s[4] is node else None) for s in states])
        return e.OpRan(
            name, inputs, outputs, (), last, fresh[:-1], mode, cut, self.hole(running) if running else 0, opened=opened
        )

    def introduced(self, state: State, node: Node | None, running: int, owner: int) -> AnyEvent:
        """A tensor came about unseen."""
        name = self.describe("grad" if owner >= 0 else "constant")
        fresh = self.nodes(node, node._saved if node is not None else None)
        given = self.hole(owner) if owner >= 0 else NOTHING
        return e.OpRan(
            name,
            (Argument("self", given),) if owner >= 0 else (),
            (self.tensor(state, given),),
            accumulators=fresh,
            in_backward=self.hole(running) if running else 0,
        )

    def wrote(
        self, op: Op, arguments: tuple[Any, ...], states: list[State], node: Node | None, mode: bool, cut: str, opened: int,
        running: int,
    ) -> AnyEvent:  # fmt: skip
        """An operation wrote in place."""
        name = self.describe(name_of(op.name), op)
        fresh = self.nodes(node, node._saved if node is not None else None)
        for state in states[1:]:
            fresh = (*self.nodes(state[4], state[4]._saved if state[4] is not None else None), *fresh)
        return e.OpRan(
            name, self.inputs(op, arguments), (), self.written(states), fresh[-1] if fresh else None, fresh[:-1], mode, cut,
            self.hole(running) if running else 0, opened=opened,
        )  # fmt: skip

    def grew(self, states: list[State], running: int) -> AnyEvent:
        """A `.grad` that the program holds grew in place."""
        name = self.describe("accumulate")
        return e.OpRan(name, written=self.written(states), in_backward=self.hole(running) if running else 0)

    def written(self, states: list[State]) -> tuple[Write, ...]:
        """Tensors described as they are after a write."""
        first, hole = self.first, self.hole
        return tuple(
            [
                Write(
                    hole(t._tape - first), hole(version), hole(array), needs, n is None,
                    NOTHING if n is None else hole(n._tape - first), output,
                )
                for t, array, _, needs, n, output, version in states
            ]
        )  # fmt: skip

    def backward_began(
        self, number: int, starts: list[Any], retain: bool, create: bool, ids: tuple[int, ...], via: str
    ) -> AnyEvent:
        """A backward pass began."""
        hole = self.hole
        return e.BackwardBegan(
            hole(number),
            tuple([(hole(t), hole(self.gradient(g))) for t, _, g in starts]),
            tuple([(hole(self.known(node)), k) for _, (node, k), _ in starts]) if self._all_seen(starts) else (),
            retain,
            create,
            tuple([hole(id) for id in ids]),
            via,
        )

    def node_ran(
        self, number: int, node: Node, received: tuple[Any, ...], raw: tuple[Any, ...], sent: Sequence[Any]
    ) -> AnyEvent:
        """A node's rule ran."""
        hole, gradient = self.hole, self.gradient
        head = hole(number), hole(self.known(node))
        taken = tuple([NOTHING if g is None else hole(gradient(g)) for g in received])
        out: list[Sent | None] = []
        nowhere = self.known(node) in self.blunt
        for (target, k), before, after in zip(node.edges, raw, sent, strict=True):
            if after is None or target is None or nowhere or self.known(target) < 0:
                out.append(None)
            else:
                to, array = hole(self.known(target)), hole(gradient(after))
                out.append(Sent(to, k, array, NOTHING if before is after or before is None else hole(gradient(before))))
        return e.NodeRan(*head, taken, tuple(out))

    def hook_ran(self, node: Node, before: Any, after: Any) -> AnyEvent:
        """A hook replaced a gradient."""
        leaf = self.known(node.variable) if isinstance(node, AccumulateGrad) else NOTHING
        hole = self.hole
        return e.HookRan(hole(leaf), hole(self.known(node)), hole(self.gradient(before)), hole(self.gradient(after)))

    def backward_ended(self, number: int, freed: bool, error: str) -> AnyEvent:
        """A backward pass ended."""
        return e.BackwardEnded(self.hole(number), freed, error)

    def glimpsed(self, op: Op | None, state: State, is_leaf: bool) -> AnyEvent:
        """A result of an operation that nobody wrote down turns out to matter; what it was made of is not known."""
        name = self.describe("constant") if op is None else self.describe(name_of(op.name), op)
        made = msgspec.structs.replace(self.tensor(state), is_leaf=is_leaf)
        return e.OpRan(name, outputs=(made,))

    def changed(self, op: Op | None, states: list[State]) -> AnyEvent:
        """Tensors have been written since they were last seen, the last time by `op`."""
        name = self.describe("unseen") if op is None else self.describe(name_of(op.name), op)
        return e.OpRan(name, written=self.written(states))

    def thinned_to(self, level: str, unit: tuple[int, ...], iteration: int) -> AnyEvent:
        """The recording holds more or less than before."""
        return e.Thinned(level, unit, self.hole(iteration))

    def _all_seen(self, starts: list[Any]) -> bool:
        return not self.thinned or all([self.known(node) >= 0 for _, (node, _), _ in starts])

    def grad_set(self, tensor: int, array: int, how: str) -> AnyEvent:
        """A `.grad` was set."""
        return e.GradSet(self.hole(tensor), self.hole(array), how)

    def flag_set(self, tensor: int, flag: str, value: bool) -> AnyEvent:
        """A flag was set."""
        return e.FlagSet(self.hole(tensor), flag, value)

    def stepped(self, optimizer: str, parameters: Sequence[int], idle: Sequence[int], rates: tuple[float, ...]) -> AnyEvent:
        """An optimizer stepped."""
        hole = self.hole
        return e.Stepped(optimizer, tuple([hole(p) for p in parameters]), tuple([hole(p) for p in idle]), rates=rates)


def cut_of(op: Op, mode: bool, inference: bool) -> str:
    """Why the result of an operation on inputs that need a gradient needs none; `mode` says whether gradients are tracked."""
    if "leaf" in op.traits:
        return "copy"
    if "detaches" in op.traits:
        return op.name  # detach or data
    if not mode:
        return "inference" if inference else "no_grad"
    return "dtype" if "casts" in op.traits else "nondifferentiable"


def _whereabouts(tensor: Tensor) -> tuple[str, str]:
    """The device and the layout of a tensor that has no array of all its elements, as recordings name them."""
    return "meta" if tensor.is_meta else "", str(tensor.layout).removeprefix("torch.") if tensor.is_sparse else ""


def _memory(tensor: Tensor) -> Counter | None:
    """What stands for the memory of a tensor: the counter that all have who view it; None where nobody does."""
    counter = tensor._counter
    return counter.memory if isinstance(counter, Uncounted) else counter
