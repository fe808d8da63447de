"""The page of the rules, `assets/rules.md`, made from them: `python -m engine.diagnosis.catalogue_page` writes it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator

from .findings.catalogue import RULES, Entry, entry
from .findings.registry import in_order, kinds_of
from .ranks import registry as across_ranks

INTRODUCTION = """# What is looked for in a run

This page is written from the rules and the programs of their catalogue (`make reference`); a test fails when it is stale, and
another one runs every program, here and on PyTorch. An *error* is certainly wrong, a *warning* almost certainly not meant, a
*hint* worth a look. Of a rule that is marked "fix by rule" findings bring a change of the program's text, which is tried on a
copy before it is offered.

`gradtape explain prog.py` tells what is found; its exit code is 1 for an error or a warning, 0 for hints or nothing, and 2
where the program could not run. `--ignore ID` leaves a rule out, and so does `# gradtape: ignore[ID]` in a line of the
program for what is found there. `gradtape rules ID` shows an entry of this page. The rules about ranks look at the recordings
of several processes that train together, `gradtape explain run.rank*.gradtape`; their programs are started by `torchrun`.
"""


def page() -> str:
    """The whole page, in Markdown."""
    themes = _themes()
    count = sum(map(len, themes.values()))
    parts = [INTRODUCTION, f"{count} kinds of findings:\n", *_index(themes)]
    for module, entries in themes.items():
        parts += [f"## {_theme(module)}\n", *map(_shown, entries)]
    return "\n".join(parts)


def _themes() -> dict[str, list[Entry]]:
    """The entries of the catalogue by the file that their rules stand in, both in the order of the rules."""
    first: dict[str, str] = {}  # several rules may find one kind
    for rule in in_order():
        for kind in kinds_of(rule):
            first.setdefault(kind.id, rule.__module__)
    for id, module in across_ranks.places().items():
        first[id] = module
    themes: dict[str, list[Entry]] = {}
    for id, module in first.items():
        themes.setdefault(module, []).append(entry(id))
    return themes


def _theme(module: str) -> str:
    """What the rules of a file are about: what its docstring says after "Rules about" and before a colon."""
    said = (inspect.getdoc(sys.modules[module]) or "").split("\n\n")[0].replace("\n", " ")
    for beginning in ("Rules about ", "A rule about "):
        said = said.removeprefix(beginning)
    about = re.sub(r" \(.*\)", "", said.partition(": ")[0]).rstrip(".").replace(", and about ", ", and ")
    return about[:1].upper() + about[1:]


def _index(themes: dict[str, list[Entry]]) -> Iterator[str]:
    for module, entries in themes.items():
        yield f"**{_theme(module)}**\n"
        yield "| rule | severity | what is wrong | fix by rule |\n|---|---|---|---|"
        for kind in (each.kind for each in entries):
            meaning = kind.meaning.replace("|", r"\|")
            yield f"| [`{kind.id}`](#{kind.id}) | {kind.severity} | {meaning} | {'yes' if kind.mechanical else ''} |"
        yield ""


def _shown(shown: Entry) -> str:
    kind = shown.kind
    fixed = ", fix by rule" if kind.mechanical else ""
    programs = f"```python\n{shown.broken}```\n\nMended:\n\n```python\n{shown.mended}```\n"
    return f"### `{kind.id}`\n\n*{kind.severity}{fixed}.* {kind.meaning}\n\n{shown.about}\n\n{programs}"


PAGE = RULES.with_suffix(".md")

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
