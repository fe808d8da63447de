"""What a module's card in a rolled graph is called, and what stands beside that: its class and size, "Linear 8→32".

A module goes by the name that its parameters do ("models[0]"), not by an argument or a loop's variable that it was called by.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import takewhile

from .folding import Folding, Group

LONG = 22
"""Letters from which on a path is shortened."""


def module_badge(kind: str, shapes: dict[str, tuple[int, ...]]) -> str:
    """A module's class, with the sizes that the shapes of its parameters, by their names, tell of PyTorch's own modules.

    "" for a module whose class is not known.
    """
    weight = shapes.get("weight", ())
    if kind == "Linear" and len(weight) == 2:
        return f"Linear {weight[1]}→{weight[0]}"
    if kind == "Embedding" and len(weight) == 2:
        return f"Embedding {weight[0]}×{weight[1]}"
    if kind.startswith("ConvTranspose") and len(weight) >= 3:
        return f"{kind} {weight[0]}→{weight[1]}"
    if kind.startswith("Conv") and len(weight) >= 3:
        return f"{kind} {weight[1]}→{weight[0]}, {'×'.join(map(str, weight[2:]))}"
    if "Norm" in kind and weight:
        return f"{kind} {weight[0]}"
    return kind


def is_module(group: str) -> bool:
    """Whether a group, by its id, is that of a module."""
    return group.rpartition("/")[2].startswith("M")


def module_parts(group: str) -> list[str]:
    """The path of the module that a group, by its id, is of."""
    return [step[1:].partition("@")[0] for step in group.split("/") if step.startswith("M")]


def name_within(title: str, group: str) -> str:
    """What a parameter is called in the card of a group, by its id: its path without that of the module."""
    parts = module_parts(group)
    for end in range(len(parts), 1, -1):
        _, found, rest = title.partition(f".{'.'.join(parts[1:end])}.")
        if found:
            return rest
    first, _, rest = title.partition(".")
    # Of several modules each has a place of its own in a list.
    several = "…" in group.rpartition("/")[2] or group.endswith("–")
    return rest if parts and rest and not (several and first.endswith("]")) else title


def root_id(group: str) -> str:
    """The id of the outermost module's group around a module's group, or its own."""
    steps = group.split("/")
    outside = sum(1 for _ in takewhile(lambda step: not step.startswith("M"), steps))
    return "/".join(steps[: outside + 1])


def root_name(parameter: str, path: str) -> str:
    """What a parameter's name says that the outermost module of a path is called; "" where it says nothing."""
    owner, (_, dot, rest) = parameter.rpartition(".")[0], path.partition(".")
    return owner.removesuffix(dot + rest) if owner.endswith(dot + rest) else ""


def module_path(group: Group, names: Mapping[str, str]) -> str:
    """The whole path of the module that a group is of; `names` are those of outermost modules, by their groups."""
    first, *rest = module_parts(group.id)
    return ".".join([names.get(root_id(group.id), first), *rest])


def told_apart(paths: Collection[str]) -> dict[str, str]:
    """So much of the end of each path that no two are the same and none begins with a number; what all of them begin with says
    nothing."""
    parts = {path: path.split(".") for path in paths}
    root = len({steps[0] for steps in parts.values()}) == 1
    for count in range(1, max(map(len, parts.values())) + 1):
        ends = {path: _end(steps, count, root) for path, steps in parts.items()}
        if len(set(ends.values())) == len(ends) and not any(end[0].isdigit() for end in ends.values()):
            return ends
    return {path: path for path in paths}


def _end(steps: list[str], count: int, root: bool) -> str:
    """The last of a path's steps, the first one left out if it is a common root and a name follows."""
    shown = steps[-count:]
    if root and len(shown) == len(steps) > 1 and not steps[1].isdigit():
        shown = steps[1:]
    return ".".join(shown)


def module_name(folding: Folding, group: Group, names: Mapping[str, str]) -> str:
    """What a module's group is called within the one around it; `names` are those of outermost modules, by their groups."""
    parts = module_parts(group.id)
    shown = [names.get(root_id(group.id), parts[0]), *parts[1:]]
    around = folding.groups.get(group.parent)
    while around is not None and around.kind != "module":
        around = folding.groups.get(around.parent)
    begin = 0 if around is None else len(module_parts(around.id))
    if begin and parts[begin].isdigit():
        begin -= 1  # a number alone says nothing
    return ".".join(shown[begin:])


def without_middle(path: str) -> str:
    """A path, without its middle where it is long: its beginning is what others do not have."""
    steps = path.split(".")
    if len(path) <= LONG or len(steps) < 3:
        return path
    first = ".".join(steps[: 2 if steps[1].isdigit() else 1])
    return f"{first}…{'.'.join(steps[-2 if steps[-1].isdigit() else -1 :])}"
