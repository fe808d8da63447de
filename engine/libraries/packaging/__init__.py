"""`packaging`, of which programs use the versions."""

__all__: list[str] = []
