"""Tensors from values, from random numbers, from window functions, from other tensors."""
