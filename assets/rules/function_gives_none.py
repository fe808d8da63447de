"""A custom Function that returns None for an input that requires grad."""

# %% broken
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, None


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
factor = torch.tensor(2.0, requires_grad=True)
Scale.apply(x, factor).sum().backward()
print(factor.grad)

# %% mended
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        x, factor = ctx.saved_tensors
        return grad * factor, (grad * x).sum()


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
factor = torch.tensor(2.0, requires_grad=True)
Scale.apply(x, factor).sum().backward()
print(factor.grad)
