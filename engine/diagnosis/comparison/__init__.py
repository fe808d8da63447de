"""Two runs or two programs side by side."""
