"""Rules about the terms of a loss that is a sum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ...recording.events import OpRan
from ..answers.asked_for import terms_without_graph
from ..cuts import Cut, cuts_above, fact
from ..paths import Paths, paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

TERM_WITHOUT_GRADIENT = Kind(
    "term_without_gradient", "warning",
    "A term of a loss comes from a comparison, or from what runs under no_grad alone, so nothing learns by it.",
)  # fmt: skip

_UNTRACKED = "cut_no_grad"
"""The code of a cut by which a whole network runs without a graph."""
_CUTS = 64
"""Cuts that are looked at above a term."""


@rule(262, TERM_WITHOUT_GRADIENT)
def term_without_gradient(run: Run) -> Iterator[Finding]:
    """A sum that a pass begins from has a term that requires no gradient, all because of operations without derivative."""
    if not run.updates:
        return
    paths = paths_of(run.recording)
    told = set()
    for entry in run.first_passes:
        for term in terms_without_graph(run, entry) if entry.via == "backward" else ():
            born = run.tensors[term].born
            cuts = _cuts(paths, term, born + 1)
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


def _cuts(paths: Paths, term: int, before: int) -> list[Cut]:
    """The cuts above a term, if each is an operation without derivative, or each a network that runs under no_grad while the
    term itself does not: what is detached is meant to be."""
    found: list[Cut] = []
    for cut, _ in islice(cuts_above(paths, term, before, lambda tensor: paths.label(tensor, before)), _CUTS):
        event = paths.run.events[cut.step]
        if not isinstance(event, OpRan) or event.op == "constant":
            return []
        constant = cut.code == _UNTRACKED and paths.run.tensors[term].op.grad_mode
        if not constant and (cut.code not in ("cut_op", "cut_dtype") or not event.grad_mode):
            return []
        found.append(cut)
    return found if len({cut.code == _UNTRACKED for cut in found}) == 1 else []
