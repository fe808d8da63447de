"""Sound programs for test_findings.py with a backward of their own, or a hook: nothing may be found in them."""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)
from torch.autograd import Function

# %% a ReLU with a mask
class MyReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)
    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
net = nn.Linear(3, 6)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    loss = MyReLU.apply(net(torch.randn(5, 3))).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the derivative of a sum over a broadcast
class Affine(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x @ w.t() + b
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, g.t() @ x, g.sum(0)
w, b = nn.Parameter(torch.randn(2, 3)), nn.Parameter(torch.zeros(2))
opt = torch.optim.SGD([w, b], lr=0.01)
for i in range(4):
    loss = Affine.apply(torch.randn(5, 3), w, b).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a function that goes by way of NumPy
class NSin(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(np.sin(x.detach().numpy()))
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.cos(x)
x = torch.randn(4, requires_grad=True)
NSin.apply(x).sum().backward()

# %% rounding straight through
class Rounded(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.floor(x * 4) / 4
    @staticmethod
    def backward(ctx, g):
        return g
x = torch.randn(8, requires_grad=True)
(Rounded.apply(x * 2) ** 2).sum().backward()

# %% gradient reversal
class Turned(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g, None
features, head, domain = nn.Linear(3, 4), nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.SGD([*features.parameters(), *head.parameters(), *domain.parameters()], lr=0.1)
for i in range(3):
    h = features(torch.randn(6, 3))
    loss = F.cross_entropy(head(h), torch.randint(0, 2, (6,)))
    loss = loss + F.cross_entropy(domain(Turned.apply(h, 0.5)), torch.randint(0, 2, (6,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradients that are clipped on their way
class Clipped(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        return g.clamp(-0.01, 0.01)
x = torch.randn(4, requires_grad=True)
(Clipped.apply(x * 2) ** 2).sum().backward()

# %% a spiking neuron
class Spike(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).float()
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (1 + 10 * x.abs()) ** 2
x = torch.randn(8, requires_grad=True)
(Spike.apply(x * 2) * torch.arange(8.0)).sum().backward()

# %% a step with a smooth backward
class Heaviside(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x > 0).float()
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.exp(-(x**2))
x = torch.randn(8, requires_grad=True)
(Heaviside.apply(x * 2) * torch.arange(8.0)).sum().backward()

# %% a draw that backward repeats
class Dropped(Function):
    @staticmethod
    def forward(ctx, x):
        kept = (torch.rand_like(x) > 0.5).float()
        ctx.save_for_backward(kept)
        return x * kept
    @staticmethod
    def backward(ctx, g):
        (kept,) = ctx.saved_tensors
        return g * kept
x = torch.randn(8, requires_grad=True)
(Dropped.apply(x * 2) ** 2).sum().backward()

# %% in place with mark_dirty
class Relu_(Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y > 0)
x = torch.randn(4, requires_grad=True)
h = x * 2
Relu_.apply(h).sum().backward()

# %% None for what needs no gradient
class Power(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(x)
        ctx.n = n
        return x**n
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (g * ctx.n * x ** (ctx.n - 1) if ctx.needs_input_grad[0] else None), None
x = torch.rand(4, requires_grad=True)
Power.apply(x, 3).sum().backward()

# %% an input changed after backward
class Sq(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g
w = torch.ones(3, requires_grad=True)
for i in range(3):
    Sq.apply(w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None

# %% a hook that freezes a part of a weight
emb, out = nn.Embedding(6, 4), nn.Linear(4, 2)
mask = torch.ones(6, 1)
mask[0] = 0
emb.weight.register_hook(lambda grad: grad * mask)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
for i in range(3):
    loss = F.cross_entropy(out(emb(torch.randint(0, 6, (5,)))), torch.randint(0, 2, (5,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a hook that only looks
net = nn.Linear(3, 1)
seen = []
net.weight.register_hook(lambda grad: seen.append(grad.norm().item()))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a result of forward that is saved, and a backward that is differentiated
class MyTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        t = torch.tanh(a)
        ctx.save_for_backward(t)
        return t
    @staticmethod
    def backward(ctx, go):
        t, = ctx.saved_tensors
        return go * (1 - t * t)
w = torch.randn(6, 6, requires_grad=True)
v = torch.randn(6, 6)
h = MyTanh.apply(v @ w)
grad, = torch.autograd.grad(h.square().sum(), w, create_graph=True)
hv = torch.autograd.grad((grad * v).sum(), w)[0]
print(hv.norm())

# %% masks and noise on ctx, and a backward that is differentiated
class LeakyDrop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p):
        ctx.mask = (torch.rand_like(x) > p).float() / (1 - p)
        ctx.slope = torch.where(x > 0, torch.ones_like(x), 0.1 * torch.ones_like(x))
        ctx.noise = torch.randn_like(x)
        return x.clamp(min=0) * ctx.mask + 0.1 * x.clamp(max=0) * ctx.mask + x * ctx.noise
    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope * ctx.mask + g * ctx.noise, None
w = torch.randn(6, 6, requires_grad=True)
v = torch.randn(6, 6)
h = LeakyDrop.apply((v @ w).tanh(), 0.2)
grad, = torch.autograd.grad(h.square().sum(), w, create_graph=True)
hv = torch.autograd.grad((grad * v).sum(), w)[0]
print(hv.norm())

# %% an intermediate on ctx of a Function that is differentiated once
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.sig = torch.sigmoid(x)
        ctx.save_for_backward(x)
        return x * ctx.sig
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (ctx.sig + x * ctx.sig * (1 - ctx.sig))
w = torch.randn(6, 6, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for k in range(5):
    x = torch.randn(8, 6)
    loss = (Swish.apply(x @ w) - 1).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
x2 = torch.randn(4, requires_grad=True)
g, = torch.autograd.grad((x2 ** 3).sum(), x2, create_graph=True)
g.sum().backward()
print(x2.grad, loss)
