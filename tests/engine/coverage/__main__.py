"""Coverage of PyTorch's databases: `python -m tests.engine.coverage [operators|errors|modules|optimizers [part of a name …]]`.

Prints what goes wrong and the figures; without names it also writes `agreeing.txt`, which the tests hold the engine to.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.engine.coverage import operators

AGREEING = Path(__file__).with_name("agreeing.txt")


def database(kind: str, names: list[str]) -> None:
    """Print the figures of the wrong inputs, the modules or the optimizers, and write `agreeing_<kind>.txt` where no names are given."""
    from tests.engine.coverage import errors, modules, optimizers

    source: Any = {"errors": errors, "modules": modules, "optimizers": optimizers}[kind]
    outcomes = []
    for info in source.entries():
        if names and not any(n in source.title(info) for n in names):
            continue
        outcome = source.run(info)
        if kind == "errors" and not outcome.total:
            continue
        outcomes.append(outcome)
        if not outcome.passed:
            what = (outcome.trouble or ["no sample could be translated"])[: 3 if names else 1]
            print(f"{outcome.name:32} {outcome.agree:4}/{outcome.total:<4} " + "\n      ".join(w[:400] for w in what))
    agreeing = [o.name for o in outcomes if o.passed]
    samples = f"{sum(o.agree for o in outcomes)} of {sum(o.total for o in outcomes)} samples"
    print(f"--- {kind}: {len(agreeing)} of {len(outcomes)} ({samples})", flush=True)
    if not names:
        AGREEING.with_name(f"agreeing_{kind}.txt").write_text("\n".join(agreeing) + "\n", encoding="utf-8")


def main() -> None:
    """Print the figures; for named operators, what goes wrong with them."""
    names = sys.argv[2:]
    if sys.argv[1:] and sys.argv[1] in ("errors", "modules", "optimizers"):
        return database(sys.argv[1], names)
    agreeing = []
    for kind, autograd in (("with a gradient", True), ("without", False)):
        outcomes = []
        for info in operators.entries(autograd):
            if names and not any(n in operators.title(info) for n in names):
                continue
            outcome = operators.run(info)
            outcomes.append(outcome)
            if outcome.passed:
                agreeing.append(outcome.name)
            else:
                what = (outcome.trouble or ["no sample could be translated"])[0]
                print(f"{outcome.name:45} {outcome.agree:4}/{outcome.total:<4} {what[:400]}")
                if names:
                    print("\n".join("      " + t for t in outcome.trouble[1:3]))
        good = sum(o.passed for o in outcomes)
        print(f"--- operators {kind}: {good} of {len(outcomes)} ({good / max(len(outcomes), 1):.0%})", flush=True)
    if not names:
        AGREEING.write_text("\n".join(agreeing) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
