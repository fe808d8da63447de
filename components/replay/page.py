"""The replay's file: the player's bundle, the page around it, and everything they show, packed."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from components.html.markup import text
from components.player.protocol import Rolled as RolledPart
from components.replay.lesson import lesson
from components.replay.panels import panels
from components.replay.pictures import pictures
from components.replay.rolled import Rolled, rolled
from engine.diagnosis.contributions import edge_lines
from engine.export import Format, Options
from engine.export.picture import LAST, step_of
from engine.graph import View
from engine.graph.rolled_graph import worth_rolling
from engine.progress import Tell, part, untold
from engine.recording import Recording
from engine.recording.events import Accumulated

FOLDER = Path(__file__).parent
BUNDLE = FOLDER.parent / "player" / "build"
BROWSER = FOLDER.parent / "browser"
STYLE = FOLDER.parent.parent / "assets" / "style.css"
BOTH: tuple[View, ...] = ("tensors", "autograd")
"""The views that a replay offers."""
MAX_FOR_BOTH = 10_000
"""Events up to which it has both; a larger one has the view that was asked for, so that a browser can open it. A run that is
shown rolled has both, whatever its length."""
MAX_UNROLLED = 3_000
"""Events up to which a run that is shown rolled is there unrolled, too."""
PICTURED = 0.5
"""The share of the work that goes into the pictures."""
_EXPORTED = re.compile(r"^export ", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_SET_IN = re.compile(r"^[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^([^{}@\n]+)\{[^{}]*\}[ \t]*\n", re.MULTILINE)
_NOT = re.compile(r":not\([^()]*\)")
_STREAMLITS = re.compile(r"\.st[A-Z-]|data-testid")
"""A selector of what Streamlit draws."""
_BLANK = re.compile(r"^@media[^{}]*\{\s*\}\n", re.MULTILINE)
_EXPORT = re.compile(r"export\s*\{\s*([\w$]+) as default\s*\};?\s*$")


def replay_html(recording: Recording, options: Options = LAST, tell: Tell = untold) -> str:
    """A page that plays the recording, without a server and without the network.

    The recording's texts are packed data that only become text nodes or come escaped out of `components.html.markup`; and the
    page's own policy lets no script run but the one whose hash it names, and nothing be fetched.
    """
    data, windows, beside = _data(recording, options, tell)
    script = _script()
    hashed = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": text(options.title or "Replay"),
        "style": _styles(),
        "data": _packed(data),
        "windows": "\n".join(windows),
        "beside": "\n".join(beside),
        "script": script,
    }
    page = _text(FOLDER / "replay.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda hole: parts[hole[1]], page)


@cache
def _text(path: Path) -> str:
    """A file of ours: read once, before the process that makes replays can open no file any more."""
    return path.read_text(encoding="utf-8")


@cache
def _lean(path: Path) -> str:
    """A script or style of ours without the comments that stand on lines of their own, and without what lines are set in by."""
    return _SET_IN.sub("", _COMMENT.sub("", _text(path)))


@cache
def _styles() -> str:
    """The page's styles without those of what Streamlit draws, which no replay has, and the replay's own."""

    def kept(rule: re.Match[str]) -> str:
        selectors = _NOT.sub("", rule[1]).split(",")
        return "" if all(_STREAMLITS.search(each) for each in selectors) else rule[0]

    return _BLANK.sub("", _RULE.sub(kept, _lean(STYLE))) + _lean(FOLDER / "replay.css")


@cache
def _script() -> str:
    """The player's module and the page's own, as one: a file opened from a disk can import no other."""
    (bundle,) = BUNDLE.glob("player-*.js")
    player = bundle.read_text(encoding="utf-8").rstrip()
    export = _EXPORT.search(player)
    if export is None:
        raise RuntimeError(f"{bundle.name} does not end with its export")
    shared = "".join(_EXPORTED.sub("", _lean(BROWSER / name)) for name in ("dom.mjs", "typing.mjs", "guessing.mjs"))
    host = shared + "".join(_lean(FOLDER / name) for name in ("rolled.js", "lesson.js", "replay.js"))
    # A block, so that the page's names and the bundle's short ones cannot be the same.
    module = f"{player[: export.start()]}\n{{\nconst render = {export[1]};\n{host}}}"
    # What would end the script element, or begin a comment in it, means the same to JavaScript when it is written so.
    return "\n" + re.sub(r"<(?=/script|!--|script)", r"\\x3c", module, flags=re.IGNORECASE) + "\n"


def _data(recording: Recording, options: Options, tell: Tell) -> tuple[dict[str, Any], list[str], list[str]]:
    """What the page shows, and of a rolled run windows and what stands beside the graph in each, packed one by one."""
    first: View = options.view if options.view in BOTH else BOTH[0]
    rolls = worth_rolling(recording) if options.rolled is None else options.rolled
    large = len(recording.events) > MAX_FOR_BOTH
    shown: tuple[View, ...] = () if rolls and len(recording.events) > MAX_UNROLLED else (first,) if large else BOTH
    lines, name = edge_lines(recording), f"replay {options.title}"
    made = rolled(recording, BOTH, options, name, lines, part(tell, 0, PICTURED)) if rolls else None
    begun = PICTURED / 2 if rolls else 0.0
    spans = [
        (begun + (PICTURED - begun) * at / len(shown), begun + (PICTURED - begun) * (at + 1) / len(shown))
        for at in range(len(shown))
    ]
    views: dict[str, Any] = {
        view: pictures(recording, view, options.direction, name, lines, part(tell, *span), options.chosen)
        for view, span in zip(shown, spans, strict=True)
    }
    for view in views.values() if made is not None else ():
        view["shared"]["rolled"] = RolledPart(worth=True)
    filled = [event.tensor for event in recording.events if isinstance(event, Accumulated)]
    data = {
        "title": options.title,
        "source": list(recording.source),
        "views": views,
        "rolled": None if made is None else _told(made, alone=not shown),
        "view": first,
        "step": max(step_of(recording, options), 0),
        "selected": f"t{min(filled)}" if filled else None,
        "notebook": recording.is_notebook or bool(recording.story),
        "lesson": lesson(recording),
        "panels": panels(recording, shown, part(tell, PICTURED, 0.95)),
    }
    return (data, [], []) if made is None else (data, made.windows, made.beside)


def _told(made: Rolled, alone: bool) -> dict[str, Any]:
    for view in made.views.values():
        view["shared"]["rolled"] = msgspec.structs.replace(view["shared"]["rolled"], alone=alone)
    parts = ("views", "spans", "standing", "twins", "ledgers", "multiples")
    return {part: getattr(made, part) for part in parts}


def _packed(data: dict[str, Any]) -> str:
    """The data as compressed JSON in letters and digits, among which no markup can be."""
    written = msgspec.json.encode(data)
    return b64encode(zlib.compress(written, 9)).decode()


def _replay(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return replay_html(recording, options, tell).encode()


REPLAY = Format(
    "html", "replay", "Replay", "one page with everything, for a course or a colleague; needs no server", "text/html", _replay
)
