# Cutting the graph
# detach() and no_grad() stop gradients: only one of the three paths from x reaches the loss.
import torch

x = torch.tensor(3.0, requires_grad=True)

tracked = x * x
detached = (x * 10).detach()
with torch.no_grad():
    untracked = x + 100

loss = tracked + detached + untracked
loss.backward()

print(detached.requires_grad, untracked.requires_grad)
print(x.grad)  # 2x, as if the other two paths were constants
