"""`torch.fft`, `stft` and `istft`, beside PyTorch's."""

from __future__ import annotations

import pytest

import engine
from tests.engine.numbers.side_by_side import compare

EXPRESSIONS = """
torch.fft.fft(torch.ones(4),norm="x")
torch.fft.fft(torch.ones(4),n=0)
torch.fft.fft(torch.ones(4),dim=3)
torch.fft.rfft(z)
torch.fft.ihfft(z)
torch.fft.fftn(torch.ones(1,4),dim=(0,0))
torch.fft.fftn(torch.ones(4),s=(2,2))
torch.fft.fft2(torch.ones(4))
torch.fft.fftn(torch.ones(1,4),s=(2,),dim=(0,1))
torch.fft.fft(torch.tensor(1.))
torch.fft.fft(torch.ones(4).half())
torch.fft.irfft(torch.ones(4), n=0)
torch.fft.irfft(torch.ones(1))
torch.fft.rfftn(z)
torch.fft.ihfftn(z)
torch.fft.fft("a")
torch.fft.fft(torch.zeros(0))
torch.fft.fftfreq(5)
torch.fft.fftfreq(6, 0.3)
torch.fft.rfftfreq(5,d=0.1)
torch.fft.fft(torch.ones(2,requires_grad=True))
torch.fft.rfft(torch.ones(2,requires_grad=True))
torch.fft.fftn(torch.ones(2,requires_grad=True))
torch.fft.irfft(torch.ones(2,requires_grad=True))
torch.fft.ifft(torch.ones(2,requires_grad=True))
torch.fft.fftshift(torch.arange(5))
torch.fft.ifftshift(torch.arange(5))
torch.fft.fftshift(torch.arange(6).reshape(2,3), dim=1)
torch.fft.rfft(torch.arange(5.))
torch.fft.hfft(torch.arange(5.))
torch.fft.ihfft(torch.arange(5.))
torch.fft.fft2(torch.arange(6.).reshape(2,3))
torch.stft(torch.ones(4),4)
torch.stft(torch.randn(20),4,window=torch.hann_window(4),return_complex=True)
torch.stft(torch.randn(20),4,hop_length=0,return_complex=True)
torch.stft(torch.randn(20),40,return_complex=True)
torch.stft(torch.randn(20),4,window=torch.ones(3),return_complex=True)
torch.stft(torch.randn(20),4,window=torch.ones(4),return_complex=False).shape
torch.istft(torch.randn(3,9),4)
torch.istft(torch.randn(3,9,dtype=torch.cfloat),4,window=torch.hann_window(4))
torch.istft(torch.randn(3,9,dtype=torch.cfloat),4,window=torch.hann_window(4),length=10)
torch.istft(torch.stft(torch.arange(20.),4,window=torch.hann_window(4),return_complex=True),4,window=torch.hann_window(4))
torch.istft(torch.randn(4,9,dtype=torch.cfloat),4,window=torch.hann_window(4),onesided=True)
torch.randn(20).stft(4,return_complex=True).shape
torch.fft.fft(z, n=3)
torch.fft.fft(input=z, dim=0)
torch.fft.fftn(z, norm="ortho")
torch.linalg.eig(torch.tensor([[1.,2],[3,4]]))
torch.linalg.eigvals(torch.tensor([[0.,1],[-1,0]]))
"""
"""Expressions of z, a vector of two complex numbers."""


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_it_says_what_pytorch_says(expression: str) -> None:
    compare(expression, z="torch.tensor([1+2j,3.5-4j])")


def test_a_signal_comes_back_from_its_windows() -> None:
    signal = engine.arange(40.0)
    window = engine.hann_window(8)
    pieces = engine.stft(signal, 8, window=window, return_complex=True)
    assert engine.allclose(engine.istft(pieces, 8, window=window, length=40), signal, atol=1e-4)


def test_a_transform_in_the_sandbox_is_recorded() -> None:
    from engine.sandbox import run

    made = run("import torch\nprint(torch.fft.rfft(torch.arange(4.)))\n")
    assert (made.status, made.output) == ("ok", "tensor([ 6.+0.j, -2.+2.j, -2.+0.j])\n")
