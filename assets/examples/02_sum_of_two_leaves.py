# Sum of two leaves
# Every element of a and b counts once in the sum, so every gradient is 1.
import torch

torch.manual_seed(0)
a = torch.randn(2, 2, requires_grad=True)
b = torch.randn(2, 2, requires_grad=True)
total = torch.sum(a + b)

total.backward()
print(total)
print(a.grad)
print(b.grad)
