"""Rules about networks that are meant to be two and are one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...recording.events import NOTHING
from .. import mending
from ..paths import paths_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

TARGET_IS_NETWORK = Kind(
    "target_is_network", "warning", "A target network is another name of the network that is trained, not a copy of it.",
    mechanical=True,
)  # fmt: skip

_COPY = re.compile(r"(?:\w+_)?(?:target|teacher|ema|frozen|old|prev|ref|reference)(?:_\w+)?", re.IGNORECASE)
"""Names of networks that are meant to stand still, or to follow another one slowly."""


@rule(112, TARGET_IS_NETWORK)
def target_is_network(run: Run) -> Iterator[Finding]:
    """The parameters of a target network are those that the optimizer trains."""
    names: dict[int, dict[tuple[str, str], int]] = {}
    for step, event in run.namings:
        owner, _, rest = event.name.partition(".")
        if rest and event.tensor in run.trained:
            names.setdefault(event.tensor, {}).setdefault((owner, rest), step)
    told: set[tuple[str, str]] = set()
    last = len(run.events) - 1
    for tensor, known in names.items():
        for (copy, rest), step in known.items():
            if not _COPY.fullmatch(copy):
                continue
            others = [owner for owner, same in known if owner != copy and same == rest and not _COPY.fullmatch(owner)]
            if not others or (copy, others[0]) in told or run.named_at(f"{copy}.{rest}", last) != tensor:
                continue
            if run.named_at(f"{others[0]}.{rest}", last) != tensor:
                continue
            later = sum(at > step for at in run.updates[tensor])
            if not later:
                continue  # what was trained first, and then stands still
            told.add((copy, others[0]))
            alike = [t for t, owners in names.items() if any(owner == copy for owner, _ in owners)]
            yield finding(
                run, TARGET_IS_NETWORK,
                f"{copy} is {others[0]} itself, not a copy: it changes with every step of the optimizer.",
                f"{run.where(step)} gives the network a second name. {len(alike)} parameters are both's, so what is meant to "
                "stand still, or to follow slowly, moves as fast as what is trained.",
                f"Copy it: {copy} = copy.deepcopy({others[0]}), or make a second network and load_state_dict().",
                step=step, related=[run.site(run.updates[tensor][0])],
                evidence=[
                    (f"{copy}.{rest} is {others[0]}.{rest}", "True"), ("parameters in common", str(len(alike))),
                    ("steps that have changed both", str(later)),
                ],
                nodes=[key(t) for t in alike if t != NOTHING],
                changes=_copied(run, copy, others[0]),
            )  # fmt: skip


def _copied(run: Run, copy: str, network: str) -> mending.Changes:
    """The change of `target = net` into a copy, where `copy` is imported."""
    source = paths_of(run.recording).source
    if not any(re.search(r"^\s*import\b.*\bcopy\b", text, re.MULTILINE) for text in run.recording.source):
        return []
    values = [(cell, value) for cell, at, value in source.values(copy) if isinstance(at, ast.Assign)]
    if len(values) != 1 or not isinstance(values[0][1], ast.Name) or values[0][1].id != network:
        return []
    return mending.wrapped(run, mending.site_of(*values[0]), "copy.deepcopy(", ")")
