"""What a network's output is measured by."""
