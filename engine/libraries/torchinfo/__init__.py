"""`torchinfo`: what a model is made of, as a table."""

from __future__ import annotations

from .statistics import ModelStatistics, summary

__all__ = ["ModelStatistics", "summary"]
__version__ = "1.8.0"
