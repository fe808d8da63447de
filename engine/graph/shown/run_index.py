"""What a debugger asks of a rolled run, read from columns: where the program stands at each step, which cards that is about,
where cards are in the program, and how large their gradients are.
"""

from __future__ import annotations

import numpy as np

from ...recording.columns import Columns, columns_of
from ...recording.events import NOTHING
from ...recording.recording import Recording
from .change_index import MISSING, NOT_FINITE, UNKNOWN
from .members import Members
from .statistics import Floats, Ints, Statistics, statistics

Norms = dict[str, list[tuple[int, float]]]
"""Key → pairs (step, norm of `.grad` from then on)."""


def sites_of_steps(recording: Recording) -> Ints:
    """Per step where the program stands: while a pass runs, at the call that started it."""
    log = columns_of(recording)
    sites = log.events.site.copy()
    for began, ended in _passes(log):
        part = sites[began : ended + 1]
        part[part < 0] = log.events.site[began]
    return sites


def ends_of_lines(recording: Recording) -> Ints:
    """The last step of every visit to a source line, as `timeline.line_ends` has them."""
    log = columns_of(recording)
    lines = np.array([*(site.line for site in recording.sites), 0], np.int64)  # the last for no site
    cells = np.array([*(site.cell for site in recording.sites), 0], np.int64)
    sites, scopes = log.events.site.copy(), log.events.scope.copy()
    for began, ended in _passes(log):
        here = slice(began, ended + 1)
        nowhere = lines[sites[here]] == 0
        sites[here][nowhere], scopes[here][nowhere] = log.events.site[began], log.events.scope[began]
    there = np.flatnonzero(lines[sites] > 0)
    visits = np.stack([cells[sites[there]], lines[sites[there]], scopes[there]])
    new = np.flatnonzero((visits[:, 1:] != visits[:, :-1]).any(0)) + 1
    last = [len(recording.events) - 1] if recording.events else []
    return np.concatenate([there[new] - 1, np.array(last, np.int64)])


def _passes(log: Columns) -> list[tuple[int, int]]:
    """First and last steps of the passes, inner ones first."""
    return list(zip(log.passes.began[::-1].tolist(), log.passes.ended[::-1].tolist(), strict=True))


def focus(recording: Recording, members: Members) -> tuple[Ints, Ints]:
    """The cards that the steps are about, and where those of each step begin."""
    log, tensor = members.log, members.of_tensors
    ran = np.searchsorted(log.passes.number, log.grads.number)
    filled = np.flatnonzero(log.grads.number > 0)
    root_step = dict(zip(log.passes.number.tolist(), log.passes.began.tolist(), strict=True))
    parts = [
        (log.tensors.step, tensor(log.tensors.id)),
        (log.writes.step, tensor(log.writes.tensor)),
        (log.bound.step, tensor(log.bound.tensor)),
        (log.grads.step, tensor(log.grads.tensor)),
        (log.stepped.step, tensor(log.stepped.tensor)),
        (np.array([root_step[n] for n in log.roots.number.tolist()], np.int64), tensor(log.roots.tensor)),
        (log.passes.ended[ran[filled]], tensor(log.grads.tensor[filled])),
        (log.ran.step, members.of_nodes(log.ran.node, np.zeros(len(log.ran.node), np.int64))),
        (log.sent.step, members.of_nodes(log.sent.target, log.sent.input)),
    ]
    steps = np.concatenate([steps for steps, _ in parts])
    cards = np.concatenate([cards for _, cards in parts])
    total = len(recording.events)
    good = np.flatnonzero((cards >= 0) & (steps < total))
    good = good[np.argsort(steps[good], kind="stable")]
    return cards[good], np.searchsorted(steps[good], np.arange(total + 1))


