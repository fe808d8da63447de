"""Small modules of the standard library that tell of the machine, of packages or of functions, harmlessly here."""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import platform
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from ...itself import engine
from ..policy.errors import MissingModule
from ..policy.guards import Guards
from ..policy.inert import refusal
from . import arguments, configuration, options, outside
from .absent import INSTEAD
from .facade import Facade, picked
from .files.streams import bytes_of
from .plain import missing

HASHES = "blake2b blake2s md5 sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512"
PARSE = """
ParseResult SplitResult parse_qs parse_qsl quote quote_plus unquote unquote_plus urldefrag urlencode urljoin urlparse urlsplit
urlunparse urlunsplit
"""
MACHINE = {
    "architecture": ("64bit", "ELF"), "machine": "x86_64", "node": "program", "platform": "Linux-x86_64", "processor": "x86_64",
    "release": "", "system": "Linux", "version": "",
}  # fmt: skip
"""What a program is told about the machine, whichever it is."""
Imports = Callable[[str], Any]
"""What imports a module by its whole name."""


def facades(guards: Guards, imports: Imports, again: Callable[[Any], Any]) -> dict[str, Facade]:
    """The modules by name.

    Args:
        imports: what `importlib.import_module` does, and `again`, what `importlib.reload` does.
    """
    metadata = Facade("importlib.metadata", _metadata(guards, imports), missing("importlib.metadata"))
    util = Facade("importlib.util", {"find_spec": _find_spec(imports)}, missing("importlib.util"))
    parse = Facade("urllib.parse", picked(urllib.parse, PARSE), missing("urllib.parse"))
    guards.know(vars(parse).values())

    def import_module(name: str, package: Any = None) -> Any:
        return imports(name)

    def reload(module: Any) -> Any:
        return module if type(module) is Facade else again(module)

    library = {"import_module": import_module, "metadata": metadata, "reload": reload, "util": util}
    by_name = {
        "argparse": arguments.names(guards),
        "configparser": configuration.names(guards),
        "hashlib": _hashlib(),
        "inspect": _inspect(guards),
        "optparse": options.names(guards),
        "platform": _platform(),
        "uuid": _uuid(guards),
    }
    made = {name: Facade(name, names, missing(name)) for name, names in by_name.items()}
    made |= {"importlib": Facade("importlib", library, outside.missing("importlib"))}
    made |= {"urllib": Facade("urllib", {"parse": parse}, outside.missing("urllib"))}
    return made | {"importlib.metadata": metadata, "importlib.util": util, "urllib.parse": parse}


# --- packages ----------------------------------------------------------------------------------------------------------------


PACKAGES = {"pillow": "PIL", "scikit-learn": "sklearn"} | {
    name: name for name in ("einops", "gym", "gymnasium", "matplotlib", "seaborn", "torchvision")
}
"""Packages of which there are stand-ins, and what they are imported by."""


def _metadata(guards: Guards, imports: Imports) -> dict[str, Any]:
    guards.know([importlib.metadata.PackageNotFoundError])
    versions = {"numpy": np.__version__}

    def version(distribution_name: Any) -> str:
        name = str(distribution_name).lower().replace("_", "-")
        if name == "torch":  # as it is while the program runs
            return str(engine.__version__)
        if name in PACKAGES and name not in versions:
            versions[name] = str(vars(imports(PACKAGES[name])).get("__version__", ""))
        if not versions.get(name):
            raise importlib.metadata.PackageNotFoundError(str(distribution_name))
        return versions[name]

    return {"PackageNotFoundError": importlib.metadata.PackageNotFoundError, "version": version}


