"""Answers about a recording: why a gradient is what it is, what is wrong with a run, whether its derivatives are right."""

from __future__ import annotations

from .answers.subject import LineSubject, LossSubject, ModuleSubject, Subject, TensorSubject, UpdateSubject
from .answers.why import why
from .comparison.compare import compare
from .contributions import Contribution, contributions, gradient_total
from .findings import explain, findings
from .gradcheck.check import check_numerically
from .gradcheck.check_result import Check
from .reason import Finding, Reason

__all__ = [
    "Check",
    "Contribution",
    "Finding",
    "LineSubject",
    "LossSubject",
    "ModuleSubject",
    "Reason",
    "Subject",
    "TensorSubject",
    "UpdateSubject",
    "check_numerically",
    "compare",
    "contributions",
    "explain",
    "findings",
    "gradient_total",
    "why",
]
