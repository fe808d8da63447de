"""A recording as a notebook shows it: the picture at the last step, and a line on what happened."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from ..graph.numbers import ArrayTexts
from ..recording.events import NOTHING, Raised
from ..recording.index import index_of
from ..recording.recording import Recording
from ..recording.replay import replay
from .picture import picture
from .scene import clean
from .svg import svg

MOST = 400
"""Tensors up to which the picture is drawn by itself."""
GRADIENTS = 6
"""Gradients that the line lists."""


def html(recording: Recording) -> str:
    """The picture and the line as HTML. The picture is an image, so nothing of an untrusted recording can run."""
    line = escape(_summary(recording))
    if not recording.events:
        return f"<div>{line}</div>"
    if len(index_of(recording).tensors) > MOST:
        how = "Too large to be drawn here: save it, and open it with <code>gradtape open</code>."
        return f"<div>{line}<br>{how}</div>"
    drawn = picture(recording)
    data = b64encode(svg(drawn).encode()).decode()
    alt = escape(drawn.description, quote=True)
    return (
        f'<figure style="margin:0"><img src="data:image/svg+xml;base64,{data}" alt="{alt}" style="max-width:100%;height:auto">'
        f"<figcaption>{line}</figcaption></figure>"
    )


def _summary(recording: Recording) -> str:
    """Events, tensors, passes, and the gradients that leaves have at the end."""
    index = index_of(recording)
    last = len(recording.events) - 1
    parts = [_count(last + 1, "event"), _count(len(index.tensors), "tensor"), _count(len(index.passes), "backward pass", "es")]
    if last >= 0:
        texts = ArrayTexts(recording)
        filled = [t for t in replay(recording, last) if t.grad != NOTHING and t.is_leaf and t.name]
        parts += [f"{clean(t.name)}.grad = {texts(t.grad)}" for t in filled[:GRADIENTS]]
        parts += [f"and {len(filled) - GRADIENTS} more"] if len(filled) > GRADIENTS else []
    raised = [event for event in recording.events if isinstance(event, Raised)]
    parts += [clean(f"{event.type}: {event.message}") for event in raised[-1:]]
    return " · ".join(parts)


def _count(number: int, what: str, plural: str = "s") -> str:
    return f"{number:,} {what}{'' if number == 1 else plural}"
