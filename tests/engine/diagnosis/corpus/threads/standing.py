"""Losses that stand still although gradients flow, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the prediction stands outside of the loop
#: thread: forum, PyTorch forums: Loss does not change with retain_graph=True
#: cause: stale_forward
#: shows: len(set(losses)) == 1
lin = nn.Linear(2, 1)
optimizer = torch.optim.SGD(lin.parameters(), lr=0.05)
x = torch.randn(20, 2)
y = x.sum(1, keepdim=True)
prediction = lin(x)  # <- -
losses = []
for epoch in range(5):
    # + prediction = lin(x)
    loss = (prediction - y).abs().mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # -
    # + loss.backward()
    optimizer.step()
    losses.append(loss.item())

# %% by hand, with the loss ahead of the loop
#: thread: forum, Stack Overflow: gradient descent with autograd always gives the same gradient
#: cause: stale_forward
#: shows: len(set(grads)) == 1
a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
t = torch.linspace(0, 1, 11)
target = 3 * t - 1
loss = ((a * t + b - target) ** 2).sum()  # <- -
grads = []
for i in range(4):
    # + loss = ((a * t + b - target) ** 2).sum()
    loss.backward(retain_graph=True)  # -
    # + loss.backward()
    grads.append(round(b.grad.item(), 4))
    with torch.no_grad():
        a -= 0.01 * a.grad
        b -= 0.01 * b.grad
    a.grad, b.grad = None, None

# %% a ReLU behind the last layer of a regression
#: thread: issue, ProteomicsML/ProteomicsML: Do not use ReLU activation for the final regression layer
#: cause: unreachable_targets
#: shows: float(model(x).min()) >= 0
class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(3, 6, batch_first=True), nn.Linear(6, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return F.relu(self.fc(out[:, -1]))  # <- -
        # + return self.fc(out[:, -1])

model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(12, 5, 3), torch.linspace(-2, 1, 12)[:, None]
for epoch in range(4):
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()

# %% a sigmoid for prices
#: thread: forum, Stack Overflow: PyTorch regression always predicts values close to 1
#: cause: unreachable_targets
#: shows: float(net(x).max()) <= 1
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid())  # -
# + net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.Softplus())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(16, 4)
price = 20 + 5 * torch.rand(16, 1)
for i in range(10):
    loss = (net(x) - price).pow(2).mean()  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% each has its own permutation
#: thread: forum, Stack Overflow: shuffling X and y separately, network does not learn
#: cause: shuffled_apart
#: shows: float((X.sum(1, keepdim=True) - Y).abs().max()) > 1e-3
X = torch.randn(30, 2)
Y = X.sum(1, keepdim=True)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(4):
    # + order = torch.randperm(len(X)); X, Y = X[order], Y[order]
    X, Y = X[torch.randperm(len(X))], Y[torch.randperm(len(Y))]  # <- -
    for i in range(0, 30, 10):
        loss = F.mse_loss(net(X[i : i + 10]), Y[i : i + 10])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# %% batches of a classifier from two draws
#: thread: issue, LabeliaLabs/distributed-learning-contributivity: Fix the shuffling of labels
#: cause: shuffled_apart
#: shows: not torch.equal(images[ix, 0].long(), labels[iy])
labels = torch.arange(12) % 3
images = torch.cat([labels[:, None].float(), torch.randn(12, 3)], 1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    ix = torch.randperm(12)
    iy = torch.randperm(12)  # <- -
    # + iy = ix
    out = model(images[ix])
    loss = F.cross_entropy(out, labels[iy])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% weights in bfloat16 do not move
#: thread: issue, workofart/ml-by-hand: Create FP32 master copy of weights for mixed-precision training
#: cause: update_lost
#: shows: bool((model.weight == 1).all())
model = nn.Linear(4, 4, bias=False).half()  # -
# + model = nn.Linear(4, 4, bias=False)
with torch.no_grad(): model.weight.fill_(1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)  # <-
for i in range(5):
    optimizer.zero_grad()
    model(torch.ones(2, 4, dtype=model.weight.dtype)).sum().backward()
    optimizer.step()

# %% a learning rate with a wrong exponent
#: thread: forum, PyTorch forums: Parameters are not updated, the loss stays the same
#: cause: update_lost
#: shows: float((w.detach() - 2).abs().max()) == 0
w = torch.full((3,), 2.0, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=1e-9)  # <- -
# + optimizer = torch.optim.Adam([w], lr=1e-2)
for i in range(6):
    loss = (w * torch.tensor([1.0, -2.0, 3.0])).sum().pow(2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a gate of zeros in the way
#: thread: forum, PyTorch forums: gradients are exactly zero for all layers before the mask
#: cause: zero_gradient
#: shows: float(body.weight.grad.abs().sum()) == 0
body, head = nn.Linear(4, 6), nn.Linear(6, 1)
mask = torch.zeros(6)
# + mask = torch.ones(6)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for i in range(4):
    hidden = body(torch.randn(8, 4)) * mask  # <-
    loss = F.mse_loss(head(hidden), torch.randn(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% sixty sigmoids
#: thread: forum, PyTorch forums: grad is exactly zero in the first layers of a very deep network
#: cause: zero_gradient, vanishing_gradients
#: shows: float(net[0].weight.grad.abs().sum()) == 0
depth = 60
# + depth = 2
net = nn.Sequential(*[m for _ in range(depth) for m in (nn.Linear(4, 4), nn.Sigmoid())], nn.Linear(4, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for i in range(4):
    loss = F.mse_loss(net(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% trained as it was left by the validation
#: thread: forum, PyTorch forums: Why is the validation loss lower than the training loss?
#: cause: eval_in_training
#: shows: not model.training
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
train_loader = [(torch.randn(8, 5), torch.randint(0, 2, (8, 1)).float()) for _ in range(3)]
validation_loader = [(torch.randn(8, 5), torch.randint(0, 2, (8, 1)).float()) for _ in range(2)]
criterion = nn.BCEWithLogitsLoss()
model.train()
for e in range(3):
    # + model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        model.eval()  # <-
        val = sum(criterion(model(x), y).item() for x, y in validation_loader)
    # + model.train()

# %% eval() before fine-tuning, for good
#: thread: forum, PyTorch forums: model.eval() in the training loop gives bad results, batch norm
#: cause: eval_in_training
#: shows: float(net.bn.running_mean.abs().sum()) == 0
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bn, self.out = nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)

    def forward(self, x):
        return self.out(torch.relu(self.bn(self.fc(x))))

net = Net()
net.eval()  # <- -
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(4):
    optimizer.zero_grad()
    F.mse_loss(net(torch.randn(10, 3)), torch.randn(10, 1)).backward()
    optimizer.step()

# %% a dropout layer that is made for each call
#: thread: issue, yangze0930/NTS-Net: dropout in resnet.py
#: cause: dropout_always_on
#: shows: not torch.equal(first, second)
class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Linear(6, 12), nn.Linear(12, 2)
        # + self.drop = nn.Dropout(p=0.5)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = nn.Dropout(p=0.5)(x)  # <- -
        # + x = self.drop(x)
        return self.fc(x)

net = Features()
net.eval()
with torch.no_grad():
    x = torch.randn(4, 6)
    first, second = net(x), net(x)
