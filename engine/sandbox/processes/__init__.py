"""The processes that run programs, how they are started, and what happens when one dies."""
