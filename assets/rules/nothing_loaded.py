"""A checkpoint with prefixed names is loaded with strict=False."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
saved = {"module." + name: value for name, value in trained.state_dict().items()}
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
net.load_state_dict(saved, strict=False)
net.eval()
with torch.no_grad():
    print(net(torch.randn(3, 4)).argmax(1))

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
trained = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
saved = {"module." + name: value for name, value in trained.state_dict().items()}
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
net.load_state_dict({name.removeprefix("module."): value for name, value in saved.items()})
net.eval()
with torch.no_grad():
    print(net(torch.randn(3, 4)).argmax(1))
