"""The replay's file: the player's bundle, the page around it, and everything they show, packed."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from components.formulas import edge_lines
from components.html import text
from components.replay.panels import panels
from components.replay.pictures import pictures
from engine.export import Format, Options
from engine.export.picture import LAST, step_of
from engine.graph import View
from engine.recording import Recording
from engine.recording.events import Accumulated

FOLDER = Path(__file__).parent
BUNDLE = FOLDER.parent / "graph_view" / "build"
STYLE = FOLDER.parent.parent / "assets" / "style.css"
BOTH: tuple[View, ...] = ("tensors", "autograd")
"""The views that a replay offers."""
MAX_FOR_BOTH = 10_000
"""Events up to which it has both; a larger one has the view that was asked for, so that a browser can open it."""
_EXPORT = re.compile(r"export\s*\{\s*([\w$]+) as default\s*\};?\s*$")


def replay_html(recording: Recording, options: Options = LAST) -> str:
    """A page that plays the recording, without a server and without the network.

    The recording's texts are packed data that only become text nodes or come escaped out of `components.html`; and the
    page's own policy lets no script run but the one whose hash it names, and nothing be fetched.
    """
    script = _script()
    hashed = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": text(options.title or "Replay"),
        "style": STYLE.read_text(encoding="utf-8") + (FOLDER / "replay.css").read_text(encoding="utf-8"),
        "data": _packed(_data(recording, options)),
        "script": script,
    }
    page = (FOLDER / "replay.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)


def _script() -> str:
    """The player's module and the page's own, as one: a file opened from a disk can import no other."""
    (bundle,) = BUNDLE.glob("player-*.js")
    player = bundle.read_text(encoding="utf-8").rstrip()
    export = _EXPORT.search(player)
    if export is None:
        raise RuntimeError(f"{bundle.name} does not end with its export")
    host = (FOLDER / "replay.js").read_text(encoding="utf-8")
    # A block, so that the page's names and the bundle's short ones cannot be the same.
    module = f"{player[: export.start()]}\n{{\nconst render = {export[1]};\n{host}}}"
    # What would end the script element, or begin a comment in it, means the same to JavaScript when it is written so.
    return "\n" + re.sub(r"<(?=/script|!--|script)", r"\\x3c", module, flags=re.IGNORECASE) + "\n"


def _data(recording: Recording, options: Options) -> dict[str, Any]:
    first: View = options.view if options.view in BOTH else BOTH[0]
    shown: tuple[View, ...] = BOTH if len(recording.events) <= MAX_FOR_BOTH else (first,)
    lines, name = edge_lines(recording), f"replay {options.title}"
    views = {view: pictures(recording, view, options.direction, name, lines) for view in shown}
    filled = [event.tensor for event in recording.events if isinstance(event, Accumulated)]
    return {
        "title": options.title,
        "source": list(recording.source),
        "views": views,
        "view": first,
        "step": max(step_of(recording, options), 0),
        "selected": f"t{min(filled)}" if filled else None,
        "panels": panels(recording, shown),
    }


def _packed(data: dict[str, Any]) -> str:
    """The data as compressed JSON in letters and digits, among which no markup can be."""
    written = msgspec.json.encode(data)
    return b64encode(zlib.compress(written, 9)).decode()


def _replay(recording: Recording, options: Options) -> bytes:
    return replay_html(recording, options).encode()


REPLAY = Format(
    "html", "replay", "Replay", "one page with everything, for a course or a colleague; needs no server", "text/html", _replay
)
