"""Rules about networks that are meant to be two and are one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...recording.events import NOTHING, Site
from .. import mending
from ..paths import paths_of
from ..program_ast import site_of
from ..reason import Finding, Kind
from ..run import Run, finding, key
from .registry import rule

TARGET_IS_NETWORK = Kind(
    "target_is_network", "warning", "A target network is another name of the network that is trained, not a copy of it.",
    mechanical=True,
)  # fmt: skip

_COPY = re.compile(r"(?:\w+_)?(?:target|teacher|ema|frozen|old|prev|ref|reference)(?:_\w+)?", re.IGNORECASE)
"""Names of networks that are meant to stand still, or to follow another one slowly."""

_DEEP = 4
"""Parts of a name that may be those of a network and of what it stands in."""


@rule(112, TARGET_IS_NETWORK)
def target_is_network(run: Run) -> Iterator[Finding]:
    """The parameters of a target network are those that the optimizer trains."""
    names: dict[int, dict[tuple[str, str], int]] = {}
    for step, event in run.namings:
        parts = event.name.split(".") if event.tensor in run.trained else []
        for k in range(1, min(len(parts), _DEEP)):
            names.setdefault(event.tensor, {}).setdefault((".".join(parts[:k]), ".".join(parts[k:])), step)
    told: set[tuple[str, str]] = set()
    last = len(run.events) - 1
    for tensor, known in names.items():
        for (copy, rest), step in known.items():
            if not _stands_still(copy):
                continue
            others = [owner for owner, same in known if owner != copy and same == rest and not _stands_still(owner)]
            if not others or (copy, others[0]) in told or run.named_at(f"{copy}.{rest}", last) != tensor:
                continue
            if run.named_at(f"{others[0]}.{rest}", last) != tensor:
                continue
            later = sum(at > step for at in run.updates[tensor])
            if not later:
                continue  # what was trained first, and then stands still
            told.add((copy, others[0]))
            alike = [t for t, owners in names.items() if any(owner == copy for owner, _ in owners)]
            assigned = _assignment(run, copy, others[0])
            since = "" if step < run.updates[tensor][0] else f" since {run.moment(step)}"
            yield finding(
                run, TARGET_IS_NETWORK,
                f"{copy} is {others[0]} itself{since}, not a copy: it changes with every step of the optimizer.",
                f"{run.site_text(assigned or run.site(step))} gives the network a second name. {len(alike)} parameters are "
                "both's, so what is meant to stand still, or to follow slowly, moves as fast as what is trained.",
                f"Copy it: {copy} = copy.deepcopy({others[0]}), or make a second network and load_state_dict().",
                step=step, site=assigned, related=[run.site(step), run.site(run.updates[tensor][0])],
                evidence=[
                    (f"{copy}.{rest} is {others[0]}.{rest}", "True"), ("parameters in common", str(len(alike))),
                    ("steps that have changed both", str(later)),
                ],
                nodes=[key(t) for t in alike if t != NOTHING],
                changes=_copied(run, assigned),
            )  # fmt: skip


def _stands_still(owner: str) -> bool:
    """Whether what a network is called says that it is to stand still, or to follow another one: `agent.target`."""
    return _COPY.fullmatch(owner.rpartition(".")[2]) is not None


def _assignment(run: Run, copy: str, network: str) -> Site | None:
    """Where the program assigns the network to what is meant as a copy of it: the site of the value; None where it shows in no
    single place."""
    last = network.rpartition(".")[2]
    found = [
        site_of(cell, value)
        for cell, at, value in paths_of(run.recording).source.values(copy)
        if isinstance(at, ast.Assign) and isinstance(value, ast.Name | ast.Attribute)
        if ast.unparse(value).rpartition(".")[2] == last
    ]
    return found[0] if len(found) == 1 else None


def _copied(run: Run, assigned: Site | None) -> mending.Changes:
    """The change of `target = net` into a copy, where `copy` is imported."""
    if not any(re.search(r"^[ \t]*import\b.*\bcopy\b", text, re.MULTILINE) for text in run.recording.source):
        return []
    return mending.wrapped(run, assigned, "copy.deepcopy(", ")")
