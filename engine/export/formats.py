"""All formats that a recording can be saved in, each with what a user and a browser need to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from ..progress import Tell, part, untold
from ..recording.recording import Recording
from .animation import gif
from .document import to_json
from .dot import dot
from .graphml import graphml
from .mermaid import mermaid
from .pdf import pdf
from .picture import LAST, Options, picture
from .png import png
from .programs import notebook, script
from .svg import svg


class Make(Protocol):
    """Makes a file of a recording, and tells how far it is."""

    def __call__(self, recording: Recording, options: Options, tell: Tell = untold, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of file; `name` is also the command that writes it."""

    name: str
    group: Literal["picture", "data", "program", "replay"]
    label: str
    about: str
    mime: str
    make: Make
    of_step: bool = False
    """Whether the file shows one step, in one view."""
    ending: str = ""

    @property
    def suffix(self) -> str:
        """What the names of such files end with."""
        return f".{self.ending or self.name}"


def _all() -> list[Format]:
    return [
        Format("svg", "picture", "SVG", "a drawing that stays sharp at any size", "image/svg+xml", _svg, True),
        Format("png", "picture", "PNG", "an image, two pixels for one of the page", "image/png", _png, True),
        Format("pdf", "picture", "PDF", "one page of vectors, for a paper or slides", "application/pdf", _pdf, True),
        Format("dot", "picture", "DOT", "text for Graphviz", "text/vnd.graphviz", _dot, True),
        Format("mermaid", "picture", "Mermaid", "text for Markdown on GitHub", "text/vnd.mermaid", _mermaid, True, "mmd"),
        Format("gradtape", "data", "Recording", "everything; Gradtape opens it again", "application/octet-stream", _gradtape),
        Format("json", "data", "JSON", "the recording with named fields", "application/json", _json),
        Format("graphml", "data", "GraphML", "the graph for networkx, Gephi, yEd", "application/xml", _graphml, True),
        Format("py", "program", "Script", "runs on PyTorch unchanged", "text/x-python", _script),
        Format("ipynb", "program", "Notebook", "with the outputs of this run", "application/x-ipynb+json", _notebook),
        Format("gif", "replay", "Animation", "a GIF of a short run, or of the pass on show", "image/gif", _gif, True),
    ]


def _svg(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    made = picture(recording, options, part(tell, 0, 0.85))
    return svg(made).encode()


def _png(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return png(picture(recording, options, part(tell, 0, 0.5)), fonts=options.fonts)


def _pdf(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return pdf(picture(recording, options, part(tell, 0, 0.4)), part(tell, 0.4, 1))


def _gif(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return gif(recording, options, tell)


def _dot(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return dot(recording, options, tell).encode()


def _mermaid(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return mermaid(recording, options, tell).encode()


def _graphml(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return graphml(recording, options, tell)


def _gradtape(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return recording.to_bytes()


def _json(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return to_json(recording, tell)


def _script(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return script(recording.source).encode()


def _notebook(recording: Recording, options: Options, tell: Tell = untold, /) -> bytes:
    return notebook(recording).encode()


FORMATS: dict[str, Format] = {format.name: format for format in _all()}
"""By name, in the order in which they are offered."""


def export(recording: Recording, format: str, options: Options = LAST) -> bytes:
    """The recording in a format.

    Raises:
        KeyError: for a format that there is not.
        IndexError: for a step that the recording does not have.
    """
    return FORMATS[format].make(recording, options)
