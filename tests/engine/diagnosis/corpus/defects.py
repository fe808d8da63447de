"""Programs with a known defect for test_findings.py; the line with `# <-` is the one that the first rule's finding names."""
#: finds: the rules that find something

import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a loop without zero_grad
#: finds: no_zero_grad
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()  # <-
    opt.step()

# %% a loop by hand without zero_grad
#: finds: no_zero_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    loss = (w**2).sum()
    loss.backward()  # <-
    with torch.no_grad():
        w -= 0.1 * w.grad

# %% an update through .data without zero_grad
#: finds: no_zero_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (w**2).sum().backward()  # <-
    w.data -= 0.1 * w.grad.data

# %% an update through .data in place
#: finds: no_zero_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (w**2).sum().backward()  # <-
    w.data.sub_(0.1 * w.grad)

# %% clipping does not clear
#: finds: no_zero_grad
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    loss = ((model(x) - y) ** 2).mean() * 100
    loss.backward()  # <-
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()

# %% only one of two optimizers is cleared
#: finds: no_zero_grad
a, b = nn.Linear(3, 3), nn.Linear(3, 1)
oa, ob = torch.optim.SGD(a.parameters(), lr=0.01), torch.optim.SGD(b.parameters(), lr=0.01)
x = torch.randn(8, 3)
for i in range(4):
    oa.zero_grad()
    b(torch.tanh(a(x))).pow(2).mean().backward()  # <-
    oa.step()
    ob.step()

# %% zero_grad once, before the loop
#: finds: no_zero_grad
model = nn.Linear(3, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
opt.zero_grad()
for i in range(4):
    loss = F.mse_loss(model(x), y)
    loss.backward()  # <-
    opt.step()

# %% zero_grad between backward and step
#: finds: cleared_before_step
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.zero_grad()  # <-
    opt.step()

# %% zeros between backward and step
#: finds: cleared_before_step
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.zero_grad(set_to_none=False)  # <-
    opt.step()

# %% step before backward
#: finds: step_before_backward
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    opt.step()  # <-
    loss.backward()

# %% step without backward
#: finds: step_without_backward
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    opt.step()  # <-

# %% the loss made anew with torch.tensor
#: finds: loss_recreated
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss = torch.tensor(loss.item(), requires_grad=True)  # <-
    loss.backward()
    opt.step()

# %% a detached prediction and requires_grad_ on the loss
#: finds: loss_recreated
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    prediction = model(x).detach()  # <-
    loss = F.mse_loss(prediction, y)
    loss.requires_grad_()
    loss.backward()
    opt.step()

# %% backward of a detached loss
#: finds: loss_not_connected
w = torch.ones(3, requires_grad=True)
hidden = (w * 2).detach()  # <-
loss = hidden.sum()
loss.backward()

# %% backward of a loss under no_grad
#: finds: loss_not_connected
w = torch.ones(3, requires_grad=True)
with torch.no_grad():  # <-
    hidden = w * 2
loss = hidden.sum()
loss.backward()

# %% argmax in the way
#: finds: loss_not_connected
scores = torch.randn(4, 3, requires_grad=True)
labels = torch.tensor([0.0, 1, 2, 0])
chosen = scores.argmax(1)  # <-
loss = ((chosen - labels) ** 2).mean()
loss.backward()

# %% a comparison in the way
#: finds: loss_not_connected
p = torch.rand(4, requires_grad=True)
right = (p > 0.5).float()  # <-
loss = 1 - right.mean()
loss.backward()

# %% numpy in the way
#: finds: loss_not_connected
w = torch.ones(3, requires_grad=True)
value = np.exp((w * 2).detach().numpy())  # <-
loss = torch.tensor(value.sum())
loss.backward()

# %% item in the way
#: finds: loss_not_connected
w = torch.ones(3, requires_grad=True)
loss = torch.tensor((w * 2).sum().item())  # <-
loss.backward()

# %% nothing requires grad
#: finds: loss_not_connected
w = torch.ones(3)
loss = (w * 2).sum()
loss.backward()  # <-

# %% a parameter that is not used
#: finds: unused_parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.extra = nn.Linear(3, 4)  # <-
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))

model = Net()
opt = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()

# %% a parameter that is detached
#: finds: detached_parameter
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    hidden = torch.tanh(first(x))
    F.mse_loss(last(hidden.detach()), y).backward()  # <-
    opt.step()

# %% a layer under no_grad
#: finds: detached_parameter
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    with torch.no_grad():  # <-
        hidden = torch.tanh(first(x))
    F.mse_loss(last(hidden), y).backward()
    opt.step()

# %% the model is made anew after the optimizer
#: finds: stale_optimizer
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
model = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    model.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()  # <-

# %% a weight is replaced after the optimizer
#: finds: stale_optimizer
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
w = torch.randn(3, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8)
for i in range(3):
    opt.zero_grad()
    ((x @ w + b - y) ** 2).mean().backward()
    opt.step()  # <-

# %% layers in a Python list
#: finds: unlisted_parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(2)]  # <-
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.last(x)

model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()

# %% the leaf is overwritten by its update
#: finds: leaf_overwritten
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w**2).sum()
    loss.backward()
    w = w - 0.1 * w.grad  # <-

