"""A Function of two inputs whose backward() returns a gradient for one of them only."""

# %% broken
import torch


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b


x = torch.tensor([1.0, 2.0], requires_grad=True)
Multiply.apply(x, torch.tensor([3.0, 4.0])).sum().backward()
print(x.grad)

# %% mended
import torch


class Multiply(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, grad * a


x = torch.tensor([1.0, 2.0], requires_grad=True)
Multiply.apply(x, torch.tensor([3.0, 4.0])).sum().backward()
print(x.grad)
