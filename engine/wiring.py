"""What one room does for another that does not know it: the one file that knows both sides.

It is loaded with the engine, before any room is, and each room when somebody asks for what it does.
"""

from __future__ import annotations

from typing import Any

from .slots import slots


def _picture(recording: Any) -> str:
    from .export.notebook import html

    return html(recording)


def _elsewhere() -> Any:
    from .serving.elsewhere import elsewhere

    return elsewhere()


def _check() -> Any:
    from .experiments.gradcheck.child import CheckRun

    return CheckRun


def _sweep() -> Any:
    from .experiments.sweep.child import SweepRun

    return SweepRun


slots.picture = _picture
slots.elsewhere = _elsewhere
slots.jobs = {"check": _check, "sweep": _sweep}
