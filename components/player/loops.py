"""What the player is told of a run's loops: their iterations, curves over those of the main one, and what is worth going to."""

from __future__ import annotations

import msgspec

from components.player.cards import told_of_groups
from components.player.picture import Drawing, frames
from components.player.protocol import Found, Loop, Rolled, Window
from engine.diagnosis.findings import known_findings
from engine.graph.rolled_graph import RolledGraph
from engine.graph.structure.loops import nests_of
from engine.recording import Recording
from engine.recording.events import NOTHING


def not_rolled(recording: Recording) -> Rolled:
    """What is said of loops where a picture is not rolled: whether it could be."""
    return Rolled(worth=nests_of(recording).worth)


def loops(d: Drawing, of: RolledGraph) -> Rolled:
    """The loops of a rolled picture, and their frames."""
    behind = frames(d, of)
    used = {frame.loop for frame in behind}
    told = [
        Loop(
            loop.id, loop.title, d.recording.card_line(loop.cell, loop.line), loop.parent,
            "depth" if loop.kind == "depth" else "time", loop.reason, loop.total, loop.starts.tolist(), loop.ends.tolist(),
            loop.outer.tolist(), loop.id in used,
        )
        for loop in of.loops.values()
    ]  # fmt: skip
    turned = list(of.turned)
    return Rolled(of.rolled.main, of.main is not None, of.rolled.worth, d.wish.file, told, behind, turned=turned)


def over_run(d: Drawing, of: RolledGraph, window: Window) -> Rolled:
    """The loops with what goes on in them over the run, for a picture whose cards show what they do in a window."""
    timeline = of.once("timeline", of.timeline)
    marks = sorted([*timeline.marks, *of.found(_findings(d.recording))], key=lambda mark: mark.step)
    trouble = next((mark.step for mark in timeline.marks if mark.kind in ("nan", "inf")), NOTHING)
    origins = of.about(trouble) if trouble != NOTHING else []
    return msgspec.structs.replace(
        loops(d, of), curves=timeline.curves, marks=marks, window=window, origins=origins, there=of.there
    )


def found(d: Drawing, of: RolledGraph) -> Found:
    """What is wrong or odd about the run, as far as it is known."""
    return Found(of.found(_findings(d.recording)), told_of_groups(d, known_findings(d.recording) or ()))


def _findings(recording: Recording) -> list[tuple[int, str]]:
    return [(finding.step, finding.title) for finding in known_findings(recording) or ()]
