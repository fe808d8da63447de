"""Complex numbers: what they print and refuse, their promotion, and their gradients, beside PyTorch's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.recording import Recording
from engine.sandbox import run
from tests.engine.numbers.side_by_side import compare, torch

EXPRESSIONS = """
torch.ones(2,dtype=torch.int64).fill_(1j)
torch.full_like(torch.ones(2),1j)
torch.full((2,),1j,dtype=torch.float64)
torch.ones(2).__setitem__(0,1j)
torch.ones(2,dtype=torch.complex64).fill_(1j)
z.__setitem__(0,1j)
z.__setitem__(slice(None),2)
z.index_put((torch.tensor([0]),),torch.tensor(1j))
z.scatter(0,torch.tensor([0]),1j)
z.index_fill(0,torch.tensor([0]),1j)
torch.ones(2).add(1j)
torch.ones(2).add_(1j)
z.add(z,alpha=1j)
torch.ones(2).add(torch.ones(2),alpha=1j)
z.clamp(min=0)
z == 1j
z.eq(1j)
z.lerp(z,0.5)
z.addcmul(z,z,value=1j)
torch.tensor(2j).item()
bool(torch.tensor(0j))
z.sum(dtype=torch.complex128)
z.real[0]
z.nan_to_num()
abs(z)
z.pow(1j)
1j*torch.ones(2)
torch.ones(2)/1j
1j-torch.ones(2)
torch.tensor([1.,2.])**1j
torch.ones(2).pow(2j)
torch.ones(2).masked_fill(torch.tensor([True, False]), 1j)
torch.ones(2).masked_fill(torch.tensor([True, False]), 2+0j)
torch.ones(2).masked_fill(torch.tensor([True, False]), torch.tensor(1j))
torch.ones(2).masked_fill(torch.tensor([True, False]), torch.tensor(3.0))
torch.ones(2,dtype=torch.bfloat16).masked_fill(torch.tensor([True, False]), 1.5)
torch.ones(2,dtype=torch.complex64).masked_fill(torch.tensor([True, False]), 1j)
torch.ones(2,dtype=torch.bool).masked_fill(torch.tensor([True, False]), 1j)
z<z
z.max()
z.sort()
z.argmax()
z.clamp(0)
z//z
z%z
z.floor()
z.round()
z.sign()
z.int()
z.float()
z.real
z.imag
torch.ones(2).imag
torch.ones(2).real
z.angle()
z.conj()
z.conj().is_conj()
z.conj().conj().is_conj()
z[0].item()
float(z[0])
bool(z[0])
int(z[0])
complex(z[0])
z.numpy()
z.conj().numpy()
torch.complex(torch.ones(2),torch.ones(2,dtype=torch.float64))
torch.complex(torch.ones(2,dtype=torch.int64),torch.ones(2,dtype=torch.int64))
torch.polar(torch.ones(2),torch.ones(2))
torch.view_as_real(torch.ones(2))
torch.view_as_real(z)
torch.view_as_complex(torch.ones(3))
torch.view_as_complex(torch.ones(3,2))
torch.view_as_complex(torch.ones(3,2,dtype=torch.int64))
z.mean()
z.std()
z.var()
z.norm()
z.prod()
z.cumsum(0)
torch.tensor(1j)
torch.tensor([1,2j])
torch.tensor([1.,2],dtype=torch.complex64)
torch.zeros(2,dtype=torch.cfloat)
torch.randn(2,dtype=torch.cfloat)
torch.rand(2,dtype=torch.cdouble)
torch.randn(20,dtype=torch.cfloat)
torch.full((2,),1j)
torch.arange(3)*1j
torch.eye(2,dtype=torch.cfloat)
z.abs()
z.sgn()
z.relu()
torch.isreal(z)
z.is_complex()
z+1
z**2
z**0.5
2**z
z@z
torch.vdot(z,z)
torch.outer(z,z)
z.pow(z)
torch.tensor(1.)+1j
torch.ones(2)*1j
torch.ones(2).mul_(1j)
torch.sigmoid(z)
torch.nn.functional.softmax(z,0)
torch.minimum(z,z)
torch.tensor(float('nan')+1j)
torch.tensor([1e10+1j, 1e-5j])
z.dtype.to_real()
z.type()
z.H
torch.eye(2).H
z.topk(1)
torch.isclose(z,z)
torch.allclose(z,z)
z==z
torch.where(torch.tensor([True,False]),z,0.)
z.real.zero_()
z.view(torch.float32)
torch.real(torch.ones(2))
torch.imag(torch.ones(2))
z.logsumexp(0)
z.softmax(0)
torch.atan2(z,z)
torch.floor_divide(z,2)
z.trunc()
z.ceil()
z.frac()
torch.heaviside(z,z)
z.isnan()
z.isinf()
z.isfinite()
z.signbit()
z.erf()
z>0
z & z
z.bool()
z.logical_not()
z.any()
z.all()
z.nonzero()
z.amax()
z.argsort()
z.exp2()
z.cos()
torch.nn.functional.relu(z)
torch.tensor([[1+2j,3],[4,5j]]).H
torch.tensor([[1+2j,3],[4,5j]]).mH
torch.tensor([[1+2j,3],[4,5j]]).adjoint()
z.requires_grad_()
z.requires_grad_().conj()
z.requires_grad_()*2
z.requires_grad_().abs()
z.requires_grad_().real
z.requires_grad_().imag
torch.view_as_real(z.requires_grad_())
z.requires_grad_().sum().backward()
torch.finfo(torch.complex64)
torch.promote_types(torch.complex64, torch.float64)
torch.result_type(torch.ones(2,dtype=torch.float64), 1j)
torch.can_cast(torch.complex64, torch.float32)
z.tolist()
torch.zeros(0, dtype=torch.complex64)
torch.zeros(2,0, dtype=torch.complex128)
torch.randn(30,30,dtype=torch.cfloat)
torch.tensor([1+1e-9j])
torch.is_complex(z)
z.is_floating_point()
torch.stack([z,z])
torch.cat([z,torch.ones(1)])
torch.tensor([1.5,2])*(1+1j)
torch.ones(2,dtype=torch.float64)*1j
z.to(torch.complex128)
z.cdouble()
torch.ones(2).cfloat()
torch.ones(2).type(torch.complex64)
torch.ones(2).to(torch.cfloat).dtype
z.square()
z.reciprocal()
z.sqrt()
z.log()
z.rsqrt()
1/z
z/2
z/(1+1j)
z-z.conj()
z.conj().resolve_conj().is_conj()
z.T.conj()
torch.tensor(3.0).conj().is_conj()
torch.float32.to_complex()
torch.complex64.is_complex
torch.complex64.is_floating_point
torch.linalg.norm(z)
torch.tensor([[1+2j,3],[4,5j]]).trace()
torch.linalg.det(torch.tensor([[1+2j,3],[4,5j]]))
torch.linalg.inv(torch.tensor([[1+2j,3],[4,5j]]))
torch.ones_like(z)
torch.zeros_like(z, dtype=torch.float32)
torch.empty(2, dtype=torch.complex64).shape
z.fill_(1j)
z.detach().clone()
z.mul_(2j)
z[0]
z[z.abs()>3]
z.flip(0)
torch.view_as_complex(torch.randn(3,2))
torch.dot(z,z)
torch.mm(z[None], z[:,None])
torch.einsum("i,j->ij", z, z)
torch.kron(z,z)
z.repeat(2)
torch.sinc(z)
torch.tan(z)
torch.tanh(z)
torch.asin(z)
torch.acosh(z)
torch.log1p(z)
torch.expm1(z)
torch.angle(torch.tensor([-1.,2.]))
torch.diff(z)
torch.trapezoid(z)
torch.cumprod(z,0)
torch.nn.Linear(2,2,dtype=torch.cfloat)(z).dtype
torch.tensor([1.,2j],dtype=torch.float32)
torch.linspace(0,1j,3)
z.median()
~z
z.cummax(0)
"""
"""Expressions of z, a vector of two complex numbers."""

FUNCTIONS = """
(z * z).sum()
(z * x).sum()
(x * 1j).sum()
z.abs().sum()
z.angle().sum()
z.exp().sum()
(z / (z + 3)).sum()
(z ** 3).sum()
(z ** x).sum()
(2 ** z).sum()
z.log().sum()
z.sqrt().sum()
z.sin().sum()
z.tanh().sum()
z.real.sum()
(z.imag * x).sum()
z.conj().sum()
(z.conj() * z).sum()
z.sgn().sum()
torch.view_as_real(z).pow(2).sum()
torch.complex(x, 2 * x).prod()
torch.polar(x, x).prod()
torch.view_as_complex(torch.stack([x, x * 2], -1)).prod()
z.norm()
z.norm(1)
z.norm(3)
z.var()
z.std()
z.mean()
z.prod()
z.cumsum(0).abs().sum()
z.cumprod(0).abs().sum()
(z @ z)
torch.vdot(z, z * 2)
torch.outer(z, z.conj()).abs().sum()
torch.einsum("i,j->ij", z, z).sum()
torch.linalg.inv(m).sum()
torch.linalg.det(m)
torch.linalg.slogdet(m)[1]
torch.linalg.solve(m, z).sum()
torch.linalg.svdvals(m).sum()
torch.linalg.eigvals(m).abs().sum()
torch.linalg.qr(m)[1].abs().sum()
torch.linalg.cholesky(m @ m.mH).abs().sum()
torch.linalg.eigvalsh(m @ m.mH).sum()
torch.linalg.pinv(m).abs().sum()
torch.matrix_exp(m).abs().sum()
m.mH.sum() * (1 + 2j)
torch.where(x > 1, z, x * 1j).sum()
torch.cat([z, x]).prod()
z.logsumexp(0)
z.sigmoid().sum()
z[0] * x[1]
z.to(torch.complex128).sum()
torch.nn.functional.linear(z, m).prod()
"""
"""Functions of a complex vector z, a complex matrix m and a real vector x, to one number."""


def made(t: Any) -> dict[str, Any]:
    """Leaves of double precision."""
    numbers = {
        "z": t.tensor([1 + 2j, 0.5 - 0.3j], dtype=t.complex128),
        "m": t.tensor([[1 + 1j, 2.0], [0.5j, 1.5 - 1j]], dtype=t.complex128),
        "x": t.tensor([0.7, 1.9], dtype=t.float64),
    }
    return {name: value.requires_grad_() for name, value in numbers.items()}


def slopes(t: Any, text: str, *, second: bool = False) -> list[Any]:
    """The gradients of the real part, or those of a function of them."""
    names = made(t)
    value = eval(text, {"torch": t, **names})
    value = value.real if value.is_complex() else value
    leaves = list(names.values())
    found = t.autograd.grad(value, leaves, create_graph=second, allow_unused=True)
    if second:
        total = sum((g * g.conj()).real.sum() for g in found if g is not None and g.requires_grad)
        if not isinstance(total, t.Tensor):
            return []
        found = t.autograd.grad(total, leaves, allow_unused=True)
    return list(found)


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_it_says_what_pytorch_says(expression: str) -> None:
    compare(expression, z="torch.tensor([1+2j,3.5-4j])")


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("text", FUNCTIONS.split("\n")[1:-1])
def test_gradients_are_pytorchs(text: str, second: bool) -> None:
    ours, theirs = slopes(engine, text, second=second), slopes(torch, text, second=second)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if b is None or a is None:
            # A gradient that is zero everywhere may be missing.
            assert all(g is None or not np.any(g.resolve_conj().numpy(force=True)) for g in (a, b))
            continue
        assert str(a.dtype) == str(b.dtype)
        np.testing.assert_allclose(a.numpy(force=True), b.resolve_conj().numpy(force=True), rtol=1e-9, atol=1e-9)


def test_backward_fills_in_the_same_on_the_quick_way_and_when_watched() -> None:
    z = engine.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    (z * x).exp().abs().sum().backward()
    quick = z.grad._array.copy(), x.grad._array.copy()
    z.grad = x.grad = None
    handle = z.register_hook(lambda g: None)
    (z * x).exp().abs().sum().backward()
    handle.remove()
    np.testing.assert_array_equal(z.grad._array, quick[0])
    np.testing.assert_array_equal(x.grad._array, quick[1])
    assert x.grad.dtype is engine.float32


def test_what_is_written_through_the_parts_has_its_gradient() -> None:
    found = []
    for t in (engine, torch):
        z = t.tensor([1 + 2j, 3 - 1j], requires_grad=True)
        y = z * 2
        y.real.mul_(3)
        t.view_as_real(y)[0, 1] = 5.0
        (y * y.conj()).real.sum().backward()
        found.append(z.grad.resolve_conj().numpy(force=True))
    np.testing.assert_allclose(*found)


def test_gradcheck_tries_complex_inputs() -> None:
    z = engine.tensor([1 + 2j, 0.5 - 0.3j], dtype=engine.complex128, requires_grad=True)
    assert engine.autograd.gradcheck(lambda z: (z * z).exp(), (z,))
    assert engine.autograd.gradcheck(lambda z: z.abs(), (z,))


def test_a_recording_holds_complex_numbers(tmp_path: Path) -> None:
    made = run(
        "import torch\nz = torch.tensor([1+2j, 3-1j], requires_grad=True)\n(z * z).abs().sum().backward()\nprint(z.grad)\n"
    )
    assert made.status == "ok"
    assert made.output == "tensor([2.+4.j, 6.-2.j])\n"
    assert made.recording is not None
    made.recording.save(tmp_path / "run.gradtape")
    arrays = [a for a in Recording.load(tmp_path / "run.gradtape").arrays if a.dtype == "complex64"]
    np.testing.assert_array_equal(arrays[0].to_numpy(), np.array([1 + 2j, 3 - 1j], np.complex64))
