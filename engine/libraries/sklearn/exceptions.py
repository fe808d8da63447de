"""`sklearn.exceptions`: what estimators raise and warn of."""

from __future__ import annotations

from .linear_model import ConvergenceWarning
from .preprocessing import NotFittedError

__all__ = ["ConvergenceWarning", "NotFittedError"]
