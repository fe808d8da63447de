"""Rules about averages that a program prints: what was added up over batches is divided by the number of something else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...recording.events import Read, Site
from .. import mending
from ..optimizer_text import given
from ..paths import paths_of
from ..program_ast import Source, contains, site_of
from ..ran import first_step_at
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

MEAN_DIVIDED_AGAIN = Kind(
    "mean_divided_again", "hint",
    "Means over batches are added up and divided by the number of samples, so that what is told is too small.", mechanical=True,
)  # fmt: skip
DIVIDED_BY_ALL = Kind(
    "divided_by_all", "warning",
    "What was added up over the samples that a sampler draws is divided by how many the whole dataset has.", mechanical=True,
)  # fmt: skip


_ADDITIONS = 16
"""Additions to one name that are looked at."""
_FAR = 3
"""Names and arguments between a loop and the call that made its loader."""


class _Sum(NamedTuple):
    """What a loop over a loader adds up, and the division of it."""

    cell: int
    loader: ast.Call
    """The call that makes the loader."""
    name: str
    """The loader's name."""
    value: ast.expr
    """What is added in each turn."""
    by: ast.Call
    """The number that the sum is divided by: `len(…)`."""
    whole: bool
    """Whether that is the length of the loader's dataset."""


@rule(278, MEAN_DIVIDED_AGAIN)
def mean_divided_again(run: Run) -> Iterator[Finding]:
    """`total += loss.item()`, where the loss is the mean of a batch, and `total / len(loader.dataset)`."""
    told = set()
    for found in _sums(run):
        size = given(found.loader, 1, "batch_size")
        read = _mean_read(run, found)
        if not found.whole or read is None or size is None or (isinstance(size, ast.Constant) and size.value == 1):
            continue
        site, where = site_of(found.cell, found.by), site_of(found.cell, found.value)
        if site in told:
            continue
        told.add(site)
        text = ast.unparse(found.by)
        yield finding(
            run, MEAN_DIVIDED_AGAIN,
            f"The sum of batch means is divided by {text}: what is told is about 1/{ast.unparse(size)} of the mean loss."
            if isinstance(size, ast.Constant) else
            f"The sum of batch means is divided by {text}: what is told is the mean loss over the size of a batch.",
            f"{ast.unparse(found.value)} is the mean over the samples of a batch already (reduction=\"mean\"). Their sum is "
            f"that of {text} samples only where each mean is multiplied by how many samples its batch has.",
            f"Divide by the number of batches, len({found.name}), or add up {ast.unparse(found.value)} times the size of the "
            "batch.",
            step=read, site=site, related=[where],
            evidence=[("mean of a batch", run.texts.describe(_value(run, read)))],
            changes=mending.replaced(run, site, f"len({found.name})"),
        )  # fmt: skip


@rule(278, DIVIDED_BY_ALL)
def divided_by_all(run: Run) -> Iterator[Finding]:
    """`len(loader.dataset)` where the loader has a sampler that draws some of the dataset's samples."""
    told = set()
    for found in _sums(run):
        sampler = given(found.loader, 3, "sampler")
        site, added = site_of(found.cell, found.by), site_of(found.cell, found.value)
        kind = _maker(run, sampler) if sampler is not None else ""
        step = first_step_at(run, found.cell, added.line, added.end_line)
        if (
            not found.whole
            or kind != "SubsetRandomSampler"
            or site in told
            or step is None
            or _mean_read(run, found) is not None
        ):
            continue
        told.add(site)
        text = ast.unparse(found.by)
        yield finding(
            run, DIVIDED_BY_ALL,
            f"{text} counts samples that {found.name} does not give: its sampler draws some of them.",
            f"{ast.unparse(found.value)} is added up over what {kind} draws. The dataset is the whole one, of which the others "
            "are kept for something else: what is told is too small, and not to be compared with what another part has.",
            f"Divide by len({found.name}.sampler).",
            step=step, site=site, related=[added, site_of(found.cell, found.loader)],
            evidence=[("sampler", kind)],
            changes=mending.replaced(run, site, f"len({found.name}.sampler)"),
        )  # fmt: skip


def _sums(run: Run) -> list[_Sum]:
    """The sums over batches of a loader whose name says which one it is, that are divided by the length of something."""
    return run.recording.once("printed sums", lambda: [*_divided(paths_of(run.recording).source)])


