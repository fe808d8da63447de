"""Modules about processes, the machine and what lies outside: they can be imported, since many programs begin with them, and
have next to nothing; whatever is used of them says what to do instead."""

from __future__ import annotations

from typing import Any

from ..policy.errors import MissingAttribute
from ..policy.inert import refusal
from .absent import instead, unknown
from .facade import Facade, Missing

NAMED = {
    "google": (),
    "google.colab": (),
    "google.colab.drive": (),
    "google.colab.files": ("upload", "view"),
    "multiprocessing": ("Pool", "Process"),
    "pdb": ("post_mortem", "set_trace"),
    "scipy": ("fft", "integrate", "interpolate", "linalg", "ndimage", "signal"),
    "scipy.io": ("loadmat", "savemat"),
    "scipy.optimize": ("curve_fit", "differential_evolution", "least_squares", "minimize"),
    "scipy.sparse": ("coo_matrix", "csr_matrix", "diags", "eye", "lil_matrix"),
    "scipy.stats": ("entropy", "pearsonr", "spearmanr"),
    "threading": ("Lock", "Thread"),
    "torch.fx": ("Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"),
    "torch.hub": ("download_url_to_file", "help", "list", "load", "load_state_dict_from_url"),
    "torch.multiprocessing": ("Barrier", "Event", "Lock", "Manager", "Pipe", "Pool", "Process", "Queue", "Value", "spawn"),
    "torch.utils.model_zoo": ("load_url",),
    "torch.onnx": ("dynamo_export", "export"),
    "urllib.request": ("Request", "urlopen", "urlretrieve"),
}
"""Module → what programs import from it by name; it is refused when it is called."""
TOPS = frozenset(name.partition(".")[0] for name in NAMED)
"""The packages of these."""
TAKEN = {
    "google.colab.drive": ("flush_and_unmount", "mount"),
    "google.colab.files": ("download",),
    "torch.multiprocessing": ("freeze_support", "set_sharing_strategy", "set_start_method"),
}
"""Module → what may be called of it, without effect."""


def facades() -> dict[str, Facade]:
    """The modules by name."""
    made: dict[str, Facade] = {}
    for module in sorted(NAMED, key=lambda name: -name.count(".")):
        names: dict[str, Any] = {name: refusal(f"{module}.{name}()", instead(module)) for name in NAMED[module]}
        names |= dict.fromkeys(TAKEN.get(module, ()), _taken)
        names |= {name.rpartition(".")[2]: facade for name, facade in made.items() if name.rpartition(".")[0] == module}
        made[module] = Facade(module, names, missing(module))
    return made


def empty(name: str, there: dict[str, Facade]) -> dict[str, Facade]:
    """The facades of a package that is not there, and of what is between it and a module below it: whatever is used of them
    says what to do instead."""
    made: dict[str, Facade] = {}
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module = ".".join(parts[:end])
        facade = there.get(module) or Facade(module, {}, missing(module, "{module}.{name} is not available to programs here"))
        if end < len(parts):
            below = f"{module}.{parts[end]}"
            vars(facade)[parts[end]] = made.get(below) or there[below]
        if module not in there:
            made[module] = facade
    return made


def _taken(*_: Any, **__: Any) -> None:
    """Taken, without effect."""


def missing(module: str, said: str = "module '{module}' has no attribute '{name}' for programs here") -> Missing:
    """What makes the error for a name that such a module does not have here."""
    help = instead(module) or unknown(module.partition(".")[0])
    return lambda name: MissingAttribute(said.format(module=module, name=name), help)
