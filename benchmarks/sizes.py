"""How much a benchmark does: all that its figures need, or as little as shows that it still runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def smallest(about: str | None, arguments: Sequence[str] | None = None) -> bool:
    """Whether a script's command line asks for its smallest size; `about` is the script's docstring."""
    return bool(options(about).parse_args(arguments).smallest)


def options(about: str | None) -> argparse.ArgumentParser:
    """The command line of a script."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--smallest", action="store_true", help="as little as shows that it runs: the figures mean nothing")
    return parser
