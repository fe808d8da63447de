"""Sparse tensors in coordinate format."""
