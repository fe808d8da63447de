"""Walking, initialising, hooking, saving and loading modules; LBFGS."""

import torch, torch.nn as nn

torch.manual_seed(6)
m = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
for name, p in m.named_parameters():
    print(name, p.shape, p.requires_grad)
for n, c in m.named_modules():
    print(n, type(c).__name__)
m.apply(lambda l: nn.init.xavier_uniform_(l.weight) if isinstance(l, nn.Linear) else None)
print(m[0].weight)
nn.init.kaiming_normal_(m[2].weight, nonlinearity="relu")
print(m[2].weight)
nn.init.orthogonal_(m[0].weight)
print(m[0].weight)
opt = torch.optim.LBFGS(m.parameters(), lr=0.5)
X = torch.randn(8, 2)
Y = X.sum(1, keepdim=True)


def closure():
    opt.zero_grad()
    l = ((m(X) - Y) ** 2).mean()
    l.backward()
    return l


for i in range(3):
    print(f"{opt.step(closure).item():.4f}")
h = m[0].register_forward_hook(lambda mod, i, o: print("hook", o.shape))
m(X)
h.remove()
sd = m.state_dict()
print(list(sd))
m2 = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
print(m2.load_state_dict(sd))
print(torch.equal(m2(X), m(X)))
try:
    nn.Linear(3, 2)(X)
except RuntimeError as e:
    print(e)
try:
    m2.load_state_dict({"0.weight": torch.zeros(3, 3)})
except RuntimeError as e:
    print(e)
