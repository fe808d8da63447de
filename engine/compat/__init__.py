"""What is PyTorch's alone: its names, its signatures, a few of its internals, and the page that compares."""
