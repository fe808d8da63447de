"""A state that is carried on with its graph, which retain_graph=True keeps whole."""

# %% broken
import torch

torch.manual_seed(0)
w = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for step in range(5):
    h = torch.tanh(h @ w + 1)
    loss = h.sum()
    loss.backward(retain_graph=True)
print(w.grad)

# %% mended
import torch

torch.manual_seed(0)
w = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for step in range(5):
    h = torch.tanh(h.detach() @ w + 1)
    loss = h.sum()
    loss.backward()
print(w.grad)
