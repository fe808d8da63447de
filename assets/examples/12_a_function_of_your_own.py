# A function of your own
# torch.autograd.Function: forward computes, backward says what the gradient is.
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x)
y.sum().backward()
print(y.grad_fn.name())
print(x.grad, torch.autograd.gradcheck(Cube.apply, x.detach().double().requires_grad_()))
