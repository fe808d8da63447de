# Second derivative
# create_graph=True records the backward pass itself, so that it can be differentiated again.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3

(slope,) = torch.autograd.grad(y, x, create_graph=True)
print("3 x^2 =", slope)

(curvature,) = torch.autograd.grad(slope, x)
print("6 x =", curvature)