# %% the leaf is overwritten under no_grad
#: finds: leaf_overwritten
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad  # <-

# %% the gradient of a scaled leaf
#: finds: grad_is_none, converted_leaf
w = torch.randn(3, requires_grad=True) * 0.1  # <-
loss = (w**2).sum()
loss.backward()
print(w.grad.norm())
with torch.no_grad():
    w -= 0.1 * w.grad

# %% the optimizer is given a scaled leaf
#: finds: non_leaf_in_optimizer
w = torch.randn(3, requires_grad=True) * 0.1
opt = torch.optim.SGD([w], lr=0.1)  # <-

# %% zero weights in a hidden layer
#: finds: symmetry
w1 = torch.full((2, 4), 0.5, requires_grad=True)  # <-
w2 = torch.full((4, 1), 0.5, requires_grad=True)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for i in range(3):
    loss = ((torch.tanh(x @ w1) @ w2 - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for w in (w1, w2):
            w -= 0.1 * w.grad
            w.grad = None

# %% constant initialisation of a module
#: finds: symmetry
model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.3)  # <-
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()

# %% a learning rate that is too large
#: finds: diverging
w = torch.tensor([1.0, -2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=1.5)  # <-
for i in range(8):
    opt.zero_grad()
    loss = (w**2).sum()
    loss.backward()
    opt.step()

# %% a learning rate by hand that is too large
#: finds: diverging
lr = 3.0  # <-
w = torch.tensor([1.0, -2.0], requires_grad=True)
for i in range(10):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        w.grad.zero_()

# %% the wrong sign
#: finds: diverging
w = torch.tensor([1.0, -2.0], requires_grad=True)
for i in range(8):
    loss = (w**2).sum()
    loss.backward()
    with torch.no_grad():
        w += 0.3 * w.grad  # <-
        w.grad.zero_()

# %% a divergence that ends in NaN
#: finds: diverging, inf
model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e4)  # <-
x = torch.arange(10.0).unsqueeze(1)
for i in range(30):
    opt.zero_grad()
    loss = F.mse_loss(model(x), 3 * x)
    loss.backward()
    opt.step()

# %% zero times log zero
#: finds: nan
p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
logs = torch.log(p)  # <-
entropy = -(p * logs).sum()
entropy.backward()

# %% the log of a negative number
#: finds: nan
x = torch.tensor([1.0, -1.0], requires_grad=True)
y = torch.log(x)  # <-
y.sum().backward()

# %% the square root at zero
#: finds: inf_gradient
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.sqrt(x)  # <-
y.sum().backward()

# %% the square root of a sum of squares at zero
#: finds: nan_gradient
a = torch.zeros(3, requires_grad=True)
b = torch.zeros(3)
distance = torch.sqrt(((a - b) ** 2).sum())  # <-
distance.backward()

# %% where with a NaN branch
#: finds: nan_gradient
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
safe = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # <-
safe.sum().backward()

# %% where with a division
#: finds: nan_gradient
x = torch.tensor([0.0, 2.0], requires_grad=True)
q = torch.sin(x) / x  # <-
y = torch.where(x == 0, torch.ones_like(x), q)
y.sum().backward()

# %% softmax by hand overflows
#: finds: nan
scores = torch.tensor([1000.0, 0.0], requires_grad=True)
e = torch.exp(scores)  # <-
p = e / e.sum()
loss = -torch.log(p[0])
loss.backward()

# %% zero by zero
#: finds: nan
a = torch.tensor([1.0, 0.0], requires_grad=True)
b = torch.tensor([2.0, 0.0])
ratio = a / b  # <-
ratio.sum().backward()

# %% a division by zero
#: finds: inf
a = torch.tensor([1.0, 3.0], requires_grad=True)
n = torch.tensor([2.0, 0.0])
loss = (a / n).sum()  # <-
loss.backward()

# %% infinity minus infinity
#: finds: nan
x = torch.tensor([200.0], requires_grad=True)
big = torch.exp(x)  # <-
y = big - big
y.backward()

# %% NaN in the data
#: finds: nan
x = torch.tensor([1.0, float("nan"), 2.0])  # <-
w = torch.tensor(1.0, requires_grad=True)
loss = ((w * x) ** 2).mean()
loss.backward()

# %% the standard deviation of one value
#: finds: nan
x = torch.tensor([3.0], requires_grad=True)
s = x.std()  # <-
s.backward()

# %% a fractional power at zero
#: finds: inf_gradient
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x**0.5  # <-
y.sum().backward()

# %% a fully masked row
#: finds: nan
scores = torch.randn(2, 3, requires_grad=True)
mask = torch.tensor([[True, True, True], [False, False, True]])
masked = scores.masked_fill(mask, float("-inf"))
p = masked.softmax(-1)  # <-
(p**2).sum().backward()

# %% deep sigmoids
#: finds: vanishing_gradients
layers = [nn.Linear(8, 8) for _ in range(12)]
x = torch.randn(16, 8)
for layer in layers:
    x = torch.sigmoid(layer(x))  # <-
x.pow(2).mean().backward()

# %% a plain recurrence
#: finds: vanishing_gradients
w = torch.randn(4, 4) * 0.05
w.requires_grad_()
h = torch.randn(1, 4)
for t in range(30):
    h = torch.tanh(h @ w)  # <-
h.sum().backward()

# %% deep and too large
#: finds: exploding_gradients
x = torch.randn(16, 16)
weights = [torch.randn(16, 16, requires_grad=True) for _ in range(10)]
for w in weights:
    x = torch.relu(x @ w)  # <-
x.sum().backward()

# %% a bias far below zero
#: finds: dead_relu
hidden, last = nn.Linear(3, 6), nn.Linear(6, 1)
nn.init.constant_(hidden.bias, -20.0)
opt = torch.optim.SGD([*hidden.parameters(), *last.parameters()], lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(last(torch.relu(hidden(x))), y).backward()  # <-
    opt.step()

# %% a saturated sigmoid
#: finds: saturated
w = (torch.randn(5, 4) * 100).requires_grad_()
x, y = torch.randn(16, 5), torch.rand(16, 4)
for i in range(2):
    out = torch.sigmoid(x @ w)  # <-
    loss = ((out - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None

# %% a saturated tanh
#: finds: saturated
first, last = nn.Linear(5, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*first.parameters(), *last.parameters()], lr=0.001)
x, y = torch.randn(16, 5) * 1000, torch.randn(16, 1)
for i in range(2):
    opt.zero_grad()
    hidden = torch.tanh(first(x))  # <-
    F.mse_loss(last(hidden), y).backward()
    opt.step()

# %% attention without scaling
#: finds: saturated
q = nn.Linear(64, 64)
k = nn.Linear(64, 64)
opt = torch.optim.SGD([*q.parameters(), *k.parameters()], lr=0.01)
x = torch.randn(8, 64) * 10
for i in range(2):
    opt.zero_grad()
    weights = F.softmax(q(x) @ k(x).T, dim=-1)  # <-
    (weights @ x).pow(2).mean().backward()
    opt.step()

# %% round in the loss
#: finds: zero_derivative
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 3) * 5, torch.randn(8, 1)
for i in range(2):
    opt.zero_grad()
    out = torch.round(model(x))  # <-
    F.mse_loss(out, y).backward()
    opt.step()

# %% a column against a row in mse_loss
#: finds: broadcast_in_loss
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8)
for i in range(2):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)  # <-
    loss.backward()
    opt.step()

