"""Answers about a recording: why a gradient is what it is, what is wrong with a run, whether its derivatives are right."""

from __future__ import annotations

from engine.diagnosis.contributions import Contribution, contributions, gradient_total
from engine.diagnosis.findings import explain, findings
from engine.diagnosis.numeric import check_numerically
from engine.diagnosis.outcome import Check
from engine.diagnosis.reason import Finding, Reason
from engine.diagnosis.why import why

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
