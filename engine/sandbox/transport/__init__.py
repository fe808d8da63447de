"""What the sandbox's processes say to each other: typed, bounded, and never pickled."""
