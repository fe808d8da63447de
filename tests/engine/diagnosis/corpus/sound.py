"""Sound programs for test_why.py: every leaf that requires grad and has a name is in order."""
#: codes: of the reasons that may be given
#: cells?: how many it has, as a notebook

import numpy as np, torch, torch.nn.functional as F; from torch import nn; torch.manual_seed(0)

# %% one backward pass
#: codes: set paths
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * x).sum() + x
loss.backward()

# %% linear regression with SGD
#: codes: set paths
torch.manual_seed(1)
X = torch.randn(20, 3)
y = X @ torch.tensor([1.0, -2.0, 0.5]) + 0.3
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    opt.zero_grad()
    loss = F.mse_loss(model(X).squeeze(1), y)
    loss.backward()
    opt.step()
    print(loss.item())

# %% cleared at the end of each iteration
#: codes: cleared
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(4):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    opt.zero_grad()

# %% gradient descent by hand
#: codes: set paths
w = torch.randn(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
x, y = torch.randn(10, 3), torch.randn(10)
for i in range(5):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        if i < 4:
            w.grad.zero_()
            b.grad.zero_()

# %% gradient descent through data
#: codes: set paths
w = torch.tensor([5.0], requires_grad=True)
for i in range(3):
    if w.grad is not None:
        w.grad.data.zero_()
    loss = (w - 3) ** 2
    loss.backward()
    w.data -= 0.1 * w.grad.data

# %% accumulation on purpose
#: codes: accumulated
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 3), torch.randn(12, 1)
opt.zero_grad()
for k in range(4):
    part = slice(3 * k, 3 * k + 3)
    loss = F.mse_loss(model(x[part]), y[part]) / 4
    loss.backward()
opt.step()

# %% an LSTM
#: codes: set paths
lstm = nn.LSTM(3, 4, batch_first=True)
head = nn.Linear(4, 2)
opt = torch.optim.Adam([*lstm.parameters(), *head.parameters()], lr=0.01)
x, t = torch.randn(2, 5, 3), torch.tensor([0, 1])
for epoch in range(2):
    opt.zero_grad()
    out, (h, c) = lstm(x)
    loss = F.cross_entropy(head(out[:, -1]), t)
    loss.backward()
    opt.step()

# %% truncated backpropagation through time
#: codes: set paths
cell = nn.RNNCell(2, 3)
head = nn.Linear(3, 1)
opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
h = torch.zeros(1, 3)
for chunk in range(3):
    h = h.detach()
    loss = torch.zeros(())
    for t in range(2):
        h = cell(torch.randn(1, 2), h)
        loss = loss + head(h).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a GAN step
#: codes: set paths accumulated
G = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
D = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(), nn.Linear(4, 1))
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
for step in range(2):
    real, z = torch.randn(4, 2), torch.randn(4, 2)
    od.zero_grad()
    fake = G(z).detach()
    loss_d = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()
    loss_d.backward()
    od.step()
    og.zero_grad()
    loss_g = F.softplus(-D(G(z))).mean()
    loss_g.backward()
    og.step()

# %% clipping
#: codes: changed
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    (model(torch.ones(2, 3) * 100).pow(2).mean() + model.bias.sum()).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()

# %% a module of its own
#: codes: set paths
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 3)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x))) * self.scale

net = Net()
opt = torch.optim.AdamW(net.parameters())
x, t = torch.randn(6, 4), torch.randint(0, 3, (6,))
for epoch in range(3):
    opt.zero_grad()
    loss = F.cross_entropy(net(x), t)
    loss.backward()
    opt.step()
    with torch.no_grad():
        accuracy = (net(x).argmax(1) == t).float().mean().item()

# %% a convolutional network
#: codes: set paths
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x, t = torch.randn(4, 1, 6, 6), torch.tensor([0, 1, 2, 0])
for epoch in range(2):
    opt.zero_grad()
    F.cross_entropy(net(x), t).backward()
    opt.step()

# %% weights in a list
#: codes: set paths
params = [torch.randn(2, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True)]
opt = torch.optim.SGD(params, lr=0.1)
x = torch.randn(5, 2)
for i in range(3):
    opt.zero_grad()
    loss = (torch.tanh(x @ params[0]) @ params[1]).pow(2).mean()
    loss.backward()
    opt.step()

# %% fine-tuning with a frozen backbone
#: codes: set paths frozen
backbone, head = nn.Linear(3, 4), nn.Linear(4, 2)
for p in backbone.parameters():
    p.requires_grad = False
opt = torch.optim.SGD(head.parameters(), lr=0.1)
x, t = torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 0])
for i in range(2):
    opt.zero_grad()
    loss = F.cross_entropy(head(torch.tanh(backbone(x))), t)
    loss.backward()
    opt.step()

# %% a loss kept as a number
#: codes: set paths
w = torch.tensor([1.0, -1.0], requires_grad=True)
opt = torch.optim.RMSprop([w], lr=0.01)
history, total = [], 0.0
for i in range(3):
    opt.zero_grad()
    loss = (w - 2).pow(2).sum()
    loss.backward()
    opt.step()
    total += loss.item()
    history.append(float(loss.detach()))

# %% validation in between
#: codes: set paths
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for epoch in range(2):
    model.train()
    opt.zero_grad()
    loss = F.mse_loss(model(x[:6]), y[:6])
    loss.backward()
    opt.step()
    model.eval()
    with torch.inference_mode():
        val = F.mse_loss(model(x[6:]), y[6:]).item()

# %% double backward
#: codes: set paths accumulated
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
(dx,) = torch.autograd.grad(y, x, create_graph=True)
penalty = dx ** 2
penalty.backward()

# %% one embedding
#: codes: set paths
emb = nn.Embedding(5, 3)
out = nn.Linear(3, 5)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = F.cross_entropy(out(emb(torch.tensor([0, 1, 2]))), torch.tensor([1, 2, 3]))
    loss.backward()
    opt.step()

# %% an autoencoder with shared weights
#: codes: set paths
W = nn.Parameter(torch.randn(3, 2) * 0.5)
b = nn.Parameter(torch.zeros(3))
opt = torch.optim.Adam([W, b], lr=0.01)
x = torch.randn(6, 3)
for i in range(3):
    opt.zero_grad()
    code = torch.tanh(x @ W)
    loss = F.mse_loss(code @ W.T + b, x)
    loss.backward()
    opt.step()

# %% a learning rate schedule
#: codes: set paths
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1)
for epoch in range(3):
    opt.zero_grad()
    model(torch.ones(2, 2)).pow(2).sum().backward()
    opt.step()
    sched.step()

# %% a train function
#: codes: set paths
def make():
    return nn.Sequential(nn.Linear(2, 3), nn.Sigmoid(), nn.Linear(3, 1))

def train_step(model, opt, x, y):
    opt.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(x), y)
    loss.backward()
    opt.step()
    return loss.item()

net = make()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
losses = [train_step(net, optimizer, torch.randn(4, 2), torch.ones(4, 1)) for _ in range(3)]

# %% a notebook
#: codes: set paths
#: cells: 3
w = torch.tensor([1.0, 2.0], requires_grad=True)
# %%
loss = (w ** 2).sum()
loss.backward()
# %%
w.grad

# %% an exponential moving average
#: codes: set paths
model = nn.Linear(2, 1)
shadow = [p.detach().clone() for p in model.parameters()]
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    model(torch.randn(3, 2)).pow(2).mean().backward()
    opt.step()
    with torch.no_grad():
        for s, p in zip(shadow, model.parameters()):
            s.mul_(0.9).add_(p, alpha=0.1)
