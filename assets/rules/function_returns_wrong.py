"""A custom Function that returns a gradient for one of its two inputs only."""

# %% broken
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
Scale.apply(x, 2.0).sum().backward()
print(x.grad)

# %% mended
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
Scale.apply(x, 2.0).sum().backward()
print(x.grad)
