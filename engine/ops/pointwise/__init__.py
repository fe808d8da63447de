"""Each element of the result depends on one element of each input."""
