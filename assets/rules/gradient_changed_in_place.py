"""A custom Function that clips the gradient that it is given in place, though another node was given the same tensor."""

# %% broken
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp_(-0.1, 0.1)


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x * 2
y = Clip.apply(h) + h
(y * y).sum().backward()
print(x.grad is not None)

# %% mended
import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(-0.1, 0.1)


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x * 2
y = Clip.apply(h) + h
(y * y).sum().backward()
print(x.grad is not None)
