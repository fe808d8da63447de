"""What stands beside a module's name on its card: its class and size: "Linear 8→32"."""

from __future__ import annotations


def module_badge(kind: str, shapes: dict[str, tuple[int, ...]]) -> str:
    """A module's class, with the sizes that the shapes of its parameters, by their names, tell of PyTorch's own modules.

    "" for a module whose class is not known.
    """
    weight = shapes.get("weight", ())
    if kind == "Linear" and len(weight) == 2:
        return f"Linear {weight[1]}→{weight[0]}"
    if kind == "Embedding" and len(weight) == 2:
        return f"Embedding {weight[0]}×{weight[1]}"
    if kind.startswith("ConvTranspose") and len(weight) >= 3:
        return f"{kind} {weight[0]}→{weight[1]}"
    if kind.startswith("Conv") and len(weight) >= 3:
        return f"{kind} {weight[1]}→{weight[0]}, {'×'.join(map(str, weight[2:]))}"
    if "Norm" in kind and weight:
        return f"{kind} {weight[0]}"
    return kind
