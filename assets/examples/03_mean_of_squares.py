# Mean of squares
# The mean of n squares has the gradient 2x / n.
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
squares = x**2
loss = squares.mean()

squares.retain_grad()
loss.backward()
print(loss)
print("d loss / d squares =", squares.grad)
print("d loss / d x =", x.grad)
