"""A dimension taken together: sums, extremes, norms, running sums, sorting and counting."""
