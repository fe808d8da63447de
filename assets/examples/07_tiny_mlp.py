# A tiny neural network
# Three steps of gradient descent on a two-layer network, written out by hand.
import torch

torch.manual_seed(1)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
target = torch.tensor([[0.0], [1.0], [1.0], [0.0]])

w1 = torch.randn(2, 3, requires_grad=True)
b1 = torch.zeros(3, requires_grad=True)
w2 = torch.randn(3, 1, requires_grad=True)
b2 = torch.zeros(1, requires_grad=True)
learning_rate = 0.5

for step in range(3):
    hidden = torch.tanh(x @ w1 + b1)
    output = torch.sigmoid(hidden @ w2 + b2)
    loss = ((output - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w1, b1, w2, b2):
            p -= learning_rate * p.grad
            p.grad = None
    print(f"step {step}: loss {loss.item():.4f}")
