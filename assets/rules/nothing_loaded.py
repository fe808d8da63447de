"""The checkpoint of a wrapped network, whose names begin with module., is loaded with strict=False."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)


class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)


trained = Wrapped(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)))
saved = trained.state_dict()
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
net.load_state_dict(saved, strict=False)
net.eval()
with torch.no_grad():
    print(net(torch.randn(3, 4)).argmax(1))

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)


class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)


trained = Wrapped(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)))
saved = trained.state_dict()
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
net.load_state_dict({name.removeprefix("module."): value for name, value in saved.items()})
net.eval()
with torch.no_grad():
    print(net(torch.randn(3, 4)).argmax(1))
