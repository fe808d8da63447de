"""A rule about `x[index] += y` with an index that names elements more than once: each gets one of the terms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...recording.events import NOTHING, OpRan, Site
from ..mending import Changes, instead, site_of, statement_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

ADDED_ONCE = Kind(
    "added_once", "warning", "What is added by an index that names elements several times is added once to each.",
    mechanical=True,
)  # fmt: skip

_LOOKED_AT = 8
"""Writes at one site that are looked at."""


class _Sum(NamedTuple):
    """What is added to the elements that an index names, and written back to them."""

    base: int
    indices: dict[int, int]
    """Dimension -> the index for it."""
    term: int
    """What is added; NOTHING for a number."""
    number: str
    minus: bool


@rule(172, ADDED_ONCE)
def added_once(run: Run) -> Iterator[Finding]:
    """Elements of a tensor are read by an index, something is added to them, and they are written back by the same index."""
    told: set[int] = set()
    for step, event in run.first_ops_of({"index_put"}, _LOOKED_AT):
        if event.site in told or event.in_backward or (added := _added(run, event)) is None:
            continue
        values = [run.values(t, step) for t in added.indices.values()]
        known = [v for v in values if v is not None and v.dtype.kind in "iu" and v.ndim == 1]
        if len(known) < len(values) or len({v.shape for v in known}) != 1:
            continue
        size = [run.tensors[added.base].info.shape[dim] for dim in added.indices]
        rows = np.stack([v.astype(np.int64) % n for v, n in zip(known, size, strict=True)], axis=1)
        _, group, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        if len(counts) == len(rows):
            continue
        terms = None if added.term == NOTHING else run.values(added.term, step)
        lost = _lost(terms, group.ravel(), added, rows)
        if lost is None:
            continue
        told.add(event.site)
        site = run.site(step)
        names, index = run.title(added.base), ", ".join(run.title(t) for t in added.indices.values())
        term = run.title(added.term) if added.term != NOTHING else added.number
        learns = added.term != NOTHING and run.status(added.term, step).requires_grad
        yield finding(
            run, ADDED_ONCE,
            f"{names}[{index}] {'-' if added.minus else '+'}= … adds once to each element, however often the index names it.",
            f"{index} has {len(rows)} entries, of which {len(counts)} are different. The elements are read, {term} is "
            f"{'subtracted' if added.minus else 'added'}, and the results are written back: of several for the same element "
            f"one stays, so {len(rows) - len(counts)} of {len(rows)} are thrown away"
            + (", and get a gradient of zero." if learns else "."),
            f"Add them up: {_text(run, added, names, [run.title(t) for t in added.indices.values()], term)}.",
            step=step, related=[run.site(run.tensors[t].born) for t in (*added.indices.values(), added.term) if t != NOTHING],
            evidence=[("entries of the index", str(len(rows))), ("different ones", str(len(counts)))],
            nodes=[key(added.base), *(key(t) for t in added.indices.values())],
            severity="" if lost else "hint",
            changes=_changes(run, site, added),
        )  # fmt: skip


def _added(run: Run, event: OpRan) -> _Sum | None:
    base, value = run.argument(event, "self"), run.argument(event, "values")
    indices = _indices(event)
    if NOTHING in (base, value) or not indices:
        return None
    made = run.tensors[value].op
    if made.op in run.having("additive"):
        sums = [made]
    else:
        sums = [
            e
            for s in run.writes.get(value, ())[-1:]
            if isinstance(e := run.events[s], OpRan) and e.op in run.having("additive")
        ]
    for sum in sums:
        own, other = run.argument(sum, "self"), run.argument(sum, "other")
        minus = sum.op in run.having("difference")
        for read, term in ((own, other), *(((other, own),) if other != NOTHING and not minus else ())):
            source = run.tensors[read].op if read != NOTHING else None
            if source is None or source.op != "index" or run.argument(source, "self") != base:
                continue
            if not _alike(run, _indices(source), indices):
                continue
            if sum.site == event.site or run.recording.line(sum) == run.recording.line(event):
                return _Sum(base, indices, term, run.setting(sum, "other"), minus)
    return None


def _indices(event: OpRan) -> dict[int, int]:
    """The tensors that an operation takes for indices, by dimension."""
    found = {}
    for argument in event.inputs:
        if argument.name.startswith("indices[") and argument.tensor != NOTHING:
            found[int(argument.name[8:-1])] = argument.tensor
    return found


def _alike(run: Run, first: dict[int, int], second: dict[int, int]) -> bool:
    """Whether two indices name the same elements."""
    if first.keys() != second.keys():
        return False
    return all(first[dim] == t or run.same(*(run.tensors[i].info.array for i in (first[dim], t))) for dim, t in second.items())


def _lost(terms: NDArray[Any] | None, group: NDArray[np.int64], added: _Sum, rows: NDArray[np.int64]) -> bool | None:
    """Whether terms are lost that differ from the one that stays; False where all are the same, as where something is counted;
    None where a term belongs to its element, so that it is to be added once, or is not known."""
    if added.term == NOTHING:
        return False
    if terms is None:
        return None
    dim = min(added.indices)
    if terms.ndim <= dim or terms.shape[dim] != len(rows):
        return False if terms.size == 1 else None
    flat = np.moveaxis(terms, dim, 0).reshape(len(rows), -1)
    first = np.zeros(int(group.max()) + 1, np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    if not (flat == flat[first[group]]).all():
        return True
    return False if (flat == flat[0]).all() and flat.any() else None


def _text(run: Run, added: _Sum, base: str, index: list[str], term: str) -> str:
    """The statement that adds all terms up."""
    shape = run.tensors[added.term].info.shape if added.term != NOTHING else ()
    if len(index) == 1 and len(shape) == len(run.tensors[added.base].info.shape):
        (dim,) = added.indices
        return f"{base}.index_add_({dim}, {index[0]}, {term}{', alpha=-1' * added.minus})"
    value = term if added.term != NOTHING else f"torch.tensor({float(term or 1)})"
    value = f"-({value})" if added.minus else value
    return f"{base}.index_put_(({', '.join(index)}{',' * (len(index) == 1)}), {value}, accumulate=True)"


def _changes(run: Run, site: Site | None, added: _Sum) -> Changes:
    """The statement that adds all up in the place of the one that does not, in the words of the program."""
    found = statement_of(run, site)
    if found is None or added.term == NOTHING:
        return []
    node, text = found.node, found.program.lines.of
    target: ast.expr | None = None
    term: ast.expr | None = None
    if isinstance(node, ast.AugAssign):
        target, term = node.target, node.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
        target, term = node.targets[0], node.value.right
        if ast.unparse(node.value.left) != ast.unparse(target):
            return []
    if not isinstance(target, ast.Subscript) or term is None:
        return []
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    index = [text(part) for part in parts if not isinstance(part, ast.Slice)]
    if len(index) != len(added.indices):
        return []
    return instead(run, site_of(found.cell, node), _text(run, added, text(target.value), index, text(term)))
