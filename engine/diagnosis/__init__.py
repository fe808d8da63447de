"""Answers about a recording: why a gradient is what it is, what is wrong with a run, whether its derivatives are right."""

from __future__ import annotations

from .contributions import Contribution, contributions, gradient_total
from .findings import explain, findings
from .numeric import check_numerically
from .outcome import Check
from .reason import Finding, Reason
from .why import why

__all__ = [
    "Check",
    "Contribution",
    "Finding",
    "Reason",
    "check_numerically",
    "contributions",
    "explain",
    "findings",
    "gradient_total",
    "why",
]
