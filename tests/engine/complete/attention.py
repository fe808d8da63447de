"""Self-attention by hand, nn.MultiheadAttention and an encoder layer."""

import torch, torch.nn as nn, math

torch.manual_seed(3)


class Head(nn.Module):
    def __init__(s, d, h):
        super().__init__()
        s.k = nn.Linear(d, h, bias=False)
        s.q = nn.Linear(d, h, bias=False)
        s.v = nn.Linear(d, h, bias=False)
        s.register_buffer("tril", torch.tril(torch.ones(8, 8)))

    def forward(s, x):
        B, T, C = x.shape
        k, q, v = s.k(x), s.q(x), s.v(x)
        w = q @ k.transpose(-2, -1) * C**-0.5
        w = w.masked_fill(s.tril[:T, :T] == 0, float("-inf"))
        return w.softmax(-1) @ v


h = Head(16, 4)
x = torch.randn(2, 8, 16, requires_grad=True)
o = h(x)
print(o[0, :2])
o.pow(2).mean().backward()
print(x.grad[0, 0].round(decimals=4), h.q.weight.grad.abs().sum())
mha = nn.MultiheadAttention(16, 4, batch_first=True)
a, w = mha(x, x, x)
print(a[0, 0], w[0, 0])
print(mha)
enc = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
print(enc(x)[0, 0])
print(enc)
