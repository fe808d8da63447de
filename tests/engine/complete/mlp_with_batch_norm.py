"""A network with batch norm and dropout, Adam, a schedule and clipping."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(42)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.bn = nn.BatchNorm1d(16)
        self.drop = nn.Dropout(0.2)
        self.fc2 = nn.Linear(16, 3)

    def forward(self, x):
        return self.fc2(self.drop(F.relu(self.bn(self.fc1(x)))))


m = MLP()
print(m)
print(sum(p.numel() for p in m.parameters()))
X = torch.randn(64, 4)
t = torch.randint(0, 3, (64,))
opt = torch.optim.Adam(m.parameters(), lr=1e-2, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
for e in range(12):
    m.train()
    out = m(X)
    loss = F.cross_entropy(out, t)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    g = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    opt.step()
    sched.step()
    print(f"{e} {loss.item():.4f} {g:.4f} {sched.get_last_lr()[0]}")
m.eval()
with torch.no_grad():
    print((m(X).argmax(1) == t).float().mean(), m.bn.running_mean[:4], m.bn.num_batches_tracked)
