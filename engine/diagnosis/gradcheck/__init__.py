"""Whether a recording's derivatives are right, judged by differences."""
