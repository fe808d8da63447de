"""Whether anything misses a gradient that does not come: a cut is a fault only where something asks for what lies behind it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import prod

import msgspec

from ...recording.index import Pass
from ..cuts import cuts_above, ways
from ..reason import Reason
from ..run import Run
from .grad_query import Question, listed
from .unowned import copied_from

_ABOUT_USE = frozenset(("unused", "not_connected", "created_after", "used_after", "flag_late"))
"""Codes, beside those of cuts, that say of a tensor only that passes have nothing to do with it."""
_ON_PURPOSE = ("cut_detach", "cut_data")
"""What is written to make a constant of something."""
_ALONG = frozenset(("elementwise", "same_values"))
"""What an operation is that leads on from a loss to its terms."""
_TERMS = 32
"""Sums and factors that are looked at on the way from a loss to its terms."""
_CUTS = 16
"""Cuts that are looked at above a tensor."""
_BEHIND = 300
"""Tensors that are looked at behind a cut."""


def only_told(q: Question, reason: Reason) -> Reason:
    """The reason, as a fact where no gradient is missed: the values go to no loss (they are printed, compared, counted), what
    is behind the cut learns by other ways, or nothing is to learn there."""
    run = q.run
    if not reason.wrong or not (reason.code.startswith("cut_") or reason.code in _ABOUT_USE):
        return reason
    if run.raised is not None or q.flags("retains_grad") or q.name in q.paths.source.gradients:
        return reason
    said = _unwanted(q, q.tensor) if q.status.requires_grad else _not_missed(q, reason.code)
    if not said or (q.status.requires_grad and any(copied_from(q, t) for t in run.optimized)):
        return reason
    # Where nothing is trained, nobody knows what the program is after.
    untold = reason.fix and not (run.optimized or run.trained)
    fix = f"If a gradient is wanted: {reason.fix[:1].lower()}{reason.fix[1:]}" if untold else ""
    return msgspec.structs.replace(reason, wrong=False, fix=fix, explanation=f"{reason.explanation} {said}".strip())


def terms_of(run: Run, entry: Pass) -> list[int]:
    """The terms of a pass's root, single numbers, if it is a sum: with a graph and without."""
    queue = [root for root, _ in entry.event.roots[:1]]
    found = []
    for tensor in queue:
        event = run.tensors[tensor].op
        given, traits = run.inputs(event), run.traits(event.op)
        adds = "additive" in traits
        if len(queue) > _TERMS:
            break
        through = event.node is not None and (adds or len(given) == 1) and bool(_ALONG.intersection(traits))
        if not through:
            if tensor != queue[0]:
                found.append(tensor)
            continue
        for each in given:
            if run.status(each, run.tensors[tensor].born).requires_grad:
                queue.append(each)
            elif adds:
                found.append(each)
    return [term for term in found if prod(run.tensors[term].info.shape) == 1]


def terms_without_graph(run: Run, entry: Pass) -> list[int]:
    """The terms of a pass's root, single numbers that require no gradient, beside others that do."""
    return [term for term in terms_of(run, entry) if not run.status(term, entry.began).requires_grad]


def _not_missed(q: Question, code: str) -> str:
    """Why no gradient is missed at a tensor that requires none; "" where one is."""
    run = q.run
    if next(ways(q.paths, q.tensor, run.passes), None) is None:
        return f"No backward pass starts from what is computed from {q.name}: no gradient is missed."
    if code not in _ON_PURPOSE and _is_lost_term(q):
        return ""
    leaves = list(dict.fromkeys(_learning_behind(q)))
    if not leaves or not all(_unwanted(q, leaf) for leaf in leaves):
        return ""
    learning = [q.label(leaf) for leaf in leaves if _has_gradient(run, leaf)]
    if not learning:
        return _unwanted(q, leaves[0])
    return f"{listed(learning)} {'gets a gradient' if len(learning) == 1 else 'get gradients'} by other ways."


def _learning_behind(q: Question) -> Iterator[int]:
    """The leaves that require grad behind the cuts above a tensor."""
    for cut, _ in islice(cuts_above(q.paths, q.tensor, q.step + 1, q.label), _CUTS):
        for each in q.run.behind(cut.source, most=_BEHIND):
            status = q.run.status(each, cut.step)
            if status.is_leaf and status.requires_grad:
                yield each


def _unwanted(q: Question, leaf: int) -> str:
    """Why no gradient of a leaf is missed: it has one at another time, or is not to learn; "" where one is."""
    run = q.run
    if _has_gradient(run, leaf):
        return f"{q.label(leaf)} gets its gradient in another pass."
    trained = run.trained | run.optimized
    if trained and leaf not in trained:
        return f"Nothing updates {q.label(leaf)}: no gradient of it is missed."
    if leaf == q.tensor and not run.tensors[leaf].first_name and not q.uses(len(run.events)):
        return "No name of the program leads to it any more."
    return ""


def _has_gradient(run: Run, leaf: int) -> bool:
    """Whether a pass brings a leaf its gradient: the last one of some call in the text, if it is backward's."""
    return any(leaf in entry.fills for entry in _last_passes(run))


def _last_passes(run: Run) -> list[Pass]:
    """The last backward pass of each call in the text."""
    return run.recording.once("last passes", lambda: list({run.site(entry.began): entry for entry in run.passes}.values()))


def _is_lost_term(q: Question) -> bool:
    """Whether the tensor makes up a term of a loss by which, for that, nothing learns."""
    run = q.run
    for entry in _last_passes(run):
        for term in terms_without_graph(run, entry) if entry.via == "backward" else ():
            if term == q.tensor or q.paths.between(q.tensor, (term,), run.tensors[term].born + 1) is not None:
                return True
    return False
