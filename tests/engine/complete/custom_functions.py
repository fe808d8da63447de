"""Functions of one's own: saved tensors, several results, in-place changes, checks."""

import torch
from torch.autograd import Function, gradcheck


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.shape = x.shape
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        print("backward of Scale", tuple(ctx.shape), ctx.needs_input_grad)
        return grad * ctx.factor, None


class MinMax(Function):
    @staticmethod
    def forward(ctx, x):
        low, high = x.min(), x.max()
        ctx.save_for_backward(x, low, high)
        return low, high

    @staticmethod
    def backward(ctx, grad_low, grad_high):
        x, low, high = ctx.saved_tensors
        return grad_low * (x == low) + grad_high * (x == high)


class AddOne(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


class Clamp(Function):
    @staticmethod
    def forward(x, low):
        return x.clamp(min=low)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.low = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x >= ctx.low), None


x = torch.tensor([3.0, -1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 4.0)
print(y, y.grad_fn.name(), y.grad_fn.next_functions[0][0].name())
low, high = MinMax.apply(y)
print(low, high, low.grad_fn is high.grad_fn)
(high - 2 * low).backward()
print(x.grad)
z = x * 1
w = AddOne.apply(z)
print(w is z, w)
print(Clamp.apply(x, 0.0))
double = x.detach().double().requires_grad_()
print(gradcheck(lambda t: Scale.apply(t, 2.0), (double,)), gradcheck(Clamp.apply, (double, 0.0)))
first = torch.autograd.grad(Scale.apply(x, 3.0).pow(2).sum(), x, create_graph=True)[0]
print(first, torch.autograd.grad(first.sum(), x)[0])
try:
    Scale.apply(x).sum().backward()
except TypeError as error:
    print(type(error).__name__)
