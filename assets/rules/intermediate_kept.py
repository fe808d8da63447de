"""What a Function's forward has computed is kept on ctx, and its backward is differentiated."""

# %% broken
import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.sig = torch.sigmoid(x)
        ctx.save_for_backward(x)
        return x * ctx.sig

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = ctx.sig
        return grad * (s + x * s * (1 - s))


torch.manual_seed(0)
x = torch.randn(32, requires_grad=True)
(slope,) = torch.autograd.grad(Swish.apply(x).sum(), x, create_graph=True)
slope.sum().backward()
print(x.grad[:4])

# %% mended
import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


torch.manual_seed(0)
x = torch.randn(32, requires_grad=True)
(slope,) = torch.autograd.grad(Swish.apply(x).sum(), x, create_graph=True)
slope.sum().backward()
print(x.grad[:4])
