"""A custom Function that changes its input in place and does not say so."""

# %% broken
import torch


class Rectify(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y > 0)


x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
h = x * 2
y = Rectify.apply(h)
y.sum().backward()
print(x.grad)

# %% mended
import torch


class Rectify(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y > 0)


x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
h = x * 2
y = Rectify.apply(h)
y.sum().backward()
print(x.grad)
