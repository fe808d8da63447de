"""Writes down what PyTorch does: the events of the engine's recorder, of PyTorch's own tensors and nodes, in one class as
there; long, because all of them go through the same tables.

Operations come from the dispatcher, one for each autograd node; what autograd made of one is known when the next comes, so each
is written then (`settle`). Tensors are told apart by their `id()` with a weak reference, nodes by their metadata: nothing is
ever set on a tensor, which is copied and saved with what is set on it, and none is kept alive.

To describe an event takes some ten times as long as to pack the numbers that fill its form. So of an operation two lists are
made in passing: what decides its form, and what fills it (`_quick`). Where the first has been met, the second is all that is
written.
"""

from __future__ import annotations

import math
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from sys import _getframe, gettrace, settrace
from threading import RLock, get_ident
from time import monotonic
from types import FrameType
from typing import Any, TypeAlias

import torch
from torch.autograd.graph import Node, _get_grad_fn_or_grad_acc

from ..recording import events as e
from ..recording.batch import HOLE
from ..recording.bounded_text import name_of, said, shown
from ..recording.call_paths import CallPath, Known
from ..recording.collectives import BY_HOOK, REDUCED
from ..recording.events import NOTHING, AnyEvent, Argument, NodeInfo, Saved, Sent, Site, TensorInfo, Write
from ..recording.logbook import Logbook
from ..recording.op_info import OpInfo
from ..recording.recorder import RATES
from ..recording.store import CAP
from ..recording.tensor_paths import Kinds
from ..recording.writer import NOWHERE, Form, LoopNest, Where
from . import aten
from .arrays import LEVELS, Keeper, device_name, dtype_name, is_nested, layout_name, shape_of
from .dispatched import NO_DEFAULT, OPS, Dispatched, op_of
from .project import ProjectCodes
from .ranks import Collective, Wrapped, flat
from .ranks import here as rank_here
from .telling import told
from .threads import Others, Place

Tensor = torch.Tensor
Reached: TypeAlias = tuple[Known, CallPath, int]
NEVER = 2**62
"""The sequence number that PyTorch gives to what runs first."""
SMALL = 64
"""Elements up to which a saved tensor that the program never saw is kept."""
FORMS = 65_536
"""Forms of events that are remembered."""
TEXT = 80
SAVED = "_saved_"
FOR_EVER = 2**30
GONE = 1_000
"""Tensors that are no more and are not forgotten yet, at most."""
_RECORDERS = count()
_UNSAID = frozenset(("device", "dtype", "generator", "layout", "memory_format", "pin_memory"))
"""Arguments of factories that their results show."""
_FILLS = "fills"
_LARGEST = 2**31 - 1
transforming = torch._C._functorch.peek_interpreter_stack
"""What tells whether one of func's transformations runs: None where none does."""
_no_functions, _no_dispatch = torch._C.DisableTorchFunction, torch._C._DisableTorchDispatch


class Pending:
    """An operation that has run and of which autograd's part is not known yet."""

    __slots__ = ("inputs", "mode", "name", "needs", "outputs", "running", "together", "where", "written")

    def __init__(self, where: Where, name: str, running: int) -> None:
        self.where, self.name, self.running = where, name, running
        self.inputs: list[tuple[str, int, Any]] = []
        """Name, and the tensor's id or NOTHING and the value."""
        self.needs = False
        """Whether one of them needs a gradient."""
        self.outputs: list[tuple[int, Tensor, int]] = []
        """Number, tensor and array of each."""
        self.written: list[tuple[Tensor, int]] = []
        self.together: Collective | None = None
        """What it writes together with other ranks, which is looked at when it has come."""
        self.mode = "" if torch.is_grad_enabled() else "inference" if torch.is_inference_mode_enabled() else "no_grad"


class Held(weakref.ref[Tensor]):
    """A tensor that has an id, and is not kept alive."""

    __slots__ = ("key", "number")

    key: int
    """Its `id()`."""
    number: int


class Aside:
    """A block of the recorder's own, of which no mode is told, nor who follows the program's lines; it may stand within
    another. One thread at a time is in one: a pass may be run by several of autograd's.

    Args:
        mends: whether an error in it ends the recording instead of the program.
    """

    __slots__ = ("mends", "recorder")

    def __init__(self, recorder: TorchRecorder, mends: bool) -> None:
        self.recorder, self.mends = recorder, mends

    def __enter__(self) -> None:
        recorder = self.recorder
        recorder.lock.acquire()
        recorder.busy += 1
        recorder.within += 1
        if recorder.within == 1:
            trace = gettrace()
            if trace is not None:
                if trace is recorder.codes.trace:
                    settrace(None)
                else:
                    trace = None
            functions = _no_functions()
            functions.__enter__()
            recorder.guards = functions, _no_dispatch(), trace

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        recorder = self.recorder
        recorder.within -= 1
        if not recorder.within:
            functions, dispatch, tracing = recorder.guards
            recorder.guards = ()
            del dispatch
            functions.__exit__(kind, error, trace)
            if tracing is not None:
                settrace(tracing)
        recorder.busy -= 1
        try:
            if self.mends and isinstance(error, Exception):
                recorder.fail(error)
                return True
            return False
        finally:
            recorder.lock.release()


