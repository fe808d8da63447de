"""What a command of `gradtape` is, and how it fails."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

FAILED = 2
"""Exit code where a command could not do its work, as argparse has it for a wrong command line."""


@dataclass(frozen=True, slots=True)
class Command:
    """One word after `gradtape`, its arguments, and what it does with them; the result is the exit code."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class CommandError(Exception):
    """A command cannot do its work; the message says why in one sentence."""
