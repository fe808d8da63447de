"""Programs with a known defect in a backward of their own, or in a hook, for test_findings.py; the line with `# <-` is the one
that the first rule's finding names.
"""
#: finds: the rules that find something
#: thread?: where people met it

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)
from torch.autograd import Function

# %% a factor that backward forgets
#: finds: wrong_backward
#: thread: forum, custom autograd function does not converge
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x**2 * g  # <-
x = torch.randn(3, requires_grad=True)
Cube.apply(x).sum().backward()

# %% the gradient that arrives is left out
#: finds: wrong_backward
#: thread: issue, pytorch/pytorch: gradcheck fails with cryptic error
class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return result  # <-
x = torch.randn(3, requires_grad=True)
(Exp.apply(x) * 5).sum().backward()

# %% the derivative of sigmoid at the wrong place
#: finds: wrong_backward
#: thread: forum, sigmoid by hand, derivative of the input instead of the output
class Sig(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + torch.exp(-x))
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * (1 - x)  # <-
net = nn.Linear(3, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3):
    loss = Sig.apply(net(torch.randn(5, 3))).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradients of two inputs exchanged
#: finds: wrong_backward
#: thread: forum, gradcheck says Jacobian mismatch for output 0 with respect to input 0
class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * a, g * b  # <-
x, y = torch.randn(4, requires_grad=True), torch.randn(4, requires_grad=True)
Mul.apply(x, y).sum().backward()

# %% a ReLU that lets everything through
#: finds: wrong_backward
#: thread: forum, custom ReLU, forgot to set the gradient of negative inputs to zero
class MyReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)
    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        return grad_input  # <-
x = torch.tensor([-2.0, -1.0, 1.0, 2.0], requires_grad=True)
(MyReLU.apply(x) * 3).sum().backward()

# %% an input kept on ctx
#: finds: tensor_on_ctx
#: thread: issue, RobinBruegger/RevTorch: Subtle memory leak in _ReversibleModuleFunction
class Sq(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x  # <-
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g
x = torch.randn(3, requires_grad=True)
Sq.apply(x).sum().backward()

# %% a result kept on ctx
#: finds: tensor_on_ctx
#: thread: issue, pytorch/pytorch: autograd contexts not being garbage collected when assigned output Tensors as attributes
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y  # <-
        return y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.y
x = torch.randn(3, requires_grad=True)
Exp.apply(x).sum().backward()

# %% an input on ctx is changed before backward
#: finds: ctx_tensor_changed
#: thread: forum, wrong gradients without an error, ctx and in-place operations
class Scale(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.x, ctx.w = x, w  # <-
        return x * w
    @staticmethod
    def backward(ctx, g):
        return g * ctx.w, g * ctx.x
w = torch.ones(3, requires_grad=True)
h = torch.randn(3)
y = Scale.apply(h, w)
h.zero_()
y.sum().backward()

# %% a transposed gradient
#: finds: function_returns_wrong
#: thread: forum, Function returned an invalid gradient at index 1, expected shape compatible with
class Lin(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w.t()
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, x.t() @ g  # <-
w = torch.randn(2, 3, requires_grad=True)
Lin.apply(torch.randn(4, 3), w).sum().backward()

# %% a gradient too few
#: finds: function_returns_wrong
#: thread: forum, function returned an incorrect number of gradients (expected 2, got 1)
class Scale(Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.a = a
        return x * a
    @staticmethod
    def backward(ctx, g):
        return g * ctx.a  # <-
x = torch.randn(4, requires_grad=True)
Scale.apply(x, 3.0).sum().backward()

# %% None for a weight
#: finds: function_gives_none
#: thread: forum, custom Function, weight.grad is None
class Lin(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w.t()
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, None  # <-
net = nn.Linear(3, 3)
w = nn.Parameter(torch.randn(2, 3))
opt = torch.optim.SGD([*net.parameters(), w], lr=0.01)
for i in range(3):
    loss = Lin.apply(net(torch.randn(4, 3)), w).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the gradient that arrives is clipped in place
#: finds: gradient_changed_in_place
#: thread: issue, linkedin/Liger-Kernel: Are you even allowed to do these ops inplace?
class Clip(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        g[g.abs() > 0.1] = 0.1  # <-
        return g
x = torch.randn(4, requires_grad=True)
h = x * 2
y = Clip.apply(h) + h
(y * y).sum().backward()

# %% the gradient that arrives is masked in place
#: finds: gradient_changed_in_place
#: thread: issue, pytorch/pytorch: backward not called with custom op
class Scaled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2.0
    @staticmethod
    def backward(ctx, grad_output):
        grad_output *= 2.0  # <-
        return grad_output
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3):
    loss = Scaled.apply(net(torch.randn(4, 3))).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% an input that is changed without mark_dirty
#: finds: input_not_dirty
#: thread: issue, pytorch/pytorch: Error in Function backward when forward output is in-place of forward input
class Relu_(Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)  # <-
        ctx.save_for_backward(x)
        return x
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y > 0)
x = torch.randn(4, requires_grad=True)
Relu_.apply(x * 2).sum().backward()

# %% an input that is added to without mark_dirty
#: finds: input_not_dirty
#: thread: issue, pytorch/pytorch: custom in-place addition on slices
class InPlaceAdd(Function):
    @staticmethod
    def forward(ctx, a, b):
        a[1:2] += b  # <-
        return a.clone()
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output[1:2].sum().reshape(1)
a, b = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
InPlaceAdd.apply(a + 1, b).sum().backward()

# %% a hook whose mask is zero
#: finds: zero_hook
#: thread: forum, my gradient hook zeroes everything
emb, out = nn.Embedding(6, 4), nn.Linear(4, 2)
mask = torch.zeros(6, 1)
emb.weight.register_hook(lambda grad: grad * mask)  # <-
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
for i in range(3):
    loss = F.cross_entropy(out(emb(torch.randint(0, 6, (5,)))), torch.randint(0, 2, (5,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a hook that is meant to print
#: finds: zero_hook
#: thread: forum, register_hook, gradient is zero after I print it
net = nn.Linear(3, 1)
def show(grad):
    print(grad.norm().item() > 0)
    return grad - grad  # <-
net.weight.register_hook(show)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% hooks that turn gradients around
#: finds: reversing_hook
#: thread: forum, gradient reversal with register_hook on parameters
net = nn.Linear(3, 1)
for p in net.parameters():
    p.register_hook(lambda g: -g)  # <-
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3):
    loss = net(torch.ones(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a derivative that forward keeps on ctx, in a product of a Hessian with a vector
#: finds: intermediate_kept
class MyTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        t = torch.tanh(a)
        ctx.d = 1 - t * t
        return t
    @staticmethod
    def backward(ctx, go):
        return go * ctx.d  # <-
w = torch.randn(6, 6, requires_grad=True)
v = torch.randn(6, 6)
h = MyTanh.apply(v @ w)
grad, = torch.autograd.grad(h.square().sum(), w, create_graph=True)
hv = torch.autograd.grad((grad * v).sum(), w)[0]
print(hv.norm())

# %% a saved intermediate whose backward is differentiated
#: finds: intermediate_kept
class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.beta = beta
        ctx.save_for_backward(x, s)
        return torch.log1p(torch.exp(beta * x)) / beta
    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors  # <-
        return g * s, None
x = torch.randn(20, dtype=torch.float64, requires_grad=True)
y = Softplus.apply(x, 2.0).pow(2).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.pow(2).sum().backward()
print(x.grad[:3])
