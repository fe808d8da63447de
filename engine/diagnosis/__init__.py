"""Answers about a recording: why a gradient is what it is, what is wrong with a run, whether its derivatives are right."""

from __future__ import annotations

from engine.diagnosis.reason import Finding, Reason

__all__ = ["Finding", "Reason"]
