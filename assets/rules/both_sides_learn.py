"""A siamese network without its stop-gradient: the samples come together in one point, and the loss is as good as it can be."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.1, momentum=0.9)
data = torch.randn(32, 6)
for step in range(60):
    z1, z2 = encoder(data + 0.1 * torch.randn_like(data)), encoder(data + 0.1 * torch.randn_like(data))
    p1, p2 = predictor(z1), predictor(z2)
    loss = -(F.cosine_similarity(p1, z2).mean() + F.cosine_similarity(p2, z1).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{F.normalize(encoder(data), dim=1).std(0).mean().item():.2g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
predictor = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.1, momentum=0.9)
data = torch.randn(32, 6)
for step in range(60):
    z1, z2 = encoder(data + 0.1 * torch.randn_like(data)), encoder(data + 0.1 * torch.randn_like(data))
    p1, p2 = predictor(z1), predictor(z2)
    loss = -(F.cosine_similarity(p1, z2.detach()).mean() + F.cosine_similarity(p2, z1.detach()).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"{F.normalize(encoder(data), dim=1).std(0).mean().item():.2g}")
