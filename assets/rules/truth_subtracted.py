"""One minus a tensor of truth values is taken."""

# %% broken
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Linear(4, 2)
reward, after = torch.randn(8), torch.randn(8, 4)
done = torch.rand(8) > 0.7
goal = reward + 0.9 * q_net(after).max(1)[0].detach() * (1 - done)
F.mse_loss(q_net(torch.randn(8, 4))[:, 0], goal).backward()

# %% mended
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
q_net = nn.Linear(4, 2)
reward, after = torch.randn(8), torch.randn(8, 4)
done = torch.rand(8) > 0.7
goal = reward + 0.9 * q_net(after).max(1)[0].detach() * (~done)
F.mse_loss(q_net(torch.randn(8, 4))[:, 0], goal).backward()
