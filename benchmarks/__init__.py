"""What README's figures come from: `python -m benchmarks` (or `make bench`)."""
