"""Numbers of more kinds: complex ones, bfloat16, and those that carry a tangent."""
