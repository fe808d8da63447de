# Training a network
# Modules, a loss and an optimizer: forward, zero_grad, backward, step, and round again.
import torch
from torch import nn

torch.manual_seed(0)
X = torch.rand(8, 2)
y = (X.sum(1, keepdim=True) > 1).float()

model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)

for step in range(3):
    loss = nn.functional.binary_cross_entropy_with_logits(model(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))