# %% a column against a row by hand
#: finds: broadcast_in_loss
w = torch.zeros(3, 1, requires_grad=True)
x, y = torch.randn(8, 3), torch.randn(8)
prediction = x @ w
loss = ((prediction - y) ** 2).mean()  # <-
loss.backward()

# %% a saved result is changed
#: finds: in_place_on_saved
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.sigmoid(x)
z = y * 3
y += 1  # <-
(y + z).sum().backward()

# %% a weight is changed by the step before backward
#: finds: in_place_on_saved
w1 = torch.randn(2, 2, requires_grad=True)
w2 = torch.randn(2, 2, requires_grad=True)
opt = torch.optim.SGD([w1, w2], lr=0.1)
x = torch.randn(3, 2)
out = (x @ w1) @ w2
a, b = out.sum(), (out**2).sum()
a.backward(retain_graph=True)
opt.step()  # <-
b.backward()

# %% a saved tensor is written through a view
#: finds: in_place_on_saved
x = torch.ones(3, requires_grad=True)
h = x * 2
y = (h * h).sum()
h[0] = 0  # <-
y.backward()

# %% a leaf is written
#: finds: in_place_on_leaf
w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
loss.backward()
w -= 0.1 * w.grad  # <-

# %% a row of an unbound tensor is written
#: finds: in_place_on_view
x = torch.ones(2, 3, requires_grad=True)
rows = (x * 2).unbind(0)
first = rows[0]
first.mul_(3)  # <-

# %% backward twice
#: finds: freed_graph
x = torch.ones(3, requires_grad=True)
loss = (x * x).sum()
loss.backward()
loss.backward()  # <-

# %% a hidden state that is not detached
#: finds: spans_iterations
cell = nn.RNNCell(2, 3)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for i in range(3):
    h = cell(torch.randn(1, 2), h)
    loss = h.pow(2).sum()
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()

