"""Elements chosen and written by indices and masks."""
