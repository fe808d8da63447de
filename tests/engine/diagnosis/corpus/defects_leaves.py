"""Programs with a known defect in how leaves are made, reached, updated and compared, for test_findings.py; the line with
`# <-` is the one that the first rule's finding names.
"""
#: finds: the rules that find something
#: thread?: where people met it

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a parameter moved after it was made
#: finds: converted_leaf
#: thread: issue, pytorch/pytorch: Parameter not registering if .to(device) is used
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.par = nn.Parameter(torch.rand(3)).to(torch.float64)  # <-
        self.fc = nn.Linear(3, 1).double()
    def forward(self, x):
        return self.fc(x * self.par)
a = A()
opt = torch.optim.SGD(a.parameters(), lr=0.1)
loss = a(torch.rand(4, 3).double()).pow(2).mean()
loss.backward()
opt.step()

# %% a leaf that is scaled when it is made
#: finds: converted_leaf
#: thread: forum, Stack Overflow: Why is x.grad None after backward although requires_grad=True
x = torch.randn(3, requires_grad=True) * 10  # <-
loss = (x**2).sum()
loss.backward()
print(x.grad)

# %% a leaf that becomes double
#: finds: converted_leaf
#: thread: issue, mazzzystar/randomCNN-voice-transfer: can't optimize a non-leaf Tensor
w = torch.randn(3, 1, requires_grad=True).double()  # <-
x, y = torch.randn(8, 3).double(), torch.randn(8, 1).double()
loss = (x @ w - y).pow(2).mean()
loss.backward()
print(w.grad)

# %% an embedding of empty memory
#: finds: uninitialized
#: thread: issue, sauradip/STALE: Function 'DivBackward0' returned nan values in its 0th output
bg = nn.Parameter(torch.empty(1, 4))  # <-
x = torch.randn(3, 4)
loss = (x + bg).pow(2).mean()
loss.backward()

# %% weights made by FloatTensor
#: finds: uninitialized
#: thread: issue, LeiBAI/AGCRN: FloatTensor does not initialize tensor
class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights_pool = nn.Parameter(torch.FloatTensor(3, 2))  # <-
    def forward(self, x):
        return x @ self.weights_pool
pool = Pool()
loss = pool(torch.randn(4, 3)).sum()
loss.backward()

# %% data that is exchanged before backward
#: finds: changed_unseen
#: thread: forum, .data versus .detach(), wrong gradients without an error
w = torch.ones(3, requires_grad=True)
loss = (w**2).sum()
w.data = torch.full((3,), 5.0)  # <-
loss.backward()

# %% weights scaled through .data before backward
#: finds: changed_unseen
#: thread: forum, spectral normalisation by hand with weight.data
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    for p in net.parameters():
        p.data.mul_(0.5)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% an item on the way
#: finds: no_gradient
#: thread: forum, item() breaks the graph
w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
loss = v * (w * 2).item()  # <-
loss.backward()
print(w.grad)

# %% the exponential of math
#: finds: no_gradient
#: thread: forum, gradient is None, math.exp instead of torch.exp
w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
loss = v * math.exp(w.item())  # <-
loss.backward()
print(w.grad, v.grad)

# %% a tensor of tensors
#: finds: no_gradient
#: thread: forum, torch.tensor([a, b]) loses the gradient
w = torch.tensor(2.0, requires_grad=True)
v = torch.tensor(3.0, requires_grad=True)
h = torch.tensor([w * 2, v * 3], requires_grad=True)  # <-
h.sum().backward()
print(w.grad)

# %% a leaf as an index
#: finds: no_gradient
#: thread: forum, differentiable indexing with a float tensor
position = torch.tensor(1.0, requires_grad=True)
table = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = table[position.long()] ** 2  # <-
loss.backward()
print(position.grad)

