"""What `import` gives a program: facades, built once before any program runs."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from ... import backends
from ..._dynamo import Config
from ...autograd.function import FunctionCtx
from ...autograd.node import Node
from ...distributions.constraint import Constraint
from ...distributions.distribution import Distribution
from ...distributions.transform import Transform
from ...nn import Module
from ...optim import Optimizer
from ...optim.lr_scheduler import LRScheduler
from ...tensor import Tensor
from ...utils.data import DataLoader, Dataset, Sampler
from ..policy.builtin import make_builtins
from ..policy.errors import MissingModule, PolicyError
from ..policy.guards import Guards
from ..policy.inert import absent_class
from . import guarded, libraries, library, numpy, outside, plain, plotting, saving, system, torch
from .absent import ASKED_FOR, error_for, instead, may_be_empty, unknown
from .copying import Copying
from .facade import Facade
from .files import modules as files
from .files import streams
from .module import Module as OwnModule
from .torch import LISTED


class World:
    """Everything that a program can name: its built-ins, and what it may import."""

    def __init__(self) -> None:
        self.guards = Guards()
        self.guards.modules = (Facade,)
        self.guards.opened += (
            Config,
            Constraint,
            DataLoader,
            Dataset,
            Distribution,
            FunctionCtx,
            LRScheduler,
            Module,
            OwnModule,
            Optimizer,
            Sampler,
            Tensor,
            Transform,
            type(backends.cudnn),
            *outside.OPENED,
        )
        self.project: Any = None
        """The program's own modules (`engine.sandbox.project.Project`), where it has any."""
        self.tried: set[str] = set()
        """Modules that the program imports within `try`, to go on without them."""
        self.emptied: set[str] = set()
        """Modules that the program imports and that are not there."""
        self.copying = Copying(self.guards)
        self.guards.replacements["__deepcopy__"] = self.copying.method
        self.guards.know(outside.ERRORS, bases=True)
        self.builtins = make_builtins(self.guards, self._import, streams.open)
        self.builtins["get_ipython"] = system.get_ipython
        self.modules: dict[str, Facade] = plain.facades(self.guards) | outside.facades() | files.facades(self.guards)
        self.modules |= guarded.facades(self.guards, self.copying) | system.facades(self.guards) | numpy.facades(self.guards)
        self.modules |= library.facades(self.guards, self._whole, self._again)
        self._put_below("collections", "abc")
        saved = saving.facades(self.guards, self.modules)
        ours = torch.facades(saved.pop("torch.serialization"))
        self.modules |= saved
        for facade in ours.values():
            self.guards.know(vars(facade).values(), bases=True)
        self.guards.bases.discard(Node)  # whose methods are given the arrays of tensors
        self.modules |= {name: facade for name, facade in ours.items() if name != "torch._C"}
        for name in outside.NAMED:
            top, _, below = name.partition(".")
            if top in ("torch", "urllib"):
                self._put_below(name.rpartition(".")[0], below.rpartition(".")[2])
        # Their switches can be set, so they are no facades.
        self.modules |= {f"torch.backends.{name}": vars(backends)[name] for name in LISTED["backends"].split()}

        self.late = dict.fromkeys(plotting.TOPS, partial(plotting.facades, self.modules["numpy"], self.load))
        """Packages whose facades are made when a program imports them, and what makes them."""

    def load(self, library: str) -> None:
        """Let programs import a library, which may hand out arrays; its stand-in is loaded now, if it is not yet."""
        self.guards.noticed("arrays")
        for needed in (*libraries.NEEDS.get(library, ()), library):
            if needed not in self.modules:
                self.modules |= libraries.facades(needed, self.guards)

    def _make_late(self, top: str) -> None:
        """Make the facades of a package, and of those that are made with it."""
        make = self.late[top]
        self.modules |= make(self.guards)
        self.late = {name: other for name, other in self.late.items() if other is not make}

    def _put_below(self, package: str, name: str) -> None:
        vars(self.modules[package])[name] = self.modules[f"{package}.{name}"]

    def _import(self, name: Any, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """What the `import` statement calls."""
        if type(fromlist) is list:
            # Not the statement, which passes a tuple or None: it is NumPy's or Python's own C code that wants a module of
            # its own while the program is the innermost frame. It looks for the module itself afterwards.
            import_module(name)
            return None
        if level and self.project is None:
            raise PolicyError("relative imports do not work in a program that is one file", "Write the code into this program.")
        if type(name) is not str:
            raise PolicyError("a module's name is a text", "Write an import statement.")
        if self.project is not None:
            if level:
                return self.project.imported(self.project.named(globals, level, name), fromlist)
            if self.project.has(name) or self.project.has(name.partition(".")[0]):
                return self.project.imported(name, fromlist)
        for late in (name, name.partition(".")[0]):
            if late in self.late:
                self._make_late(late)
        if name.partition(".")[0] in libraries.MODULES:
            self.load(name.partition(".")[0])
        if name not in self.modules and self._may_be_empty(name) and "*" not in (fromlist or ()):
            made = outside.empty(name, self.modules)
            self.modules |= made
            self.emptied |= made.keys()
        if name not in self.modules or (name in self.tried and name.partition(".")[0] in ASKED_FOR):
            raise error_for(name, {*self.modules, *self.late, *libraries.MODULES})
        if name.partition(".")[0] == "numpy":
            self.guards.noticed("arrays")
        elif name == "weakref":
            self.guards.noticed("callbacks")
        facade = self.modules[name]
        if not fromlist:
            return self._on_the_way(name)
        for wanted in fromlist:
            if name in (self.emptied | libraries.PARTLY) and wanted not in vars(facade):
                self._put_absent(name, wanted)
            if wanted != "*" and wanted not in vars(facade):
                raise _cannot_import(wanted, name, facade)
        return facade

    def _on_the_way(self, name: str) -> Any:
        """The package that a module's name begins with, from which `import a.b.c as d` goes on from part to part: of what has
        not the next one Python asks its `__name__`, and looks for the part among its own modules."""
        top, *between = name.split(".")[:-1] or [name]
        found = package = self.modules[top]
        for part in between:
            found = vars(found).get(part, found)
            if not any(found is module for module in self.modules.values()):
                raise ImportError(f"cannot import name '{part}' from '{name}': it is no module")
        return package

    def _may_be_empty(self, name: str) -> bool:
        """Whether a module that is not there is given all the same, to be refused where it is used."""
        parts = name.split(".")
        ours = parts[0] in self.modules and parts[0] not in self.emptied and parts[0] not in outside.TOPS
        known = parts[0] in libraries.MODULES.keys() - libraries.PARTLY
        if parts[0] not in libraries.PARTLY and (ours or known or parts[0] in plotting.TOPS):
            return False  # of what is there everything is known
        tried = any(".".join(parts[:k]) in self.tried for k in range(1, len(parts) + 1))
        return may_be_empty(name) and not tried and all(part[:1] != "_" for part in parts)

    def _put_absent(self, module: str, name: str) -> None:
        """Let a program import a name of a module that is not there, to be refused where it is used."""
        if name[:1] != "_":
            made = absent_class(f"{module}.{name}", instead(f"{module}.{name}") or unknown(module.partition(".")[0]))
            self.guards.know([made], bases=True)
            vars(self.modules[module])[name] = made

    def _whole(self, name: Any) -> Any:
        """The module of a dotted name, as `importlib.import_module` gives it."""
        if type(name) is not str or not all(part.isidentifier() for part in name.split(".")):
            raise MissingModule(f"No module named '{name}' for programs here", "Write an import statement.")
        if self.project is not None and self.project.has(name.partition(".")[0]):
            return self.project.imported(name, (), whole=True)
        return self._import(name, None, None, ("*",))

    def _again(self, module: Any) -> Any:
        """Run a module of the program's once more."""
        if self.project is None:
            raise TypeError("reload() argument must be a module")
        return self.project.again(module)


def _cannot_import(wanted: str, name: str, facade: Facade) -> ImportError:
    """In Python's words, with those of the facade about a name it leaves out."""
    said = f"cannot import name '{wanted}' from '{name}'"
    try:
        getattr(facade, wanted)
    except PolicyError as error:
        return MissingModule(f"{said} here", error.help)
    except AttributeError as error:
        help = instead(f"{name}.{wanted}")
        known = help != instead(name.partition(".")[0])
        return MissingModule(f"{said} here", help) if known else ImportError(f"{said}: {error}", name=name)
    return ImportError(said, name=name)
