"""Rules about the terms of a loss that is a sum: those by which nothing learns, and those that weigh far too much."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from math import prod
from typing import NamedTuple

from ...recording.events import NOTHING, GradSet, OpRan, Site
from ...recording.index import Pass
from ..answers.asked_for import terms_of, terms_without_graph
from ..cadence import clears
from ..cuts import Cut, cuts_above, fact
from ..paths import Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule
from .sampling import adds, arrivals, leaves_of

TERM_WITHOUT_GRADIENT = Kind(
    "term_without_gradient", "warning",
    "A term of a loss comes from a comparison, or from what is detached or runs under no_grad alone, so nothing learns by it.",
)  # fmt: skip

DIVERGENCE_OUTWEIGHS = Kind(
    "divergence_outweighs", "hint",
    "The divergence of a variational model is a sum, and the reconstruction beside it a mean over all its elements.",
)  # fmt: skip

_UNTRACKED = "cut_no_grad"
"""The code of a cut by which a whole network runs without a graph."""
_DETACHED = "cut_detach"
"""The code of a cut by detach()."""
_CUTS = 64
"""Cuts that are looked at above a term."""
_PASSES = 4
"""Passes of one call of backward in which a term has to be useless."""


@rule(262, TERM_WITHOUT_GRADIENT)
def term_without_gradient(run: Run) -> Iterator[Finding]:
    """A sum that a pass begins from has a term that requires no gradient, though it is computed from what learns."""
    if not run.updates:
        return
    paths = paths_of(run.recording)
    told = set()
    for entry in run.first_passes:
        for term in terms_without_graph(run, entry) if entry.via == "backward" else ():
            born = run.tensors[term].born
            cuts = _cuts(paths, entry, term, born + 1)
            if not cuts or cuts[0].site in told:
                continue
            told.add(cuts[0].site)
            cut, name = cuts[0], run.title(term)
            yield finding(
                run, TERM_WITHOUT_GRADIENT,
                f"{name} is a term of the loss by which nothing learns: no gradient comes back through it.",
                f"{cut.sentence} {name}, computed at {run.where(born)}, is added to terms that have a graph, so backward() at "
                f"{run.where(entry.began)} runs, and goes through those alone.",
                cut.fix if cut.code != _UNTRACKED else "Compute one side of it from what learns, or leave it out.",
                step=cut.step, site=cut.site if cut.code != _UNTRACKED else run.site(born),
                related=[run.site(born), run.site(entry.began)],
                evidence=[
                    (f"{name}.requires_grad", "False"),
                    (f"value of {name}", run.texts.describe(run.status(term, entry.began).array)), fact(run, cut),
                ],
                nodes=[key(term), key(cut.source)],
            )  # fmt: skip


@rule(263, TERM_WITHOUT_GRADIENT)
def term_of_what_stays(run: Run) -> Iterator[Finding]:
    """A term has a graph that leads to nothing which a step moves by it, and is computed from what the step moves, detached."""
    if not run.updates:
        return
    at: dict[Site | None, list[Pass]] = {}
    for entry in run.passes:
        alike = at.setdefault(run.site(entry.began), [])
        if entry.via == "backward" and len(alike) < _PASSES:
            alike.append(entry)
    for entries in at.values():
        found = [list(_useless(run, entry)) for entry in entries]
        if len(found) < 2 or not all(found):
            continue
        entry = entries[0]
        for useless in found[0]:
            name, born = run.title(useless.term), run.tensors[useless.term].born
            detached, cut = run.tensors[useless.cut].born, run.expression(run.site(run.tensors[useless.cut].born))
            yield finding(
                run, TERM_WITHOUT_GRADIENT,
                f"{name} is a term of the loss by which nothing learns: its graph leads around what is trained here.",
                f"{cut or run.title(useless.cut)} at {run.where(detached)} cuts it off from {run.names(useless.moved)}, which "
                f"are moved by backward() at {run.where(entry.began)}. The graph of {name} leads to "
                f"{run.names(useless.graph)}, whose gradients of this pass are cleared before a step uses them.",
                f"Compute {name} from what is not detached: from results that are computed once more, without detach().",
                step=born, related=[run.site(detached), run.site(entry.began)],
                evidence=[(f"value of {name}", run.texts.describe(run.status(useless.term, entry.began).array))],
                nodes=[key(useless.term), key(useless.cut)],
                steps=[each.began for each in entries],
            )  # fmt: skip


class _Useless(NamedTuple):
    """A term whose gradients no step uses."""

    term: int
    cut: int
    """What is detached on the way to it."""
    graph: list[int]
    """The leaves that its graph leads to."""
    moved: list[int]
    """Those that are cut off from it, and that a step moves by the pass."""


def _useless(run: Run, entry: Pass) -> Iterator[_Useless]:
    """The terms of a pass's root by which nothing is moved, though they are computed from what the pass moves."""
    moved = {tensor for tensor in entry.fills if _used(run, tensor, entry)}
    for term in terms_of(run, entry) if moved else ():
        graph = leaves_of(run, [term])
        if not graph or not moved.isdisjoint(graph) or not run.trained.issuperset(graph):
            continue
        for each in run.behind(term, most=_CUTS):
            if run.tensors[each].op.op in run.having("detaches"):
                behind = sorted(moved.intersection(leaves_of(run, run.inputs(run.tensors[each].op))))
                if behind:
                    yield _Useless(term, each, graph, behind)
                    break


