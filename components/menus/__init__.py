"""What opens from the header: examples, saving, sharing, help."""