def _is_module(value: Any) -> bool:
    return isinstance(value, torch.nn.Module) and "_parameters" in vars(value)


class TorchRecorder(Logbook):
    """Keeps the log of what PyTorch does; `watch.watching` tells it.

    Args:
        codes: the code of the program's project.
        level: "facts", "statistics" or "values".
    """

    kinds = Kinds(Tensor, _is_module)

    codes: ProjectCodes

    def __init__(self, codes: ProjectCodes, level: str = "statistics") -> None:
        super().__init__(codes, CAP)
        self._keeper = Keeper(self.store, LEVELS[level])
        self._keep = self._keeper.keep
        self.store.before_taken = self._brought_over
        self.before_pass: Callable[[], None] | None = None
        self.before_module: Callable[[Any], None] | None = None
        """Is told of a module that is called and has no name."""
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
        """The thread that is recorded; while one of autograd's runs a pass within one of its passes, that one."""
        self.lock = RLock()
        """Belongs to the thread that is within a block of the recorder's own."""
        self.others = Others()
        self.later: deque[Callable[[], None]] = deque()
        """What other threads have left to be noted."""
        self.within = 0
        """In how many blocks of its own the recorder is."""
        self.guards: Any = ()
        """What keeps the modes away meanwhile."""
        self._aside = Aside(self, mends=False)
        self.noted = Aside(self, mends=True)
        """What the recorder does: should it fail, the recording ends here, and the program goes on."""
        self.unseen = 0
        """Within how many calls of custom Functions, whose operations are the Function's own."""
        self.in_hook = 0
        self.calling: Any = None
        """The function of PyTorch that the program called."""
        self.stepping = False
        """Whether an optimizer computes, whose operations are its own."""
        self.gradient: tuple[float, ...] = ()
        """The norm of the gradients with which it does, if somebody measures it."""
        self._anchors: list[tuple[int, Reached | None]] = []
        """For each call of a module the id() of the frame that calls it, and where the program was."""
        self._ids: dict[int, Held] = {}
        """By `id()`."""
        self._gone: deque[Held] = deque()
        """What is no more, and is forgotten when there is time: a function of Python's takes longer to be called than this."""
        self._goes = self._gone.append
        self._next = 0
        self._mark = f"gradtape {next(_RECORDERS)}"
        """The entry of a node's metadata that says which it is: one number, which the garbage collector does not look at."""
        self._sharers: dict[int, dict[int, Held]] = {}
        """Address of a storage → the tensors that lie in it with others, by their `id()`."""
        self._memory_of: dict[int, int] = {}
        """`id()` of such a tensor → the address."""
        self.at: Where | None = None
        """Where the program is, as long as the same call of PyTorch's runs."""
        self.waiting: list[Pending] = []
        """Operations that are not written yet."""
        self._sent: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}
        """id() of a gradient under way → it, its version and its array."""
        self._creating = False
        self.rank, self.world_size = rank_here()
        self.wrapped = Wrapped()
        self._reached_leaves: list[tuple[weakref.ref[Tensor], int, int]] = []
        """Where other ranks train, too: the leaves that the innermost pass has reached, their `id()` and what the versions of
        their gradients were."""
        self._saved_kept: dict[str, int] = {}
        """The arrays of what a node saves, which were kept while it was looked at."""

    def _brought_over(self) -> None:
        """Read what is under way on other devices."""
        with self._aside:
            self._keeper.settle()

    def aside(self) -> Aside:
        """What is done here is not the program's, and no mode is told of it."""
        return self._aside

    def noting(self) -> Aside:
        """The same for what the recorder does, which may fail."""
        return self.noted

    def fail(self, error: Exception) -> None:
        """Record nothing more, and say so."""
        if self.failure:
            return
        self.failure = f"{type(error).__name__}: {said(error)}"
        self.busy += FOR_EVER
        self.waiting.clear()
        message = f"The recording ends here, because Gradtape could not go on with it ({self.failure})"
        self.writer.once(self._where, e.Warned("RuntimeWarning", message))
        told(message)

    @property
    def deaf(self) -> bool:
        """Whether what runs is the recorder's own, or another thread's, or comes when nothing is recorded any more; or is
        within one of func's transformations, whose tensors stand for others."""
        return bool(self.busy) or get_ident() != self.thread or not self.watching or transforming() is not None

    @property
    def here(self) -> bool:
        """Whether what runs is in the thread that is recorded, or in one of autograd's, in a pass of that thread's."""
        return get_ident() == self.thread or self.lent

    @property
    def lent(self) -> bool:
        """Whether a thread of autograd's runs the innermost pass: one for a device, or for passes that are nested deeply."""
        return bool(self._running) and self.watching and self.others.lends(self._running[-1])

    def _tells(self, number: int, received: Sequence[Any]) -> bool:
        """Whether a node that tells does so in the pass with this number: passes around it, and those of other threads, may
        come to the same node."""
        if not self._running or self._running[-1] != number:
            return False
        return get_ident() == self.thread or (self.watching and self.others.lends(number, received))

    def foreign(self, what: str) -> None:
        """Another thread, of which nothing is recorded, did something of which it matters that it is not; that is told once."""
        assert isinstance(self.codes, ProjectCodes)
        place = self.others.first(self.codes) if self.watching else None
        if place is not None:
            self.later.append(partial(self._tell_of, what, place))

    def _tell_of(self, what: str, place: Place) -> None:
        thread, file, line = place
        at = f'"{thread}"'
        site = NOTHING
        if file:
            cell = self.codes.program.setdefault(file, len(self.codes.program))
            site = self.writer.add_site(Site(cell, line, 0, line, 0))
            at += f", {Path(file).name} line {line}"
        message = (
            f"{what} ran in another thread ({at}), and is not recorded: only the thread that records is."
            " With gradtape.record(…) in the function that the thread runs, it has a recording of its own"
        )
        self.writer.once((site, NOTHING), e.Warned("RuntimeWarning", message))
        if self.others.tells:
            self.others.tells = False
            told(message)

    @property
    def passes_over(self) -> bool:
        """Whether what runs is within a rule, or an optimizer's own."""
        return bool(self.unseen or self.stepping or (self._running and not self.in_hook))

    # --- where ------------------------------------------------------------------------------------------------------------

    def where(self) -> Where:
        """What runs now: the sites and scopes of the program's innermost frame."""
        reached = self._reached(_getframe(1))
        if reached is None:
            # A thread of autograd's has none of the program's frames.
            return NOWHERE if get_ident() == self.thread or not self.lent else self._where
        met, path, site = reached
        key: Any = met if met.top else (met, path)
        scope = self._here.get(key)
        if scope is None:
            scope = self._here[key] = self.writer.scope(met, self._loops, self.module_calls.inside, path)
        return site, scope

    def _reached(self, frame: FrameType | None) -> Reached | None:
        """The code of the program's innermost frame, its call path and the site it is at."""
        anchor, reached = self._anchors[-1] if self._anchors else (0, None)
        known = self._known
        while frame is not None:
            if id(frame) == anchor:
                return reached
            code = frame.f_code
            met = known.get(id(code)) or self.codes.of(code)
            if met.cell >= 0:
                return met, () if met.top else self.codes.path(frame), self.writer.site(met, frame.f_lasti)
            frame = frame.f_back
        return None

    def module_began(self, module: Any) -> None:
        """A module is called, from a frame of PyTorch's that lasts as long as the call: from there on nothing changes."""
        frame = _getframe(2)
        reached = self._reached(frame)
        if self.before_module is not None and self.module_calls.unknown(module):
            self.before_module(module)
        super().module_began(module)
        self.at = None
        self._anchors.append((id(frame), reached))

    def module_ended(self) -> None:
        """The innermost module's call is over."""
        super().module_ended()
        self.at = None
        self._anchors.pop()

    def loops(self, nest: LoopNest) -> None:
        """Other loops, or other iterations of them, run from now on."""
        super().loops(nest)
        self.at = None

    def follow(self, follow: bool) -> bool:
        """Have Python tell of the program's lines, or not, where none of the program's code runs; returns whether it did.

        It matters where a trace function is called for every call, PyTorch's own too.
        """
        trace, now = self.codes.trace, gettrace()
        if trace is not None and now is (None if follow else trace):
            settrace(trace if follow else None)
        return trace is not None and now is trace

    # --- ids --------------------------------------------------------------------------------------------------------------

    def known(self, thing: Any) -> int:
        """The id of a tensor, NOTHING if it has none yet."""
        found = self._ids.get(id(thing))
        return found.number if found is not None and found() is thing else NOTHING

    def _number(self) -> int:
        self._next += 1
        return self._next - 1

    def _assign(self, tensor: Tensor, number: int = NOTHING) -> int:
        if number < 0:
            number = self._number()
        held = Held(tensor, self._goes)
        held.number = number
        held.key = key = id(tensor)
        before = self._ids.get(key)
        if before is not None:
            self._went(before)
        self._ids[key] = held
        if len(self._gone) >= GONE:
            self._forget()
        return number

    def _forget(self) -> None:
        """Let go of what is known of tensors that are no more."""
        while self._gone:
            self._went(self._gone.popleft())

    def _went(self, held: Held) -> None:
        """A tensor is no more, or has its number no more."""
        key = held.key
        if self._ids.get(key) is held:
            del self._ids[key]
            memory = self._memory_of.pop(key, 0)
            if memory:
                sharers = self._sharers[memory]
                del sharers[key]
                if not sharers:
                    del self._sharers[memory]

    def _shares(self, tensor: Tensor) -> None:
        """A tensor may lie in memory in which others do."""
        key = id(tensor)
        held = self._ids.get(key)
        if held is None or key in self._memory_of:
            return
        memory = _memory(tensor)
        if memory:
            self._memory_of[key] = memory
            self._sharers.setdefault(memory, {})[key] = held

    def identify(self, tensor: Tensor) -> int:
        """The id of a tensor; one that came about unseen is introduced first."""
        number = self.known(tensor)
        if number >= 0:
            return number
        self.settle()
        self._introduce_leaves(tensor.grad_fn)
        owner = self.owner_of(tensor)
        number = self._assign(tensor)
        self._shares(tensor)
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
            hole(number), dtype_name(tensor.dtype), shape_of(tensor), hole(array), tensor.requires_grad, fn is None,
            NOTHING if fn is None else hole(self._node(fn)), tensor.output_nr if fn is not None else 0,
            hole(version) if version else 0, hole(view_of) if view_of >= 0 else NOTHING,
            isinstance(tensor, torch.nn.Parameter), grad_of, device_name(tensor), layout_name(tensor),
        )  # fmt: skip

    def _node(self, fn: Any) -> int:
        """The id of a node, NOTHING if it has none."""
        number: int = fn.metadata.get(self._mark, NOTHING)
        return number

    def _introduce_leaves(self, fn: Any) -> None:
        """Introduce the leaves of a graph that came about unseen: a re-entrant checkpoint computes anew from copies."""
        seen = set()
        stack = [fn]
        while stack:
            top = stack.pop()
            if top is None or top in seen or self._node(top) >= 0:
                continue
            seen.add(top)
            if top.name().endswith("AccumulateGrad"):
                self.identify(top.variable)
            stack += [n for n, _ in top.next_functions]

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
        fn.metadata[self._mark] = number
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
        for name, attribute in _saved_names(type(fn)):
            try:
                value = getattr(fn, attribute)
            except RuntimeError:  # freed, or changed since
                continue
            if isinstance(value, Tensor):
                number, version = self.known(value), _version(value)
                if number >= 0:
                    items.append(Saved(name, hole(number), hole(version) if version else 0))
                elif name.startswith("result") or value.grad_fn is fn:
                    items.append(Saved(name, NOTHING, hole(version) if version else 0, NOTHING, "result"))
                elif value.numel() <= SMALL:
                    array = self._saved_kept.get(name, NOTHING)
                    items.append(Saved(name, NOTHING, 0, hole(array if array >= 0 else self._keep(value))))
                else:
                    items.append(Saved(name, NOTHING, 0, NOTHING, f"tensor of {shape_of(value)}"))
            elif isinstance(value, tuple | list) and any(isinstance(v, Tensor) for v in value):
                for k, v in enumerate(value):
                    if isinstance(v, Tensor) and self.known(v) >= 0:
                        items.append(Saved(f"{name}[{k}]", hole(self.known(v)), _version(v)))
            elif _fills(value):
                items.append(Saved(name, self.writer.said(value)))
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
        op = OPS.get(function) or op_of(function)
        name = op.name
        if op.writes_together is not None:
            self._together(op, args, kwargs, result)
            return
        if op.hidden or (name == "detach" and self._is_own(args, result)):
            return
        said = self._said(name) if op.asks else op.said
        if not said:
            return
        where = self.at
        if where is None:
            where = self.at = self.where()
        self._where = where
        if where is NOWHERE:
            return
        if self.waiting:
            self.settle()
        pending = Pending(where, said, self._running[-1] if self._running else 0)
        written = self._takes(pending, op, () if said == "tensor" else args, kwargs)
        if written:
            self._keeper.forget()
            pending.written = self._written(where, said, written)
            if pending.written:
                self.waiting.append(pending)
            return
        for tensor in result if result.__class__ in (tuple, list) else (result,):
            if isinstance(tensor, Tensor) and self.known(tensor) < 0:
                pending.outputs.append((self._assign(tensor), tensor, self._keep(tensor)))
                if op.aliases:
                    self._shares(tensor)
                if op.first:
                    break
        if pending.outputs:
            if op.aliases:
                for value in args:
                    if isinstance(value, Tensor):
                        self._shares(value)
            self.waiting.append(pending)

    def _said(self, name: str) -> str:
        """What the program called, by the name that the dispatcher has for it; "" for what PyTorch does for itself."""
        if name == "detach":
            return _DETACHES.get(self.calling, "")
        if name == "lift_fresh":
            return "tensor" if self.calling in _LIFTS else ""
        return "" if self.calling in _PASSES else aten.called(name)

    def _is_own(self, args: tuple[Any, ...], result: Any) -> bool:
        """Whether `detach` hands out under a new object what the last operation made, as factories do: it takes its number."""
        if self.calling in _DETACHES or not self.waiting or not isinstance(result, Tensor):
            return self.calling not in _DETACHES
        outputs = self.waiting[-1].outputs
        for k, (number, tensor, array) in enumerate(outputs):
            if tensor is args[0] and not tensor.requires_grad:
                self._went(self._ids[id(tensor)])
                self._assign(result, number)
                outputs[k] = number, result, array
        return True

    def _takes(self, pending: Pending, op: Dispatched, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
        """Note an operation's arguments; returns the tensors that it writes."""
        written: list[Tensor] = []
        if op.writes:
            written = [v for writes, each in zip(op.writes, args, strict=False) if writes for v in _tensors(each)]
        ids, inputs = self._ids, pending.inputs
        for (name, default), value in zip(op.parameters, args, strict=False):
            kind = value.__class__
            if kind is Tensor or isinstance(value, Tensor):
                found = ids.get(id(value))
                if written and self.owner_of(value) >= 0 and any([value is t for t in written]):
                    continue  # of which is told as of a `.grad`
                number = found.number if found is not None and found() is value else self.identify(value)
                inputs.append((name, number, None))
                pending.needs = pending.needs or value.requires_grad
            elif kind in (list, tuple) and any([isinstance(v, Tensor) for v in value]):
                for k, each in enumerate(value):
                    if isinstance(each, Tensor) and (self.owner_of(each) < 0 or not any([each is t for t in written])):
                        inputs.append((f"{name}[{k}]", self.identify(each), None))
                        pending.needs = pending.needs or each.requires_grad
            elif not (value is None or (default is not NO_DEFAULT and value == default)):
                inputs.append((name, NOTHING, value))
        for name, value in kwargs.items():
            if isinstance(value, Tensor):
                inputs.append((name, self.identify(value), None))
                pending.needs = pending.needs or value.requires_grad
            elif value is not None and name not in _UNSAID:
                inputs.append((name, NOTHING, value))
        return written

    def _written(self, where: Where, name: str, written: list[Tensor]) -> list[tuple[Tensor, int]]:
        """What of the tensors that are known an operation has written; a `.grad` is told of as such."""
        states: dict[int, tuple[Tensor, int]] = {}
        name = name.removeprefix("_foreach_")
        keep = self._keeper.keep_zeros if name == "zero" else self._keep
        for tensor in written:
            owner = self.owner_of(tensor)
            if owner >= 0:
                self._grad_set(where, owner, keep(tensor), f"{name}_")
                if self.known(tensor) < 0:
                    continue
            states[id(tensor)] = tensor, keep(tensor)
            memory = _memory(tensor)
            for held in self._sharers.get(memory, {}).values():
                alias = held()
                # Of one to which other data was assigned meanwhile, the memory is another.
                if alias is not None and id(alias) not in states and self.known(alias) >= 0 and _memory(alias) == memory:
                    states[id(alias)] = alias, self._keep(alias)
        return [*states.values()]

    def settle(self) -> None:
        """Write the operations of which autograd has done its part."""
        waiting, self.waiting = self.waiting, []
        for pending in waiting:
            if pending.together is not None:
                self._arrived_from_others(pending, pending.together)
            else:
                self._settle(pending)
        while self.later:
            self.later.popleft()()

    # --- other ranks ------------------------------------------------------------------------------------------------------

    def look_around(self) -> None:
        """Notice which rank this process has, once it has one."""
        if self.world_size < 2:
            self.rank, self.world_size = rank_here()

    def _together(self, op: Dispatched, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        """The program has begun what all ranks do together."""
        self._where = where = self.where()
        if where is NOWHERE:
            return
        self.settle()
        self.look_around()
        pending = Pending(where, op.said, self._running[-1] if self._running else 0)
        given = dict(zip([name for name, _ in op.parameters], args, strict=False)) | kwargs
        written = [t for k, value in enumerate(given.values()) if k in (op.writes_together or ()) for t in flat(value)]
        fresh = {id(t) for t in written if self.known(t) < 0}  # they may be half written by now
        for name, value in given.items() if op.said != "barrier" else ():
            for tensor in flat(value):
                if self.owner_of(tensor) < 0 and id(tensor) not in fresh:
                    pending.inputs.append((name, self.identify(tensor), None))
        asynchronous = bool(given.get("async_op", dict(op.parameters).get("async_op", True)))
        pending.together = Collective(written, asynchronous, result)
        self.waiting.append(pending)

    def _arrived_from_others(self, pending: Pending, together: Collective) -> None:
        """Write what ranks have done together, unless it goes on."""
        if not together.ready() and not self.failure:
            self.waiting.append(pending)
            return
        pending.together = None
        self._keeper.forget()
        written = together.written()
        for tensor in written:
            if self.owner_of(tensor) < 0:
                self.identify(tensor)
        pending.written = self._written(pending.where, pending.name, written)
        if pending.written or pending.inputs or not together.tensors:
            self._write(pending.where, lambda: self._op(pending))

    def broadcast(self, tensors: Sequence[Tensor], where: Where) -> None:
        """What is known of these was written with what another rank has."""
        self._where = where
        self.look_around()
        self._keeper.forget()
        pending = Pending(where, "broadcast", 0)
        known = [t for t in tensors if self.known(t) >= 0]
        pending.inputs = [(f"tensors[{k}]", self.known(t), None) for k, t in enumerate(known)]
        pending.written = self._written(where, "broadcast", known)
        if pending.written and where is not NOWHERE:
            self._write(where, lambda: self._op(pending))

    version = staticmethod(lambda tensor: _version(tensor))

    def _averaged(self) -> None:
        """Tell which gradients a pass that has come to its end has averaged over the ranks: by `DistributedDataParallel`, or
        by hooks of the program's."""
        reached = self._reached_leaves
        leaves = [(leaf, version) for held, _, version in reached if (leaf := held()) is not None and leaf.grad is not None]
        averaged = self.wrapped.averaged({key for _, key, _ in reached})
        seen = {id(p) for p in averaged}
        changed = [leaf for leaf, version in leaves if id(leaf) not in seen and _version(leaf.grad) != version]
        self._keeper.forget()
        for parameters, how in ((averaged, REDUCED), (changed, BY_HOOK)):
            for parameter in parameters:
                assert parameter.grad is not None
                number = self.identify(parameter)
                self.owns(number, parameter.grad)
                self._grad_set(self._where, number, self._keep(parameter.grad), how)

    def _settle(self, pending: Pending) -> None:
        found = None if pending.written else self._quick(pending)
        if found is None:
            self._write(pending.where, lambda: self._op(pending))
            return
        key, filling, fresh = found
        form = self._forms.get(key)
        if form is None:
            form, described = self.writer.describe(self._op, pending)
            self._learn(key, form, filling, described)
            filling = described
        else:
            mark = self._mark
            for fn, number in fresh:
                fn.metadata[mark] = number
            self._next += len(fresh)
        self._saved_kept = {}
        self._rows.append(form[1](form[0], *pending.where, *filling))
        self._sent_on()

    def _again(self, where: Where, key: Any, filling: list[int], make: Callable[[], AnyEvent]) -> None:
        """Write an event of which the form may be known by a key."""
        form = self._forms.get(key)
        if form is None:
            form, described = self.writer.describe(make)
            self._learn(key, form, filling, described)
            filling = described
        self._rows.append(form[1](form[0], *where, *filling))
        self._sent_on()

    def _learn(self, key: Any, form: Form, filling: list[int], described: list[int]) -> None:
        """Remember the form of what has just been described, if what fills it is what was thought to."""
        if described != filling:
            return
        if len(self._forms) >= FORMS:
            self._forms.clear()
        self._forms[key] = form

    def _quick(self, pending: Pending) -> tuple[Any, list[int], list[tuple[Any, int]]] | None:
        """What decides the form of an operation, what fills it, in the order of `_op`, and the nodes that are first seen with
        their ids; None where that is not seen at a glance."""
        key: list[Any] = [e.OpRan, pending.name, pending.mode, pending.needs]
        filling: list[int] = []
        for name, number, value in pending.inputs:
            key.append(name)
            if number >= 0:
                filling.append(number)
            elif _fills(value):
                key.append(_FILLS)
                filling.append(self.writer.number(value))
            else:
                key.append(_decides(value))
        fn: Any = None
        for _, tensor, _ in pending.outputs:
            if tensor.__class__ is not Tensor or is_nested(tensor):
                return None
            other = _grad_fn(tensor)
            if other is not None:
                if fn is not None and other is not fn:
                    return None
                fn = other
        fresh: list[tuple[Any, int]] = []
        node = NOTHING
        if fn is not None:
            node = self._node(fn)
            if node < 0:
                if not self._quick_node(fn, key, filling, fresh):
                    return None
                node = fresh[-1][1]
        for number, tensor, array in pending.outputs:
            made = tensor.grad_fn
            key += (tensor.dtype, tensor.shape, tensor.requires_grad, tensor.device, tensor.layout)
            filling += (number, array)
            if made is not None:
                filling.append(node)
                key.append(tensor.output_nr)
            version, base = _version(tensor), tensor._base
            if version:
                filling.append(version)
                key.append("version")
            view_of = NOTHING if base is None else self.known(base)
            if view_of >= 0:
                filling.append(view_of)
                key.append("view")
        if pending.running:
            filling.append(pending.running)
            key.append("running")
        return tuple(key), filling, fresh

    def _quick_node(self, fn: Any, key: list[Any], filling: list[int], fresh: list[tuple[Any, int]]) -> bool:
        """The same of a node that is first seen; of those that it leads to, only ends of paths may be so, too."""
        mark = self._mark
        number = self._next
        edges: list[int] = []
        for target, k in fn.next_functions:
            if target is None:
                key.append(-1 - k)
                continue
            key.append(k)
            known = target.metadata.get(mark)
            if known is not None:
                edges.append(known)
                continue
            for each, given in fresh:
                if each is target:
                    edges.append(given)
                    break
            else:
                if not target.name().endswith("AccumulateGrad"):
                    return False
                variable = self.known(target.variable)
                key.append("leaf" if variable >= 0 else "end")
                filling.append(number)
                if variable >= 0:
                    filling.append(variable)
                fresh.append((target, number))
                edges.append(number)
                number += 1
        sequence = fn._sequence_nr()
        if sequence > _LARGEST:
            return False
        key.append(fn.name())
        filling.append(sequence)
        if torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
            key.append("hooks")
        elif not self._quick_saved(fn, key, filling):
            return False
        filling += edges
        filling.append(number)
        fresh.append((fn, number))
        return True

    def _quick_saved(self, fn: Any, key: list[Any], filling: list[int]) -> bool:
        """The same of what a node saves."""
        for name, attribute in _saved_names(type(fn)):
            try:
                value = getattr(fn, attribute)
            except RuntimeError:
                key.append(RuntimeError)
                continue
            if value is None:
                key.append(None)
            elif isinstance(value, Tensor):
                found = self._ids.get(id(value))
                if found is not None and found() is value:
                    version = _version(value)
                    filling.append(found.number)
                    key.append(version > 0)
                    if version:
                        filling.append(version)
                elif name.startswith("result") or value.grad_fn is fn:
                    version = _version(value)
                    key.append(("result", version > 0))
                    if version:
                        filling.append(version)
                elif value.numel() <= SMALL:
                    array = self._saved_kept[name] = self._keep(value)
                    key.append("kept")
                    filling.append(array)
                else:
                    key.append(("tensor", shape_of(value)))
            elif _fills(value):
                key.append(_FILLS)
                filling.append(self.writer.number(value))
            elif value.__class__ in (tuple, list) and any([isinstance(v, Tensor) for v in value]):
                for v in value:
                    known = self.known(v) if isinstance(v, Tensor) else NOTHING
                    key.append(None if known < 0 else _version(v))
                    if known >= 0:
                        filling.append(known)
            else:
                key.append(_decides(value))
        return True

    def _argument(self, name: str, number: int, value: Any) -> Argument:
        if number >= 0:
            return Argument(name, self.writer.hole(number))
        return Argument(name, self.writer.said(value)) if _fills(value) else Argument(name, NOTHING, _text(value))

    def _op(self, pending: Pending) -> AnyEvent:
        hole = self.writer.hole
        inputs = tuple([self._argument(*each) for each in pending.inputs])
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
        self.at = None
        pending = Pending(where, name_of(function.__name__), self._running[-1] if self._running and self._creating else 0)
        for k, value in enumerate(args):
            if isinstance(value, Tensor):
                pending.inputs.append((f"args[{k}]", self.identify(value), None))
                pending.needs = pending.needs or value.requires_grad
                self._shares(value)
            else:
                pending.inputs.append((f"args[{k}]", NOTHING, value))
        for tensor in result if isinstance(result, tuple) else (result,):
            if isinstance(tensor, Tensor) and self.known(tensor) < 0:
                pending.outputs.append((self._assign(tensor), tensor, self._keep(tensor)))
                self._shares(tensor)
        self.waiting.append(pending)
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
        self.others.pass_began(number, grads)
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
        rule_ran, accumulated, by_node = self._rule_ran, self._accumulated, self._by_node
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
                reference = weakref.ref(getattr(fn, "variable"))  # noqa: B009
                told = partial(by_node, accumulated, number, node, reference, where)
            else:
                # Numbers only, and no closure: what lives as long as the pass, the garbage collector goes through.
                targets = [NOTHING if n is None else self._node(n) for n, _ in edges]
                told = partial(by_node, rule_ran, number, node, tuple(targets), tuple([k for _, k in edges]), where)
            handles.append(fn.register_hook(told))
            stack += [n for n, _ in edges if n is not None]
        return handles

    def _by_node(self, note: Callable[..., None], number: int, *what: Any) -> None:
        """A node tells what it has done, and `note` writes it down, if the pass with this number is the one that runs."""
        # A trace function is told of each function that is called here, too, and for that Python copies its variables.
        trace = self.codes.trace
        if trace is not None and gettrace() is trace:
            settrace(None)
        else:
            trace = None
        try:
            if self._tells(number, what[-1]):
                with self.noted:
                    if self.busy == 1:
                        note(number, *what)
        finally:
            if trace is not None:
                settrace(trace)

    def _rule_ran(
        self, number: int, node: int, targets: tuple[int, ...], places: tuple[int, ...], where: Where,
        sent: Sequence[Any], received: Sequence[Any],
    ) -> None:  # fmt: skip
        """A node's rule ran.

        Args:
            targets: the nodes that its edges lead to.
            places: to which of their inputs.
        """
        if self.waiting:
            self.settle()
        gradient = self._gradient
        key: list[Any] = [e.NodeRan, len(received)]
        filling = [number, node]
        for g in received:
            key.append(g is None)
            if g is not None:
                filling.append(gradient(g))
        for target, k, g in zip(targets, places, sent, strict=False):
            if g is None or target < 0:
                key.append(NOTHING)
            else:
                key.append(k)
                filling += (target, gradient(g))
        self._again(where, tuple(key), filling, lambda: self._of_rule(key, filling))

    def _of_rule(self, key: list[Any], filling: list[int]) -> AnyEvent:
        numbers = map(self.writer.hole, filling)
        number, node = next(numbers), next(numbers)
        ends = 2 + key[1]
        received = tuple([NOTHING if none else next(numbers) for none in key[2:ends]])
        return e.NodeRan(
            number, node, received, tuple([None if k < 0 else Sent(next(numbers), k, next(numbers)) for k in key[ends:]])
        )

    def _accumulated(
        self, number: int, node: int, reference: weakref.ref[Tensor], where: Where, _: Sequence[Any], received: Sequence[Any]
    ) -> None:
        """A gradient was added to a leaf's."""
        leaf = reference()
        if leaf is None or leaf.grad is None:
            return
        leaf_number = self.known(leaf)
        self.owns(leaf_number, leaf.grad)
        self._where = where
        if self.world_size > 1:
            self._reached_leaves.append((reference, id(leaf), _version(leaf.grad)))
        self.arrived(number, leaf_number, self._gradient(received[0]), self._keep(leaf.grad), node)

    def _gradient(self, g: Any) -> int:
        """The array of a gradient under way: what one node sends the next receives."""
        if g is None:
            return NOTHING
        if self._keeper.whole < 0:
            return self._keep(g)
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
        if error is None and self.world_size > 1:
            self._averaged()
        self._reached_leaves.clear()
        self._creating = creating
        number = self._running.pop()
        self.others.pass_ended(number)
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

    def cleared(self, tensors: Sequence[Tensor]) -> None:
        """Of these, which had a `.grad`, those that have none any more have lost it here."""
        lost = {id(tensor): tensor for tensor in tensors if tensor.grad is None}
        where = self.where() if lost else NOWHERE
        for tensor in lost.values():
            number = self.identify(tensor)
            self._where = where
            self._grad_set(where, number, NOTHING, "None")

    def _grad_set(self, where: Where, owner: int, array: int, how: str) -> None:
        def event() -> AnyEvent:
            hole = self.writer.hole
            return e.GradSet(hole(owner), hole(array) if array >= 0 else NOTHING, how)

        self._again(where, (e.GradSet, how, array >= 0), [owner, array] if array >= 0 else [owner], event)

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

    def updated(self, optimizer: Any, before: dict[int, int], where: Where, finished: bool = True) -> None:
        """An optimizer stepped.

        Args:
            before: the versions that its parameters had, by their `id()`.
            finished: whether it came to the end of its step; else only what it has written is told.
        """
        self._where = where
        self._keeper.forget()
        name = name_of(type(optimizer).__name__)
        # Shards that came from other ranks were written past their versions.
        shared = self.world_size > 1 and type(optimizer).__module__.startswith("torch.distributed.")
        updated: list[int] = []
        idle: list[int] = []
        for group in optimizer.param_groups:
            for p in group["params"]:
                number = self.identify(p)
                (idle if p.grad is None else updated).append(number)
                if shared or _version(p) != before.get(id(p)):
                    self._updated(p, number, self._keep(p), name.lower(), where)
        if not finished:
            return
        rates = rates_of(optimizer)

        def event() -> AnyEvent:
            hole = self.writer.hole
            parameters, others = tuple([hole(n) for n in updated]), tuple([hole(n) for n in idle])
            return e.Stepped(name, parameters, others, rates=rates, gradient=self.gradient)

        self._write(where, event)

    def _updated(self, p: Tensor, number: int, array: int, name: str, where: Where) -> None:
        needs, version = p.requires_grad, _version(p)

        def event() -> AnyEvent:
            hole = self.writer.hole
            written = Write(hole(number), hole(version), hole(array), needs)
            return e.OpRan(
                self._described(name), (Argument("data", hole(number)),), written=(written,), cut="nondifferentiable"
            )

        self._again(where, (e.OpRan, name, needs), [number, version, array, number], event)


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


_names_of: dict[type, list[tuple[str, str]]] = {}


def _saved_names(kind: type) -> list[tuple[str, str]]:
    """What nodes of a kind save: names, and those of the attributes."""
    names = _names_of.get(kind)
    if names is None:
        # Sizes and strides are those of tensors that the recording has.
        names = _names_of[kind] = [
            (name[len(SAVED) :], name) for name in dir(kind) if name.startswith(SAVED) and "_sym_" not in name
        ]
    return names


def _fills(value: Any) -> bool:
    """Whether a value is a number whose text fills a hole."""
    kind = value.__class__
    return kind is int or (kind is float and bool(value))


_WORDS = frozenset((bool, str, type(None)))
_NUMBERS = frozenset((int, bool))


def _decides(value: Any) -> Any:
    """What stands for the text of a value where texts are compared: to make one takes longer."""
    kind = value.__class__
    if kind in _WORDS:
        return value
    if (kind is tuple or kind is list) and _NUMBERS.issuperset([each.__class__ for each in value]):
        return tuple(value)
    return _text(value)


def _tensors(value: Any) -> list[Tensor]:
    return [v for v in (value if isinstance(value, tuple | list) else (value,)) if isinstance(v, Tensor)]


def _text(value: Any) -> str:
    return shown(tuple(value) if isinstance(value, list) else value)[:TEXT]


_DETACHES = {Tensor.detach: "detach", Tensor.detach_: "detach_", torch.detach: "detach", Tensor.data.__get__: "data"}  # type: ignore[attr-defined]
_LIFTS = (torch.tensor, torch.as_tensor)
_PASSES = (Tensor.backward, torch.autograd.backward, torch.autograd.grad)
