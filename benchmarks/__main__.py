"""Runs the benchmarks and prints their tables; `load`, `endurance` and `tab`, which take long, are run by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import answers, browser, engines, graphs, long, networks, page, pictures, recording, tape, training


def main(arguments: Sequence[str] | None = None) -> None:
    """All of them, in one run."""
    for script in (engines, networks, page, graphs, tape, recording, answers, pictures, browser, training, long):
        script.main(arguments)


if __name__ == "__main__":
    main()
