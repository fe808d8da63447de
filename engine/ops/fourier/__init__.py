"""Fourier transforms: whole signals, and signals piece by piece."""
