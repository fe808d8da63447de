"""The scripts and styles that a first visit needs, read and compressed before anybody comes.

Streamlit reads its files anew for each visitor, in small pieces, sends them as large as they are, and compresses our bundles
anew. Sent from here, a visit takes half of the processor's time in this process, and over a network of 40 ms and 2 MB/s the
picture is there in four fifths of the time. (To name all of them to browsers with the document, as `Link: rel=modulepreload`,
was tried: what comes later then takes the place of what Streamlit starts with, and the picture comes no sooner.)
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

STATIC = Path(streamlit.__file__).parent / "static"
COMPONENTS = Path(__file__).resolve().parent.parent
BUNDLES = "_stcore/bidi-components/gradtape."
SCRIPTS = "static/js/"
ELEMENTS = ("Html", "BidiComponent", "Button", "ButtonGroup", "Selectbox", "rehype-katex")
"""Streamlit's modules for what the page begins with; one that another version of Streamlit does not have is left out."""
TYPES = {".js": b"text/javascript; charset=utf-8", ".css": b"text/css; charset=utf-8"}
_IMPORTED = re.compile(r'(?:from|import)\s*"\./([\w.-]+\.js)"')


def _late() -> dict[str, Path]:
    """What the document does not name: our bundles, and the modules of elements, with the modules that these import."""
    bundles = {f"{BUNDLES}{path.parent.parent.name}/{path.name}": path for path in sorted(COMPONENTS.glob("*/build/*-*.js"))}
    folder = STATIC / SCRIPTS
    elements = [path.name for name in ELEMENTS for path in sorted(folder.glob(f"{name}.*.js"))]
    known = {path.name for path in _named().values()}
    return bundles | {f"{SCRIPTS}{name}": folder / name for name in _with_imported(folder, elements, known)}


def _named() -> dict[str, Path]:
    """The scripts and styles that Streamlit's document names."""
    document = (STATIC / "index.html").read_text(encoding="utf-8")
    found = dict.fromkeys(re.findall(r"static/(?:js|css)/[\w.-]+\.(?:js|css)", document))
    return {address: STATIC / address for address in found if (STATIC / address).is_file()}


def _with_imported(folder: Path, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """Modules and those that they import, each once, without the `known`."""
    waiting, seen = list(names), set(known)
    while waiting:
        name = waiting.pop(0)
        path = folder / name
        if name not in seen and path.is_file():
            seen.add(name)
            yield name
            waiting += _IMPORTED.findall(path.read_text(encoding="utf-8"))


@cache
def files() -> dict[str, tuple[bytes, bytes]]:
    """Every file that is kept, by the address that the document has for it: its type, and its text compressed."""
    kept = _named() | _late()
    return {address: (TYPES[path.suffix], gzip.compress(path.read_bytes(), 6, mtime=0)) for address, path in kept.items()}


class FirstFiles:
    """Sends these files to browsers, which keep them for good (ASGI middleware).

    The names of all of them change with what is in them. Whoever does not take gzip gets them from Streamlit.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = _address(scope)
        if address in files() and _takes_gzip(scope):
            await _send_kept(address, scope["method"], send)
        else:
            await self.app(scope, receive, send)


def _address(scope: Scope) -> str | None:
    """What a request is for, as the document would link to it; None where nothing is read."""
    if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
        return None
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")).removeprefix("/")


def _takes_gzip(scope: Scope) -> bool:
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])


async def _send_kept(address: str, method: str, send: Send) -> None:
    kind, body = files()[address]
    headers = [
        (b"content-type", kind),
        (b"content-encoding", b"gzip"),
        (b"content-length", str(len(body)).encode()),
        (b"vary", b"Accept-Encoding"),
        (b"cache-control", b"public, immutable, max-age=31536000"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
