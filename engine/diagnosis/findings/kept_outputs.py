"""A rule about what a forward hook keeps of its module, where the next module writes it in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...program.parsing import last_name
from ...recording.events import NOTHING, OpRan
from ..mending import with_call
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

OUTPUT_OVERWRITTEN = Kind(
    "output_overwritten", "warning", "A hook keeps a module's output, and the next module writes it before it is read.",
    mechanical=True,
)  # fmt: skip


@rule(176, OUTPUT_OVERWRITTEN)
def output_overwritten(run: Run) -> Iterator[Finding]:
    """`features[name] = output` in a forward hook, a ReLU(inplace=True) behind the module, and what was kept is read."""
    source = paths_of(run.recording).source
    hooks = {last_name(call.args[0]) for _, call in source.calls.get("register_forward_hook", ()) if call.args}
    kept = {name: found for name in hooks if (found := _kept(source, name)) is not None}
    told: set[str] = set()
    for step, event in run.namings if kept else ():
        if event.function not in kept or event.function in told or event.name != kept[event.function][3]:
            continue
        cell, value, holder, _ = kept[event.function]
        write = next((at for at in run.writes.get(event.tensor, ()) if at > step), NOTHING)
        # An activation or a dropout: what adds two tensors up in place is no module of its own.
        writer = run.module(write, writes=True) if write != NOTHING and len(run.inputs_at(write)) == 1 else ""
        read = _read(run, event.tensor, event.function, holder, write) if writer.endswith("inplace=True)") else NOTHING
        if read == NOTHING:
            continue
        told.add(event.function)
        text, site = ast.unparse(value), site_of(cell, value)
        yield finding(
            run, OUTPUT_OVERWRITTEN,
            f"What {event.function} keeps in {holder} is written over by {writer.partition(' (')[0]} before it is read.",
            f"{text} at {run.site_text(site)} is no copy, and {writer} puts its own result into the same memory. So "
            f"{run.where(read)} reads what comes out of that, not what went in.",
            f"Keep a copy: {text}.clone(); or make {writer.partition(' (')[0]} without inplace=True.",
            step=read, site=site, related=[run.site(write), run.site(read)],
            evidence=[("written by", f"{writer} at {run.where(write)}")],
            nodes=[key(event.tensor)],
            changes=with_call(run, site, "clone()"),
        )  # fmt: skip


def _kept(source: Source, function: str) -> tuple[int, ast.expr, str, str] | None:
    """What a hook keeps of its module's output, as it is or detached: the cell, the expression, what holds it, and what the
    output is called; None where it keeps nothing, or a copy."""
    for cell, found in source.functions.get(function, ()):
        names = [argument.arg for argument in found.args.args]
        output = names[-1] if names else ""
        for node in ast.walk(found):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=holder)], value=value):
                    pass
                case ast.Assign(targets=[ast.Attribute() as holder], value=value):
                    pass
                case ast.Call(func=ast.Attribute(value=holder, attr="append"), args=[value]):
                    pass
                case _:
                    continue
            if re.fullmatch(rf"{re.escape(output)}(\.detach\(\))?", ast.unparse(value)):
                return cell, value, ast.unparse(holder), output
    return None


def _read(run: Run, tensor: int, function: str, holder: str, write: int) -> int:
    """The step at which a tensor, or what detach() has made of it in a hook, is taken by a line that names its holder, after it
    was written; NOTHING if there is none."""
    scopes = run.recording.scopes
    alike = [tensor]
    for step in run.consumers.get(tensor, ()):
        event = run.events[step]
        if isinstance(event, OpRan) and event.cut == "detach" and event.scope >= 0 and scopes[event.scope].function == function:
            alike += [made.id for made in event.outputs]
    word = re.compile(rf"\b{re.escape(holder.rpartition('.')[2])}\b")
    steps = sorted(step for each in alike for step in run.consumers.get(each, ()) if step > write)
    return next((step for step in steps if word.search(run.line(run.site(step)))), NOTHING)
