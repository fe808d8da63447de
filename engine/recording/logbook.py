"""What every recorder does, of whichever tensors: the log and its places, who owns which gradient, names, and what the program
writes.

It knows no engine's tensors: what a tensor is, and how one gets its id, its subclasses say.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from .assembly import Assembly
from .batch import HOLE, Batch
from .bounded_text import name_of
from .call_paths import Codes
from .events import (
    NOTHING,
    Accumulated,
    AnyEvent,
    CellBegan,
    CellEnded,
    Drew,
    Named,
    Printed,
    Raised,
    Scope,
    Site,
    Warned,
)  # fmt: skip
from .log import Events, scopes_of, sites_of
from .module_paths import Calls, Inside
from .op_info import OpInfo
from .recording import Recording
from .store import ArrayStore, StoredArray
from .tensor_paths import IN_CONTAINERS, PLAIN, Kinds, holds, tensor_paths
from .writer import NOWHERE, LoopNest, Where, Writer

BATCH = 20_000
HELD = 32 * 2**20
"""Events, and bytes of larger arrays, after which they are handed over."""


class Logbook(ABC):
    """Keeps the log, which only grows.

    Args:
        codes: the program's code.
        cap: elements up to which an array is kept whole.
    """

    kinds: Kinds
    """What counts as a tensor and as a module."""

    def __init__(self, codes: Codes, cap: int) -> None:
        self.codes = codes
        self.store = ArrayStore(cap)
        self.batch = BATCH
        """Events after which they are handed over."""
        self.filing: Callable[[Batch], bool] = lambda batch: False
        """Takes what is handed over, where it goes into a file; whether it did."""
        self.module_calls = Calls()
        """The modules whose `forward` runs."""
        self.writer = Writer(self.store, codes)
        self._rows = self.writer.rows
        self._forms = self.writer.forms
        self._known = codes.known
        self._assembly = Assembly()
        self._nest: LoopNest | None = ((), ())
        """The loops that run, where that has been asked."""
        self._told: Callable[[], LoopNest] = lambda: ((), ())
        self._scopes: dict[Inside, dict[Any, int]] = {}
        """The scopes of the loops that run: module → code (and call path) → row."""
        self._here: dict[Any, int] = {}
        """Those of the module that runs."""
        self._grads: dict[int, tuple[weakref.ref[Any], int]] = {}
        """id() of a `.grad` tensor -> (that tensor, id of its owner)."""
        self._grads_most = 256
        """How many of them may be there before those that are gone are forgotten."""
        self._names: dict[tuple[str, str], int] = {}
        self._within: dict[tuple[str, str], dict[str, None]] = {}
        """Names of modules -> the paths by which what is in them was named."""
        self._owners: dict[int, tuple[weakref.ref[Any], str, str]] = {}
        """id() of an object of the program's -> that object, its first name, and the function whose local that is."""
        self._owners_most = 256
        """How many of them may be there before those that are gone are forgotten."""
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

    @abstractmethod
    def where(self) -> Where:
        """What runs now: the sites and scopes of the program's innermost frame."""

    @abstractmethod
    def known(self, thing: Any) -> int:
        """The id of a tensor, NOTHING if it has none yet."""

    @abstractmethod
    def identify(self, tensor: Any) -> int:
        """The id of a tensor; one that came about unseen is introduced first."""

    # --- the log ----------------------------------------------------------------------------------------------------------

    @property
    def program(self) -> dict[str, int]:
        """File names under which the program's code was compiled, with their cell numbers."""
        return self.codes.program

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
        """Hand over what has come since the last time: to its file, else to what makes a recording of it."""
        batch = self.take()
        if not self.filing(batch):
            self._assembly.add(batch)

    def trains(self, via: str) -> None:
        """A backward pass runs in the loops that run now."""
        if via == "backward" or not self._fills:
            self.trained = self._loops[0]
            self._fills = via == "backward"

    def _row(self, where: Where, key: Any, form: Callable[[], AnyEvent], *filling: int) -> None:
        """Write down an event whose form is known by a key, and made where it is new."""
        known = self._forms.get(key)
        if known is None:
            known = self._forms[key] = self.writer.form(form(), len(filling))
        self._rows.append(known[1](known[0], *where, *filling))
        if len(self._rows) >= self.batch:
            self.flush()

    def _sent_on(self) -> None:
        if len(self._rows) >= self.batch or self.store.held > HELD:
            self.flush()

    def recording(self, source: tuple[str, ...] = ()) -> Recording:
        """What was recorded so far."""
        self.flush()
        tape = self._assembly.tape()
        return Recording(source, Events(tape), sites_of(tape), scopes_of(tape), self._assembly.stored(), dict(self.writer.ops))

    # --- where ------------------------------------------------------------------------------------------------------------

    def loops(self, nest: LoopNest) -> None:
        """Other loops, or other iterations of them, run from now on."""
        self._nest = nest
        self._scopes = {}
        self._enter_scopes()

    def turned(self, told: Callable[[], LoopNest]) -> None:
        """Other loops, or other iterations of them, run from now on; which, is asked when something is written down in them."""
        self._nest, self._told = None, told
        if self._here or len(self._scopes) > 1:
            self._scopes = {}
            self._enter_scopes()

    @property
    def _loops(self) -> LoopNest:
        if self._nest is None:
            self._nest = self._told()
        return self._nest

    def _enter_scopes(self) -> None:
        inside = self.module_calls.inside
        here = self._scopes.get(inside)
        if here is None:
            here = self._scopes[inside] = {}
        self._here = here

    def module_began(self, module: Any) -> None:
        """A module is called."""
        self.module_calls.enter(module)
        self._enter_scopes()

    def module_ended(self) -> None:
        """The innermost module's call is over."""
        self.module_calls.leave()
        self._enter_scopes()

    # --- gradients --------------------------------------------------------------------------------------------------------

    def owner_of(self, tensor: Any) -> int:
        """The id of the tensor whose `.grad` a tensor is or was, NOTHING for none."""
        found = self._grads.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else NOTHING

    def owns(self, owner: int, grad: Any) -> None:
        """A tensor has a `.grad`. It is not kept alive."""
        grads = self._grads
        found = grads.get(id(grad))
        if found is not None and found[0]() is grad:
            return
        if len(grads) > self._grads_most:
            self._grads = grads = {key: held for key, held in grads.items() if held[0]() is not None}
            self._grads_most = 2 * len(grads) + 256
        grads[id(grad)] = weakref.ref(grad), owner

    def disowns(self, grad: Any) -> None:
        """Something is no longer a `.grad`."""
        if self.owner_of(grad) >= 0:
            del self._grads[id(grad)]

    def arrived(self, running: int, number: int, added: int, total: int, node: int) -> None:
        """Write down that a gradient has arrived: the pass, the tensor's id, both arrays, the node's id."""
        self._row(self._where, Accumulated, _accumulated, running, number, added, total, node)

    # --- names ------------------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Any, function: str = "", given: bool = False) -> None:
        """A name of the program was bound; tensors in lists, dicts, modules and objects are named by the path to them.

        `given` says that it is an argument's name or a loop's, by which what has a name is not named once more.
        """
        if isinstance(value, self.kinds.tensor):
            self._bind(name, value, function, self.where(), given)
            return
        if (function, name) in self._names:
            del self._names[(function, name)]
            self.named(self.where(), name, NOTHING, function)
        if value.__class__ in PLAIN:
            return
        module = self.kinds.is_module(value)
        if module:
            self.module_calls.named(value, name)
        calls = self._calls(self.where()) if module else 0
        also = module and not given and not self._loops[0]
        gone = self._within.get((function, name), {})
        within: dict[str, None] = {}
        found = tensor_paths(value, kinds=self.kinds) if module or holds(value, kinds=self.kinds) else ()
        for path, tensor, held in found:
            # What has a name keeps it; parameters get a further one where a model is made of named modules, shares them or
            # is bound a second time. Attributes are of interest only if they have been seen.
            number = self.known(tensor)
            before = self._named.get(number)
            again = also or (module and before is not None and (calls < before or path in gone))
            if (held and again) or (before is None and (held or number >= 0)):
                within[path] = None
                self._bind(name + path, tensor, function, self.where())
        if module:
            self._within[function, name] = within
        for path in gone:
            if path not in within and self._names.pop((function, name + path), NOTHING) != NOTHING:
                self.named(self.where(), name + path, NOTHING, function)
        if not given and (module or type(value).__module__ == "__main__"):
            self._owned(name, value, function, module)

    def _owned(self, name: str, value: Any, function: str, module: bool) -> None:
        """An object got a name: what its methods give it later will be found by that. Where two of its attributes are one
        module, the tensors in it go by both names."""
        try:
            owner, held = weakref.ref(value), object.__getattribute__(value, "__dict__")
        except (AttributeError, TypeError):
            return
        owners = self._owners
        if len(owners) > self._owners_most:
            self._owners = owners = {key: held for key, held in owners.items() if held[0]() is not None}
            self._owners_most = 2 * len(owners) + 256
        found = owners.get(id(value))
        if found is None or found[0]() is not value:
            owners[id(value)] = owner, name, function
        if module or type(held) is not dict:
            return
        seen: set[int] = set()
        for attribute, child in islice(held.items(), IN_CONTAINERS):
            if type(attribute) is str and child.__class__ not in PLAIN and self.kinds.is_module(child):
                if id(child) in seen:
                    self._named_within(f"{name}.{attribute}", child, function)
                seen.add(id(child))

    def placed(self, owner: Any, attribute: str) -> None:
        """A method gave an attribute of its object a value: if that is a module, and the object has a name, what is in the
        module goes by this name from now on."""
        ref, name, function = self._owners.get(id(owner), (None, "", ""))
        if ref is None or ref() is not owner:
            return
        held = object.__getattribute__(owner, "__dict__")
        if type(held) is not dict:
            return
        among = held.get("_modules")
        child = among.get(attribute) if type(among) is dict and attribute in among else held.get(attribute)
        if child.__class__ in PLAIN or not self.kinds.is_module(child):
            return
        whole = f"{name}.{attribute}"
        now = self._named_within(whole, child, function)
        starts = f"{whole}."
        for bound in [n for f, n in self._names if f == function and n.startswith(starts) and n not in now]:
            del self._names[function, bound]
            self.named(self.where(), bound, NOTHING, function)

    def _named_within(self, name: str, module: Any, function: str) -> set[str]:
        """The tensors in a module that have been seen get their names behind the module's; which names those are."""
        found = {name + path: tensor for path, tensor, _ in tensor_paths(module, kinds=self.kinds) if self.known(tensor) >= 0}
        for bound, tensor in found.items():
            self._bind(bound, tensor, function, self.where())
        return set(found)

    def _bind(self, name: str, tensor: Any, function: str, where: Where, given: bool = False) -> None:
        self._where = where
        number = self.identify(tensor)
        if self._names.get((function, name)) == number:
            return
        self._names[(function, name)] = number
        if not given:  # else it is a name in passing, and may be the only one that a parameter has before its module is named
            calls = self._calls(where)
            self._named[number] = min(self._named.get(number, calls), calls)
        self.named(where, name, number, function)

    def named(self, where: Where, name: str, number: int, function: str) -> None:
        """Write down that a name was bound to the tensor with this id, or to something else."""
        self._row(where, (name, function), lambda: Named(name_of(name), HOLE, name_of(function)), number)

    def _calls(self, where: Where) -> int:
        """How many calls of the program are around a position."""
        return self.writer.depth_of[where[1]] if where[1] >= 0 else 0

    # --- what the program writes ------------------------------------------------------------------------------------------

    def printed(self, text: str, stream: str = "stdout") -> None:
        """The program wrote text."""
        self.writer.once(self.where(), Printed(text, stream))

    def drew(self, figure: str) -> None:
        """The program showed a figure."""
        self.writer.once(self.where(), Drew(figure))

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


def _accumulated() -> AnyEvent:
    return Accumulated(HOLE, HOLE - 1, HOLE - 2, HOLE - 3, HOLE - 4)