# %% features computed before the loop
#: finds: computed_before_loop
first, last = nn.Linear(3, 4), nn.Linear(4, 1)
opt = torch.optim.SGD(last.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
features = torch.tanh(first(x))
for i in range(3):
    opt.zero_grad()
    F.mse_loss(last(features), y).backward()  # <-
    opt.step()

# %% retain_graph in a loop
#: finds: needless_retain
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward(retain_graph=True)  # <-
    opt.step()

# %% retain_graph hides a state that is carried over
#: finds: growing_graph
w = torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for i in range(5):
    h = torch.tanh(h @ w + torch.ones(1, 3))
    loss = h.sum()
    loss.backward(retain_graph=True)  # <-
print(w.grad)

# %% a total of losses
#: finds: kept_graphs
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
total = 0
for i in range(4):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total += loss  # <-
print(total / 4)

# %% a list of losses
#: finds: kept_graphs
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(8, 3), torch.randn(8, 1)
losses = []
for i in range(4):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    losses.append(loss)  # <-

# %% softmax before cross_entropy
#: finds: softmax_twice
model = nn.Linear(3, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, labels = torch.randn(8, 3), torch.randint(0, 4, (8,))
for i in range(2):
    opt.zero_grad()
    p = torch.softmax(model(x), dim=1)
    loss = F.cross_entropy(p, labels)  # <-
    loss.backward()
    opt.step()

# %% a Softmax layer before CrossEntropyLoss
#: finds: softmax_twice
model = nn.Sequential(nn.Linear(3, 4), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()
x, labels = torch.randn(8, 3), torch.randint(0, 4, (8,))
loss = criterion(model(x), labels)  # <-
loss.backward()

# %% probabilities for nll_loss
#: finds: nll_loss_of_probabilities
model = nn.Linear(3, 4)
x, labels = torch.randn(8, 3), torch.randint(0, 4, (8,))
loss = F.nll_loss(F.softmax(model(x), dim=1), labels)  # <-
loss.backward()

# %% scores for nll_loss
#: finds: nll_loss_of_scores
model = nn.Linear(3, 4)
x, labels = torch.randn(8, 3), torch.randint(0, 4, (8,))
loss = F.nll_loss(model(x), labels)  # <-
loss.backward()

# %% probabilities for kl_div
#: finds: kl_div_of_probabilities
student = nn.Linear(3, 4)
goal = torch.softmax(torch.randn(8, 4), dim=1)
loss = F.kl_div(torch.softmax(student(torch.randn(8, 3)), dim=1), goal, reduction="batchmean")  # <-
loss.backward()

# %% sigmoid twice
#: finds: sigmoid_twice
model = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())
x, labels = torch.randn(8, 3), torch.ones(8, 1)
loss = F.binary_cross_entropy_with_logits(model(x), labels)  # <-
loss.backward()

# %% scores for binary_cross_entropy
#: finds: bce_of_logits
x = torch.tensor([2.0, -1.0], requires_grad=True)
loss = F.binary_cross_entropy(x, torch.ones(2))  # <-
loss.backward()

# %% backward of a vector
#: finds: backward_on_vector
x = torch.ones(3, requires_grad=True)
loss = x * 2
loss.backward()  # <-

# %% integers require grad
#: finds: integer_requires_grad
x = torch.tensor([1, 2, 3], requires_grad=True)  # <-

# %% the gradient of something else
#: finds: unused_input
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
loss = (x * 3).sum()
torch.autograd.grad(loss, y)  # <-

# %% a result thrown away
#: finds: unused_result
x = torch.tensor([1.0, -2.0], requires_grad=True)
y = x * 3
torch.relu(y)  # <-
y.sum().backward()

# %% a result that is forgotten
#: finds: unused_result
x = torch.tensor([1.0, -2.0], requires_grad=True)
scaled = x * 10  # <-
loss = (x**2).sum()
loss.backward()

# %% trainer class
#: finds: no_zero_grad
class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.01)
    def train(self, n):
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        for i in range(n):
            loss = F.mse_loss(self.model(x), y)
            loss.backward()  # <-
            self.opt.step()
Trainer().train(5)

# %% while loop
#: finds: no_zero_grad
w = torch.tensor(5.0, requires_grad=True)
i = 0
while i < 5:
    l = (w - 1) ** 2
    l.backward()  # <-
    with torch.no_grad():
        w.sub_(w.grad * 0.1)
    i += 1

# %% only two steps
#: finds: no_zero_grad
w = torch.tensor(5.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
((w - 1) ** 2).backward()
opt.step()
((w - 1) ** 2).backward()  # <-
opt.step()

# %% dataloader loop
#: finds: no_zero_grad
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(12, 3), torch.randn(12, 1))
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
for epoch in range(2):
    for xb, yb in DataLoader(ds, batch_size=4):
        out = net(xb)
        loss = F.mse_loss(out, yb)
        loss.backward()  # <-
        opt.step()

# %% vanishing in Sequential
#: finds: vanishing_gradients
mods = []
for _ in range(10):
    mods += [nn.Linear(10, 10), nn.Sigmoid()]
net = nn.Sequential(*mods, nn.Linear(10, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 10), torch.randn(16, 1)
for i in range(3):
    opt.zero_grad()
    loss = F.mse_loss(net(x), y)  # <-
    loss.backward()
    opt.step()

# %% vanishing, product chain
#: finds: vanishing_gradients
x = torch.tensor(1.0, requires_grad=True)
y = x
for i in range(40):
    y = torch.sigmoid(y * 0.5)  # <-
y.backward()

# %% exploding rnn
#: finds: exploding_gradients
w = (torch.eye(4) * 3).requires_grad_()
h = torch.randn(1, 4)
for t in range(25):
    h = h @ w  # <-
h.sum().backward()

# %% exploding init
#: finds: exploding_gradients
net = nn.Sequential(*[nn.Linear(20, 20, bias=False) for _ in range(8)])
for p in net.parameters():
    nn.init.normal_(p, std=2.0)
x = torch.randn(4, 20)
net(x).pow(2).mean().backward()  # <-

# %% dead relu by lr
#: finds: dead_relu
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=5.0)
x = torch.rand(16, 2)
y = x.sum(1, keepdim=True) - 20
for i in range(8):
    opt.zero_grad()
    loss = (net(x) - y).abs().mean()  # <-
    loss.backward()
    opt.step()

# %% inplace relu_
#: finds: in_place_on_saved
x = torch.randn(4, requires_grad=True)
y = torch.tanh(x)
y.relu_()  # <-
y.sum().backward()

# %% inplace mask
#: finds: in_place_on_saved
x = torch.randn(4, requires_grad=True)
h = x.exp()
loss = (h * 2).sum()
h[h > 1] = 0  # <-
loss.backward()

# %% gan inplace
#: finds: in_place_on_saved
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
og, od = torch.optim.SGD(G.parameters(), lr=.1), torch.optim.SGD(D.parameters(), lr=.1)
fake = G(torch.randn(8, 2))
score = D(fake)
ld = score.mean()
lg = -score.mean()
ld.backward(retain_graph=True)
od.step()  # <-
lg.backward()
og.step()

# %% bce weird shape
#: finds: broadcast_in_loss
net = nn.Linear(3, 1)
x, y = torch.randn(6, 3), torch.randn(6)
crit = nn.MSELoss()
loss = crit(net(x), y)  # <-
loss.backward()

# %% l1 by hand
#: finds: broadcast_in_loss
net = nn.Linear(3, 1)
x, y = torch.randn(6, 3), torch.randn(6)
pred = net(x)
diff = y - pred  # <-
loss = diff.abs().mean()
loss.backward()

# %% hidden not detached in lstm
#: finds: spans_iterations
rnn = nn.LSTM(2, 3)
state = None
for i in range(3):
    out, state = rnn(torch.randn(4, 1, 2), state)
    loss = out.sum()
    loss.backward()  # <-

# %% running mean
#: finds: kept_graphs
w = torch.randn(3, requires_grad=True)
avg = 0.0
for i in range(5):
    loss = (w * torch.randn(3)).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad.zero_()
    avg = 0.9 * avg + 0.1 * loss  # <-
print(avg)

# %% epoch_loss in function
#: finds: kept_graphs
def train(model, opt, x, y):
    epoch_loss = 0
    for i in range(4):
        opt.zero_grad()
        loss = F.mse_loss(model(x[i]), y[i])
        loss.backward()
        opt.step()
        epoch_loss += loss  # <-
    return epoch_loss / 4
m = nn.Linear(3, 1)
print(train(m, torch.optim.SGD(m.parameters(), lr=0.1), torch.randn(4, 3), torch.randn(4, 1)))

# %% log softmax by hand
#: finds: inf
logits = torch.tensor([[0.0, 200.0]], requires_grad=True)
p = torch.softmax(logits, 1)
loss = -(torch.tensor([[1.0, 0.0]]) * torch.log(p)).sum()  # <-
loss.backward()

# %% nan normalise zero vector
#: finds: nan
x = torch.zeros(3, requires_grad=True)
u = x / x.norm()  # <-
u.sum().backward()

# %% acos at one
#: finds: inf_gradient
x = torch.tensor([1.0, 0.5], requires_grad=True)
a = torch.acos(x)  # <-
a.sum().backward()

# %% nan cross_entropy all ignored
#: finds: nan
logits = torch.randn(3, 4, requires_grad=True)
loss = F.cross_entropy(logits, torch.full((3,), -100))  # <-
loss.backward()

# %% exp overflow in loss
#: finds: inf
w = torch.tensor([100.0], requires_grad=True)
loss = torch.exp(w).sum()  # <-
loss.backward()

# %% nan no backward
#: finds: nan
x = torch.tensor([-1.0, 4.0], requires_grad=True)
y = x.sqrt()  # <-
print(y)

# %% pow negative
#: finds: nan
x = torch.tensor([-2.0, 4.0], requires_grad=True)
y = (x ** 1.5).sum()  # <-
y.backward()

# %% nan in training
#: finds: nan
w = torch.tensor([0.1], requires_grad=True)
opt = torch.optim.SGD([w], lr=1.0)
for i in range(12):
    opt.zero_grad()
    loss = torch.log(w).sum()  # <-
    loss.backward()
    opt.step()

# %% unused requires grad leaf used in item
#: finds: loss_not_connected
w = torch.randn(3, requires_grad=True)
pred = [float(v) for v in w]  # <-
loss = torch.tensor(pred).pow(2).sum()
loss.backward()

# %% tensor of tensors
#: finds: loss_not_connected
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
v = torch.tensor([a * 2, b * 3])  # <-
v.sum().backward()

# %% int conversion
#: finds: loss_not_connected
w = torch.tensor([1.5, 2.5], requires_grad=True)
k = w.long()  # <-
loss = k.sum().float()
loss.backward()

# %% requires_grad false model
#: finds: loss_not_connected
model = nn.Linear(2, 1)
for p in model.parameters():
    p.requires_grad = False  # <-
loss = model(torch.randn(4, 2)).pow(2).mean()
loss.backward()

# %% data attribute
#: finds: loss_not_connected
w = torch.tensor([1.5, 2.5], requires_grad=True)
loss = (w * 2).data.sum()  # <-
loss.backward()

# %% step before backward and a changed weight
#: finds: in_place_on_saved, step_before_backward
w = torch.tensor([1.5, 2.5], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(4):
    loss = (w ** 2).sum()
    opt.step()  # <-
    opt.zero_grad()
    loss.backward()

# %% model.zero_grad between
#: finds: cleared_before_step
net = nn.Linear(2, 1)
opt = torch.optim.Adam(net.parameters())
for i in range(3):
    loss = net(torch.randn(4, 2)).pow(2).mean()
    loss.backward()
    net.zero_grad()  # <-
    opt.step()

# %% symmetric ones
#: finds: symmetry
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 5)
        self.b = nn.Linear(5, 2)
        nn.init.ones_(self.a.weight)  # <-
        nn.init.zeros_(self.a.bias)
        nn.init.ones_(self.b.weight)
    def forward(self, x):
        return self.b(torch.relu(self.a(x)))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x, t = torch.randn(8, 3), torch.randint(0, 2, (8,))
for i in range(3):
    opt.zero_grad()
    F.cross_entropy(net(x), t).backward()
    opt.step()

# %% all zeros net
#: finds: symmetry
w1 = torch.zeros(2, 4, requires_grad=True)  # <-
b1 = torch.zeros(4, requires_grad=True)
w2 = torch.zeros(4, 1, requires_grad=True)
opt = torch.optim.SGD([w1, b1, w2], lr=0.1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for i in range(3):
    h = torch.sigmoid(x @ w1 + b1)
    loss = F.mse_loss(h @ w2, y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% cross entropy of sigmoid
#: finds: softmax_twice
net = nn.Linear(3, 4)
loss = F.cross_entropy(torch.sigmoid(net(torch.randn(5, 3))), torch.randint(0, 4, (5,)))  # <-
loss.backward()

# %% softmax module in forward
#: finds: softmax_twice
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
    def forward(self, x):
        return F.softmax(self.fc(x), dim=-1)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = nn.CrossEntropyLoss()(net(torch.randn(5, 3)), torch.randint(0, 4, (5,)))  # <-
    loss.backward()
    opt.step()

# %% lr diverge module
#: finds: diverging
net = nn.Linear(1, 1)
x = torch.linspace(0, 10, 20).unsqueeze(1)
y = 2 * x + 1
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
for epoch in range(15):
    optimizer.zero_grad()
    loss = nn.MSELoss()(net(x), y)
    loss.backward()
    optimizer.step()

# %% positional lr
#: finds: diverging
w = torch.tensor([3.0], requires_grad=True)
opt = torch.optim.SGD([w], 2.0)
for i in range(6):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()  # <-

# %% saturated softmax classifier
#: finds: saturated
net = nn.Linear(4, 6)
with torch.no_grad():
    net.weight.mul_(500)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.rand(10, 6)
for i in range(4):
    opt.zero_grad()
    p = net(x).sigmoid()  # <-
    ((p - y) ** 2).mean().backward()
    opt.step()

# %% stale after to
#: finds: stale_optimizer
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net.weight = nn.Parameter(torch.zeros(1, 2))
net.bias = nn.Parameter(torch.zeros(1))
for i in range(3):
    opt.zero_grad()
    F.mse_loss(net(torch.randn(4, 2)), torch.randn(4, 1)).backward()
    opt.step()  # <-

# %% reinit layer
#: finds: stale_optimizer
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net[2] = nn.Linear(4, 1)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(net(torch.randn(4, 2)), torch.randn(4, 1)).backward()
    opt.step()  # <-

# %% view inplace of leaf
#: finds: in_place_on_leaf
w = torch.zeros(3, requires_grad=True)
w[0] = 1.0  # <-

# %% grad none no backward
#: finds: grad_is_none
w = torch.zeros(3, requires_grad=True)
loss = (w - 1).pow(2).sum()
print(w.grad.sum())  # <-

# %% grad none because detach
#: finds: grad_is_none
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = w.detach() * v  # <-
h.sum().backward()
w.data -= 0.1 * w.grad

# %% retain graph needless single branch
#: finds: needless_retain
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = (w ** 2).sum()
    loss.backward(retain_graph=True)  # <-
    opt.step()

# %% loss Variable
#: finds: loss_recreated
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    loss = F.mse_loss(net(torch.randn(4, 2)), torch.randn(4, 1))
    loss = torch.tensor(float(loss), requires_grad=True)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% unused detach
#: finds: detached_parameter
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(3, 4)
        self.dec = nn.Linear(4, 1)
    def forward(self, x):
        z = torch.relu(self.enc(x))
        z = z.detach()  # <-
        return self.dec(z)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()

# %% item on scale
#: finds: detached_parameter
w = torch.ones(3, requires_grad=True)
s = torch.tensor(2.0, requires_grad=True)
opt = torch.optim.SGD([w, s], lr=0.1)
for i in range(3):
    opt.zero_grad()
    loss = (w * s.item()).pow(2).sum()  # <-
    loss.backward()
    opt.step()

# %% partial numpy
#: finds: unused_parameter
scale = nn.Parameter(torch.ones(1))  # <-
net = nn.Linear(3, 1)
opt = torch.optim.SGD([*net.parameters(), scale], lr=0.1)
for i in range(3):
    opt.zero_grad()
    net(torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()

# %% sign in loss
#: finds: zero_derivative
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(2):
    opt.zero_grad()
    loss = torch.sign(w).pow(2).sum()  # <-
    loss.backward()
    opt.step()

# %% retry
#: finds: freed_graph
w = torch.randn(3, requires_grad=True)
y = (w ** 2).sum()
z = y * 3
y.backward()
z.backward()  # <-

# %% bare method
#: finds: unused_result
w = torch.randn(3, requires_grad=True)
y = w * 2
y.clamp(0, 1)  # <-
y.sum().backward()

# %% a generator whose images are detached
#: finds: detached_parameter
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    fake = G(torch.randn(8, 2)).detach()  # <-
    od.zero_grad()
    F.softplus(D(fake)).mean().backward()
    od.step()
    og.zero_grad()
    F.softplus(-D(fake)).mean().backward()
    og.step()

# %% a parameter whose detached values are only printed
#: finds: unused_parameter
w = torch.ones(2, requires_grad=True)  # <-
v = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w, v], lr=0.1)
log = w.detach()
print(log.sum().item())
(v * 2).sum().backward()
opt.step()

# %% parameters of which only a norm is printed
#: finds: unused_parameter
net, head = nn.Linear(2, 2), nn.Linear(2, 1)  # <-
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
x = torch.ones(4, 2)
for k in range(2):
    opt.zero_grad()
    print(net(x).norm().item())
    head(x).mean().backward()
    opt.step()

# %% numbers in the text that come from no tensor
#: finds: loss_not_connected
w = torch.tensor(2.0)
loss = torch.tensor([float("1"), 2.0]).sum() * w
loss.backward()  # <-

# %% a flag on the modules that a loop goes through
#: finds: flag_unread
backbone, head = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 4)), nn.Linear(4, 1)
for child in backbone.children():
    child.requires_grad = False  # <-
