"""Modules about processes, the machine and what lies outside: they can be imported, since many programs begin with them, and
have next to nothing; whatever is used of them says what to do instead."""

from __future__ import annotations

import posixpath
from typing import Any, NoReturn
from urllib.parse import urlsplit

from ..policy.errors import MissingAttribute, PolicyError
from ..policy.inert import refusal
from .absent import FETCHED, instead, unknown
from .facade import Facade, Missing
from .files.store import WORKING, Data, files, text_of

NAMED = {
    "google": (),
    "google.colab": (),
    "google.colab.drive": (),
    "google.colab.files": ("upload", "view"),
    "faulthandler": ("dump_traceback", "dump_traceback_later"),
    "locale": ("getlocale", "localeconv"),
    "multiprocessing": ("Pool", "Process"),
    "pdb": ("post_mortem", "set_trace"),
    "signal": ("alarm", "pause", "raise_signal", "setitimer"),
    "ssl": ("SSLContext", "create_default_context", "get_server_certificate", "wrap_socket"),
    "threading": ("Lock", "Thread"),
    "torch.fx": ("Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap"),
    "torch.hub": ("download_url_to_file", "help", "list", "load", "load_state_dict_from_url"),
    "torch.multiprocessing": ("Barrier", "Event", "Lock", "Manager", "Pipe", "Pool", "Process", "Queue", "Value", "spawn"),
    "torch.utils.model_zoo": ("load_url",),
    "torch.onnx": ("dynamo_export", "export"),
    "torch.ops": (),
    "urllib.error": (),
    "urllib.request": ("urlopen", "urlretrieve"),
}
"""Module → what programs import from it by name; it is refused when it is called."""
TOPS = frozenset(name.partition(".")[0] for name in NAMED)
"""The packages of these."""
TAKEN = {
    "faulthandler": ("disable", "enable"),
    "google.colab.drive": ("flush_and_unmount", "mount"),
    "google.colab.files": ("download",),
    "locale": ("setlocale",),
    "signal": ("signal", "siginterrupt"),
    "ssl": ("_create_default_https_context", "_create_unverified_context"),
    "multiprocessing": ("freeze_support", "set_start_method"),
    "torch.multiprocessing": ("freeze_support", "set_sharing_strategy", "set_start_method"),
    "urllib.request": ("install_opener",),
}
"""Module → what may be called of it, without effect."""
NUMBERS = {
    "locale": {"LC_ALL": 6, "LC_CTYPE": 0, "LC_NUMERIC": 1},
    "signal": {"SIGABRT": 6, "SIGALRM": 14, "SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGTERM": 15, "SIGUSR1": 10, "SIGUSR2": 12,
               "SIG_DFL": 0, "SIG_IGN": 1},
}  # fmt: skip
"""Module → the numbers that it has names for."""


def cpu_count() -> int:
    """A program has one processor."""
    return 1


class URLError(OSError):
    """Something cannot be fetched; it is there to be caught, and to be raised by a program itself."""

    __module__ = "urllib.error"

    def __init__(self, reason: Any, filename: Any = None) -> None:
        self.args = (reason,)
        self.reason = reason
        if filename is not None:
            self.filename = filename

    def __str__(self) -> str:
        return f"<urlopen error {self.reason}>"


class HTTPError(URLError):
    """A server has refused something."""

    __module__ = "urllib.error"

    def __init__(self, url: Any, code: Any, msg: Any, hdrs: Any, fp: Any) -> None:
        self.code = self.status = code
        self.msg = self.reason = msg
        self.hdrs = self.headers = hdrs
        self.fp = fp
        self.filename = self.url = url

    def __str__(self) -> str:
        return f"HTTP Error {self.code}: {self.msg}"

    def __repr__(self) -> str:
        return f"<HTTPError {self.code}: {self.msg!r}>"


def _fetched(url: Any, path: Any) -> str:
    """Where the file of an address is, if it was opened together with the program.

    Raises:
        PolicyError: if it was not.
    """
    name = posixpath.basename(urlsplit(str(url)).path)
    wanted = name if path is None else text_of(path)
    for there in (wanted, f"{WORKING}/{name}"):
        if isinstance(files().find(there), Data):
            if there != wanted:
                files().write(wanted, files().read(there))
            return wanted
    raise PolicyError(f"{name or 'a file'} cannot be fetched by programs here", FETCHED)


def urlretrieve(url: Any, filename: Any = None, reporthook: Any = None, data: Any = None) -> tuple[str, dict[str, str]]:
    """The path of a file that lies beside the program, as if it had been fetched now."""
    return _fetched(url, filename), {}


def download_url_to_file(url: Any, dst: Any, hash_prefix: Any = None, progress: Any = True) -> None:
    """The same."""
    _fetched(url, dst)


ERRORS = (HTTPError, URLError)
THERE: dict[str, dict[str, Any]] = {
    "multiprocessing": {"cpu_count": cpu_count},
    "torch.hub": {"download_url_to_file": download_url_to_file},
    "torch.multiprocessing": {"cpu_count": cpu_count},
    "urllib.error": {"HTTPError": HTTPError, "URLError": URLError},
    "urllib.request": {"urlretrieve": urlretrieve},
}
"""Module → what is there of it."""


class Yielding(Facade):
    """A module whose names may be set, without effect: `ssl._create_default_https_context`, before something is fetched."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Taken, without effect."""


class Request:
    """What is to be fetched, which nothing is."""

    __module__ = "urllib.request"

    def __init__(self, url: Any, data: Any = None, headers: Any = (), *_: Any, **__: Any) -> None:
        self.full_url = url
        self.data = data
        self.headers = dict(headers)

    def add_header(self, key: Any, val: Any) -> None:
        """Say more with it."""
        self.headers[key] = val

    def get_full_url(self) -> Any:
        """Its address."""
        return self.full_url


class OpenerDirector:
    """What would fetch something, and may be told what to say to a server."""

    __module__ = "urllib.request"

    def __init__(self) -> None:
        self.addheaders: Any = [("User-agent", "Python-urllib")]

    @staticmethod
    def open(*_: Any, **__: Any) -> NoReturn:
        """Refused."""
        raise PolicyError("urllib.request.OpenerDirector.open() is not available to programs here", instead("urllib"))


OPENED = (OpenerDirector, Request, Yielding)
"""Types, of whose objects a program may set attributes."""


def build_opener(*_: Any) -> OpenerDirector:
    """Something that fetches nothing."""
    return OpenerDirector()


def facades() -> dict[str, Facade]:
    """The modules by name."""
    made: dict[str, Facade] = {}
    for module in sorted(NAMED, key=lambda name: -name.count(".")):
        names: dict[str, Any] = {name: refusal(f"{module}.{name}()", instead(module)) for name in NAMED[module]}
        names |= dict.fromkeys(TAKEN.get(module, ()), _taken) | NUMBERS.get(module, {}) | THERE.get(module, {})
        if module == "urllib.request":
            names |= {"OpenerDirector": OpenerDirector, "Request": Request, "build_opener": build_opener}
            names |= THERE["urllib.error"]
        names |= {name.rpartition(".")[2]: facade for name, facade in made.items() if name.rpartition(".")[0] == module}
        made[module] = (Yielding if module == "ssl" else Facade)(module, names, missing(module))
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
    otherwise = unknown(module.partition(".")[0])

    def error(name: str) -> MissingAttribute:
        return MissingAttribute(said.format(module=module, name=name), instead(f"{module}.{name}") or otherwise)

    return error
