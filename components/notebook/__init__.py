"""What a notebook shows below a cell that was recorded: what was found, and the replay in a frame of its own.

Made in a process of our own, which gets the request and the recording, and writes three parts with a zero byte after each:
findings as text, findings as HTML, the frame. Whoever waits too long has those that are finished.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import BinaryIO

import msgspec

from components.html.markup import muted, tag, text
from engine.commands.files import size
from engine.commands.terminal import harmless
from engine.diagnosis import Finding, findings
from engine.diagnosis.findings import outcome
from engine.diagnosis.findings.told import as_text
from engine.notebook.output import Request, missing
from engine.recording import Recording

FINDINGS = 20
"""Findings that are told, the gravest ones."""
EVENTS = 200_000
"""Events up to which a recording is looked through for them."""
LONGEST = 1_000
"""Characters of a text of theirs."""
SCRIPT = (Path(__file__).parent / "frame.js").read_text(encoding="utf-8")
FRAME = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<noscript>The player needs JavaScript.</noscript>
<template>{data}</template>
<script>{script}</script>"""
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def main(source: BinaryIO, target: BinaryIO) -> None:
    """Make the parts of one output."""
    head, _, data = source.read().partition(b"\n")
    request = msgspec.json.decode(head, type=Request)
    recording = Recording.load(data)
    for part in found(recording, request):
        target.write(part.replace("\0", "").encode("utf-8", "replace") + b"\0")
    target.flush()
    target.write(player(recording, request).encode("utf-8", "replace") + b"\0")
    target.flush()


def found(recording: Recording, request: Request) -> tuple[str, str]:
    """The findings as text and as HTML."""
    if len(recording.events) > EVENTS:
        every: list[Finding] = []
        said = [f"Findings are not looked for in {len(recording.events):,} events."]
    else:
        every = findings(recording)
        said = [] if every else list(outcome(recording))
    told = every[:FINDINGS]
    if len(every) > len(told):
        said.append(f"and {len(every) - len(told):,} more findings, which the player has.")
    said += request.notes
    plain = "\n".join(part for part in (as_text(recording, told), *said) if part)
    return harmless(plain), "".join(_finding(recording, each) for each in told) + _notes(said)


def _finding(recording: Recording, finding: Finding) -> str:
    where = recording.site_text(finding.site)
    head = tag("b", text(f"{finding.severity}: {finding.title}", LONGEST)) + (f" ({text(where)})" if where else "")
    fix = tag("div", tag("b", "Fix: "), text(finding.fix, LONGEST)) if finding.fix else ""
    return tag("div", head, tag("div", text(finding.explanation, LONGEST)), fix, style="margin: 0 0 0.7em")


def _notes(sentences: Sequence[str]) -> str:
    return "".join(tag("p", text(each, LONGEST)) for each in sentences)


def player(recording: Recording, request: Request) -> str:
    """The frame, or a sentence instead of it; and what the notebook will hold."""
    try:
        from components.replay.page import replay_html
        from engine.export import Options
    except ModuleNotFoundError as error:
        return _notes([missing((error.name or "").partition(".")[0])])
    title = recording.names[0] if recording.names else ""
    made = frame(replay_html(recording, Options(title=title)), request.height)
    if len(made) > request.most:
        opened = f"open {request.file} with gradtape open" if request.file else "with -o FILE the recording opens in the page"
        return _notes(
            [
                f"The player of {len(recording.events):,} events takes {size(len(made))}, and an output of a notebook "
                f"{size(request.most)} at most: {opened}, or record fewer steps."
            ]
        )
    what = "text and the values of its tensors" if request.values else "text, and no values of its tensors"
    return made + muted(f"This output holds the program's {what}; so does the notebook, once it is saved.")


def frame(page: str, height: int) -> str:
    """A replay as a frame that holds all of it, packed; its script can do nothing but draw, and reaches nothing around it."""
    policy = _POLICY.search(page)
    assert policy is not None
    hashed = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    held = FRAME.format(
        policy=policy[1].replace("script-src ", f"script-src 'sha256-{hashed}' "),
        data=b64encode(zlib.compress(page.encode(), 9)).decode(),
        script=SCRIPT,
    )
    return (
        f'<iframe sandbox="allow-scripts" title="What happened in this cell, step by step" loading="lazy" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8884" srcdoc="{escape(held)}"></iframe>'
    )