opt = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(head(backbone(x).tanh()), y).backward()
    opt.step()

# %% sample() in a variational model
#: finds: sample_without_path
encoder, decoder = nn.Linear(3, 4), nn.Linear(2, 3)
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
x = torch.randn(16, 3)
for i in range(3):
    mean, spread = encoder(x).chunk(2, dim=1)
    q = torch.distributions.Normal(mean, spread.exp())
    z = q.sample()  # <-
    kl = torch.distributions.kl_divergence(q, torch.distributions.Normal(0.0, 1.0)).sum(1).mean()
    loss = F.mse_loss(decoder(z), x) + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% kl_div of logarithms as the target
#: finds: nan
teacher, student = nn.Linear(3, 4), nn.Linear(3, 4)
opt = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(16, 3)
for i in range(3):
    with torch.no_grad():
        wanted = F.log_softmax(teacher(x), dim=1)
    loss = F.kl_div(F.log_softmax(student(x), dim=1), wanted, reduction="batchmean")  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% LBFGS with a closure that clears nothing
#: finds: no_zero_grad
model = nn.Linear(3, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
x, y = torch.randn(16, 3), torch.randn(16, 1)

def closure():
    loss = F.mse_loss(model(x), y)
    loss.backward()  # <-
    return loss

for i in range(3):
    opt.zero_grad()
    opt.step(closure)

# %% samples of a generator made under no_grad, and used for its own loss
#: finds: detached_parameter
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
opt_g, opt_d = torch.optim.Adam(G.parameters(), lr=0.01), torch.optim.Adam(D.parameters(), lr=0.01)
for i in range(4):
    with torch.no_grad():  # <-
        fake = G(torch.randn(8, 2))
    d_loss = F.softplus(-D(torch.randn(8, 3))).mean() + F.softplus(D(fake)).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = F.softplus(-D(fake)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

# %% a key padding mask that is turned around
#: finds: mask_inverted
tokens = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 0, 0, 0]])
embed, attend = nn.Embedding(10, 8, padding_idx=0), nn.MultiheadAttention(8, 2, batch_first=True)
h = embed(tokens)
mask = tokens != 0
mixed, _ = attend(h, h, h, key_padding_mask=mask)  # <-
mixed.pow(2).sum().backward()

