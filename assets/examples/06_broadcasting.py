# Broadcasting
# A bias of shape (3,) is added to every row; its gradient sums over the rows it was copied to.
import torch

x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
weight = torch.tensor([[0.5], [-1.0]], requires_grad=True)
bias = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)

y = x * weight + bias
loss = (y * y).sum()
loss.backward()

print(weight.grad)
print(bias.grad)