def _used(run: Run, tensor: int, entry: Pass) -> bool:
    """Whether a pass brings a tensor a gradient, and a step uses that before it is cleared."""
    updates = run.updates.get(tensor, [])
    after = bisect_right(updates, entry.ended)
    if tensor not in entry.fills or after == len(updates):
        return False
    changes = run.history(tensor, entry.ended, updates[after])
    return not any(isinstance(event, GradSet) and clears(run, event) for _, event in changes)


def _cuts(paths: Paths, entry: Pass, term: int, before: int) -> list[Cut]:
    """The cuts above a term, if all are of one kind: operations without derivative; networks that run under no_grad while the
    term itself does not; or results of a network behind the one that learns by the pass, as a discriminator's of samples, that
    are detached. What is detached otherwise is meant to be."""
    run = paths.run
    found: list[Cut] = []
    for cut, _ in islice(cuts_above(paths, term, before, lambda tensor: paths.label(tensor, before)), _CUTS):
        event = run.events[cut.step]
        if not isinstance(event, OpRan) or event.op == "constant":
            return []
        if cut.code == _UNTRACKED:
            unmeant = run.tensors[term].op.grad_mode
        elif cut.code == _DETACHED:
            behind = run.trained.intersection(leaves_of(run, [cut.source]))
            unmeant = prod(run.tensors[cut.source].info.shape) > 1 and len({_used(run, t, entry) for t in behind}) > 1
        else:
            unmeant = cut.code in ("cut_op", "cut_dtype") and event.grad_mode
        if not unmeant:
            return []
        found.append(cut)
    kinds = {cut.code if cut.code in (_UNTRACKED, _DETACHED) else "" for cut in found}
    return found if len(kinds) == 1 else []


@rule(264, DIVERGENCE_OUTWEIGHS)
def divergence_outweighs(run: Run) -> Iterator[Finding]:
    """`1 + v - m² - exp(v)` is summed over samples and dimensions, and a reconstruction is averaged over both; neither has a
    weight of its own."""
    if not run.updates:
        return
    told = set()
    for entry in run.first_passes:
        terms = terms_of(run, entry) if entry.via == "backward" else []
        divergence = next((term for term in terms if _is_divergence(run, term)), NOTHING)
        if divergence == NOTHING or run.site(run.tensors[divergence].born) in told:
            continue
        samples, *rest = run.tensors[run.inputs(run.tensors[divergence].op)[0]].info.shape
        means = [term for term in terms if _is_mean(run, term, samples)]
        half = _weight(run, entry, divergence)  # of the divergence; what is more or less is a weight of its own
        if len(means) != 1 or not half or _weight(run, entry, means[0]) != 2 * half:
            continue
        told.add(run.site(run.tensors[divergence].born))
        mean, elements = means[0], prod(run.tensors[run.argument(run.tensors[means[0]].op, "self")].info.shape)
        yield finding(
            run, DIVERGENCE_OUTWEIGHS,
            f"The divergence is a sum over {samples} samples, and {run.title(mean)} beside it a mean over {elements} elements.",
            f"{run.title(divergence)} adds up {samples} × {prod(rest)} parts; {run.title(mean)} at "
            f"{run.where(run.tensors[mean].born)} is divided by {elements}. So the divergence weighs {elements} times what it "
            "does in the bound of a variational model. Mean and variance are then held at the prior, and what is decoded is "
            "the same for every input.",
            "Let both be sums (reduction='sum'), or give the divergence a weight that makes up for it.",
            step=run.tensors[divergence].born, related=[run.site(run.tensors[mean].born)],
            evidence=[
                (f"value of {run.title(term)}", run.texts.describe(run.status(term, entry.began).array))
                for term in (divergence, mean)
            ],
            nodes=[key(divergence), key(mean)],
        )  # fmt: skip


def _weight(run: Run, entry: Pass, term: int) -> float:
    """What a term is multiplied with on the way to the root of a pass, without its sign; 0 where that is not known."""
    node = run.tensors[term].op.node
    arrived = [run.scalar(each.array) for each in arrivals(entry, node.id)] if node is not None else []
    return abs(arrived[0] or 0.0) if len(arrived) == 1 else 0.0


def _is_divergence(run: Run, term: int) -> bool:
    """Whether a term is the sum of 1 + v - m² - exp(v) over all samples and dimensions."""
    made = run.tensors[term].op
    given = run.inputs(made)
    if made.op != "sum" or len(given) != 1 or run.setting(made, "dim") or len(run.tensors[given[0]].info.shape) < 2:
        return False
    whole = run.tensors[given[0]].op
    base, power = run.argument(whole, "self"), run.argument(whole, "other")
    if "difference" not in run.traits(whole.op) or NOTHING in (base, power) or run.tensors[power].op.op != "exp":
        return False
    return run.tensors[given[0]].info.shape[0] > 1 and adds(run, base, {run.argument(run.tensors[power].op, "self")})


def _is_mean(run: Run, term: int, samples: int) -> bool:
    """Whether a term is a distance of so many samples, averaged over all elements of them."""
    made = run.tensors[term].op
    given = run.argument(made, "self")
    if "distance" not in run.traits(made.op) or given == NOTHING or run.setting(made, "reduction") != "'mean'":
        return False
    shape = run.tensors[given].info.shape
    return shape[:1] == (samples,) and prod(shape) > samples
