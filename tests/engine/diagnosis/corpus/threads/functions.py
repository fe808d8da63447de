"""Functions with a backward of their own, hooks, and gradients that fade, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% backward forgets the upstream gradient
#: thread: issue, pytorch/pytorch: gradcheck fails with cryptic error
#: cause: wrong_backward
#: shows: not torch.autograd.gradcheck(ISRLU.apply, (torch.randn(3, dtype=torch.float64, requires_grad=True),), raise_exception=False)
class ISRLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        nisr = torch.rsqrt(1.0 + torch.clamp(x, max=0) ** 2)
        ctx.save_for_backward(nisr)
        return x * nisr

    @staticmethod
    def backward(ctx, grad_out):
        (nisr,) = ctx.saved_tensors
        return nisr**3  # <- -
        # + return grad_out * nisr**3

x = torch.randn(5, requires_grad=True)
loss = (ISRLU.apply(x) * torch.arange(5.0)).sum()
loss.backward()

# %% a factor is missing in backward
#: thread: forum, PyTorch forums: custom autograd function does not converge
#: cause: wrong_backward
#: shows: not bool(torch.allclose(w.grad, 3 * torch.tensor([1.0, 4.0])))
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x**2  # <- -
        # + return grad_output * 3 * x**2

w = torch.tensor([1.0, 2.0], requires_grad=True)
Cube.apply(w).sum().backward()

# %% swish whose derivative lacks a term
#: thread: forum, Stack Overflow: memory efficient swish gives other results
#: cause: wrong_backward
#: shows: not bool(torch.allclose(x.grad, y.grad, atol=1e-6))
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        ctx.save_for_backward(i)
        return i * torch.sigmoid(i)

    @staticmethod
    def backward(ctx, grad_output):
        (i,) = ctx.saved_tensors
        s = torch.sigmoid(i)
        return grad_output * s * (1 - s)  # <- -
        # + return grad_output * (s * (1 + i * (1 - s)))

x = torch.linspace(-2, 2, 7, requires_grad=True)
Swish.apply(x).sum().backward()
y = x.detach().clone().requires_grad_()
F.silu(y).sum().backward()

# %% a tensor is kept on ctx
#: thread: issue, jiecaoyu/XNOR-Net-PyTorch: AutoGrad (gradcheck) on BinActive
#: cause: tensor_on_ctx
#: shows: hasattr(node, "input")
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.input, ctx.w = x, w  # <- -
        # + ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.input, ctx.w  # -
        # + x, w = ctx.saved_tensors
        return g * w, g * x

w = torch.randn(4, requires_grad=True)
out = Scale.apply(torch.randn(4, requires_grad=True) * 2, w)
node = out.grad_fn
out.sum().backward()

# %% backward returns too few gradients
#: thread: forum, PyTorch forums: function returned an incorrect number of gradients
#: cause: function_returns_wrong
#: raises: RuntimeError: function MulBackward returned an incorrect number of gradients (expected 2, got 1)
class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor  # <- -
        # + return g * ctx.factor, None

x = torch.randn(3, requires_grad=True)
Mul.apply(x, 2.0).sum().backward()  # <-

# %% sign has no gradient
#: thread: issue, jiecaoyu/XNOR-Net-PyTorch: how does the gradient pass through sign
#: cause: zero_derivative
#: shows: bool((lin.weight.grad == 0).all())
lin, out = nn.Linear(4, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*lin.parameters(), *out.parameters()], lr=0.1)
x, y = torch.randn(10, 4), torch.randn(10, 1)
for i in range(3):
    h = lin(x)
    b = torch.sign(h)  # <- -
    # + b = h + (torch.sign(h) - h).detach()
    loss = F.mse_loss(out(b), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a bias that kills every ReLU
#: thread: forum, Stack Overflow: all outputs of my network are the same, dying ReLU
#: cause: dead_relu
#: shows: bool((net[0].weight.grad == 0).all())
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
nn.init.constant_(net[0].bias, -50.0)  # <- -
# + nn.init.constant_(net[0].bias, 0.0)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for i in range(5):
    loss = F.mse_loss(net(x), y)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% inputs of 0 to 255 into a sigmoid
#: thread: forum, PyTorch forums: Sigmoid network does not learn on images
#: cause: saturated
#: shows: float(net[0].weight.grad.abs().max()) < 1e-6
net = nn.Sequential(nn.Linear(16, 8), nn.Sigmoid(), nn.Linear(8, 2))  # <-
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randint(60, 256, (10, 16)).float(), torch.randint(0, 2, (10,))
# + x = (x - 157) / 57
nn.init.uniform_(net[0].weight, 0.2, 0.5)
for i in range(4):
    loss = F.cross_entropy(net(x), y)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% twelve sigmoid layers
#: thread: forum, Stack Overflow: deep sigmoid network, first layers do not change
#: cause: vanishing_gradients
#: shows: float(layers[0].weight.grad.norm() / layers[-2].weight.grad.norm()) < 1e-5
layers = []
for i in range(12):
    layers += [nn.Linear(8, 8), nn.Sigmoid()]  # -
    # + layers += [nn.Linear(8, 8), nn.ReLU()]; nn.init.kaiming_normal_(layers[-2].weight)
layers.append(nn.Linear(8, 1))
layers.insert(-1, nn.Identity())
layers.append(nn.Identity())
net = nn.Sequential(*layers)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 8), torch.randn(16, 1)
for i in range(3):
    loss = F.mse_loss(net(x), y)  # <-
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()

# %% large weights in a deep linear stack
#: thread: forum, PyTorch forums: Exploding gradients in a deep network
#: cause: exploding_gradients, diverging, inf, nan, jumped
#: shows: not math.isfinite(loss.item())
net = nn.Sequential(*[m for _ in range(10) for m in (nn.Linear(16, 16), nn.ReLU())], nn.Linear(16, 1))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, 0, 1.0)  # <- -
        # + nn.init.kaiming_normal_(m.weight)
opt = torch.optim.SGD(net.parameters(), lr=0.05)  # -
# + opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x, y = torch.randn(8, 16), torch.randn(8, 1)
for i in range(3):
    loss = F.mse_loss(net(x), y)  # <-
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()

# %% a hook returns nothing useful
#: thread: forum, PyTorch forums: my gradient hook zeroes everything
#: cause: zero_hook, zero_gradient
#: shows: bool((emb.weight.grad == 0).all())
emb, out = nn.Embedding(6, 4), nn.Linear(4, 2)
mask = torch.zeros(6, 1)  # <- -
# + mask = torch.ones(6, 1); mask[0] = 0
emb.weight.register_hook(lambda grad: grad * mask)  # <-
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
for i in range(3):
    loss = F.cross_entropy(out(emb(torch.randint(0, 6, (5,)))), torch.randint(0, 2, (5,)))
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-
