"""What a module's card in a rolled graph is called, and what stands beside that: its class and size, "Linear 8→32".

A module goes by the name that its parameters do ("models[0]"), not by an argument or a loop's variable that it was called by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from .folding import Group

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
    return [step[1:] for step in group.split("/") if step.startswith("M")]


def name_within(title: str, group: str) -> str:
    """What a parameter is called in the card of a group, by its id: its path without that of the module."""
    parts = module_parts(group)
    for end in range(len(parts), 1, -1):
        _, found, rest = title.partition(f".{'.'.join(parts[1:end])}.")
        if found:
            return rest
    return title.partition(".")[2] or title if parts else title


def root_id(group: str) -> str:
    """The id of the outermost module's group around a module's group, or its own."""
    steps = group.split("/")
    outside = sum(1 for _ in takewhile(lambda step: not step.startswith("M"), steps))
    return "/".join(steps[: outside + 1])


def root_name(parameter: str, path: str) -> str:
    """What a parameter's name says that the outermost module of a path is called; "" where it says nothing."""
    owner, (_, dot, rest) = parameter.rpartition(".")[0], path.partition(".")
    return owner.removesuffix(dot + rest) if owner.endswith(dot + rest) else ""


def module_names(groups: Iterable[Group], roots: Mapping[str, str]) -> dict[str, str]:
    """What modules' groups are called, by their ids: as much of the end of a path as no other path ends with, since what is
    around an open group is not seen. `roots` are the names of outermost modules, by their groups."""
    paths, known = {}, set[tuple[str, ...]]()
    for group in groups:
        first, *rest = module_parts(group.id)
        paths[group.id] = (roots.get(root_id(group.id), first), *rest)
        if root_id(group.id) in roots:
            known.add(paths[group.id])
    # What is called by an argument's name elsewhere (`self`, `module`) is one of those whose name is known.
    within = {path[1:] for path in known}
    known.update(path for path in paths.values() if path[1:] not in within)
    ends = Counter(path[begin:] for path in known for begin in range(len(path)))
    return {id: _written(path[_begin(path, ends) :]) for id, path in paths.items()}


def _written(path: Sequence[str]) -> str:
    """A path, without its middle where it is long: its beginning is what others do not have."""
    whole = ".".join(path)
    if len(whole) <= LONG or len(path) < 3:
        return whole
    first = ".".join(path[: 2 if path[1].isdigit() else 1])
    return f"{first}…{'.'.join(path[-2 if path[-1].isdigit() else -1 :])}"


def _begin(path: tuple[str, ...], ends: Mapping[tuple[str, ...], int]) -> int:
    """Where the shortest end of a path begins that is its own; a number alone says nothing."""
    for begin in range(len(path) - 1, 0, -1):
        if ends[path[begin:]] <= 1 and not path[begin].isdigit():
            return begin
    return 0
