"""A second derivative is taken of a network with ReLU."""

# %% broken
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 10)[:, None].requires_grad_()
for step in range(3):
    u = net(t)
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_tt = torch.autograd.grad(u_t.sum(), t, create_graph=True)[0]
    loss = (u_tt + u).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% mended
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 10)[:, None].requires_grad_()
for step in range(3):
    u = net(t)
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_tt = torch.autograd.grad(u_t.sum(), t, create_graph=True)[0]
    loss = (u_tt + u).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
