# In-place trouble
# exp() saves its result for backward; changing that result in place makes the gradient impossible.
import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.exp(x)
y.add_(1)  # y is at version 1 now, but ExpBackward0 needs version 0
y.sum().backward()
