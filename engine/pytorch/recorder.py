"""Writes down what PyTorch does: the events of the engine's recorder, of PyTorch's own tensors and nodes, in one class as
there; long, because all of them go through the same tables.

Operations come from the dispatcher, one for each autograd node; what autograd made of one is known when the next comes, so each
is written then (`settle`). Tensors are told apart by their `id()` with a weak reference, nodes by their metadata: nothing is
ever set on a tensor, which is copied and saved with what is set on it, and none is kept alive.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from sys import _getframe
from threading import get_ident
from time import monotonic
from types import FrameType
from typing import Any

import torch
from torch.autograd.graph import Node, _get_grad_fn_or_grad_acc

from ..recording import events as e
from ..recording.batch import HOLE
from ..recording.bounded_text import name_of, said, shown
from ..recording.call_paths import CallPath, Codes
from ..recording.events import NOTHING, AnyEvent, Argument, NodeInfo, Saved, Sent, TensorInfo, Write
from ..recording.logbook import Logbook
from ..recording.op_info import OpInfo
from ..recording.recorder import RATES
from ..recording.store import CAP
from ..recording.tensor_paths import Kinds
from ..recording.writer import NOWHERE, Where
from . import aten
from .arrays import LEVELS, device_name, dtype_name, kept, layout_name
from .telling import told

Tensor = torch.Tensor
NEVER = 2**62
"""The sequence number that PyTorch gives to what runs first."""
SMALL = 64
"""Elements up to which a saved tensor that the program never saw is kept."""
TEXT = 80
SAVED = "_saved_"
FOR_EVER = 2**30
OURS = "gradtape"
"""The entry of a node's metadata that says which it is."""
_UNSAID = frozenset(("device", "dtype", "generator", "layout", "memory_format", "pin_memory"))
"""Arguments of factories that their results show."""


class Pending:
    """An operation that has run and of which autograd's part is not known yet."""

    __slots__ = ("inputs", "mode", "name", "needs", "outputs", "running", "where", "written")

    def __init__(self, where: Where, name: str, inputs: tuple[Any, ...], needs: bool, running: int) -> None:
        self.where, self.name, self.inputs, self.needs, self.running = where, name, inputs, needs, running
        self.outputs: list[tuple[int, Tensor, int]] = []
        """Number, tensor and array of each."""
        self.written: list[tuple[Tensor, int]] = []
        self.mode = "" if torch.is_grad_enabled() else "inference" if torch.is_inference_mode_enabled() else "no_grad"


class Aside:
    """A block whose operations no mode is told of; it may stand within another.

    Args:
        mends: whether an error in it ends the recording instead of the program.
    """

    __slots__ = ("mends", "recorder")

    def __init__(self, recorder: TorchRecorder, mends: bool) -> None:
        self.recorder, self.mends = recorder, mends

    def __enter__(self) -> None:
        recorder = self.recorder
        recorder.busy += 1
        recorder.within += 1
        if recorder.within == 1:
            functions = torch._C.DisableTorchFunction()
            functions.__enter__()
            recorder.guards = functions, torch._C._DisableTorchDispatch()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        recorder = self.recorder
        recorder.within -= 1
        if not recorder.within:
            functions, _ = recorder.guards
            recorder.guards = ()
            functions.__exit__(kind, error, trace)
        recorder.busy -= 1
        if self.mends and isinstance(error, Exception):
            recorder.fail(error)
            return True
        return False


def _is_module(value: Any) -> bool:
    return isinstance(value, torch.nn.Module) and "_parameters" in vars(value)


