"""What is connected, what belongs together, and where it lies: nothing here depends on the step."""
