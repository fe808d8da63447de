"""Coverage figures: `python -m tests.engine.coverage [operators [name …]]`."""

from __future__ import annotations

import sys

from tests.engine.coverage import operators


def main() -> None:
    """Print the figures; for named operators, what goes wrong with them."""
    names = sys.argv[2:]
    for kind, autograd in (("with a gradient", True), ("without", False)):
        outcomes = []
        for info in operators.entries(autograd):
            if names and not any(n in operators.title(info) for n in names):
                continue
            outcome = operators.run(info)
            outcomes.append(outcome)
            if not outcome.passed:
                what = (outcome.trouble or ["no sample could be translated"])[0]
                print(f"{outcome.name:45} {outcome.agree:4}/{outcome.total:<4} {what[:400]}")
                if names:
                    print("\n".join("      " + t for t in outcome.trouble[1:3]))
        good = sum(o.passed for o in outcomes)
        print(f"--- operators {kind}: {good} of {len(outcomes)} ({good / max(len(outcomes), 1):.0%})", flush=True)


if __name__ == "__main__":
    main()
