"""Coverage of PyTorch's databases: `python -m tests.engine.coverage [operators|errors|modules|optimizers [part of a name …]]`.

Prints what goes wrong and the figures; without names it also writes `agreeing_<database>.txt`, which the tests hold the engine
to.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from tests.engine.coverage import KINDS, listed


def database(kind: str, names: list[str]) -> None:
    """Print the figures of one of the databases; for named entries, what goes wrong with them."""
    source = import_module(f"tests.engine.coverage.{kind}")
    outcomes: list[tuple[Any, Any]] = []
    for info in source.entries():
        if names and not any(n in source.title(info) for n in names):
            continue
        outcome = source.run(info)
        if kind == "errors" and not outcome.total:
            continue
        outcomes.append((info, outcome))
        if not outcome.passed:
            what = (outcome.trouble or ["no sample could be translated"])[: 3 if names else 1]
            print(f"{outcome.name:45} {outcome.agree:4}/{outcome.total:<4} " + "\n      ".join(w[:400] for w in what))
    if kind == "operators":
        for what, autograd in (("with a gradient", True), ("without", False)):
            figures(f"operators {what}", [o for info, o in outcomes if info.supports_autograd == autograd])
    else:
        figures(kind, [o for _, o in outcomes])
    if not names:
        listed(kind).write_text("".join(f"{o.name}\n" for _, o in outcomes if o.passed), encoding="utf-8")


def figures(what: str, outcomes: list[Any]) -> None:
    """Print how many entries and samples agree."""
    good = sum(o.passed for o in outcomes)
    samples = f"{sum(o.agree for o in outcomes)} of {sum(o.total for o in outcomes)} samples"
    print(f"--- {what}: {good} of {len(outcomes)} ({good / max(len(outcomes), 1):.0%}; {samples})", flush=True)


if __name__ == "__main__":
    kind, *names = sys.argv[1:] or ["operators"]
    if kind not in KINDS:
        sys.exit(f"There is no database {kind!r}: one of {', '.join(KINDS)}")
    database(kind, names)