# %% scores that are filled where tokens are, and no embedding knows of a padding
#: finds: mask_inverted
tokens = torch.tensor([[3, 4, 5, 1, 1], [6, 7, 1, 1, 1]])
embed, q = nn.Embedding(10, 8), nn.Linear(8, 8)
h = embed(tokens)
scores = q(h) @ h.transpose(1, 2)
keep = tokens == 1
scores = scores.masked_fill(~keep[:, None, :], -1e9)  # <-
(scores.softmax(-1) @ h).pow(2).sum().backward()

# %% probabilities before the update that keep their graph
#: finds: gradient_cancels
policy, x, a = nn.Linear(4, 3), torch.randn(16, 4), torch.randint(0, 3, (16,))
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
gain = torch.randn(16)
for step in range(4):
    old = F.log_softmax(policy(x), 1)[torch.arange(16), a]
    new = F.log_softmax(policy(x), 1)[torch.arange(16), a]
    loss = -((new - old).exp() * gain).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% probabilities before the update that are computed second, and are not those that were kept
#: finds: gradient_cancels
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
for it in range(3):
    x = torch.randn(16, 4)
    with torch.no_grad():
        dist = torch.distributions.Categorical(logits=policy(x))
        a = dist.sample()
        logp = dist.log_prob(a)
    gain = (a == x[:, :3].argmax(1)).float() - 0.4
    for epoch in range(2):
        new_logp = torch.distributions.Categorical(logits=policy(x)).log_prob(a)
        old_logp = torch.distributions.Categorical(logits=policy(x)).log_prob(a)
        ratio = torch.exp(new_logp - old_logp)  # <-
        loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()

