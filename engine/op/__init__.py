"""How operations are declared, and every reading of a declaration: as Python on arrays, on tensors, on symbols."""