class Spec:
    """What `importlib.util.find_spec` gives: a module with that name is there."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    name = property(lambda self: self._name)


def _find_spec(imports: Imports) -> Callable[..., Any]:
    def find_spec(name: Any, package: Any = None) -> Spec | None:
        try:
            imports(name)
        except MissingModule:
            return None
        return Spec(str(name))

    return find_spec


# --- the machine -------------------------------------------------------------------------------------------------------------


def _platform() -> dict[str, Any]:
    def told(value: Any) -> Callable[..., Any]:
        return lambda *_: value

    made = {name: told(value) for name, value in MACHINE.items()}
    for name in ("python_version", "python_implementation", "python_version_tuple"):
        made[name] = told(getattr(platform, name)())
    return made


def _hashlib() -> dict[str, Any]:
    def hashing(name: str) -> Callable[..., Any]:
        real: Any = getattr(hashlib, name)

        def make(data: Any = b"", *, usedforsecurity: bool = True) -> Hash:
            return Hash(real(bytes_of(data), usedforsecurity=bool(usedforsecurity)))

        make.__name__ = make.__qualname__ = name
        return make

    made = {name: hashing(name) for name in HASHES.split()}

    def new(name: Any, data: Any = b"", **options: Any) -> Hash:
        known = str(name).lower().replace("-", "_")
        if known not in made:
            raise ValueError(f"unsupported hash type {name}")
        found: Hash = made[known](data, **options)
        return found

    return made | {"algorithms_available": set(made), "algorithms_guaranteed": set(made), "new": new}


class Hash:
    """A hash that takes bytes, never memory of objects."""

    __slots__ = ("_real",)

    def __init__(self, real: Any) -> None:
        self._real = real

    name = property(lambda self: self._real.name)
    digest_size = property(lambda self: self._real.digest_size)
    block_size = property(lambda self: self._real.block_size)

    def update(self, data: Any, /) -> None:
        """Take more bytes."""
        self._real.update(bytes_of(data))

    def digest(self) -> bytes:
        """The hash."""
        return bytes(self._real.digest())

    def hexdigest(self) -> str:
        """The hash as text."""
        return str(self._real.hexdigest())

    def copy(self) -> Hash:
        """Another one that has taken the same bytes."""
        return Hash(self._real.copy())


def _uuid(guards: Guards) -> dict[str, Any]:
    names = picked(uuid, "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500 UUID uuid3 uuid4 uuid5")
    guards.know(names.values())
    return names | {"uuid1": uuid.uuid4}


# --- functions ---------------------------------------------------------------------------------------------------------------


def _plain(value: Any) -> bool:
    """Whether a default may be shown of a function that is not the program's."""
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is None or value is ... or type(value) in (bool, bytes, complex, float, int, str)


_guards: list[Guards] = []
"""Those of the world; no attribute of anything that a program has."""


class Signature(inspect.Signature):
    """As `inspect.Signature`; of functions that are not the program's with plain defaults and no annotations."""

    __slots__ = ()
    __module__ = "inspect"

    @classmethod
    def from_callable(cls, obj: Any, **_: Any) -> Any:
        """What a function takes."""
        if not callable(obj):
            raise TypeError(f"{obj!r} is not a callable object")
        found = inspect.Signature.from_callable(obj, follow_wrapped=False)
        made_by = vars(obj).get("__init__") if isinstance(obj, type) else getattr(obj, "__func__", obj)
        if _guards[0].is_own_function(made_by):
            return cls(list(found.parameters.values()), return_annotation=found.return_annotation)
        empty = inspect.Parameter.empty
        shown = [
            inspect.Parameter(p.name, p.kind, default=p.default if p.default is empty or _plain(p.default) else ...)
            for p in found.parameters.values()
        ]
        return cls(shown)


def _inspect(guards: Guards) -> dict[str, Any]:
    _guards[:] = [guards]
    guards.know([Signature, inspect.Parameter, inspect.BoundArguments])

    def signature(obj: Any, **_: Any) -> Any:
        return Signature.from_callable(obj)

    def isclass(object: Any) -> bool:
        return isinstance(object, type)

    def getdoc(object: Any) -> Any:
        doc = getattr(object, "__doc__", None)
        return inspect.cleandoc(doc) if type(doc) is str else None

    def getfullargspec(func: Any) -> Any:
        parameters = Signature.from_callable(func).parameters.values()
        plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        positional = [p for p in parameters if p.kind in plain]
        named = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        empty = inspect.Parameter.empty
        return inspect.FullArgSpec(
            [p.name for p in positional],
            next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None),
            next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD), None),
            tuple(p.default for p in positional if p.default is not empty) or None,
            [p.name for p in named],
            {p.name: p.default for p in named if p.default is not empty} or None,
            {},
        )

    functions = picked(inspect, "isfunction isgenerator isgeneratorfunction ismethod isbuiltin isroutine cleandoc")
    functions |= {"getdoc": getdoc, "getfullargspec": getfullargspec, "isclass": isclass, "signature": signature}
    refused = {name: refusal(f"inspect.{name}()", INSTEAD["inspect"]) for name in ("currentframe", "getsource", "stack")}
    return functions | refused | {"Parameter": inspect.Parameter, "Signature": Signature}