# %% a teacher that is the network which goes on learning
#: finds: target_is_network
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(3):
    x = torch.randn(8, 6)
    opt.zero_grad()
    F.cross_entropy(net(x), x[:, :4].argmax(1)).backward()
    opt.step()
teacher = net  # <-
for step in range(4):
    x = torch.randn(8, 6)
    with torch.no_grad():
        t = teacher(x)
    loss = F.mse_loss(net(x + 0.1 * torch.randn(8, 6)), t)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% adapted weights that the loss of a meta-learner is computed without
#: finds: unused_adaptation
net = nn.Linear(3, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    inner = F.mse_loss(F.linear(x, net.weight, net.bias), y)
    grads = torch.autograd.grad(inner, [net.weight, net.bias], create_graph=True)
    fast = [w - 0.1 * g for w, g in zip([net.weight, net.bias], grads)]  # <-
    loss = F.mse_loss(net(x + 1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% weights adapted by a name of its own, and a prediction with them that no loss is made of
#: finds: unused_adaptation
w = torch.randn(3, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=1e-2)
for step in range(4):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    (g,) = torch.autograd.grad(F.mse_loss(x @ w, y), w, create_graph=True)
    quick = w - 0.1 * g
    pred = (x + 1) @ quick  # <-
    loss = F.mse_loss((x + 1) @ w, y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% Adam with a sparse gradient
#: finds: sparse_gradient
embed = nn.Embedding(5, 2, sparse=True)
opt = torch.optim.AdamW(embed.parameters())
embed(torch.tensor([1, 3])).sum().backward()
opt.step()  # <-

# %% a contractive penalty whose Jacobian has no graph
#: finds: penalty_without_graph
from torch.autograd.functional import jacobian
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh())
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(5, 3), torch.rand(5, 4)
for step in range(3):
    slope = jacobian(lambda v: net(v).sum(0), x)  # <-
    loss = F.mse_loss(net(x), y) + 0.1 * slope.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% both factors of a low-rank update begin as zero
#: finds: zero_product
class LoRA(nn.Module):
    def __init__(self, base, rank):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.zeros(rank, base.in_features))  # <-
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.down), self.up)