def sites_of_cards(recording: Recording, members: Members) -> dict[str, list[int]]:
    """Where each card is in the program, as rows in the table of sites: where it is made, then where written or named."""
    log, places = members.log, members.places
    named = log.bound.tensor != NOTHING
    tensors = np.concatenate([log.tensors.id, log.writes.tensor, log.bound.tensor[named]])
    steps = np.concatenate([log.tensors.step, log.writes.step, log.bound.step[named]])
    cards = places.of_tensor[tensors]
    rank = np.repeat([0, 1, 1], [len(log.tensors.id), len(log.writes.tensor), int(named.sum())])
    if members.autograd:
        cards = np.concatenate([places.of_node[log.nodes.id], cards])
        steps, rank = np.concatenate([log.nodes.step, steps]), np.concatenate([np.zeros(len(log.nodes.id), np.int64), rank])
    sites = log.events.site[steps]
    good = (cards >= 0) & (sites >= 0)
    total = max(len(recording.sites), 1)
    pairs, first = np.unique((cards * total + sites)[good], return_index=True)
    order = np.lexsort((steps[good][first], rank[good][first], pairs // total))
    found: dict[str, list[int]] = {}
    for pair in pairs[order].tolist():
        found.setdefault(members.keys[pair // total], []).append(pair % total)
    return found


def norms(recording: Recording, members: Members, window: tuple[int, int] | None = None) -> Norms:
    """How large each card's `.grad` is in a window of steps, and just before it if it outlives iterations; for None that of all
    that do, over the whole run."""
    log, places, found = members.log, members.places, statistics(recording)
    low, high = (0, len(log.grads.step)) if window is None else np.searchsorted(log.grads.step, [window[0], window[1] + 1])
    cards = places.of_tensor[log.grads.tensor[low:high]]
    own = np.flatnonzero((cards >= 0) & (window is not None or places.stays[cards]))
    arrays: Ints = log.grads.total[low:high][own]
    values: Floats = np.where(arrays == NOTHING, MISSING, _norms_of(found, arrays))
    made: Norms = {} if window is None else _norms_before(recording, members, window[0])
    for card, step, value in zip(cards[own].tolist(), log.grads.step[low:high][own].tolist(), values.tolist(), strict=True):
        pairs = made.setdefault(members.keys[card], [])
        value = float(f"{value:.6g}")
        if pairs and pairs[-1][0] == step:
            pairs.pop()
        if not pairs or pairs[-1][1] != value:
            pairs.append((step, value))
    return made


def _norms_before(recording: Recording, members: Members, step: int) -> Norms:
    """How large the `.grad` of each card that outlives iterations is before a step."""
    places, found = members.places, statistics(recording)
    tensors, keys, totals = recording.once("gradients by tensor", lambda: _grads_by_tensor(members.log))
    at = np.searchsorted(keys, tensors * _width(members.log) + step) - 1
    there = at >= np.searchsorted(keys, tensors * _width(members.log))
    cards: Ints = places.of_tensor[tensors]
    arrays: Ints = np.where(there, totals[np.maximum(at, 0)], NOTHING)
    own = np.flatnonzero((cards >= 0) & (arrays != NOTHING))
    own = own[places.stays[cards[own]]]
    pairs = zip(cards[own].tolist(), _norms_of(found, arrays[own]).tolist(), strict=True)
    return {members.keys[card]: [(step - 1, float(f"{value:.6g}"))] for card, value in pairs}


def _norms_of(found: Statistics, arrays: Ints) -> Floats:
    """The norms of arrays, `NOT_FINITE` for those that hold NaN or Inf, `UNKNOWN` for those that were not measured."""
    faulty = found.nan[arrays] + found.inf[arrays] > 0
    norms: Floats = np.where(faulty, NOT_FINITE, found.norm[arrays])
    return np.where(np.isnan(norms), np.where(found.size[arrays] == 0, 0.0, UNKNOWN), norms)


def _width(log: Columns) -> int:
    return len(log.events.kind) + 1


def _grads_by_tensor(log: Columns) -> tuple[Ints, Ints, Ints]:
    """The tensors whose `.grad` changes, and of each change, in the order of tensors and steps, both as one number and the
    array that `.grad` is from then on."""
    keys = log.grads.tensor * _width(log) + log.grads.step
    order = np.argsort(keys, kind="stable")
    return np.unique(log.grads.tensor), keys[order], log.grads.total[order]
