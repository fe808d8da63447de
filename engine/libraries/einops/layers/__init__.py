"""`einops.layers`: its operations as modules."""