net = nn.Sequential(LoRA(nn.Linear(6, 5), 2), nn.ReLU(), LoRA(nn.Linear(5, 3), 2))
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.1)
x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))
for step in range(4):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a parameter of a parameter's numbers
#: finds: memory_twice
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = nn.Parameter(self.emb.weight.data)  # <-

    def forward(self, i):
        return self.head(self.emb(i))

model = Tied()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for step in range(4):
    loss = F.cross_entropy(model(torch.arange(4)), torch.arange(1, 5))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a plateau of F1, looked for downwards
#: finds: plateau_mode
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, "min", patience=0)  # <-
x, y = torch.randn(20, 4), torch.randint(0, 2, (20,))
def score():
    said = model(x).argmax(1)
    hit = ((said == 1) & (y == 1)).sum().item()
    return 2 * hit / max(((said == 1).sum() + (y == 1).sum()).item(), 1)
for epoch in range(6):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    metrics = {"f1": score(), "loss": loss.item()}
    sched.step(metrics["f1"])

# %% the number of a loss, taken as before PyTorch 0.4
#: finds: number_indexed
model = nn.Linear(3, 1)
total = 0.0
for step in range(2):
    loss = F.mse_loss(model(torch.ones(4, 3)), torch.zeros(4, 1))
    total += loss.data[0]  # <-

# %% a weight is given the memory of another one
#: finds: memory_twice
a, b = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
b.weight.data = a.weight.data  # <-
opt = torch.optim.SGD([a.weight, b.weight], lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 4)
for step in range(4):
    loss = F.mse_loss(b(torch.tanh(a(x))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% the old log-probability of a clipped ratio is the new one
#: finds: ratio_is_one
from torch.distributions import Categorical
policy = nn.Linear(3, 4)
opt = torch.optim.SGD(policy.parameters(), lr=0.5)
obs = torch.randn(16, 3)
with torch.no_grad():
    action = Categorical(logits=policy(obs)).sample()
    kept = Categorical(logits=policy(obs)).log_prob(action)
gain = torch.randn(16)
for epoch in range(4):
    new = Categorical(logits=policy(obs)).log_prob(action)
    ratio = torch.exp(new - new.detach())  # <-
    loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())

# %% two views that are only made alike
#: finds: both_sides_learn
encoder, predictor = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Linear(4, 4)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.01)
data = torch.randn(16, 6)
for step in range(5):
    first, second = encoder(data + 0.1 * torch.randn(16, 6)), encoder(data + 0.1 * torch.randn(16, 6))
    loss = -F.cosine_similarity(predictor(first), second).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
