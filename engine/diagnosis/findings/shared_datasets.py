"""A rule about parts of one dataset: what is set on the dataset of a part is set for all parts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..paths import paths_of
from ..program_ast import Source, site_of
from ..ran import first_step_beside
from ..reason import Finding, Kind
from ..run import Run, finding
from .registry import rule

SHARED_DATASET = Kind(
    "shared_dataset", "warning", "A transform is set on the dataset of one part, which is the dataset of the other parts, too."
)


@rule(224, SHARED_DATASET)
def shared_dataset(run: Run) -> Iterator[Finding]:
    """`train.dataset.transform = …`, where random_split has made `train` and another part of one dataset."""
    source = paths_of(run.recording).source
    set_there = _written(source)
    for cell, call in source.calls.get("random_split", ()):
        statement = source.parents.get(call)
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=elts)]) if len(elts) > 1:
                parts = [ast.unparse(each) for each in elts]
            case _:
                continue
        if any(source.assigned.get(f"{part}.dataset") for part in parts):
            continue  # a part has been given a dataset of its own
        written = [each for part in parts for each in set_there.get(part, ())]
        fields = {field for _, field, _, _ in written}
        for field in sorted(fields):
            of_field = [each for each in written if each[1] == field]
            if len({ast.unparse(value) for *_, value in of_field}) == 1 and len(of_field) > 1:
                continue  # all of them are to have the same
            part, _, node, _ = of_field[-1]
            other = next(each for each in parts if each != part)
            step = first_step_beside(run, cell, node)
            if step is None:
                continue
            value, earlier = ast.unparse(node.value), [site_of(cell, each[2]) for each in of_field[:-1]]
            kept = f" What {of_field[0][0]} was given before is gone." if earlier else ""
            yield finding(
                run, SHARED_DATASET,
                f"{part}.dataset is {other}.dataset: {field} is now {value} for both.",
                f"random_split() at {run.site_text(site_of(cell, call))} gives parts that are lists of places in one "
                f"dataset.{kept}"
                f" What one part is to have alone, the others have as well.",
                f"Give each part a dataset of its own first: {part}.dataset = copy.copy({part}.dataset).",
                step=step, site=site_of(cell, node), related=[*earlier, site_of(cell, call)],
                evidence=[("parts of one dataset", ", ".join(parts))],
            )  # fmt: skip


def _written(source: Source) -> dict[str, list[tuple[str, str, ast.Assign, ast.expr]]]:
    """By part what is set on its dataset: the part, the field, the statement and the value, in the order of the text."""
    found: dict[str, list[tuple[str, str, ast.Assign, ast.expr]]] = {}
    for name, bindings in source.assigned.items():
        part, behind, field = name.partition(".dataset.")
        if behind and "transform" in field:
            found.setdefault(part, []).extend(
                (part, field, statement, value)
                for _, statement, value in bindings
                if isinstance(statement, ast.Assign) and isinstance(value, ast.expr)
            )
    for each in found.values():
        each.sort(key=lambda one: one[2].lineno)
    return found
