"""Numbers of 16 bits: operations and their derivatives are rounded where PyTorch rounds them, to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import engine
from tests.engine.oracle import told

rng = np.random.default_rng(0)
X = rng.standard_normal((6, 8)).astype(np.float32)
G = rng.standard_normal((6, 8)).astype(np.float32)
CODES: dict[str, Callable[[ModuleType, Any], Any]] = {
    "times a number": lambda t, x: x * 0.7,
    "a number times": lambda t, x: 0.7 * x,
    "divided by a number": lambda t, x: x / 0.3,
    "times a single one of 32 bits": lambda t, x: x * t.tensor(0.7),
    "in place": lambda t, x: (x * 1).mul_(0.7).div_(0.9),
    "silu": lambda t, x: t.nn.functional.silu(3 * x),
    "mish": lambda t, x: t.nn.functional.mish(3 * x),
    "elu": lambda t, x: t.nn.functional.elu(3 * x),
    "selu": lambda t, x: t.nn.functional.selu(3 * x),
    "celu": lambda t, x: t.nn.functional.celu(3 * x),
    "softplus": lambda t, x: t.nn.functional.softplus(3 * x),
    "hardswish": lambda t, x: t.nn.functional.hardswish(3 * x),
    "leaky_relu": lambda t, x: t.nn.functional.leaky_relu(3 * x),
    "tanh": lambda t, x: x.tanh(),
    "softmax": lambda t, x: t.softmax(x, 1),
    "normalize": lambda t, x: t.nn.functional.normalize(x),
    "cumsum": lambda t, x: x.cumsum(1),
    "variance": lambda t, x: x.var(1, keepdim=True) * t.ones_like(x),
}
BRAIN = {"gelu": lambda t, x: t.nn.functional.gelu(3 * x), "sigmoid": lambda t, x: x.sigmoid(), "erf": lambda t, x: x.erf()}
"""What agrees of bfloat16; of float16 one number in many is another one."""


def result(t: ModuleType, code: Callable[[ModuleType, Any], Any], dtype: str) -> list[Any]:
    x = t.tensor(X).to(getattr(t, dtype)).requires_grad_()
    y = code(t, x)
    y.backward(t.tensor(G).to(y.dtype))
    return [str(y.dtype), y.tolist(), x.grad.tolist()]


@pytest.mark.parametrize(
    ("dtype", "code"),
    [(d, c) for d in ("bfloat16", "float16") for c in CODES.values()] + [("bfloat16", c) for c in BRAIN.values()],
    ids=[f"{d} {n}" for d in ("bfloat16", "float16") for n in CODES] + [f"bfloat16 {n}" for n in BRAIN],
)
def test_values_and_gradients_are_pytorchs_to_the_last_digit(dtype: str, code: Callable[[ModuleType, Any], Any]) -> None:
    torch = pytest.importorskip("torch")
    assert result(engine, code, dtype) == result(torch, code, dtype)


RMS = """
x = torch.tensor([[1e-3, 2e-3, 3e-3, -1e-3], [1.0, 2, -3, 0.5]])
for d in (torch.bfloat16, torch.float16, torch.float32, torch.float64):
    for more in ({}, {"eps": 1e-5}, {"weight": torch.tensor([1.0, 2, 0.5, 3]).to(d)}):
        a = x.clone().to(d).requires_grad_()
        y = torch.nn.functional.rms_norm(a, (4,), **more)
        y.float().sum().backward()
        print(d, y, a.grad)
print(torch.nn.RMSNorm(4, dtype=torch.half)(x.half()))
"""


def test_rms_norm_is_computed_in_32_bits() -> None:
    torch = pytest.importorskip("torch")
    assert told(engine, RMS) == told(torch, RMS)


AMP = """
net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
x, y = torch.randn(64, 8), torch.randn(64, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    loss = torch.nn.functional.mse_loss(net(x), y)
loss.backward()
print(loss, [(p.grad.dtype, p.grad) for p in net.parameters()])
"""


def test_a_network_under_autocast() -> None:
    torch = pytest.importorskip("torch")
    assert told(engine, AMP) == told(torch, AMP)


FAKE = """
def tell(code):
    try:
        y = code()
        print(y, y.tolist(), [name for name in dir(y.grad_fn) if name.startswith("_saved")])
        y.float()[..., :6].sum().backward()
        print(x.grad)
        x.grad = None
    except Exception as e:
        print(type(e).__name__, str(e).split(" - got")[0])

x = torch.tensor([-1.2, -0.55, 0.04, 0.5, 0.65, 1.27, 3.0, float("nan"), float("inf")], requires_grad=True)
one, channel = torch.fake_quantize_per_tensor_affine, torch.fake_quantize_per_channel_affine
whole = torch.tensor(0, dtype=torch.int32)
for arguments in (
    (0.1, 0, -5, 10), (torch.tensor(0.1), whole, -5, 10), (torch.tensor([0.1]), torch.tensor([0]), -5, 10),
    (0.1, whole + 3, -5, 10), (torch.tensor(0.1), 3, -5, 10),
    (torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), -5, 10), (0.1, 0, 10, 5), (0.1, 30, -5, 10),
    (0.1, 0.5, -5, 10), (0.1,),
):
    tell(lambda: one(x, *arguments))
for other in (torch.float64, torch.float16, torch.bfloat16, torch.int64):
    tell(lambda: one(x.nan_to_num().to(other), 0.1, 0, -5, 10))
x = torch.tensor([[0.25, 0.75, -0.25, 4, -9, 0.1, float("nan"), float("inf"), -float("inf")]] * 2, requires_grad=True)
s, z = torch.tensor([0.5, 0.1]), torch.tensor([1, 0], dtype=torch.int32)
for arguments in (
    (s, z, 0, -8, 8), (s, z.float(), 0, -8, 8), (s, torch.tensor([1.5, 0.5]), 0, -8, 8), (s, z.half(), 0, -8, 8),
    (s, z, 1, -8, 8), (s, z, 5, -8, 8), (s.double(), z, 0, -8, 8),
    (s, z.long(), 0, -8, 8), (s, z[:1], 0, -8, 8), (s[None], z, 0, -8, 8),
    (s, z, 0, 8, -8), (s, z + 99, 0, -8, 8), (0.1, z, 0, -8, 8),
):
    tell(lambda: channel(x, *arguments))
tell(lambda: channel(x.double(), s, z, 0, -8, 8))
"""


def test_fake_quantization() -> None:
    torch = pytest.importorskip("torch")
    assert told(engine, FAKE) == told(torch, FAKE)


def test_the_words_for_missing_arguments_have_pytorchs_plural() -> None:
    torch = pytest.importorskip("torch")
    for code in ("torch.gather(torch.ones(2))", "torch.gather(torch.ones(2), 0)", "torch.topk(torch.ones(2))"):
        assert told(engine, code) == told(torch, code)
