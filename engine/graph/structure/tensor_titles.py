"""The one best name of each tensor: its path in what the program bound it with, else the first name that the program gave it;
never a loop variable that passed over it."""

from __future__ import annotations

import re

import numpy as np

from ...recording.columns import columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .drawn import occurrence

_IN_LIST = re.compile(r"\[[^\]]*\]$")
_JUDGED = 50
"""Tensors, the first that a name came to, by which it is judged: of a long list only the first ones have a name."""


def best_name(recording: Recording, tensor: int) -> str:
    """The best name of a tensor (by its id); "" for one that has none."""
    return best_names(recording).get(tensor, "")


def name_now(recording: Recording, tensor: int, now: str) -> str:
    """What to call a tensor at a moment at which the program calls it `now`: by its path where it has one, since a loop's
    variable may pass over it."""
    best = best_name(recording, tensor)
    return best if "." in best or _IN_LIST.search(best) else now or best


def best_names(recording: Recording) -> dict[int, str]:
    """The best name of each tensor that has one, by tensor id."""
    return recording.once("best names", lambda: _names(recording))


def _names(recording: Recording) -> dict[int, str]:
    columns = columns_of(recording)
    bound = columns.bound
    rows = np.flatnonzero(bound.tensor != NOTHING)
    if not len(rows):
        return {}
    tensor, name, function = bound.tensor[rows], bound.name[rows], bound.function[rows]
    many = len(columns.names)
    # A name that mostly came to tensors which had one already passes over them: a loop's variable, an argument.
    variable = function * many + name
    later = occurrence(tensor) > 0
    _, first = np.unique(variable * (int(tensor.max()) + 1) + tensor, return_index=True)
    first = first[occurrence(variable[first]) < _JUDGED]
    size = int(variable.max()) + 1
    had, held = np.bincount(variable[first], later[first], size), np.bincount(variable[first], minlength=size)
    passing = ((held > 1) & (2 * had > held))[variable]
    path = np.array(["." in text for text in columns.names])[name]
    listed = np.array([bool(_IN_LIST.search(text)) for text in columns.names])[name]
    local = np.array([text != "" for text in columns.names])[function]
    quality = np.where(passing, 0, np.where(local, 1 + path, np.where(path, 5, np.where(listed, 3, 4))))
    order = np.lexsort((rows, -quality, tensor))
    tensor, name = tensor[order], name[order]
    best = np.ones(len(order), bool)
    best[1:] = tensor[1:] != tensor[:-1]
    return {t: columns.names[n] for t, n in zip(tensor[best].tolist(), name[best].tolist())}


def common_title(titles: set[str]) -> str:
    """One title for what has several: without the options, and with "…" for the indices, in which they differ."""
    if len(titles) == 1:
        return next(iter(titles))
    listed = {_IN_LIST.sub("[…]", title) for title in titles}
    if len(listed) == 1:
        return listed.pop()
    words = [title.split(" ") for title in sorted(titles)]
    shared = []
    for parts in zip(*words):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return " ".join(shared) or max(sorted(titles), key=len)
