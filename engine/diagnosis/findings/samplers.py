"""A rule about samplers that draw by weights, which are to be those of the samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...program.parsing import last_name
from ...recording.events import NOTHING
from ..paths import paths_of
from ..program_ast import Source, site_of
from ..ran import is_done
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

WEIGHTS_OF_CLASSES = Kind(
    "weights_of_classes", "warning", "A sampler has fewer weights than there are samples: the others are never drawn."
)

_SAMPLER, _LOADER, _DATA = "WeightedRandomSampler", "DataLoader", "TensorDataset"


@rule(284, WEIGHTS_OF_CLASSES)
def weights_of_classes(run: Run) -> Iterator[Finding]:
    """A loader goes by a sampler that has a weight for each class, say, and not for each sample of its data."""
    source = paths_of(run.recording).source
    last = len(run.events) - 1
    for cell, call in source.calls.get(_LOADER, ()):
        given = next((keyword.value for keyword in call.keywords if keyword.arg == "sampler"), None)
        sampler = _call(source, given, _SAMPLER)
        data = _call(source, call.args[0] if call.args else None, _DATA)
        statement = source.statement(call)
        if sampler is None or data is None or statement is None or not is_done(run, cell, statement):
            continue
        weights, samples = (_named(run, each.args[0] if each.args else None, last) for each in (sampler, data))
        if NOTHING in (weights, samples):
            continue
        (count, *_), (total, *_) = (run.tensors[each].info.shape or (0,) for each in (weights, samples))
        if not 0 < count < total:
            continue
        text = ast.unparse(sampler.args[0])
        yield finding(
            run, WEIGHTS_OF_CLASSES,
            f"{_SAMPLER} draws only the first {count} of {total} samples: {text} has {count} weights.",
            f"The sampler takes a weight for each sample, and draws places from 0 to {count - 1}. Weights for classes have "
            "to be looked up by the class of each sample first.",
            f"Give it one weight for each sample: {text}[labels], with the classes of the samples.",
            step=last, site=site_of(cell, sampler), related=[site_of(cell, call)],
            evidence=[("weights", str(count)), ("samples", str(total))],
            nodes=[key(weights), key(samples)],
        )  # fmt: skip


def _call(source: Source, node: ast.expr | None, name: str) -> ast.Call | None:
    """The call of a class that an expression is, or that is assigned to the name that it is."""
    values: list[ast.AST] = [node] if node is not None else []
    if isinstance(node, ast.Name):
        values = [value for _, value in source.values_of(node)]
    found = [each for each in values if isinstance(each, ast.Call)]
    return found[0] if len(found) == 1 and last_name(found[0].func) == name else None


def _named(run: Run, node: ast.expr | None, step: int) -> int:
    """The tensor that stands for a name."""
    return run.named_at(node.id, step) if isinstance(node, ast.Name) else NOTHING
