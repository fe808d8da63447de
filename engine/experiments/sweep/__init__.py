"""One program at many points: what the parent asks, and what the child runs."""