class TorchRecorder(Logbook):
    """Keeps the log of what PyTorch does; `watch.watching` tells it.

    Args:
        codes: the program's code.
        level: "statistics" or "values".
    """

    kinds = Kinds(Tensor, _is_module)

    def __init__(self, codes: Codes, level: str = "statistics") -> None:
        super().__init__(codes, CAP)
        self.whole = LEVELS[level]
        """Elements up to which a tensor is kept whole."""
        self.before_pass: Callable[[], None] | None = None
        """Looks for names before a backward pass, where no instrumented text tells them."""
        self.failure = ""
        """Why there is no more of the recording, where it could not go on."""
        self.due = math.inf
        """When what has come is to be written into its file, by the clock of `monotonic`."""
        self.watching = False
        """Whether it is told of what happens."""
        self.busy = 0
        """Above 0 while the recorder itself uses PyTorch, or what runs is to be passed over."""
        self.thread = get_ident()
        """The thread that is recorded."""
        self.within = 0
        """In how many blocks of its own the recorder is."""
        self.guards: Any = ()
        """What keeps the modes away meanwhile."""
        self._aside, self._noting = Aside(self, mends=False), Aside(self, mends=True)
        self.unseen = 0
        """Within how many calls of custom Functions, whose operations are the Function's own."""
        self.in_hook = 0
        self.calling: Any = None
        """The function of PyTorch that the program called."""
        self.stepping = False
        """Whether an optimizer computes."""
        self._ids: dict[int, tuple[int, weakref.ref[Tensor]]] = {}
        self._next = 0
        self._mark = object()
        """What tells the nodes that it has numbered from those of other recorders, which may be gone."""
        self._sharers: dict[int, list[weakref.ref[Tensor]]] = {}
        """Address of a storage → the tensors that lie in it."""
        self._sharers_most = 1024
        self._pending: list[Pending] = []
        self._sent: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}
        """id() of a gradient under way → it, its version and its array."""
        self._creating = False

    def aside(self) -> Aside:
        """What is done here is not the program's, and no mode is told of it."""
        return self._aside

    def noting(self) -> Aside:
        """The same for what the recorder does: should it fail, the recording ends here, and the program goes on."""
        return self._noting

    def fail(self, error: Exception) -> None:
        """Record nothing more, and say so."""
        if self.failure:
            return
        self.failure = f"{type(error).__name__}: {said(error)}"
        self.busy += FOR_EVER
        self._pending.clear()
        message = f"The recording ends here, because Gradtape could not go on with it ({self.failure})"
        self.writer.once(self._where, e.Warned("RuntimeWarning", message))
        told(message)

    @property
    def deaf(self) -> bool:
        """Whether what runs is the recorder's own, or another thread's."""
        return bool(self.busy) or get_ident() != self.thread

    @property
    def passes_over(self) -> bool:
        """Whether what runs is within a rule, or an optimizer's own."""
        return bool(self.unseen or self.stepping or (self._running and not self.in_hook))

    # --- where ------------------------------------------------------------------------------------------------------------

    def where(self) -> Where:
        """What runs now: the sites and scopes of the program's innermost frame."""
        frame: FrameType | None = _getframe(1)
        while frame is not None:
            met = self._known.get(id(frame.f_code)) or self.codes.of(frame.f_code)
            if met.cell >= 0:
                path: CallPath = () if met.top else self.codes.path(frame)
                key: Any = met if met.top else (met, path)
                scope = self._here.get(key)
                if scope is None:
                    scope = self._here[key] = self.writer.scope(met, self._loops, self.module_calls.inside, path)
                return self.writer.site(met, frame.f_lasti), scope
            frame = frame.f_back
        return NOWHERE

    # --- ids --------------------------------------------------------------------------------------------------------------

    def known(self, thing: Any) -> int:
        """The id of a tensor, NOTHING if it has none yet."""
        found = self._ids.get(id(thing))
        return found[0] if found is not None and found[1]() is thing else NOTHING

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _assign(self, tensor: Tensor, number: int = NOTHING) -> int:
        if number < 0:
            number = self._number()
        key, ids = id(tensor), self._ids

        def gone(_: Any) -> None:
            found = ids.get(key)
            if found is not None and found[0] == number:
                del ids[key]

        ids[key] = number, weakref.ref(tensor, gone)
        memory = _memory(tensor)
        if memory:
            self._sharers.setdefault(memory, []).append(weakref.ref(tensor))
            if len(self._sharers) > self._sharers_most:
                self._forget_memory()
        return number

    def _forget_memory(self) -> None:
        living = {at: [r for r in each if r() is not None] for at, each in self._sharers.items()}
        self._sharers = {at: each for at, each in living.items() if each}
        self._sharers_most = 2 * len(self._sharers) + 1024

    def identify(self, tensor: Tensor) -> int:
        """The id of a tensor; one that came about unseen is introduced first."""
        number = self.known(tensor)
        if number >= 0:
            return number
        self.settle()
        owner = self.owner_of(tensor)
        number = self._assign(tensor)
        name = "grad" if owner >= 0 else "Parameter" if isinstance(tensor, torch.nn.Parameter) else "constant"
        array = self._keep(tensor)
        running = self._running[-1] if self._running else 0

        def introduced() -> AnyEvent:
            hole = self.writer.hole
            fresh = self._nodes(tensor.grad_fn)
            given = hole(owner) if owner >= 0 else NOTHING
            inputs = (Argument("self", given),) if owner >= 0 else ()
            made = self._tensor(number, tensor, array, given)
            return e.OpRan(
                self._described(name), inputs, (made,), accumulators=fresh, in_backward=hole(running) if running else 0
            )

        self._write(self._where, introduced)
        return number

    def _keep(self, tensor: Tensor) -> int:
        return kept(self.store, tensor, self.whole)

    def _described(self, name: str) -> str:
        if name not in self.writer.ops:
            unseen = name in ("constant", "grad")
            self.writer.ops[name] = OpInfo(name, "", name, traits=("creation",)) if unseen else aten.info(name)
        return name

    def _write(self, where: Where, make: Callable[[], AnyEvent]) -> None:
        self.writer.write(where, make)
        self._sent_on()

    def _sent_on(self) -> None:
        if monotonic() > self.due:
            self.flush()
        super()._sent_on()

    # --- things described -------------------------------------------------------------------------------------------------

    def _tensor(self, number: int, tensor: Tensor, array: int, grad_of: int = NOTHING) -> TensorInfo:
        hole, fn, version = self.writer.hole, tensor.grad_fn, _version(tensor)
        base = tensor._base
        view_of = NOTHING if base is None else self.known(base)
        return TensorInfo(
            hole(number), dtype_name(tensor.dtype), tuple(tensor.shape), hole(array), tensor.requires_grad, fn is None,
            NOTHING if fn is None else hole(self._node(fn)), tensor.output_nr if fn is not None else 0,
            hole(version) if version else 0, hole(view_of) if view_of >= 0 else NOTHING,
            isinstance(tensor, torch.nn.Parameter), grad_of, device_name(tensor), layout_name(tensor),
        )  # fmt: skip

    def _node(self, fn: Any) -> int:
        """The id of a node, NOTHING if it has none."""
        said = fn.metadata.get(OURS)
        return said[1] if said is not None and said[0] is self._mark else NOTHING

    def _nodes(self, fn: Any, name: str = "") -> tuple[NodeInfo, ...]:
        """The nodes first seen with `fn`, itself last, after those it leads to."""
        if fn is None or self._node(fn) >= 0:
            return ()
        fresh: list[NodeInfo] = []
        stack = [fn]
        while stack:
            top = stack[-1]
            if self._node(top) >= 0:
                stack.pop()
                continue
            below = [n for n, _ in top.next_functions if n is not None and self._node(n) < 0]
            if below:
                stack.extend(reversed(below))
                continue
            stack.pop()
            fresh.append(self._node_info(top, name if top is fn else ""))
        return tuple(fresh)

    def _node_info(self, fn: Any, name: str) -> NodeInfo:
        hole = self.writer.hole
        number, variable, sequence = self._number(), NOTHING, NEVER
        fn.metadata[OURS] = self._mark, number
        if fn.name().endswith("AccumulateGrad"):
            variable = self.known(fn.variable)
            saved: tuple[Saved, ...] = ()
        else:
            sequence = hole(min(fn._sequence_nr(), NEVER))
            saved = self._saved(fn)
        edges = tuple([(NOTHING if n is None else hole(self._node(n)), k) for n, k in fn.next_functions])
        return NodeInfo(
            hole(number), name_of(fn.name().rpartition("::")[2]), edges, sequence,
            hole(variable) if variable >= 0 else NOTHING, saved, self._rule(name),
        )  # fmt: skip

    def _rule(self, name: str) -> str:
        if not name:
            return ""
        found = aten.rule(name)
        if found is None:
            return ""
        self.writer.ops.setdefault(found.name, found)
        return found.name

    def _saved(self, fn: Any) -> tuple[Saved, ...]:
        """What a node saves. It is not looked at where that would run hooks, which compute it anew or load it."""
        if torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
            return ()
        hole = self.writer.hole
        items: list[Saved] = []
        for name in _saved_names(type(fn)):
            try:
                value = getattr(fn, f"_saved_{name}")
            except RuntimeError:  # freed, or changed since
                continue
            if isinstance(value, Tensor):
                number, version = self.known(value), _version(value)
                if number >= 0:
                    items.append(Saved(name, hole(number), hole(version) if version else 0))
                elif name.startswith("result") or value.grad_fn is fn:
                    items.append(Saved(name, NOTHING, hole(version) if version else 0, NOTHING, "result"))
                elif value.numel() <= SMALL:
                    items.append(Saved(name, NOTHING, 0, hole(self._keep(value))))
                else:
                    items.append(Saved(name, NOTHING, 0, NOTHING, f"tensor of {tuple(value.shape)}"))
            elif isinstance(value, tuple | list) and any(isinstance(v, Tensor) for v in value):
                for k, v in enumerate(value):
                    if isinstance(v, Tensor) and self.known(v) >= 0:
                        items.append(Saved(f"{name}[{k}]", hole(self.known(v)), _version(v)))
            elif value is not None:
                items.append(Saved(name, text=_text(value)))
        return tuple(items)

    # --- operations -------------------------------------------------------------------------------------------------------

    def ran(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """The dispatcher ran an operation."""
        if self.unseen or self.stepping:
            return
        if torch._C._current_graph_task_id() != -1 and not (self._running and self._creating) and not self.in_hook:
            return  # a rule of the backward pass, of which its node tells
        schema = function._schema
        name = schema.name.rpartition("::")[2]
        if name.startswith("_record_function") or self._is_own(name, args, result):
            return
        said = self._said(name)
        if not said:
            return
        self._where = where = self.where()
        if where is NOWHERE:
            return
        self.settle()
        inputs, needs, written = self._inputs(schema, () if said == "tensor" else args, kwargs)
        pending = Pending(where, said, inputs, needs, self._running[-1] if self._running else 0)
        if written:
            pending.written = self._written(where, said, written)
            if pending.written:
                self._pending.append(pending)
            return
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if isinstance(tensor, Tensor) and self.known(tensor) < 0:
                pending.outputs.append((self._assign(tensor), tensor, self._keep(tensor)))
                if said in aten.FIRST:
                    break
        if pending.outputs:
            self._pending.append(pending)

    def _said(self, name: str) -> str:
        """What the program called, by the name that the dispatcher has for it; "" for what PyTorch does for itself."""
        if name == "detach":
            return _DETACHES.get(self.calling, "")
        if name == "lift_fresh":
            return "tensor" if self.calling in _LIFTS else ""
        if name == "ones_like" and self.calling in _PASSES:
            return ""
        return "" if name in aten.QUIET else aten.called(name)

    def _is_own(self, name: str, args: tuple[Any, ...], result: Any) -> bool:
        """Whether an operation hands out under a new object what the last one made, as factories do: it takes its number."""
        if name != "detach" or self.calling in _DETACHES or not self._pending or not isinstance(result, Tensor):
            return name == "detach" and self.calling not in _DETACHES
        outputs = self._pending[-1].outputs
        for k, (number, tensor, array) in enumerate(outputs):
            if tensor is args[0] and not tensor.requires_grad:
                self._ids.pop(id(tensor), None)
                self._assign(result, number)
                outputs[k] = number, result, array
        return True

    def _inputs(
        self, schema: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[tuple[Argument, ...], bool, list[Tensor]]:
        """The arguments described, whether one needs a gradient, and the tensors that are written."""
        found: list[tuple[str, Any]] = []
        needs = False
        written: list[Tensor] = []
        for parameter, value in zip(schema.arguments, args, strict=False):
            writes = parameter.alias_info is not None and parameter.alias_info.is_write
            several = value if isinstance(value, tuple | list) else (value,)
            tensors = [v for v in several if isinstance(v, Tensor)]
            if writes:
                written += tensors
            if tensors and several is value:
                found += [(f"{parameter.name}[{k}]", v) for k, v in enumerate(several) if isinstance(v, Tensor)]
            elif tensors or not (value is None or (parameter.has_default_value() and value == parameter.default_value)):
                found.append((parameter.name, value))
        found += [(name, v) for name, v in kwargs.items() if v is not None and (name not in _UNSAID or isinstance(v, Tensor))]
        items: list[tuple[str, int, str]] = []
        for name, value in found:
            if not isinstance(value, Tensor):
                items.append((name, NOTHING, _text(value)))
            elif self.owner_of(value) < 0 or not any(value is t for t in written):
                items.append((name, self.identify(value), ""))
                needs = needs or value.requires_grad
        return tuple([Argument(*item) for item in items]), needs, written

    def _written(self, where: Where, name: str, written: list[Tensor]) -> list[tuple[Tensor, int]]:
        """What of the tensors that are known an operation has written; a `.grad` is told of as such."""
        states: dict[int, tuple[Tensor, int]] = {}
        for tensor in written:
            owner = self.owner_of(tensor)
            if owner >= 0:
                self._grad_set(where, owner, self._keep(tensor), f"{name.removeprefix('_foreach_')}_")
                if self.known(tensor) < 0:
                    continue
            states[id(tensor)] = tensor, self._keep(tensor)
            for reference in self._sharers.get(_memory(tensor), ()):
                alias = reference()
                if alias is not None and id(alias) not in states and self.known(alias) >= 0:
                    states[id(alias)] = alias, self._keep(alias)
        return [*states.values()]

    def settle(self) -> None:
        """Write the operations of which autograd has done its part."""
        waiting, self._pending = self._pending, []
        for pending in waiting:
            self._write(pending.where, lambda pending=pending: self._op(pending))  # type: ignore[misc]

    def _op(self, pending: Pending) -> AnyEvent:
        hole = self.writer.hole
        inputs = tuple([Argument(a.name, hole(a.tensor)) if a.tensor >= 0 else a for a in pending.inputs])
        fresh: tuple[NodeInfo, ...] = ()
        main: Any = None
        for tensor in [*(t for _, t, _ in pending.outputs), *(t for t, _ in pending.written)]:
            fn = _grad_fn(tensor)
            if fn is not None:
                main = main if main is not None else fn
                fresh += self._nodes(fn, pending.name)
        outputs = tuple([self._tensor(number, tensor, array) for number, tensor, array in pending.outputs])
        writes = tuple([self._write_of(tensor, array) for tensor, array in pending.written])
        own: NodeInfo | None = None
        if main is not None and fresh:
            own, fresh = fresh[-1], fresh[:-1]
        cut = ""
        if pending.needs and main is None:
            cut = aten.CUTS.get(pending.name) or pending.mode or ("dtype" if pending.name == "to" else "nondifferentiable")
        running = pending.running
        return e.OpRan(
            self._described(pending.name), inputs, outputs, writes, own, fresh, not pending.mode, cut,
            hole(running) if running else 0,
        )  # fmt: skip

    def _write_of(self, tensor: Tensor, array: int) -> Write:
        hole, fn = self.writer.hole, _grad_fn(tensor)
        node = NOTHING if fn is None else hole(self._node(fn))
        return Write(
            hole(self.known(tensor)), hole(_version(tensor)), hole(array), tensor.requires_grad, fn is None, node,
            tensor.output_nr if fn is not None else 0,
        )  # fmt: skip

    def made(self, parameter: Tensor) -> None:
        """A parameter was made, without an operation."""
        where = self.where()
        if where is not NOWHERE:
            self.settle()
            self._where = where
            self.identify(parameter)

    def custom(self, function: Any, args: tuple[Any, ...], result: Any, where: Where) -> None:
        """A custom Function was applied."""
        self._where = where
        needs = any(isinstance(a, Tensor) and a.requires_grad for a in args)
        inputs = tuple(
            [
                Argument(f"args[{k}]", self.identify(a)) if isinstance(a, Tensor) else Argument(f"args[{k}]", NOTHING, _text(a))
                for k, a in enumerate(args)
            ]
        )
        running = self._running[-1] if self._running and self._creating else 0
        pending = Pending(where, name_of(function.__name__), inputs, needs, running)
        for tensor in result if isinstance(result, tuple) else (result,):
            if isinstance(tensor, Tensor) and self.known(tensor) < 0:
                pending.outputs.append((self._assign(tensor), tensor, self._keep(tensor)))
        self._pending.append(pending)
        self.settle()

    # --- backward passes ----------------------------------------------------------------------------------------------------

    def began(
        self, roots: Sequence[Tensor], grads: Sequence[Any], retain: bool, create: bool, inputs: Any, via: str
    ) -> list[Any]:
        """A backward pass begins; returns the handles of the hooks that tell of it."""
        self._where = where = self.where()
        self.settle()
        if self.before_pass is not None:
            self.before_pass()
        starts = [
            (self.identify(t), self._keep(torch.ones_like(t) if g is None else g)) for t, g in zip(roots, grads, strict=True)
        ]
        ids = tuple([self.identify(t) for t in inputs or () if isinstance(t, Tensor)])
        self._passes += 1
        number = self._passes
        self._running.append(number)
        self.trains(via)

        def event() -> AnyEvent:
            hole = self.writer.hole
            nodes: list[tuple[int, int]] = []
            fresh: tuple[NodeInfo, ...] = ()
            for tensor in roots:
                fn = _get_grad_fn_or_grad_acc(tensor)
                fresh += self._nodes(fn)
                nodes.append((hole(self._node(fn)), tensor.output_nr if tensor.grad_fn is not None else 0))
            return e.BackwardBegan(
                hole(number), tuple([(hole(t), hole(g)) for t, g in starts]), tuple(nodes), retain, create,
                tuple([hole(each) for each in ids]), via, fresh,
            )  # fmt: skip

        self._write(where, event)
        self._creating = create
        return self._hooked(roots, number, where)

    def _hooked(self, roots: Sequence[Tensor], number: int, where: Where) -> list[Any]:
        """Have every node that the pass may reach tell of its rule."""
        handles: list[Any] = []
        seen: set[int] = set()
        stack = [_get_grad_fn_or_grad_acc(t) for t in roots]
        while stack:
            fn = stack.pop()
            node = self._node(fn)
            if node in seen:
                continue
            seen.add(node)
            edges = fn.next_functions
            if not edges and fn.name().endswith("AccumulateGrad"):
                told: Any = self._accumulates(weakref.ref(getattr(fn, "variable")), node, number, where)  # noqa: B009
            else:
                targets = [(NOTHING if n is None else self._node(n), k) for n, k in edges]
                told = self._runs(node, targets, number, where)
            handles.append(fn.register_hook(told))
            stack += [n for n, _ in edges if n is not None]
        return handles

    def _runs(self, node: int, targets: list[tuple[int, int]], number: int, where: Where) -> Any:
        def told(sent: Sequence[Any], received: Sequence[Any]) -> None:
            if self.busy:
                return
            with self.noting():
                self.settle()
                taken = [self._gradient(g) for g in received]
                given = [
                    None if g is None or target < 0 else (target, k, self._gradient(g))
                    for (target, k), g in zip(targets, sent, strict=False)
                ]

                def event() -> AnyEvent:
                    hole = self.writer.hole
                    head = hole(number), hole(node)
                    received = tuple([hole(g) if g >= 0 else NOTHING for g in taken])
                    out = tuple([None if s is None else Sent(hole(s[0]), s[1], hole(s[2])) for s in given])
                    return e.NodeRan(*head, received, out)

                self._write(where, event)

        return told

    def _accumulates(self, reference: weakref.ref[Tensor], node: int, number: int, where: Where) -> Any:
        def told(_: Sequence[Any], received: Sequence[Any]) -> None:
            leaf = reference()
            if self.busy or leaf is None or leaf.grad is None:
                return
            with self.noting():
                leaf_number = self.known(leaf)
                self.owns(leaf_number, leaf.grad)
                self._where = where
                self.arrived(number, leaf_number, self._gradient(received[0]), self._keep(leaf.grad), node)

        return told

    def _gradient(self, g: Any) -> int:
        """The array of a gradient under way: what one node sends the next receives."""
        if g is None:
            return NOTHING
        found = self._sent.get(id(g))
        if found is not None and found[0]() is g and found[1] == _version(g):
            return found[2]
        array = self._keep(g)
        self._sent[id(g)] = weakref.ref(g), _version(g), array
        return array

    def ended(self, retain: bool, error: BaseException | None, creating: bool) -> None:
        """A backward pass ended.

        Args:
            creating: whether the pass around it makes a graph.
        """
        self.settle()
        self._sent.clear()
        self._creating = creating
        number = self._running.pop()
        text = "" if error is None else said(error)
        self._write(self._where, lambda: e.BackwardEnded(self.writer.hole(number), not retain, text))

    @property
    def creating(self) -> bool:
        """Whether the innermost backward pass makes a graph."""
        return self._creating

    def hooked(self, tensor: Tensor, before: Tensor, after: Tensor, where: Where) -> None:
        """A hook of a tensor replaced a gradient."""
        self.settle()
        number, node = self.identify(tensor), self._node(_get_grad_fn_or_grad_acc(tensor))
        was, now = self._gradient(before), self._gradient(after)

        def event() -> AnyEvent:
            hole = self.writer.hole
            return e.HookRan(hole(number) if tensor.is_leaf else NOTHING, hole(node), hole(was), hole(now))

        self._write(where, event)

    # --- what the program does beside operations ----------------------------------------------------------------------------

    def grad_set(self, tensor: Tensor, how: str) -> None:
        """A `.grad` was assigned."""
        self._where = where = self.where()
        self.settle()
        number, array = self.identify(tensor), NOTHING
        if tensor.grad is not None:
            self.owns(number, tensor.grad)
            array = self._keep(tensor.grad)
        self._grad_set(where, number, array, how)

    def _grad_set(self, where: Where, owner: int, array: int, how: str) -> None:
        def event() -> AnyEvent:
            hole = self.writer.hole
            return e.GradSet(hole(owner), hole(array) if array >= 0 else NOTHING, how)

        self._write(where, event)

    def flag_set(self, tensor: Tensor, flag: str, value: bool) -> None:
        """`requires_grad` was changed or `retain_grad` called."""
        self._where = where = self.where()
        self.settle()
        number = self.identify(tensor)
        self._write(where, lambda: e.FlagSet(self.writer.hole(number), flag, value))

    def retained(self, tensor: Tensor, gradient: Tensor) -> None:
        """A gradient came to a tensor that retains it."""
        number, node = self.known(tensor), self._node(tensor.grad_fn)
        array = self._gradient(gradient)
        self.arrived(self._running[-1] if self._running else self._passes, number, array, array, node)

    def read(self, tensor: Tensor, how: str) -> None:
        """The values of a tensor were handed out; of interest only for tensors that have been seen."""
        self.settle()
        number = self.known(tensor)
        if number >= 0:
            self._row(self.where(), (e.Read, how), lambda: e.Read(HOLE, how), number)

    def updated(self, optimizer: Any, before: dict[int, int], where: Where) -> None:
        """An optimizer stepped.

        Args:
            before: the versions that its parameters had, by their `id()`.
        """
        self._where = where
        name = name_of(type(optimizer).__name__)
        updated: list[int] = []
        idle: list[int] = []
        for group in optimizer.param_groups:
            for p in group["params"]:
                number = self.identify(p)
                (idle if p.grad is None else updated).append(number)
                if _version(p) != before.get(id(p)):
                    self._updated(p, number, self._keep(p), name.lower(), where)
        rates = rates_of(optimizer)

        def event() -> AnyEvent:
            hole = self.writer.hole
            return e.Stepped(name, tuple([hole(n) for n in updated]), tuple([hole(n) for n in idle]), rates=rates)

        self._write(where, event)

    def _updated(self, p: Tensor, number: int, array: int, name: str, where: Where) -> None:
        needs, version = p.requires_grad, _version(p)

        def event() -> AnyEvent:
            hole = self.writer.hole
            written = Write(hole(number), hole(version), hole(array), needs)
            return e.OpRan(
                self._described(name), (Argument("data", hole(number)),), written=(written,), cut="nondifferentiable"
            )

        self._write(where, event)


def rates_of(optimizer: Any) -> tuple[float, ...]:
    """The learning rates of an optimizer's groups; () where one of them is no number."""
    rates = []
    for group in optimizer.param_groups[:RATES]:
        rate = group.get("lr")
        if isinstance(rate, Tensor) and rate.numel() == 1:
            rate = rate.item()
        if rate.__class__ not in (int, float):
            return ()
        rates.append(float(rate))
    return tuple(rates)


def _memory(tensor: Tensor) -> int:
    """Where a tensor's storage is; 0 for one that has none."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        return 0


def _version(tensor: Any) -> int:
    """How often a tensor was written in place; 0 for one of inference mode, which does not count."""
    return 0 if tensor.is_inference() else int(tensor._version)


def _grad_fn(tensor: Tensor) -> Node | None:
    try:
        return tensor.grad_fn
    except RuntimeError:  # a view that may no longer be used says so to the program, not to us
        return None


_names_of: dict[type, list[str]] = {}


def _saved_names(kind: type) -> list[str]:
    names = _names_of.get(kind)
    if names is None:
        # Sizes and strides are those of tensors that the recording has.
        names = _names_of[kind] = [name[len(SAVED) :] for name in dir(kind) if name.startswith(SAVED) and "_sym_" not in name]
    return names


def _text(value: Any) -> str:
    return shown(tuple(value) if isinstance(value, list) else value)[:TEXT]


_DETACHES = {Tensor.detach: "detach", Tensor.detach_: "detach_", torch.detach: "detach", Tensor.data.__get__: "data"}  # type: ignore[attr-defined]
_LIFTS = (torch.tensor, torch.as_tensor)
_PASSES = (Tensor.backward, torch.autograd.backward, torch.autograd.grad)