# %% a threshold in between
#: finds: no_gradient
#: thread: forum, gradient through (x > 0).float()
w = torch.tensor([1.2, -2.7], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
loss = ((w > 0).float() * b).sum()  # <-
loss.backward()
print(w.grad)

# %% a leaf that is rounded
#: finds: zero_gradient_read
#: thread: forum, torch.round has zero gradient
w = torch.tensor([1.2, 2.7], requires_grad=True)
(torch.round(w) * 3).sum().backward()  # <-
print(w.grad)

# %% a sign in the loss, without an optimizer
#: finds: zero_gradient_read
#: thread: forum, torch.sign gradient is zero
w = torch.tensor([1.2, -2.7], requires_grad=True)
loss = (torch.sign(w) - 1).pow(2).sum()  # <-
loss.backward()
print(w.grad)

# %% a sigmoid of a hundred
#: finds: zero_gradient_read
#: thread: forum, vanishing gradient of sigmoid for large inputs
w = torch.tensor(100.0, requires_grad=True)
torch.sigmoid(w).backward()  # <-
print(w.grad)

# %% a binary cross entropy by hand whose shapes spread
#: finds: broadcast_in_loss
#: thread: issue, kornia/kornia: binary_focal_loss_with_logits is computed elementwise
x, y = torch.randn(8, 3), (torch.randn(8) > 0).float()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    p = torch.sigmoid(net(x))
    loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a cross entropy by where whose shapes spread
#: finds: broadcast_in_loss
#: thread: forum, loss does not go down, shapes [N, 1] and [N]
x, y = torch.randn(8, 3), (torch.randn(8) > 0).float()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    p = torch.sigmoid(net(x))
    loss = torch.where(y > 0.5, -torch.log(p), -torch.log(1 - p)).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% log-probabilities times advantages whose shapes spread
#: finds: broadcast_in_loss
#: thread: issue, pytorch/rl: Why is sample_log_prob of shape td.shape unlike the other keys
x, adv = torch.randn(8, 3), torch.randn(8)
a = torch.randint(0, 2, (8, 1))
net = nn.Linear(3, 2)
logp = F.log_softmax(net(x), 1).gather(1, a)
loss = -(logp * adv).mean()  # <-
loss.backward()

# %% a Huber loss by hand whose shapes spread
#: finds: broadcast_in_loss
#: thread: issue, pytorch/pytorch: Different loss value based on shape
x, y = torch.randn(8, 3), torch.randn(8)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(3):
    e = net(x) - y  # <-
    loss = torch.where(e.abs() < 1, 0.5 * e**2, e.abs() - 0.5).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% weights of samples whose shapes spread
#: finds: broadcast_in_loss
#: thread: forum, sample weights with reduction='none'
x, y, weights = torch.randn(8, 3), torch.randn(8, 1), torch.rand(8)
net = nn.Linear(3, 1)
loss = (weights * F.mse_loss(net(x), y, reduction="none")).mean()  # <-
loss.backward()

# %% the first step throws the weight out
#: finds: diverging
#: thread: forum, loss is nan after the first epoch, learning rate
w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([100.0, 200.0, 300.0])
y = 2 * x
opt = torch.optim.SGD([w], lr=0.1)  # <-
for i in range(2):
    opt.zero_grad()
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    opt.step()
    print(f"{loss.item():.3g}")

# %% a sum over many samples throws the weights out
#: finds: diverging
#: thread: forum, loss explodes with reduction='sum'
net = nn.Linear(20, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
x, y = torch.randn(500, 20), torch.randn(500, 1)
for i in range(3):
    loss = ((net(x) - y) ** 2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% gradients cleared before an update by hand
#: finds: cleared_before_step
#: thread: forum, weights do not change, zero_grad before the update
net = nn.Linear(3, 1)
for i in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    net.zero_grad()  # <-
    with torch.no_grad():
        for p in net.parameters():
            if p.grad is not None:
                p -= 0.1 * p.grad

# %% gradients zeroed before an update by hand
#: finds: cleared_before_step
#: thread: forum, gradient descent from scratch does not move
w = torch.ones(3, requires_grad=True)
for i in range(3):
    loss = (w**2).sum()
    loss.backward()
    w.grad.zero_()  # <-
    with torch.no_grad():
        w -= 0.1 * w.grad

# %% nothing happens in a loop of a function that fails
#: finds: grad_is_none
#: thread: issue, Eric-mingjie/network-slimming: BN weight not in model.parameters()
model = nn.Linear(2, 1)
def shrink():
    for p in model.parameters():
        p.grad.add_(1e-3 * torch.sign(p.data))  # <-
for i in range(2):
    shrink()
    model(torch.ones(3, 2)).mean().backward()
