"""Tests of the stand-ins for libraries beside PyTorch."""
