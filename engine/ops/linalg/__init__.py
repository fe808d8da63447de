"""Matrices: products, decompositions, equations."""
