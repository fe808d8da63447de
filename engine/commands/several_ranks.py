"""The files of several ranks on the command line: read together, and what is found in all of them and in each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ..diagnosis.findings import SEVERITIES
from ..diagnosis.findings.catalogue import kinds
from ..diagnosis.findings.told import as_text
from ..diagnosis.ranks import RankFacts, one_world, rank_findings
from ..diagnosis.ranks import kinds as kinds_across
from ..diagnosis.reason import Finding
from ..rank_files import RankFile, RankFileError, Read, read_all
from ..recording import Recording, RecordingError
from ..recording.recording import SUFFIX
from .command import CommandError
from .files import read
from .terminal import on_a_line

CONSEQUENCES = {"idle_on_ranks": {"unused_parameter"}}
"""What is found in single ranks because of what is found in all of them."""
LISTED = 4
"""Files and ranks that are named."""


class Ranks(NamedTuple):
    """Several ranks of one training."""

    first: Recording
    """That of the lowest rank, in whose text findings have their places."""
    names: tuple[str, ...]
    """The files, by rank."""
    facts: tuple[RankFacts, ...]
    found: list[Finding]
    """What is wrong with them together, then what is wrong with each."""
    ignored: list[Finding]


def ranks_in(paths: Sequence[str], ignore: Collection[str] = ()) -> Ranks:
    """What there is to say of the files of several ranks."""
    if wrong := [path for path in paths if not path.endswith(SUFFIX)]:
        raise CommandError(f"{on_a_line(wrong[0])} is no recording ({SUFFIX}): only ranks are looked at together")
    files = [RankFile(path, read(path)) for path in paths]
    try:
        reads = sorted(zip(read_all(files, ignore), files, strict=True), key=lambda pair: pair[0].facts.rank)
        first = Recording.load(reads[0][1].data)
    except (RecordingError, RankFileError) as error:
        raise CommandError(f"{', '.join(map(on_a_line, paths[:LISTED]))} cannot be opened together: {error}") from None
    facts = tuple(each.facts for each, _ in reads)
    if not one_world(facts):
        said = ", ".join(f"rank {each.rank} of {each.world_size}" for each in facts[:LISTED])
        raise CommandError(f"these are no different ranks of one training: {said}")
    together, ignored = rank_findings(facts, first, ignore)
    alone, left_out = _of_each([each for each, _ in reads])
    implied = {id for each in together for id in CONSEQUENCES.get(each.rule, ())}
    alone = [each for each in alone if each.rule not in implied]
    return Ranks(first, tuple(file.name for _, file in reads), facts, [*together, *alone], [*ignored, *left_out])


def _of_each(reads: Sequence[Read]) -> tuple[list[Finding], list[Finding]]:
    """What is found in the ranks' recordings, each thing once, with the ranks that it shows on."""
    found: dict[object, tuple[Finding, list[int]]] = {}
    for each in reads:
        for finding in each.found:
            found.setdefault((finding.rule, finding.severity, finding.site), (finding, []))[1].append(each.facts.rank)
    told = [_on_ranks(finding, ranks, len(reads)) for finding, ranks in found.values()]
    ignored = {(f.rule, f.site): f for each in reversed(reads) for f in each.ignored}
    return sorted(told, key=lambda each: SEVERITIES.index(each.severity)), [*ignored.values()]


def _on_ranks(finding: Finding, ranks: list[int], of: int) -> Finding:
    numbers = ", ".join(map(str, dict.fromkeys(ranks)))
    where = f"all {of}" if len({*ranks}) == of else numbers
    return replace(finding, evidence=(*finding.evidence, ("ranks", where)))


def as_a_text(ranks: Ranks) -> str:
    """All of it, for a terminal."""
    names = [on_a_line(Path(name).name) for name in ranks.names]
    listed = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
    lines = [f"{len(names)} ranks of {ranks.facts[0].world_size}: {listed}"]
    cut = [str(each.rank) for each in ranks.facts if not each.complete]
    if cut:
        which = f"rank{'s' * (len(cut) > 1)} {', '.join(cut)}"
        lines.append(f"Without an end, because they are still written or were killed: {which}.")
    if ranks.ignored:
        lines.append(f"Ignored: {', '.join(dict.fromkeys(each.rule for each in ranks.ignored))}.")
    if not ranks.found:
        odd = f"Nothing {'else ' * bool(ranks.ignored)}looks wrong"
        lines.append(
            f"{odd} with the ranks together ({len(kinds_across())} rules looked) or with one of them ({len(kinds())} rules "
            "looked)."
        )
    return "\n".join(lines) + "\n" + ("\n" + as_text(ranks.first, ranks.found) if ranks.found else "")
