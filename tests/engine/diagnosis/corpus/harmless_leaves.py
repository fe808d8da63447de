"""Sound programs for test_findings.py about how leaves are made, reached, updated and compared: nothing may be found in them."""

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a parameter of converted values
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.par = nn.Parameter(torch.rand(3).to(torch.float64) * 0.1)
        self.fc = nn.Linear(3, 1).double()
    def forward(self, x):
        return self.fc(x * self.par)
a = A()
opt = torch.optim.SGD(a.parameters(), lr=0.1)
loss = a(torch.rand(4, 3).double()).pow(2).mean()
loss.backward()
opt.step()
print(a.par.grad.shape)

# %% a result whose gradient is kept
x = torch.ones(3, requires_grad=True) * 2
x.retain_grad()
(x**2).sum().backward()
print(x.grad)

# %% an intermediate result made in one line
h = torch.tanh(torch.ones(3, requires_grad=True) * 2)
h.sum().backward()
print(h)

# %% empty memory that is filled
w = nn.Parameter(torch.empty(3, 2))
nn.init.kaiming_uniform_(w)
buffer = torch.empty(4, 2)
for i in range(4):
    buffer[i] = torch.randn(2)
loss = (buffer @ w.t()).sum()
loss.backward()

# %% memory of a size that is drawn into
w = torch.Tensor(2, 2).uniform_(-1, 1).requires_grad_()
v = torch.FloatTensor([1.0, 2.0])
shape = torch.zeros_like(torch.empty(2))
((w @ v) + shape).sum().backward()
print(w.grad)

# %% weights clipped through data after the step
net = nn.Linear(3, 1)
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for i in range(4):
    loss = net(torch.randn(8, 3)).mean() - net(torch.randn(8, 3) + 1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p in net.parameters():
        p.data.clamp_(-0.1, 0.1)

# %% weights updated through data
w = torch.ones(3, requires_grad=True)
for i in range(3):
    loss = (w**2).sum()
    loss.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
print(w)

# %% a gradient that is zero where it should be
w = torch.tensor([3.0], requires_grad=True)
loss = (w - 3).pow(2).sum()
loss.backward()
print(w.grad)

# %% a number that only scales what is printed
w = torch.tensor(2.0, requires_grad=True)
loss = w**2
print(loss.item() * 100)
loss.backward()
print(w.grad)

# %% a column against a row on purpose
x = torch.linspace(0, 1, 8)
centers = nn.Parameter(torch.linspace(0, 1, 8))
weights = nn.Parameter(torch.randn(8))
opt = torch.optim.Adam([centers, weights], lr=0.01)
for i in range(3):
    phi = torch.exp(-((x.unsqueeze(1) - centers) ** 2))
    loss = (phi @ weights - torch.sin(x)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the mean of differences of all pairs
real, fake = torch.randn(8), torch.randn(8, 2)
critic = nn.Linear(2, 1)
loss = (critic(fake) - real).mean()
loss.backward()

# %% an outer product that is meant
u = nn.Parameter(torch.randn(6))
v = torch.randn(6)
loss = (u[:, None] * v).pow(2).sum()
loss.backward()
print(u.grad.shape)

# %% weights of samples of one shape
x, y, weights = torch.randn(8, 3), torch.randn(8, 1), torch.rand(8, 1)
net = nn.Linear(3, 1)
loss = (weights * F.mse_loss(net(x), y, reduction="none")).mean()
loss.backward()

# %% data whose scale jumps
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-9)
for scale in (1.0, 10.0, 100.0, 1000.0, 10000.0):
    x = torch.ones(8, 3) * scale
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a bold first step that pays
w = torch.tensor([0.001], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.4)
for i in range(4):
    loss = (w - 5).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradients that are printed and cleared
w = torch.ones(3, requires_grad=True)
for i in range(3):
    (w**2).sum().backward()
    print(w.grad)
    w.grad.zero_()

# %% gradients that are timed and thrown away
w = torch.ones(3, requires_grad=True)
for i in range(3):
    (w**2).sum().backward()
    w.grad = None

# %% a module has an attribute of its own that is named like the flag
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, x):
        h = self.lin(x)
        return h if self.require_grads else h.detach()

gate = Gate()
gate.require_grads = True
gate(torch.randn(4, 3)).mean().backward()
print(gate.lin.weight.grad)

# %% a module is told the flag that its parameters have
lin = nn.Linear(3, 1)
for p in lin.parameters():
    p.requires_grad = False
lin.requires_grad = False
x = torch.randn(4, 3, requires_grad=True)
lin(x).mean().backward()
print(x.grad)
