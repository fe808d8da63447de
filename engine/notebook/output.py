"""What is shown below a cell. It is made in a process of our own (`components.notebook`), because the kernel is the user's:
there nothing of the page is imported, and the user's modules keep their names."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ..recording.events import OpRan
from ..recording.recording import Recording
from .options import Wanted

SECONDS = 300
"""How long making the output may take."""
MOST = 2_500_000
"""Characters of an output. Jupyter's server passes on 3 MB within three seconds, and drops what is more."""
START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from components.notebook import main; "
    "main(sys.stdin.buffer, sys.stdout.buffer)"
)
ON_ENGINE = "The cell ran on Gradtape's engine."


class Request(msgspec.Struct):
    """What is to be made of a recording, which follows it."""

    height: int
    most: int
    notes: tuple[str, ...] = ()
    """Sentences that are said beside."""
    values: bool = True
    """Whether the recording has values."""
    file: str = ""
    """Where the recording was written."""


def show(recording: Recording, wanted: Wanted, *, on_engine: bool, written: bool, ended: bool) -> None:
    """Show what a cell has recorded, and write the recording where that is wanted.

    Args:
        written: whether it is in its file already.
        ended: whether an error has ended the cell, which is shown already.
    """
    if not recording.tape.tables[OpRan].size:
        if not ended:
            failed("Nothing was recorded: the cell computed with no tensor of PyTorch's or of Gradtape's engine.")
        return
    data = recording.to_bytes()
    notes = [ON_ENGINE] if on_engine else []
    if wanted.output:
        notes.append(_written(None if written else data, Path(wanted.output)))
    request = Request(wanted.height, MOST, tuple(notes), wanted.level != "facts", wanted.output)
    _display(*_made(request, data))


def failed(sentence: str) -> None:
    """Say a sentence instead."""
    _display(f"<p>{escape(sentence)}</p>", sentence)


def _written(data: bytes | None, path: Path) -> str:
    try:
        if data is not None:
            path.write_bytes(data)
    except OSError as error:
        return f"The recording could not be written to {path}: {error.strerror or error}."
    return f"The recording is in {path}: gradtape open {path}"


def _made(request: Request, data: bytes) -> tuple[str, str]:
    """The output as HTML and as text."""
    folder = import_module("gradtape").FOLDER
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", START, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    late = ""
    try:
        made, told = process.communicate(msgspec.json.encode(request) + b"\n" + data, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        made, told = process.communicate()
        late = f"The player was not made within {SECONDS} seconds; -o FILE writes the recording, which the page opens."
    except BaseException:
        process.kill()
        process.wait()
        raise
    # Findings as text, findings as HTML, the player: each has a null character at its end, and what has none is not whole.
    text, findings, player = [*(part.decode() for part in made.split(b"\0")[:-1]), "", "", ""][:3]
    if not player:
        said = late or _failure(told)
        player, text = f"<p>{escape(said)}</p>", text or said
    return findings + player, text


def missing(package: str) -> str:
    """What is said where a package is not installed that the player needs, and training does not."""
    return f"The player needs {package}, which is not installed here: pip install {package}"


def _failure(told: bytes) -> str:
    """What is said of a process that ended with an error."""
    text = "".join(sign for sign in told.decode("utf-8", "replace").strip() if sign.isprintable() or sign == "\n")
    absent = re.search(r"^ModuleNotFoundError: No module named '(\w+)", text, re.MULTILINE)
    if absent is not None:
        return missing(absent[1])
    return f"The player could not be made: {text.splitlines()[-1][:500] if text else 'its process ended'}"


def _display(html: str, text: str) -> None:
    from IPython import display

    publish: Any = display.display
    publish({"text/html": f'<div class="gradtape">{html}</div>', "text/plain": text}, raw=True)
