"""`distutils`, of which programs use what reads truth values and compares versions; Python 3.12 has it no more."""

__all__: list[str] = []
