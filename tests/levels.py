"""Recordings of real PyTorch at each of its levels, and all that is written about one, by who writes it.

A test that reads recordings has nearly always one with all values; what is not measured shows in these.
"""

from __future__ import annotations

import contextlib
import html
import io
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

from components.html.diagnosis_html import findings_html, why_html
from components.html.inspector_html import inspector_html
from components.html.ledger_html import ledger_html
from components.html.multiples_html import multiples_html
from components.html.run_html import over_run_html, ridges_html
from components.panels.tensors import watch_html
from components.player import cards
from components.player.picture import Drawing, Wish, drawing
from components.replay import REPLAY
from engine.diagnosis import findings, why
from engine.diagnosis.findings import as_text
from engine.export import FORMATS, Options
from engine.graph import VIEWS, build
from engine.graph.rolled_graph import worth_rolling
from engine.graph.shown.captions import caption_text, captions
from engine.graph.watch import suggestions
from engine.recording import Recording
from engine.recording.events import Named
from engine.recording.index import index_of

LEVELS = ("facts", "statistics", "values")
Read: TypeAlias = Callable[[Recording], Mapping[str, Callable[[], str]]]
"""Gives what writes about a recording, by name; each gives what it writes."""
FEW = 12
"""Tensors, cards and names that are asked about one by one."""
PICTURES = ("png", "pdf", "gif", "gradtape", "json")
"""Formats that hold no text, or numbers only, of which JSON has the word NaN for what is not known."""


@cache
def taped(program: str, level: str) -> Recording:
    """What PyTorch does when it runs a program, as it is read from its file. Memory that nobody has written holds NaN: else
    it holds at each level what was there before."""
    import torch

    from engine.pytorch.running import run_script

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which are the program's
        script = Path(folder, "train.py")
        script.write_text(program)
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            recording, _ = run_script(script, level=level)
        finally:
            torch.use_deterministic_algorithms(False)
    return Recording.load(recording.to_bytes())


def read(markup: str) -> str:
    """What can be read of HTML or SVG."""
    return html.unescape(re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", markup, flags=re.DOTALL))


def files(recording: Recording) -> Mapping[str, Callable[[], str]]:
    """Every file that is made of a recording, by name, as it can be read."""
    found = {
        name: lambda made=format.make: read(made(recording, Options()).decode("utf-8", "replace"))
        for name, format in FORMATS.items()
        if name not in PICTURES
    }
    return found | {"replay": lambda: read(REPLAY.make(recording, Options()).decode())}


def readers(recording: Recording) -> Mapping[str, Callable[[], str]]:
    """All that writes about a recording, by name; each gives what it writes."""
    last = len(recording.events) - 1
    tensors = list(index_of(recording).tensors)
    found: dict[str, Callable[[], str]] = {
        "findings": lambda: as_text(recording, findings(recording)),
        "findings as HTML": lambda: read(findings_html(recording, findings(recording))),
        "why, of tensors": lambda: "\n".join(_answer(recording, tensor) for tensor in tensors[: 4 * FEW]),
        "why, as asked": lambda: "\n".join(_answer(recording, question) for question in _questions(recording)),
        "captions": lambda: "\n".join(map(caption_text, captions(recording))),
        "ledger": lambda: "\n".join(
            read(ledger_html(recording, last, t)) for t in tensors if index_of(recording).tensors[t].ledger is not None
        ),
        "watch": lambda: read(watch_html(recording, last, None, _watched(recording))),
    }
    for view in VIEWS:
        found[f"inspector, {view}"] = lambda view=view: "\n".join(
            read(inspector_html(recording, last, node)) for node in list(build(recording, view))[:FEW]
        )
        for rolled in (True, False) if worth_rolling(recording) else (False,):
            made = cache(lambda view=view, rolled=rolled: drawing(recording, Wish(view, rolled=rolled)))
            found[f"cards, {view}{', rolled' * rolled}"] = lambda made=made: "\n".join(_faces(made(), last))
            if rolled:
                found[f"over the run, {view}"] = lambda made=made: "\n".join(_over_run(made(), last))
    return found


def _questions(recording: Recording) -> Iterator[str]:
    yield from ("loss", "why did it fail")
    names = dict.fromkeys(event.name for event in recording.events if isinstance(event, Named))
    for name in list(names)[:FEW]:
        yield from (name, f"why did {name} not move")
    yield from (f"line {line}" for line in range(1, recording.source[0].count("\n") + 1))


def _answer(recording: Recording, about: int | str) -> str:
    try:
        reason = why(recording, about)
    except KeyError:  # of names of another kind, and lines where nothing is
        return ""
    texts = (reason.code, reason.title, reason.explanation, reason.fix, *(f"{what}: {is_}" for what, is_ in reason.evidence))
    return f"{about}: " + " ".join((*texts, read(why_html(recording, reason))))


def _watched(recording: Recording) -> list[str]:
    names = [expression for expression in suggestions(recording) if expression.isidentifier()]
    return [*suggestions(recording), *(f"{name}.{what}" for name in names for what in ("mean()", "grad", "shape"))]


def _faces(drawn: Drawing, last: int) -> Iterator[str]:
    for history in cards.shown(drawn, (0, last)).nodes.values():
        for _, face in history:
            yield " ".join(text for text in (face.value, face.grad, face.flow) if text)


def _over_run(drawn: Drawing, last: int) -> Iterator[str]:
    view = drawn.view.rolled
    assert view is not None
    yield read(multiples_html(view, last))
    for key in list(view.graph)[:FEW]:
        yield read(over_run_html(drawn.recording, view, key, last))
        yield read(ridges_html(drawn.recording, view, key))
