"""Rules about devices: what works here, where there is no GPU, and fails on a machine that has one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...recording.events import NOTHING, Site
from ..paths import paths_of
from ..program_ast import Source
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

DATA_NOT_MOVED = Kind("data_not_moved", "warning", "The model is moved to a GPU where there is one, and its data never are.")

_GPU = re.compile(r"cuda|mps|accelerator|xpu")
_TYPE = re.compile(r"\bcuda\.\w*Tensor\b")
"""The old types of a GPU's tensors: what is made or cast by one lies there."""
_ELSEWHERE = ("set_default_device", "set_default_tensor_type", "prepare", "Accelerator", "DataParallel", "send_to_device")
"""Calls after which data may get to the device in another way."""


@rule(139, DATA_NOT_MOVED)
def data_stay_behind(run: Run) -> Iterator[Finding]:
    """The only things that the program moves to its device are modules."""
    source = paths_of(run.recording).source
    moves = [(cell, call) for name in ("to", "cuda") for cell, call in source.calls.get(name, ()) if _to_gpu(source, call)]
    if not moves or any(name in source.calls for name in _ELSEWHERE) or _made_there(source):
        return
    modules = {e.name.partition(".")[0] for _, e in run.namings if "." in e.name and _is_parameter(run, e.tensor)}
    moved = {name: (cell, call) for cell, call in moves if (name := _module(source, call, modules))}
    if len(moved) < sum(not _is_made(source, call) or _target(source, call) in modules for _, call in moves):
        return  # something else is moved, too
    for step, event in run.ops:
        scope = run.recording.scopes[event.scope] if event.scope >= 0 else None
        name = scope.module.partition(".")[0] if scope is not None else ""
        if name not in moved or scope is None or event.in_backward:
            continue
        given = next((t for t in run.inputs(event) if not _is_parameter(run, t)), NOTHING)
        if given == NOTHING or run.tensors[given].born > step:
            continue
        called = next((run.recording.sites[row] for row, what in scope.calls if what == "forward"), run.site(step))
        cell, call = moved[name]
        made = Site(cell, call.lineno, call.col_offset, call.end_lineno or call.lineno, call.end_col_offset or 0)
        data = run.title(given)
        yield finding(
            run, DATA_NOT_MOVED,
            f"{name} is moved to the device, and what it is given is not.",
            f"{ast.unparse(call)} at {run.site_text(made)} puts the parameters on a GPU where there is one. Nothing in the "
            f"program moves data there, so the call at {run.site_text(called)} fails on such a machine: \"Expected "
            "all tensors to be on the same device\". On a CPU, as here, it works.",
            f"Move each batch to where the model is: {_moving(call, data)}.",
            step=step,
            site=called,
            related=[made],
            evidence=[("moved to the device", ", ".join(moved)), ("given to the model", data)],
        )  # fmt: skip
        return


def _is_parameter(run: Run, tensor: int) -> bool:
    return tensor != NOTHING and tensor in run.tensors and run.tensors[tensor].info.is_parameter


def _to_gpu(source: Source, call: ast.Call) -> bool:
    """Whether a call moves what it is called on to what may be a GPU."""
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "cuda":
        return True
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "device")]
    return any(_GPU.search(text) for argument in given[:1] for text in _texts(source, argument))


def _texts(source: Source, argument: ast.expr) -> Iterator[str]:
    """What an argument says, and what was assigned to its name."""
    text = ast.unparse(argument)
    yield text
    if isinstance(argument, ast.Name | ast.Attribute):
        yield from (ast.unparse(value) for _, _, value in source.values(text))


def _made_there(source: Source) -> bool:
    """Whether any tensor is made on the device from the start, or brought there by its type."""
    calls = [call for found in source.calls.values() for _, call in found]
    return any(
        keyword.arg == "device" and any(_GPU.search(text) for text in _texts(source, keyword.value))
        for call in calls
        if not (isinstance(call.func, ast.Attribute) and call.func.attr == "to")
        for keyword in call.keywords
    ) or any(
        _TYPE.search(text)
        for call in calls
        for named in (call.func, *call.args)
        if isinstance(named, ast.Name | ast.Attribute)
        for text in _texts(source, named)
    )


def _is_made(source: Source, call: ast.Call) -> bool:
    """Whether what is moved is made right there, by the class of a module: a model, or a loss. In doubt it is data, as what
    `FloatTensor(…)` or `Batch(…)` gives."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    match made.func if isinstance(made, ast.Call) else None:
        case ast.Attribute(value=room, attr=name):
            return name[:1].isupper() and (name.endswith("Loss") or ast.unparse(room).rpartition(".")[2] == "nn")
        case ast.Name(id=name):
            return name[:1].isupper() and (name.endswith("Loss") or name in source.classes)
    return False


def _target(source: Source, call: ast.Call) -> str:
    """The name that the result is given, if it is given one."""
    match source.parents.get(call):
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _module(source: Source, call: ast.Call, modules: set[str]) -> str:
    """The name of the module that is moved."""
    moved = call.func.value if isinstance(call.func, ast.Attribute) else None
    name = moved.id if isinstance(moved, ast.Name) else _target(source, call) if isinstance(moved, ast.Call) else ""
    return name if name in modules else ""


def _moving(call: ast.Call, data: str) -> str:
    """How data are moved as the model is."""
    name = data if data.isidentifier() else "x"
    assert isinstance(call.func, ast.Attribute)
    return f"{name} = {name}.{call.func.attr}({', '.join(map(ast.unparse, call.args))})"
