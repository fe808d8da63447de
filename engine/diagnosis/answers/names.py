"""What a name stands for at a moment: a tensor by any of its names, or what is in a module."""

from __future__ import annotations

import ast
import re

from ...recording.events import NOTHING
from ..paths import Paths

_SUBSCRIPT = re.compile(r"\[(\d+)\]")
_ITEM = re.compile(r"([A-Za-z_][\w.]*)\[(\d+)\]$")
_PARAMETERS = ("parameters", "named_parameters")
"""Methods of a module that give its parameters."""
_FAR = 4
"""Calls through which an argument's name is followed."""


def spelled(name: str) -> str:
    """A name with the positions of modules as PyTorch writes them: "net.1.weight" for "net[1].weight"."""
    return _SUBSCRIPT.sub(r".\1", name)


def named(paths: Paths, name: str, step: int) -> int:
    """The tensor a name stands for at a step, NOTHING if it stands for none then.

    Global names come before local ones of that name. `box.w` is found by its assignment (`self.w = …`), too, and `m.weight` by
    what is given for the argument `m`.

    Raises:
        KeyError: for a name that never stood for a tensor.
    """
    found = _named(paths, name, step)
    if found is None:
        raise KeyError(name)
    return found


def members(paths: Paths, name: str, step: int) -> dict[str, int]:
    """The parameters that a module of that name holds at a step, by their names; empty where it is none."""
    run = paths.run
    for spelling in dict.fromkeys([name, spelled(name), *_given_for(paths, name)]):
        starts = (f"{spelling}.", f"{spelling}[")
        found: dict[str, int] = {}
        for (_, bound), track in run.index.names.items():
            if bound.startswith(starts) and (tensor := track.at(step, NOTHING)) != NOTHING:
                info = run.tensors[tensor].info
                if info.is_parameter or (info.requires_grad and info.is_leaf):
                    found.setdefault(bound, tensor)
        if found:
            return found
    within = [(bound, track) for (_, bound), track in run.index.names.items() if f".{name}." in bound]
    return {
        bound: tensor
        for bound, track in within
        if (tensor := track.at(step, NOTHING)) != NOTHING and run.tensors[tensor].info.is_parameter
    }


def items(paths: Paths, name: str, step: int) -> dict[str, int]:
    """The tensors that a list, a tuple or a dict of that name holds at a step, by the names that the program has for them."""
    for spelling in dict.fromkeys([name, *_given_for(paths, name)]):
        found = {
            bound: tensor
            for (_, bound), track in paths.run.index.names.items()
            if bound.startswith(f"{spelling}[") and (tensor := track.at(step, NOTHING)) != NOTHING
        }
        if found:
            return found
    return _of_module(paths, name, step)


def _of_module(paths: Paths, name: str, step: int) -> dict[str, int]:
    """The parameters of the module from which a name was filled: `params = dict(net.named_parameters())`."""
    for _, _, value in paths.source.values(name):
        while isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1:
            value = value.args[0]  # dict(…), list(…)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _PARAMETERS:
            return members(paths, ast.unparse(value.func.value), step)
    return {}


def _named(paths: Paths, name: str, step: int, far: int = _FAR) -> int | None:
    bound = _bound(paths, name, step)
    if bound is not None:
        return bound
    for find in (_item,) if name.isidentifier() else (_item, _assigned):  # what a plain name is bound to, the recorder says
        if (tensor := find(paths, name, step)) != NOTHING:
            return tensor
    if far:
        for given in _given_for(paths, name):
            if (found := _named(paths, given, step, far - 1)) is not None:
                return found
    tail = [track for (_, other), track in paths.run.index.names.items() if other.endswith("." + name.removeprefix("self."))]
    found = next((track.at(step, NOTHING) for track in tail if track.at(step, NOTHING) != NOTHING), None)
    if found is None and name.isidentifier() and (kept := _assigned(paths, f"self.{name}", step)) != NOTHING:
        return kept  # what a module keeps of its forward pass, asked about by the attribute alone
    _, *within, _ = name.split(".") if "." in name else ("", "")
    if found is None and within and all(paths.source.values(f"self.{part}") for part in within):
        # Of what a module holds no name begins with the name that the module has.
        return _named(paths, name.partition(".")[2], step, 0)
    return found


def _bound(paths: Paths, name: str, step: int) -> int | None:
    """What the program bound a name to; None where it never bound it."""
    run = paths.run
    spellings = [name, spelled(name), name.replace('"', "'")]
    known = False
    for spelling in dict.fromkeys(spellings):
        tracks = [(where, track) for (where, bound), track in run.index.names.items() if bound == spelling]
        if not tracks:
            continue
        known = True
        tracks.sort(key=lambda pair: (pair[0] != "", -pair[1].steps[0]))
        now = [track.at(step, NOTHING) for _, track in tracks]
        # Not yet bound counts as unbound here; the caller says when it will be.
        best = next((t for t in now if t != NOTHING), NOTHING)
        later = _assigned(paths, name, step) if "." in name else NOTHING
        if later != NOTHING and best != NOTHING and run.tensors[later].born > run.tensors[best].born:
            return later
        if best != NOTHING:
            return best
        if all(track.steps[0] > step for _, track in tracks):
            return tracks[0][1].values[0]
    return NOTHING if known else None


def _item(paths: Paths, name: str, step: int) -> int:
    """The tensor at `params[1]` where it has another name of its own: from a list's text, or from the calls of `append`."""
    found = _ITEM.match(name)
    if found is None:
        return NOTHING
    run, position = paths.run, int(found[2])
    appended = []
    for _, at, value in paths.source.values(found[1]):
        if (
            isinstance(value, ast.List | ast.Tuple)
            and position < len(value.elts)
            and isinstance(value.elts[position], ast.Name)
        ):
            return run.named_at(value.elts[position].id, step)  # type: ignore[attr-defined]
        if isinstance(at, ast.Call) and isinstance(value, ast.Name):
            loop = next((n.lineno for n in paths.source.around(at) if isinstance(n, ast.For | ast.While)), 0)
            for key, track in run.index.names.items():
                if key[1] == value.id:
                    appended += [
                        (s, t)
                        for s, t in zip(track.steps, track.values, strict=True)
                        if t != NOTHING and s <= step and (not loop or loop in (line for line, _ in run.loops(s)))
                    ]
    appended.sort()
    return appended[position][1] if position < len(appended) else NOTHING


def _assigned(paths: Paths, name: str, step: int) -> int:
    made = paths.assigned(name, step)
    return made[-1][0] if made else NOTHING


def _given_for(paths: Paths, name: str) -> list[str]:
    """Names for the same where the first part of one is an argument of a function, or `self`: of what calls give for it."""
    head = re.match(r"\w+", name)
    if head is None:
        return []
    rest = name[head.end() :]
    return [given + rest for given in paths.source.given_for(head[0])]
