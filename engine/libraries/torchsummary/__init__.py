"""`torchsummary`: the table of a model's layers, as the older of the two libraries of that kind prints it."""

from __future__ import annotations

from math import prod
from typing import Any

from ...itself import engine as torch

__all__ = ["summary"]
__version__ = "1.5.1"
MIB = 4.0 / 1024**2
"""Of one number."""


def summary(model: Any, input_size: Any, batch_size: int = -1, device: str = "cuda") -> None:
    """Print each layer with what it gives and its parameters; the model is called once with two samples.

    Args:
        input_size: the size of a sample, or a list of such, without the batch.
        batch_size: what stands for the batch in shapes.

    Raises:
        AssertionError: for a device that is neither "cuda" nor "cpu".
    """
    if device.lower() not in ("cuda", "cpu"):
        raise AssertionError("Input device is not valid, please specify 'cuda' or 'cpu'")
    sizes = [input_size] if isinstance(input_size, tuple) else input_size
    rows: list[tuple[str, Any, int, bool]] = []
    hooks: list[Any] = []

    def note(module: Any, _: Any, output: Any) -> None:
        several = isinstance(output, list | tuple)
        shape: Any = [[-1, *o.size()[1:]] for o in output] if several else [batch_size, *output.size()[1:]]
        own = [p for name in ("weight", "bias") if isinstance(p := getattr(module, name, None), torch.Tensor)]
        weight = getattr(module, "weight", None)
        trained = isinstance(weight, torch.Tensor) and weight.requires_grad
        rows.append((f"{type(module).__name__}-{len(rows) + 1}", shape, sum(p.numel() for p in own), trained))

    def register(module: Any) -> None:
        if not isinstance(module, torch.nn.Sequential | torch.nn.ModuleList) and module is not model:
            hooks.append(module.register_forward_hook(note))

    inputs = [torch.rand(2, *size) for size in sizes]
    model.apply(register)
    try:
        model(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    _print(rows, abs(prod(map(prod, sizes)) * batch_size * MIB))


def _print(rows: list[tuple[str, Any, int, bool]], of_input: float) -> None:
    rule = "-" * 64
    print(rule)
    print(f"{'Layer (type)':>20}  {'Output Shape':>25} {'Param #':>15}")
    print("=" * 64)
    for name, shape, count, _ in rows:
        print(f"{name:>20}  {shape!s:>25} {count:>15,}")
    total, trained = sum(count for _, _, count, _ in rows), sum(count for _, _, count, needs in rows if needs)
    outputs = sum(prod(map(prod, shape)) if shape and isinstance(shape[0], list) else prod(shape) for _, shape, _, _ in rows)
    of_outputs, of_parameters = abs(2.0 * outputs * MIB), abs(total * MIB)
    print("=" * 64)
    print(f"Total params: {total:,}\nTrainable params: {trained:,}\nNon-trainable params: {total - trained:,}\n{rule}")
    print(f"Input size (MB): {of_input:.2f}\nForward/backward pass size (MB): {of_outputs:.2f}")
    print(
        f"Params size (MB): {of_parameters:.2f}\nEstimated Total Size (MB): {of_input + of_outputs + of_parameters:.2f}\n{rule}"
    )
