"""Derivatives by differences: what the parent asks, what the child changes and measures."""