def _divided(source: Source) -> Iterator[_Sum]:
    added = _added(source)
    for cell, name, by in _divisions(source) if added else ():
        for node, made, loader in added.get((name, source.function(by)), ()):
            if node.lineno <= by.lineno:
                data = given(made, 0, "dataset")
                lengths = {f"len({loader}.dataset)", f"len({ast.unparse(data)})" if data is not None else ""}
                yield _Sum(cell, made, loader, node.value, by, ast.unparse(by) in lengths)


def _added(source: Source) -> dict[tuple[str, object], list[tuple[ast.AugAssign, ast.Call, str]]]:
    """Of each name in a function what is added to it in loops over loaders, with the loader's call and its name."""
    found: dict[tuple[str, object], list[tuple[ast.AugAssign, ast.Call, str]]] = {}
    loaders: dict[ast.For, tuple[ast.Call | None, str]] = {}
    for node in source.parents:
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add):
            continue
        loop = next((a for a in source.around(node) if isinstance(a, ast.For)), None)
        if loop is None:
            continue
        if loop not in loaders:
            iterated = loop.iter
            while isinstance(iterated, ast.Call) and iterated.args:
                iterated = iterated.args[0]  # enumerate(loader), tqdm(loader)
            loaders[loop] = _loader(source, iterated), ast.unparse(iterated)
        made, name = loaders[loop]
        additions = found.setdefault((ast.unparse(node.target), source.function(node)), []) if made is not None else []
        if made is not None and len(additions) < _ADDITIONS:
            additions.append((node, made, name))
    return found


def _divisions(source: Source) -> Iterator[tuple[int, str, ast.Call]]:
    """Divisions of what has a name by a length."""
    for cell, calls in source.calls.get("len", ()):
        match source.parents.get(calls):
            case ast.BinOp(left=left, op=ast.Div(), right=right) if right is calls:
                yield cell, ast.unparse(left), calls
            case ast.AugAssign(target=target, op=ast.Div(), value=value) if value is calls:
                yield cell, ast.unparse(target), calls


def _loader(source: Source, node: ast.expr) -> ast.Call | None:
    """The one DataLoader that a name stands for."""
    values: list[ast.AST] = [node]
    for _ in range(_FAR):
        values = [
            v for each in values for v in ([v for _, v in source.values_of(each)] if isinstance(each, ast.Name) else [each])
        ]
    made = [v for v in values if isinstance(v, ast.Call) and ast.unparse(v.func).rpartition(".")[2] == "DataLoader"]
    return made[0] if len(made) == len(values) == 1 else None


def _maker(run: Run, node: ast.expr) -> str:
    """The class of what an expression makes, or of what the one value of a name is made by."""
    values = [v for _, v in paths_of(run.recording).source.values_of(node)] if isinstance(node, ast.Name) else [node]
    made = values[0] if len(values) == 1 else None
    return ast.unparse(made.func).rpartition(".")[2] if isinstance(made, ast.Call) else ""


def _mean_read(run: Run, found: _Sum) -> int | None:
    """The step at which the number that is added, as it is, was read of the mean of a loss; None where it is another one."""
    match found.value:
        case ast.Call(func=ast.Attribute(attr="item"), args=[]) | ast.Call(func=ast.Name(id="float"), args=[_]):
            pass
        case _:
            return None
    first = run.recording.once("first reads", lambda: _first_reads(run))
    lines = range(found.value.lineno, (found.value.end_lineno or found.value.lineno) + 1)
    sites = [each for line in lines for each in first.get((found.cell, line), {}).items()]
    step = min((step for site, step in sites if contains(found.value, site)), default=None)
    if step is None:
        return None
    event = run.tensors[paths_of(run.recording).tensor_read(step)].op
    return step if "mean" in run.setting(event, "reduction") else None


def _first_reads(run: Run) -> dict[tuple[int, int], dict[Site, int]]:
    """Of each line the places at which numbers of tensors were read, with the first step of each."""
    found: dict[tuple[int, int], dict[Site, int]] = {}
    for step in run.recording.tape.steps(Read).tolist():
        site = run.site(step)
        if site is not None:
            found.setdefault((site.cell, site.line), {}).setdefault(site, step)
    return found


def _value(run: Run, read: int) -> int:
    """The array of what was read."""
    return run.status(paths_of(run.recording).tensor_read(read), read).array
