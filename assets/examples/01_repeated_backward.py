# Repeated backward
# Two passes through the same formula: gradients add up in .grad.
import torch

x1 = torch.tensor([1.0], requires_grad=True)
x2 = torch.tensor([2.0], requires_grad=True)

for i in range(2):
    y1 = 5 * x1 + 3 * x2
    y2 = 2 * x1 + 1 * x2
    z = y1 * y2
    z.backward()

print(x1.grad, x2.grad)
print(y1.grad)
