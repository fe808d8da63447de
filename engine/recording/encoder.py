"""Writes a recorder's notes up as events and fills the tables they refer to, in one class: it runs for every operation, and
events of all kinds go through the same tables, so each further object would cost a call an operation.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import CodeType
from typing import Any

import msgspec
import numpy as np

from ..autograd.node import AccumulateGrad, Node
from ..autograd.saved_variable import Result
from ..limits import RULE
from ..op.declare import Op
from ..op.symbolic import rule_texts
from ..tensor import Tensor
from . import events as e
from .bounded_text import name_of, plain, shown
from .call_paths import CallPath, Codes
from .events import NOTHING, AnyEvent, Argument, NodeInfo, Saved, Scope, Sent, Site, TensorInfo, Write
from .recording import OpInfo, RecordedRule
from .store import ArrayStore

Where = tuple[Any, ...]
"""(code, cell, instruction, loops with what is around them, module and its class, call path), or () outside the program."""
State = tuple[Any, ...]
"""(tensor, array id, requires_grad, node, output number, version)."""

NOWHERE = (NOTHING, NOTHING)
UNSEEN = 200
"""Nodes made while the recording was thin that are described when one that leads to them is."""
_UNDECLARED = {"constant": ("creation",)}
"""Traits of what is entered for tensors that came about unseen, beside what is declared."""


class Encoder:
    """The log under construction."""

    def __init__(self, store: ArrayStore, first: int, codes: Codes, sink: Callable[[AnyEvent], None] | None) -> None:
        self.store = store
        self.codes = codes
        self.first = first
        self.sink = sink
        self.events: list[AnyEvent] = []
        self.sites: list[Site] = []
        self.scopes: list[Scope] = []
        self.ops: dict[str, OpInfo] = {}
        self.taken = self._sites_taken = self._scopes_taken = 0
        """Events and rows that were handed over and are no longer here."""
        self._site_of: dict[tuple[int, int], int] = {}
        self._positions_of: dict[int, list[Any]] = {}
        """id() of a code -> the positions of its instructions."""
        self._scope_of: dict[tuple[Any, ...], int] = {}
        self._sharing: dict[int, tuple[Any, list[weakref.ref[Tensor]]]] = {}
        self.thinned = False
        """Whether something has happened that was not recorded."""
        self._seen: set[int] = set()
        """Ids of the nodes described so far."""
        self._gradients: dict[int, tuple[Any, int]] = {}
        """id() of a gradient under way -> (it, array id): one array is sent by one node and received by the next."""

    def write_up(self, notes: list[tuple[Any, ...]]) -> None:
        """Turn notes into events, in order."""
        for note in notes:
            event = getattr(self, note[0])(*note[1:])
            if event is None:
                continue
            self.events.append(event)
            if self.sink is not None:
                self.sink(event)

    def take(self) -> tuple[list[AnyEvent], list[Site], list[Scope]]:
        """The events and the rows of the tables that have come since the last time; they are forgotten here."""
        taken = self.events, self.sites, self.scopes
        self.events, self.sites, self.scopes = [], [], []
        self.taken += len(taken[0])
        self._sites_taken += len(taken[1])
        self._scopes_taken += len(taken[2])
        return taken

    # --- tables -------------------------------------------------------------------------------------------------------------

    def locate(self, where: Where) -> tuple[int, int]:
        """The rows of a position's site and scope in their tables; they are added where they are new."""
        if not where:
            return NOWHERE
        code, cell, instruction, nest, inside, path = where
        site = self._site_of.get((id(code), instruction))
        if site is None:
            site = self._site(code, cell, instruction)
        scope_key = (code.co_name, nest, inside, path)
        scope = self._scope_of.get(scope_key)
        if scope is None:
            calls = self._calls(path)
            scope = self._scope_of[scope_key] = self._scopes_taken + len(self.scopes)
            function = "" if code.co_name == "<module>" else name_of(code.co_name)
            loops, around = nest
            # A generator's loops began in calls that may be over when it goes on.
            around = tuple([(cell, min(depth, len(calls))) for cell, depth in around])
            module, kind = inside
            self.scopes.append(Scope(function, 0, loops, module, calls, around, kind))
        return site, scope

    def _site(self, code: CodeType, cell: int, instruction: int) -> int:
        positions = self._positions_of.get(id(code))
        if positions is None:
            positions = self._positions_of[id(code)] = list(code.co_positions())
        line, end_line, column, end_column = (n or 0 for n in positions[instruction // 2])
        row = self._site_of[id(code), instruction] = self._sites_taken + len(self.sites)
        self.sites.append(Site(cell, line, column, end_line, end_column))
        return row

    def _calls(self, path: CallPath) -> tuple[tuple[int, str], ...]:
        """A call path with the rows of its calls' sites."""
        calls = []
        for caller, instruction, called in zip(path[::3], path[1::3], path[2::3]):
            row = self._site_of.get((caller, instruction))
            if row is None:
                row = self._site(*self.codes.code(caller), instruction)
            calls.append((row, name_of(self.codes.code(called)[0].co_name)))
        return tuple(calls)

    def describe(self, name: str, op: Op | None = None) -> str:
        """Enter an operation in the table; returns its name."""
        if name not in self.ops:
            if op is None:
                self.ops[name] = OpInfo(name, "", name, traits=_UNDECLARED.get(name, ()))
            else:
                self.ops[name] = OpInfo(
                    name, op.symbol, plain(op.template, RULE), plain(op.doc, RULE), traits=tuple(sorted(op.traits))
                )
        return name

    def aliases(self, tensor: Tensor) -> list[Tensor]:
        """The living tensors that share the memory of `tensor`, as far as they are written up."""
        group = self._sharing.get(id(tensor._counter))
        return [t for r in group[1] if (t := r()) is not None] if group is not None else []

    def known(self, thing: Any) -> int:
        """The id of a tensor or node, NOTHING if it has none."""
        try:
            return int(thing._tape) - self.first if thing._tape >= self.first else NOTHING
        except AttributeError:
            return NOTHING

    def tensor(self, state: State, grad_of: int = NOTHING) -> TensorInfo:
        """A tensor described."""
        tensor, array, needs, node, output, version = state
        view = tensor._view
        base = NOTHING
        if view is not None:
            base = self.known(view.base)
            group = self._sharing.setdefault(id(tensor._counter), (tensor._counter, [weakref.ref(view.base)]))
            group[1].append(weakref.ref(tensor))
        dtype, shape = self.store.describe(array)
        return TensorInfo(
            tensor._tape - self.first,
            dtype,
            shape,
            array,
            needs,
            node is None,
            NOTHING if node is None else node._tape - self.first,
            output,
            version,
            base,
            tensor.__class__ is not Tensor,
            grad_of,
        )

    def nodes(self, node: Node | None, saved: tuple[Any, ...] | None) -> tuple[NodeInfo, ...]:
        """The nodes first seen with `node`, itself last, after those it leads to.

        Once the recording has grown thinner, there may be any number of nodes that were made unseen behind it. Where there
        are many, none of them is described, and its edges lead nowhere.
        """
        from . import recorder

        if node is None:
            return ()
        if self.thinned and self.known(node) not in self._seen and self._much_unseen(node):
            if self.known(node) < 0:
                node._tape = recorder._next
                recorder._next += 1
            self._seen.add(self.known(node))
            return (self.node_info(node, saved),)
        fresh: list[NodeInfo] = []
        stack = [node]
        while stack:
            top = stack[-1]
            number = self.known(top)
            if number in self._seen:
                stack.pop()
                continue
            below = [n for n, _ in top.edges if n is not None and self.known(n) not in self._seen]
            if below:
                stack.extend(reversed(below))
                continue
            stack.pop()
            if number < 0:
                top._tape = recorder._next
                recorder._next += 1
                number = top._tape - self.first
            self._seen.add(number)
            fresh.append(self.node_info(top, saved if top is node else top.saved))
        return tuple(fresh)

    def _much_unseen(self, node: Node) -> bool:
        """Whether there are more nodes behind one, never seen, than are described at once."""
        found = {node}
        stack = [node]
        while stack:
            for below, _ in stack.pop().edges:
                if below is not None and below not in found and self.known(below) not in self._seen:
                    found.add(below)
                    stack.append(below)
            if len(found) > UNSEEN:
                return True
        return False

    def node_info(self, node: Node, saved: tuple[Any, ...] | None) -> NodeInfo:
        """A node described."""
        first = self.first
        return NodeInfo(
            node._tape - first,
            name_of(node.__class__.__name__),
            tuple([(NOTHING if n is None else self.known(n) if self.thinned else n._tape - first, k) for n, k in node.edges]),
            node.sequence,
            self.known(node.variable) if node.__class__ is AccumulateGrad else NOTHING,
            tuple(self.saved(node, saved)) if saved else (),
            self.rule(node),
        )

    def rule(self, node: Node) -> str:
        """The entry with the texts of a node's rules, made when it is first asked for; "" for a node of no operation."""
        op = getattr(node.__class__, "op", None)
        if op is None:
            return ""
        name = f"d {op.forward.__name__}"
        if name not in self.ops:
            texts = tuple([RecordedRule(t.input, t.template, t.elementwise, t.call, t.when) for t in rule_texts(op)])
            self.ops[name] = OpInfo(name, "", op.template, op.doc, texts, op.outputs, ())
        return name

    def saved(self, node: Node, values: tuple[Any, ...]) -> list[Saved]:
        """What a node saves, described."""
        items = []
        versions = node.versions
        for i, (name, value) in enumerate(zip(node.saved_names, values, strict=False)):
            if value.__class__ is Tensor or isinstance(value, Tensor):
                items.append(Saved(name, self.known(value), versions[i] if versions else 0))
            elif value.__class__ is Result:
                items.append(Saved(name, NOTHING, value.version, NOTHING, "result"))
            elif value.__class__ is np.ndarray:
                items.append(Saved(name, NOTHING, 0, self.gradient(value)))
            elif value is not None:
                items.append(Saved(name, text=text_of(value)))
        return items

    def gradient(self, g: Any) -> int:
        """The array id of an array that does not change while it is under way."""
        if g is None:
            return NOTHING
        kept = self._gradients.get(id(g))
        if kept is None:
            array = g if g.__class__ is np.ndarray else g._array if isinstance(g, Tensor) else np.asarray(g)
            kept = self._gradients[id(g)] = (g, self.store.keep(array))
        return kept[1]

    def inputs(self, op: Op, arguments: list[Any]) -> tuple[Argument, ...]:
        """The arguments described; those left at their defaults are left out."""
        items = []
        parameters = op.parameters
        for i, value in enumerate(arguments):
            name = parameters[i].name if i < len(parameters) else "data"
            if isinstance(value, Tensor):
                items.append(Argument(name, value._tape - self.first))
            elif value.__class__ is tuple and any(isinstance(v, Tensor) for v in value):
                items.extend(
                    Argument(f"{name}[{k}]", v._tape - self.first) for k, v in enumerate(value) if isinstance(v, Tensor)
                )
            elif value is not None and not (i < len(parameters) and value is parameters[i].default):
                items.append(Argument(name, NOTHING, text_of(value)))
        return tuple(items)

    # --- one method for each kind of note -----------------------------------------------------------------------------------

    def op(
        self, where: Where, op: Op, arguments: list[Any], states: list[State], node: Node | None, saved: Any, mode: Any,
        needs: bool, running: list[int],
    ) -> AnyEvent:  # fmt: skip
        """An operation ran."""
        site, scope = self.locate(where)
        name = name_of(op.name)
        if name not in self.ops:
            self.describe(name, op)
        inputs = self.inputs(op, arguments)
        fresh = self.nodes(node, saved)
        outputs = tuple([self.tensor(s) for s in states])
        return e.OpRan(
            name, inputs, outputs, (), fresh[-1] if fresh else None, fresh[:-1], mode is True,
            cut_of(op, mode) if needs else "", running[0] if running else 0, site=site, scope=scope,
            opened=self.locate(mode[1])[0] if mode.__class__ is tuple else NOTHING,
        )  # fmt: skip

    def introduced(self, where: Where, state: State, node: Node | None, running: list[int], owner: int) -> AnyEvent:
        """A tensor came about unseen."""
        site, scope = self.locate(where)
        name = self.describe("grad" if owner >= 0 else "constant")
        fresh = self.nodes(node, node.saved if node is not None else None)
        return e.OpRan(
            name,
            (Argument("self", owner),) if owner >= 0 else (),
            (self.tensor(state, owner),),
            accumulators=fresh,
            in_backward=running[0] if running else 0,
            site=site,
            scope=scope,
        )

    def wrote(
        self, where: Where, op: Op, arguments: list[Any], states: list[State], node: Node | None, mode: Any,
        needs: bool, running: list[int],
    ) -> AnyEvent:  # fmt: skip
        """An operation wrote in place."""
        site, scope = self.locate(where)
        name = self.describe(name_of(op.name), op)
        fresh = self.nodes(node, node.saved if node is not None else None)
        for state in states[1:]:
            fresh = (*self.nodes(state[3], state[3].saved if state[3] is not None else None), *fresh)
        return e.OpRan(
            name, self.inputs(op, arguments), (), self.written(states), fresh[-1] if fresh else None, fresh[:-1],
            mode is True, cut_of(op, mode) if needs else "", running[0] if running else 0, site=site, scope=scope,
            opened=self.locate(mode[1])[0] if mode.__class__ is tuple else NOTHING,
        )  # fmt: skip

    def grew(self, where: Where, states: list[State], running: list[int]) -> AnyEvent:
        """A `.grad` that the program holds grew in place."""
        site, scope = self.locate(where)
        return e.OpRan(
            self.describe("accumulate"),
            written=self.written(states),
            in_backward=running[0] if running else 0,
            site=site,
            scope=scope,
        )

    def written(self, states: list[State]) -> tuple[Write, ...]:
        """Tensors described as they are after a write."""
        first = self.first
        return tuple(
            [
                Write(t._tape - first, version, array, needs, n is None, NOTHING if n is None else n._tape - first, output)
                for t, array, needs, n, output, version in states
            ]
        )

    def backward_began(
        self, where: Where, number: int, starts: list[Any], retain: bool, create: bool, ids: tuple[int, ...], via: str
    ) -> AnyEvent:
        """A backward pass began."""
        site, scope = self.locate(where)
        return e.BackwardBegan(
            number,
            tuple([(t, self.gradient(g)) for t, _, g in starts]),
            tuple([(self.known(node), k) for _, (node, k), _ in starts]) if self._all_seen(starts) else (),
            retain,
            create,
            ids,
            via,
            site=site,
            scope=scope,
        )

    def node_ran(
        self,
        where: Where,
        number: int,
        node: Node,
        received: tuple[Any, ...],
        raw: tuple[Any, ...],
        sent: tuple[Any, ...],
    ) -> AnyEvent | None:
        """A node's rule ran; nothing is said of one that was made unseen."""
        if self.thinned and self.known(node) not in self._seen:
            return None
        site, scope = self.locate(where)
        first = self.first
        gradient = self.gradient
        taken = tuple([gradient(g) for g in received])
        out: list[Sent | None] = []
        for (target, k), before, after in zip(node.edges, raw, sent, strict=True):
            if after is None or target is None or (self.thinned and self.known(target) not in self._seen):
                out.append(None)
            else:
                was = NOTHING if before is after or before is None else gradient(before)
                out.append(Sent(target._tape - first, k, gradient(after), was))
        return e.NodeRan(number, node._tape - first, taken, tuple(out), site=site, scope=scope)

    def accumulated(self, where: Where, number: int, tensor: int, increment: Any, total: int, node: Node) -> AnyEvent:
        """A gradient arrived in a `.grad`."""
        site, scope = self.locate(where)
        return e.Accumulated(number, tensor, self.gradient(increment), total, self.known(node), site=site, scope=scope)

    def hook_ran(self, where: Where, node: Node, before: Any, after: Any) -> AnyEvent:
        """A hook replaced a gradient."""
        site, scope = self.locate(where)
        leaf = self.known(node.variable) if isinstance(node, AccumulateGrad) else NOTHING
        return e.HookRan(leaf, self.known(node), self.gradient(before), self.gradient(after), site=site, scope=scope)

    def backward_ended(self, where: Where, number: int, freed: bool, error: str) -> AnyEvent:
        """A backward pass ended."""
        site, scope = self.locate(where)
        self._gradients.clear()
        return e.BackwardEnded(number, freed, error, site=site, scope=scope)

    def glimpsed(self, where: Where, op: Op | None, state: State, is_leaf: bool) -> AnyEvent:
        """A result of an operation that nobody wrote down turns out to matter; what it was made of is not known."""
        site, scope = self.locate(where)
        name = self.describe("constant") if op is None else self.describe(name_of(op.name), op)
        made = msgspec.structs.replace(self.tensor(state), is_leaf=is_leaf)
        return e.OpRan(name, outputs=(made,), site=site, scope=scope)

    def changed(self, where: Where, op: Op | None, states: list[State]) -> AnyEvent:
        """Tensors have been written since they were last seen, the last time by `op`."""
        site, scope = self.locate(where)
        name = self.describe("unseen") if op is None else self.describe(name_of(op.name), op)
        return e.OpRan(name, written=self.written(states), site=site, scope=scope)

    def thinned_to(self, where: Where, level: str, unit: tuple[int, ...], iteration: int) -> AnyEvent:
        """The recording holds more or less than before."""
        site, scope = self.locate(where)
        return e.Thinned(level, unit, iteration, site=site, scope=scope)

    def _all_seen(self, starts: list[Any]) -> bool:
        return not self.thinned or all([self.known(node) in self._seen for _, (node, _), _ in starts])

    def grad_set(self, where: Where, tensor: int, array: int, how: str) -> AnyEvent:
        """A `.grad` was set."""
        site, scope = self.locate(where)
        return e.GradSet(tensor, array, how, site=site, scope=scope)

    def flag_set(self, where: Where, tensor: int, flag: str, value: bool) -> AnyEvent:
        """A flag was set."""
        site, scope = self.locate(where)
        return e.FlagSet(tensor, flag, value, site=site, scope=scope)

    def stepped(
        self, where: Where, optimizer: str, parameters: tuple[int, ...], idle: tuple[int, ...], rates: tuple[float, ...]
    ) -> AnyEvent:
        """An optimizer stepped."""
        site, scope = self.locate(where)
        return e.Stepped(optimizer, parameters, idle, site=site, scope=scope, rates=rates)

    def read(self, where: Where, tensor: int, how: str) -> AnyEvent:
        """A tensor's values were handed out."""
        site, scope = self.locate(where)
        return e.Read(tensor, how, site=site, scope=scope)

    def named(self, where: Where, name: str, tensor: int, function: str) -> AnyEvent:
        """A name was bound."""
        site, scope = self.locate(where)
        return e.Named(name, tensor, function, site=site, scope=scope)

    def printed(self, where: Where, text: str, stream: str) -> AnyEvent:
        """Text was written."""
        site, scope = self.locate(where)
        return e.Printed(text, stream, site=site, scope=scope)

    def warned(self, where: Where, category: str, message: str) -> AnyEvent:
        """A warning was shown."""
        site, scope = self.locate(where)
        return e.Warned(category, message, site=site, scope=scope)

    def raised(self, type: str, message: str, span: Site | None) -> AnyEvent:
        """The program ended with an exception."""
        site = NOTHING
        if span is not None:
            site = self._sites_taken + len(self.sites)
            self.sites.append(span)
        return e.Raised(type, message, site=site)

    def cell_began(self, cell: int) -> AnyEvent:
        """A cell begins."""
        return e.CellBegan(cell)

    def cell_ended(self, cell: int, result: str | None) -> AnyEvent:
        """A cell ended."""
        return e.CellEnded(cell, result)


def cut_of(op: Op, mode: Any) -> str:
    """Why the result of an operation on inputs that need a gradient needs none. `mode` is True where gradients are tracked,
    else (inference mode, where it was switched on)."""
    if "leaf" in op.traits:
        return "copy"
    if "detaches" in op.traits:
        return op.name  # detach or data
    if mode is not True:
        return "inference" if mode and mode[0] else "no_grad"
    return "dtype" if "casts" in op.traits else "nondifferentiable"


def text_of(value: Any) -> str:
    """A plain argument as short text."""
    return shown(value)
