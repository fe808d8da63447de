"""Questions that people ask, after threads of forums and issue trackers, for test_asked.py; the line with `# <-` is the one that
the answer names."""
#: asks: what is asked: a tensor by any of its names, a module, the loss, a line, or why something does not move
#: after: what kind of source it is after
#: code: of the reason
#: says*: a part of the answer's text
#: never*: what is in no part of it
#: grad?: what PyTorch's .grad of the tensor is: None, nan, inf, zero, or a number at its first entry
#: wrong?: "no" where the answer is a fact with nothing to mend

import math, numpy as np, torch, torch.nn.functional as F; from torch import nn; torch.manual_seed(0)

# %% a head that is replaced after the optimizer was made
#: asks: net.fc.weight
#: after: a forum thread on transfer learning
#: code: set
#: says: backward pass 1
#: never: not used
#: grad: 0.5
#: wrong: no
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

net = Net()
net.fc = nn.Linear(4, 2)
loss = net(torch.ones(1, 4)).mean()
loss.backward()  # <-

# %% the head that was replaced, asked by the name it had
#: asks: old.weight
#: after: a forum thread on transfer learning
#: code: unused
#: says: line 12
#: says: net.fc
#: grad: None
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

net = Net()
old = net.fc
net.fc = nn.Linear(4, 2)  # <-
net(torch.ones(1, 4)).mean().backward()

# %% a layer that has a name of its own and one in the container
#: asks: net.0.weight
#: after: a question site on nn.Sequential
#: code: set
#: grad: 0.5
#: wrong: no
first = nn.Linear(4, 2)
net = nn.Sequential(first, nn.Flatten())
net(torch.ones(1, 4)).mean().backward()  # <-

# %% tied weights by their second name
#: asks: model.decoder.weight
#: after: an issue on weight tying in language models
#: code: paths
#: says: 2 paths
#: wrong: no
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Embedding(5, 3)
        self.decoder = nn.Linear(3, 5, bias=False)
        self.decoder.weight = self.encoder.weight

    def forward(self, i):
        return self.decoder(self.encoder(i))

model = LM()
loss = F.cross_entropy(model(torch.tensor([1, 2])), torch.tensor([2, 3]))
loss.backward()  # <-

# %% a second name for the model
#: asks: model.0.bias
#: after: a question site
#: code: set
#: wrong: no
net = nn.Sequential(nn.Linear(2, 2))
model = net
model(torch.ones(1, 2)).sum().backward()  # <-

# %% an argument's name for the model
#: asks: m.weight
#: after: a question site
#: code: cut_no_grad
#: says: no_grad
#: grad: None
net = nn.Linear(2, 1)
bias = torch.zeros(1, requires_grad=True)

def evaluate(m, x):
    with torch.no_grad():  # <-
        return m(x)

loss = (evaluate(net, torch.ones(1, 2)) + bias).sum()
loss.backward()

# %% a state that is carried from batch to batch
#: asks: rnn.weight_ih
#: after: a forum thread: trying to backward through the graph a second time
#: code: backward_failed
#: says: line 6
#: says: zero_grad
#: says: h = h.detach()
#: never: run backward() again
#: grad: None
rnn = nn.RNNCell(2, 3)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
h = torch.zeros(1, 3)
for i in range(3):
    h = rnn(torch.ones(1, 2), h)
    loss = h.sum()
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()

# %% a vector in the second epoch
#: asks: w
#: after: a question site: grad can be implicitly created only for scalar outputs
#: code: backward_failed
#: says: [2]
#: never: run backward() again
#: grad: None
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
(w * w).sum().backward()
opt.step()
opt.zero_grad()
y = w * 2
y.backward()  # <-

# %% an error in the forward computation after the clearing
#: asks: net.weight
#: after: a question site: mat1 and mat2 shapes cannot be multiplied
#: code: no_backward
#: says: cannot be multiplied
#: says: zero_grad
#: never: run backward() again
#: grad: None
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in (torch.ones(2, 3), torch.ones(2, 4)):
    opt.zero_grad()
    loss = net(x).sum()  # <-
    loss.backward()
    opt.step()

# %% the logarithm of a probability that is zero
#: asks: p
#: after: an issue on a NaN in a hand-written cross entropy
#: code: not_finite
#: says: log(0)
#: never: derivative of mul
#: grad: nan
p = torch.tensor([0.0, 0.5], requires_grad=True)
target = torch.tensor([0.0, 1.0])
logs = torch.log(p)  # <-
loss = -(target * logs).sum()
loss.backward()

# %% a row of attention that is masked whole
#: asks: q
#: after: an issue on attention with padding
#: code: not_finite
#: says: −infinity
#: never: derivative of
#: grad: nan
q = torch.randn(2, 2, requires_grad=True)
k = torch.randn(3, 2)
scores = q @ k.T
mask = torch.tensor([[True, True, True], [False, False, True]])
att = torch.softmax(scores + torch.zeros(2, 3).masked_fill(mask, float("-inf")), dim=-1)  # <-
(att @ torch.randn(3, 2)).sum().backward()

# %% the deviation of a single value
#: asks: w
#: after: issue 29372 of PyTorch's tracker
#: code: not_finite
#: says: single value
#: says: correction=0
#: grad: nan
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([[3.0, 4.0]])
feats = w * x
s = feats.std(dim=0)  # <-
loss = s.sum()
loss.backward()

# %% the root of a variance that is zero
#: asks: w
#: after: issue 4320 of PyTorch's tracker
#: code: not_finite
#: says: sqrt(0)
#: says: 1e-12
#: grad: nan
w = torch.ones(3, requires_grad=True)
spread = torch.sqrt(w.var())  # <-
spread.backward()

# %% the root of a loss that is zero
#: asks: x
#: after: a forum thread: MseLossBackward returned nan values
#: code: not_finite
#: says: sqrt
#: grad: nan
x = torch.ones(1, 1, requires_grad=True)
y = torch.zeros(1, 1)
loss = torch.sqrt(F.mse_loss(x * 0, y))  # <-
loss.backward()

# %% a where that hides the value and not its derivative
#: asks: x
#: after: issue 108618 of PyTorch's tracker
#: code: not_finite
#: says: where() and masks hide a value, not its derivative
#: grad: nan
x = torch.tensor([0.0, 4.0], requires_grad=True)
safe = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  # <-
safe.sum().backward()

# %% a norm that is divided by itself
#: asks: v
#: after: issue 184575 of PyTorch's tracker
#: code: magnified
#: says: 1e+12
#: says: normalize
#: grad: 1e12
v = torch.zeros(3, requires_grad=True)
unit = F.normalize(v, dim=0)  # <-
unit.sum().backward()

# %% a learning rate that is too large
#: asks: w
#: after: a question site: loss is nan after a few iterations
#: code: not_finite
#: says: learning rate
#: grad: nan
w = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([10.0])
opt = torch.optim.SGD([w], lr=1.0)
for i in range(40):
    opt.zero_grad()
    loss = ((w * x - 3.0) ** 2).sum()  # <-
    loss.backward()
    opt.step()

# %% data with a missing value
#: asks: w
#: after: a forum thread: nan in the first batch
#: code: not_finite
#: says: data
#: grad: nan
x = torch.tensor([1.0, float("nan"), 3.0])  # <-
w = torch.ones(3, requires_grad=True)
(w * x).sum().backward()

# %% exp of scores that are large
#: asks: z
#: after: an issue on a hand-written softmax
#: code: not_finite
#: says: exp
#: grad: nan
z = torch.tensor([100.0, 200.0], requires_grad=True)
e = torch.exp(z)  # <-
p = e / e.sum()
p[0].backward()

# %% a leaf divided when it is made
#: asks: w
#: after: a question site: grad of a scaled random tensor is None
#: code: overwritten
#: says: requires_grad_()
#: never: no_grad
#: grad: None
n = 4
w = torch.randn(3, n, requires_grad=True) / math.sqrt(n)  # <-
loss = (w @ torch.ones(n)).sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad

# %% a leaf converted to double when it is made
#: asks: w
#: after: a forum thread on double precision
#: code: overwritten
#: says: torch.ones(3).double().requires_grad_()
#: never: no_grad
#: grad: None
w = torch.ones(3, requires_grad=True).double()  # <-
loss = (w ** 2).sum()
loss.backward()
print(w.grad)

# %% a leaf that is viewed when it is made
#: asks: w
#: after: a question site
#: code: overwritten
#: says: requires_grad_()
#: never: no_grad
#: grad: None
w = torch.arange(6.0, requires_grad=True).view(2, 3)  # <-
loss = (w ** 2).sum()
loss.backward()

# %% a parameter that is converted in the module
#: asks: m.scale
#: after: an issue: parameter missing from state_dict
#: code: overwritten
#: says: nn.Parameter
#: never: no_grad
#: grad: None
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2)).double()  # <-

    def forward(self, x):
        return (self.scale * x).sum()

m = Scale()
m(torch.ones(2)).backward()

# %% an update that makes a new tensor
#: asks: w
#: after: a question site on gradient descent by hand
#: code: overwritten
#: says: with torch.no_grad()
#: grad: None
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    w = w - 0.1 * w.grad  # <-

# %% a hook that doubles the gradient
#: asks: w
#: after: a forum thread on register_hook
#: code: hooked
#: says: [2 4]
#: says: [4 8]
#: grad: 4
#: wrong: no
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.register_hook(lambda g: g * 2)  # <-
(w ** 2).sum().backward()

# %% a hook on a hidden tensor that clips
#: asks: w
#: after: a forum thread on clipping inside the graph
#: code: hooked
#: says: h
#: grad: 0.3
#: wrong: no
w = torch.tensor([3.0], requires_grad=True)
h = w * 3.0
h.register_hook(lambda g: g.clamp(-0.1, 0.1))  # <-
(h ** 2).sum().backward()

# %% some entries are zero
#: asks: w
#: after: a forum thread: part of the gradient is zero
#: code: set
#: says: 1 of 3 entries are zero
#: says: relu
#: grad: 1
#: wrong: no
w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
y = torch.relu(w)
y.sum().backward()  # <-

# %% rows of an embedding that were not looked up
#: asks: emb.weight
#: after: a forum thread on embeddings
#: code: set
#: says: 6 of 10 entries are zero
#: says: emb(torch.tensor([1, 3]))
#: grad: 0
#: wrong: no
emb = nn.Embedding(5, 2)
out = emb(torch.tensor([1, 3]))
out.sum().backward()  # <-

# %% elements that are not chosen
#: asks: x
#: after: a forum thread on indexing
#: code: set
#: says: 2 of 4 entries are zero
#: grad: 0
#: wrong: no
x = torch.arange(4.0, requires_grad=True)
y = x[2:] * 3.0
y.sum().backward()  # <-

# %% accumulation that is thrown away by a zero_grad per batch
#: asks: w
#: after: a forum thread on gradient accumulation
#: code: thrown_away
#: says: 3 earlier passes
#: says: zero_grad
#: says: line 5
#: grad: 4
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(4):
    opt.zero_grad()  # <-
    loss = (w * (k + 1.0)).sum()
    loss.backward()
opt.step()

# %% a gradient that explodes
#: asks: w
#: after: a question site on exploding gradients
#: code: magnified
#: says: line 5
#: says: 20
w = torch.tensor([[3.0]], requires_grad=True)
h = torch.ones(1, 1)
for t in range(20):
    h = h @ w  # <-
h.sum().backward()

# %% a gradient that vanishes
#: asks: w
#: after: a question site on vanishing gradients
#: code: shrunk
#: says: sigmoid
w = torch.tensor([1.0], requires_grad=True)
h = w * 1.0
for t in range(20):
    h = torch.sigmoid(h)  # <-
h.sum().backward()

# %% a loss that is scaled
#: asks: w
#: after: a question site: gradients are much too large
#: code: magnified
#: says: 1e+06
w = torch.tensor([2.0], requires_grad=True)
y = w * 3.0
loss = (y / 1e-6).sum()  # <-
loss.backward()

# %% gradients that are summed over a batch
#: asks: w
#: after: a question site: gradient depends on batch size
#: code: set
#: grad: 64
#: wrong: no
w = torch.tensor([1.0], requires_grad=True)
x = torch.ones(64)
loss = (w * x).sum()
loss.backward()  # <-

# %% a layer that is switched off by its dropout
#: asks: fc.weight
#: after: a forum thread
#: code: zero_factor
#: says: drop (Dropout)
#: grad: zero
fc = nn.Linear(2, 2)
drop = nn.Dropout(p=1.0)
out = drop(fc(torch.ones(1, 2)))  # <-
out.sum().backward()

# %% a loss of a prediction that equals its target
#: asks: x
#: after: issue 31396 of PyTorch's tracker
#: code: zero_loss
#: says: equals the target
#: grad: zero
#: wrong: no
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = F.mse_loss(x, torch.tensor([1.0, 2.0]))  # <-
loss.backward()

# %% the discriminator's step detaches rightly, the generator's does not
#: asks: G.weight
#: after: a forum thread on GANs
#: code: cut_detach
#: says: fake.detach()
#: says: g_loss
#: grad: None
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(2):
    fake = G(torch.randn(4, 2))
    d_loss = D(fake.detach()).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = -D(fake.detach()).mean()  # <-
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

# %% a validation under no_grad before the real cut
#: asks: net.weight
#: after: a question site
#: code: cut_numbers
#: says: item
#: never: no_grad
#: grad: None
net = nn.Linear(2, 1)
x, t = torch.ones(3, 2), torch.zeros(3, 1)
with torch.no_grad():
    print(F.mse_loss(net(x), t).item())
out = net(x)
value = F.mse_loss(out, t).item()  # <-
loss = torch.tensor(value, requires_grad=True)
loss.backward()

# %% a module as a whole that gets nothing
#: asks: net.encoder
#: after: a forum thread: part of the model does not train
#: code: cut_no_grad
#: says: net.encoder.weight
#: says: no_grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 3)
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        with torch.no_grad():  # <-
            h = self.encoder(x)
        return self.head(h)

net = Net()
net(torch.ones(1, 2)).sum().backward()

# %% a module that is in order
#: asks: net.head
#: after: a forum thread
#: code: set
#: says: net.head.weight and net.head.bias
#: wrong: no
net = nn.Sequential()
net.body = nn.Linear(2, 3)
net.head = nn.Linear(3, 1)
net(torch.ones(1, 2)).sum().backward()  # <-

# %% a module of which a part is unused
#: asks: net
#: after: an issue: find_unused_parameters
#: code: unused
#: says: net.aux.weight
#: says: 2 of 4
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
        self.aux = nn.Linear(2, 1)  # <-

    def forward(self, x):
        return self.fc(x)

net = Net()
net(torch.ones(1, 2)).sum().backward()

# %% a loss that is NaN
#: asks: why is loss NaN
#: after: a question site
#: code: not_finite
#: says: sqrt of a negative number
w = torch.tensor([1.0], requires_grad=True)
for k in range(3):
    root = torch.sqrt(w - k)  # <-
    loss = root.sum()
    if k < 2: loss.backward()

# %% a loss that stays the same because nothing is stepped
#: asks: loss
#: after: a forum thread: loss does not change
#: code: not_stepped
#: says: step()
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, t = torch.ones(4, 2), torch.zeros(4, 1)
for epoch in range(5):
    loss = F.mse_loss(net(x), t)
    opt.zero_grad()
    loss.backward()  # <-

# %% a loss that stays the same because the prediction is made once
#: asks: why is loss not going down
#: after: a question site
#: code: loss_stale
#: says: before the loop
#: says: line 6
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, t = torch.ones(4, 2), torch.zeros(4, 1)
out = net(x)
loss = F.mse_loss(out, t)  # <-
for epoch in range(5):
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
    print(loss.item())

# %% a loss that stays the same because the optimizer has another model
#: asks: loss
#: after: a forum thread: the optimizer was made before the model was replaced
#: code: not_optimized
#: says: net.weight
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
net = nn.Linear(2, 1)
x, t = torch.ones(4, 2), torch.zeros(4, 1)
for epoch in range(5):
    loss = F.mse_loss(net(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a loss that stays the same because of a softmax over one column
#: asks: loss
#: after: a question site: loss stays at 0.693
#: code: zero_saturated
#: says: softmax
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, t = torch.randn(4, 2), torch.tensor([[0.0], [1.0], [1.0], [0.0]])
for epoch in range(5):
    p = torch.softmax(net(x), dim=1)  # <-
    loss = F.mse_loss(p, t)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a loss that goes down
#: asks: loss
#: after: a tutorial
#: code: loss_falls
#: wrong: no
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, t = torch.ones(4, 2), torch.zeros(4, 1)
for epoch in range(5):
    loss = F.mse_loss(net(x), t)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a loss that grows
#: asks: loss
#: after: a forum thread: loss increases
#: code: loss_rises
#: says: learning rate
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=3.0)
x, t = torch.ones(4, 2), torch.zeros(4, 1)
for epoch in range(5):
    loss = F.mse_loss(net(x), t)
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-

# %% a line that failed
#: asks: line 4
#: after: a question site: mat1 and mat2 shapes cannot be multiplied
#: code: line_failed
#: says: RuntimeError
#: says: mat1 and mat2 shapes cannot be multiplied (2x4 and 3x1)
net = nn.Linear(3, 1)
x = torch.ones(2, 4)
out = net(x)  # <-

# %% the line that failed, asked without its number
#: asks: why did it fail
#: after: a question site
#: code: line_failed
#: says: already been freed
w = torch.tensor([1.0], requires_grad=True)
y = (w ** 2).sum()
y.backward()
y.backward()  # <-

# %% a line that did not fail
#: asks: line 3
#: after: a question site
#: code: line_ran
#: says: y
#: wrong: no
w = torch.tensor([1.0], requires_grad=True)
y = w * 2.0  # <-
y.backward()

# %% a parameter that does not move because it is in no optimizer
#: asks: why did head.weight not move
#: after: a forum thread: a layer is not updated
#: code: not_optimized
#: says: no optimizer
body, head = nn.Linear(2, 3), nn.Linear(3, 1)
opt = torch.optim.SGD(body.parameters(), lr=0.1)  # <-
for k in range(2):
    opt.zero_grad()
    loss = head(body(torch.ones(1, 2))).sum()
    loss.backward()
    opt.step()

# %% a parameter that does not move because its gradient is None
#: asks: why did body.weight not move
#: after: a forum thread
#: code: cut_detach
#: says: skips
#: grad: None
body, head = nn.Linear(2, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for k in range(2):
    opt.zero_grad()
    loss = head(body(torch.ones(1, 2)).detach()).sum()  # <-
    loss.backward()
    opt.step()

# %% a parameter that does not move because step comes after zero_grad
#: asks: why did w not move
#: after: a question site: zero_grad before step
#: code: cleared_before_step
#: says: zero_grad
#: grad: None
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(2):
    loss = (w ** 2).sum()
    loss.backward()
    opt.zero_grad()  # <-
    opt.step()

# %% a parameter that does not move because step is not called
#: asks: why did w not move
#: after: a question site
#: code: not_stepped
#: says: step()
#: grad: 4
w = torch.tensor([2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w ** 2).sum()
loss.backward()  # <-

# %% a parameter that does not move because the learning rate is zero
#: asks: why did w not move
#: after: a forum thread on schedulers
#: code: rate_zero
#: says: learning rate
w = torch.tensor([2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: 0.0)
for k in range(2):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()  # <-
    sched.step()

# %% a parameter that does not move because its gradient is zero
#: asks: why did w not move
#: after: a forum thread: dying relu
#: code: zero_relu
#: says: relu
#: grad: zero
w = torch.tensor([-2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(2):
    opt.zero_grad()
    y = torch.relu(w)  # <-
    y.sum().backward()
    opt.step()

# %% a parameter that moves
#: asks: why did w not move
#: after: a tutorial
#: code: moved
#: wrong: no
w = torch.tensor([2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(2):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()  # <-

# %% a plain input
#: asks: x
#: after: a question site
#: code: needs_none
#: grad: None
#: wrong: no
w = torch.tensor([2.0], requires_grad=True)
x = torch.tensor([3.0])  # <-
(w * x).sum().backward()

# %% a hidden result
#: asks: y
#: after: a question site: the .grad attribute of a Tensor that is not a leaf
#: code: not_retained
#: says: y.retain_grad()
#: grad: None
#: wrong: no
w = torch.tensor([2.0], requires_grad=True)
y = w * 3  # <-
y.sum().backward()

# %% integers
#: asks: w
#: after: a question site: only Tensors of floating point dtype can require gradients
#: code: integer
#: says: floating point
w = torch.tensor([1, 2], requires_grad=True)  # <-

# %% a detach on a product
#: asks: w0
#: after: a question site
#: code: cut_copy
#: says: (w0 * x).clone()
#: grad: None
w0 = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
leaf = torch.tensor(w0 * x, requires_grad=True)  # <-
leaf.sum().backward()

# %% an in-place activation
#: asks: net.0.weight
#: after: an issue on inplace=True
#: code: backward_failed
#: says: net.1 (Sigmoid)
#: says: net.2 (LeakyReLU, inplace=True)
#: never: leaky_relu_
#: grad: None
net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.LeakyReLU(0.1, inplace=True))
out = net(torch.ones(1, 2))  # <-
out.sum().backward()

# %% an element that is written
#: asks: w
#: after: a forum thread: one of the variables needed for gradient computation has been modified
#: code: backward_failed
#: says: h[t] = h[t - 1] * w
#: never: copy_
#: grad: None
w = torch.tensor(2.0, requires_grad=True)
h = torch.ones(4)
for t in range(1, 4):
    h[t] = h[t - 1] * w  # <-
h.sum().backward()

# %% a line that did not run
#: asks: line 6
#: after: a question site
#: code: line_not_run
#: says: ended before, at line 5
#: wrong: no
net = nn.Linear(3, 1)
x = torch.ones(2, 4)
scale = 2.0
out = net(x)
loss = out.sum() * scale  # <-

# %% a loss that was computed once
#: asks: loss
#: after: a tutorial
#: code: loss_once
#: says: after an update
#: wrong: no
w = torch.tensor([2.0], requires_grad=True)
loss = (w ** 2).sum()  # <-
loss.backward()

# %% a loss that goes to and fro
#: asks: loss
#: after: a question site: the loss fluctuates
#: code: loss_wanders
#: wrong: no
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for x in (1.0, 3.0, 0.5, 1.02):
    opt.zero_grad()
    loss = (w * x).sum()  # <-
    loss.backward()
    opt.step()

# %% an update that is too small for the dtype
#: asks: why did w not move
#: after: an issue on updates in half precision
#: code: rounded
#: says: rounded
w = torch.tensor([1024.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=1e-6)
for k in range(3):
    opt.zero_grad()
    w.sum().backward()
    opt.step()  # <-

# %% a loss that does not feel what moves
#: asks: loss
#: after: a question site
#: code: loss_constant
#: says: w
w = torch.tensor([1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(4):
    opt.zero_grad()
    loss = (w * 1e-6 + 1000.0).sum()  # <-
    loss.backward()
    w.grad.mul_(1e6)
    opt.step()

# %% exp in a branch that is not taken
#: asks: a
#: after: issue 68425 of PyTorch's tracker
#: code: not_finite
#: says: exp(100)
#: says: hides a value, not its derivative
#: grad: nan
a = torch.tensor(100.0, requires_grad=True)
b = torch.where(a <= 0, torch.exp(a), 1 + a)  # <-
b.backward()

# %% a root of negative numbers in a branch that is not taken
#: asks: xt
#: after: issue 187297 of PyTorch's tracker
#: code: not_finite
#: says: sqrt(-1)
#: says: hides a value, not its derivative
#: grad: nan
xt = torch.tensor([-1.0, -4.0], requires_grad=True)
y = torch.where(xt > 0, torch.sqrt(xt), xt).sum()  # <-
y.backward()

# %% a division by zero in a branch that is not taken
#: asks: x
#: after: issue 36923 of PyTorch's tracker
#: code: not_finite
#: says: x / t
#: says: hides a value, not its derivative
#: grad: nan
t = 0
x = torch.ones(()).requires_grad_()
y = t * (x / t)  # <-
z = torch.where(x >= t, x, y)
z.backward()

# %% a missing value in the third batch
#: asks: loss
#: after: a forum thread: nan after some batches
#: code: not_finite
#: says: data[2, 1, 0] = float('nan')
#: never: constant
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = torch.ones(4, 3, 2)
data[2, 1, 0] = float('nan')  # <-
for x in data:
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a learning rate that is much too large for a network
#: asks: net
#: after: a question site: loss is nan
#: code: not_finite
#: says: learning rate of 50
#: says: All 4 parameters
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=50.0)
x, t = torch.randn(16, 2), torch.randn(16, 1)
for k in range(30):
    loss = F.mse_loss(net(x), t)  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% losses that are put into a tensor
#: asks: w
#: after: a question site: mean of a list of losses
#: code: cut_copy
#: says: torch.stack(losses)
#: grad: None
w = torch.tensor([1.0, 2.0], requires_grad=True)
losses = []
for x in [1.0, 2.0, 3.0]:
    losses.append((w * x).sum())
loss = torch.tensor(losses, requires_grad=True).mean()  # <-
loss.backward()

# %% a loss that has no graph
#: asks: loss
#: after: a question site: element 0 of tensors does not require grad
#: code: cut_detach
#: says: self.fc(x).detach()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x).detach()  # <-

def main():
    model = Net()
    loss = model(torch.ones(1, 4)).sum()
    loss.requires_grad_(True)
    loss.backward()

main()

# %% a model that is made in a function
#: asks: model.fc.weight
#: after: a question site
#: code: cut_detach
#: says: self.fc(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x).detach()  # <-

def main():
    model = Net()
    loss = model(torch.ones(1, 4)).sum()
    loss.requires_grad_(True)
    loss.backward()

main()

# %% gradients that are left switched off
#: asks: why did it fail
#: after: a question site: element 0 of tensors does not require grad
#: code: line_failed
#: says: Call torch.set_grad_enabled(True) before it
#: says: line 3
net = nn.Linear(2, 1)
torch.set_grad_enabled(False)
print(net(torch.ones(1, 2)))
loss = net(torch.ones(1, 2)).sum()
loss.backward()  # <-

# %% a sample of a normal distribution
#: asks: enc.weight
#: after: a forum thread on variational autoencoders
#: code: zero_step
#: says: torch.randn_like(mean)
#: never: constant between
#: grad: zero
enc, dec = nn.Linear(4, 2), nn.Linear(2, 4)
x = torch.randn(3, 4)
mu = enc(x)
z = torch.normal(mu, torch.ones_like(mu))  # <-
F.mse_loss(dec(z), x).backward()

# %% rounded on the way
#: asks: w
#: after: an issue on quantisation
#: code: zero_step
#: says: w + (torch.round(w) - w).detach()
#: grad: zero
w = torch.tensor([0.3, 0.8], requires_grad=True)
loss = ((torch.round(w) * torch.tensor([1.0, 2.0]) - 1) ** 2).sum()  # <-
loss.backward()

# %% an image that is moved along its gradient
#: asks: x
#: after: a tutorial on adversarial examples
#: code: overwritten
#: says: with torch.no_grad(): x += 0.1 * x.grad.sign()
#: grad: None
net = nn.Linear(4, 2)
x = torch.ones(1, 4, requires_grad=True)
loss = F.cross_entropy(net(x), torch.tensor([1]))
loss.backward()
x = x + 0.1 * x.grad.sign()  # <-

# %% the state of an LSTM is carried on
#: asks: rnn.weight_ih_l0
#: after: a forum thread on stateful LSTMs
#: code: backward_failed
#: says: state = tuple(each.detach() for each in state)
#: says: zero_grad
#: grad: None
rnn = nn.LSTM(2, 3, batch_first=True)
opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
state = None
for i in range(2):
    out, state = rnn(torch.ones(1, 4, 2), state)
    loss = out.sum()
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()

# %% the discriminator after the generator's step
#: asks: D.weight
#: after: a tutorial on GANs
#: code: accumulated
#: says: 2 backward passes
#: wrong: no
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(3):
    od.zero_grad()
    d = D(torch.ones(1, 2)).sum() - D(G(torch.ones(1, 2)).detach()).sum()
    d.backward()
    od.step()
    og.zero_grad()
    g = -D(G(torch.ones(1, 2))).sum()
    g.backward()  # <-
    og.step()

# %% a loop that never clears
#: asks: w
#: after: a question site: why zero_grad
#: code: accumulated
#: says: never cleared
#: grad: 8.928
w = torch.tensor([3.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(4):
    loss = ((w - 1) ** 2).sum()
    loss.backward()  # <-
    opt.step()

# %% a closure that is called several times
#: asks: w
#: after: a forum thread on LBFGS
#: code: set
#: wrong: no
w = torch.tensor([3.0], requires_grad=True)
opt = torch.optim.LBFGS([w], lr=0.5)

def closure():
    opt.zero_grad()
    loss = ((w - 1) ** 2).sum()
    loss.backward()  # <-
    return loss

for i in range(2):
    opt.step(closure)

# %% an ascent
#: asks: loss
#: after: a question site: loss goes up
#: code: loss_rises
#: says: up the gradient
w = torch.tensor([3.0], requires_grad=True)
for i in range(4):
    loss = ((w - 1) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w += 0.1 * w.grad  # <-
    w.grad = None

# %% elements that are written as numbers
#: asks: w
#: after: a question site
#: code: cut_numbers
#: says: w[i].item()
#: grad: None
w = torch.ones(3, requires_grad=True)
buffer = torch.zeros(3)
for i in range(3):
    buffer[i] = w[i].item() * 2  # <-
(buffer * torch.ones(3, requires_grad=True)).sum().backward()

# %% a function of Python's on a tensor
#: asks: w
#: after: a question site: math.exp of a tensor
#: code: cut_numbers
#: says: math.exp(w)
#: never: float(w)
#: grad: None
w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = math.exp(w) * b  # <-
loss.backward()

# %% layers in a Python list
#: asks: why did net.layers[0].weight not move
#: after: a forum thread: parameters missing from the optimizer
#: code: not_optimized
#: says: net.out.weight
#: says: layers (line 5) is a plain list
#: says: nn.ModuleList
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]  # <-
        self.out = nn.Linear(2, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.out(x)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for k in range(2):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    opt.step()

# %% the optimizer steps between two losses
#: asks: b
#: after: a forum thread: modified by an inplace operation in actor and critic
#: code: backward_failed
#: says: optimizer.step()
#: says: Call backward() before optimizer.step()
a = torch.tensor([1.0], requires_grad=True)
b = torch.tensor([2.0], requires_grad=True)
opt_a, opt_b = torch.optim.SGD([a], lr=0.1), torch.optim.SGD([b], lr=0.1)
y = a * b
first, second = (y ** 2).sum(), (y ** 3).sum()
first.backward(retain_graph=True)
opt_a.step()  # <-
opt_b.zero_grad()
second.backward()

# %% a shared part of a plain sum
#: asks: head.bias
#: after: a tutorial
#: code: set
#: wrong: no
head = nn.Linear(2, 1)
(head(torch.ones(3, 2)).sum() / 3).backward()  # <-

# %% a parameter that is replaced after the optimizer was made
#: asks: net.weight
#: after: a forum thread: gradients grow although zero_grad is called
#: code: not_optimized
#: says: SGD has the net.weight that was made at line 2, and the one in use was made at line 4
#: says: net.weight.grad is the sum of 2 backward passes (line 8, iterations 0–1), and it was not cleared between them
#: says: zero_grad() does not clear it
#: says: Make the optimizer after line 4
#: grad: 2
net = nn.Linear(2, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
net.weight = nn.Parameter(torch.zeros(2, 2))
for i in range(2):
    loss = net(torch.ones(1, 2)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a policy that acts without gradients
#: asks: why did agent.policy.weight not move
#: after: a forum thread on reinforcement learning
#: code: cut_no_grad
#: says: skips
#: says: self.policy(x)
class Agent:
    def __init__(self):
        self.policy = nn.Linear(2, 2)
        self.value = nn.Parameter(torch.zeros(1))
        self.opt = torch.optim.SGD([*self.policy.parameters(), self.value], lr=0.1)

    def update(self, x):
        with torch.no_grad():  # <-
            action = self.policy(x)
        loss = (action * self.value.exp()).sum()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

agent = Agent()
for i in range(2):
    agent.update(torch.ones(1, 2))

# %% features of a hook are detached
#: asks: net.0.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_detach
net, kept = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), {}
def keep(module, args, output):
    kept["out"] = output.detach()  # <-
net[1].register_forward_hook(keep)
scale = torch.ones(4, requires_grad=True)
net(torch.ones(2, 3))
loss = (kept["out"] * scale).sum()
loss.backward()

# %% the state of an LSTM is detached between chunks
#: asks: x
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_detach
rnn = nn.RNNCell(2, 3)
x = torch.ones(1, 2, requires_grad=True)
h = rnn(x)
h = h.detach()  # <-
h = rnn(torch.ones(1, 2), h)
h.sum().backward()

# %% tolist and back
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_numbers
w = torch.ones(3, requires_grad=True)
h = torch.tensor((w * 2).tolist(), requires_grad=True)  # <-
h.sum().backward()

# %% numpy in the middle
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_numbers
w = torch.ones(3, requires_grad=True)
h = torch.from_numpy(np.exp((w * 2).detach().numpy())).requires_grad_()  # <-
h.sum().backward()

# %% a mask of a comparison
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_op
w = torch.tensor([0.3, -0.2], requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
gate = (w > 0).float()  # <-
loss = (gate * x).sum()
loss.backward()

# %% argmax chooses the class
#: asks: model.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_op
model, table = nn.Linear(3, 4), nn.Embedding(4, 2)
x = torch.ones(2, 3)
best = model(x).argmax(1)  # <-
table(best).sum().backward()

# %% round in the middle gives zeros
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_step
w = torch.tensor([0.3, 1.7], requires_grad=True)
y = torch.round(w)  # <-
(y * 3).sum().backward()

# %% a clamp that is left
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_clamp
w = torch.tensor([3.0, -4.0], requires_grad=True)
y = w.clamp(-1, 1)  # <-
(y ** 2).sum().backward()

# %% dead relu of one bias
#: asks: fc.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_relu
fc = nn.Linear(2, 3)
with torch.no_grad():
    fc.bias.fill_(-100.0)
h = torch.relu(fc(torch.ones(4, 2)))  # <-
(h.sum() + 1).backward()

# %% twice what is expected
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: accumulated
#: wrong: no
w = torch.tensor(2.0, requires_grad=True)
(w * 3).backward()
(w * 3).backward()  # <-

# %% a mean instead of a sum
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: set
#: wrong: no
w = torch.ones(100, requires_grad=True)
(w * 5).mean().backward()  # <-

# %% nan of sqrt at zero
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
w = torch.tensor([0.0, 4.0], requires_grad=True)
d = torch.sqrt((w * w))  # <-
d.sum().backward()

# %% nan of log of zero
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: set
#: wrong: no
w = torch.tensor([0.0, 1.0], requires_grad=True)
p = F.relu(w)
e = -(p * torch.log(p)).sum()
e.backward()  # <-

# %% inf minus inf
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
w = torch.tensor([200.0, 1.0], requires_grad=True)
z = torch.exp(w)  # <-
loss = (z / z.sum()).max()
loss.backward()

# %% a std of one sample
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
w = torch.ones(3, requires_grad=True)
x = torch.ones(1, 3) * w
loss = (x / x.std(0)).sum()  # <-
loss.backward()

# %% cleared before it is read
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cleared
#: wrong: no
w = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1)
(w * 2).sum().backward()
opt.step()
opt.zero_grad()  # <-

# %% second pass fails
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: backward_failed
w = torch.ones(2, requires_grad=True)
loss = (w ** 2).sum()
loss.backward()
try:
    loss.backward()  # <-
except RuntimeError:
    pass

# %% y is no leaf
#: asks: y
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_retained
#: wrong: no
w = torch.ones(2, requires_grad=True)
y = w * 2  # <-
y.sum().backward()

# %% requires_grad was forgotten
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: needs_none
#: wrong: no
w = torch.ones(2)  # <-
v = torch.ones(2, requires_grad=True)
(w * v).sum().backward()

# %% frozen layer
#: asks: net.0.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: frozen
#: wrong: no
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in net[0].parameters():
    p.requires_grad = False  # <-
net(torch.ones(1, 2)).sum().backward()

# %% why does a frozen layer not move
#: asks: why did net.0.weight not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: frozen
#: wrong: no
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in net[0].parameters():
    p.requires_grad = False  # <-
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.ones(1, 2)).sum().backward()
opt.step()

# %% a head that no optimizer has
#: asks: why did head.weight not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_optimized
body, head = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD(body.parameters(), lr=0.1)  # <-
for i in range(2):
    opt.zero_grad()
    head(body(torch.ones(1, 2))).sum().backward()
    opt.step()

# %% step is never called
#: asks: why did w not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_stepped
w = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    (w ** 2).sum().backward()  # <-

# %% a rate of zero
#: asks: why did w not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: rate_zero
w = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.0)
for i in range(3):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()  # <-

# %% cleared before the step
#: asks: why did w not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cleared_before_step
w = nn.Parameter(torch.ones(2))
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    (w ** 2).sum().backward()
    opt.zero_grad()  # <-
    opt.step()

# %% the loss does not change with a stale forward
#: asks: why is loss not going down
#: after: the classes of questions that were collected, written before the tool was asked
#: code: loss_stale
w = nn.Parameter(torch.tensor(3.0))
opt = torch.optim.SGD([w], lr=0.1)
loss = (w - 1) ** 2  # <-
for i in range(4):
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()

# %% the loss explodes
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: loss_rises
w = nn.Parameter(torch.tensor(3.0))
opt = torch.optim.SGD([w], lr=1.5)
for i in range(8):
    opt.zero_grad()
    loss = (w - 1) ** 2
    loss.backward()
    opt.step()  # <-

# %% an in-place change fails the pass
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: backward_failed
w = torch.ones(3, requires_grad=True)
s = torch.sigmoid(w)
s += 1  # <-
s.sum().backward()

# %% the graph is freed
#: asks: why did it fail
#: after: the classes of questions that were collected, written before the tool was asked
#: code: line_failed
w = torch.ones(3, requires_grad=True)
h = w.exp()
h.sum().backward()
h.mean().backward()  # <-

# %% shapes do not fit
#: asks: why did it fail
#: after: the classes of questions that were collected, written before the tool was asked
#: code: line_failed
fc = nn.Linear(4, 2)
out = fc(torch.ones(3, 5))  # <-

# %% the discriminator's gradient of the generator's step
#: asks: D.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: accumulated
#: wrong: no
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
D(torch.ones(3, 2)).mean().backward()
(-D(G(torch.ones(3, 2))).mean()).backward()  # <-

# %% no_grad around the encoder
#: asks: enc.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_no_grad
enc, dec = nn.Linear(2, 2), nn.Linear(2, 1)
with torch.no_grad():  # <-
    z = enc(torch.ones(3, 2))
dec(z).sum().backward()

# %% the replaced parameter
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: overwritten
w = torch.ones(2, requires_grad=True)
(w * 3).sum().backward()
w = w - 0.1 * w.grad  # <-
(w * 3).sum().backward()

# %% a layer that is not called
#: asks: net.1.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: unused
net = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])  # <-
net[0](torch.ones(1, 2)).sum().backward()

# %% clipped to a norm
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: changed
#: wrong: no
w = nn.Parameter(torch.ones(2) * 50)
(w ** 2).sum().backward()
nn.utils.clip_grad_norm_([w], 1.0)  # <-

# %% a hook doubles it
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: hooked
#: wrong: no
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: g * 2)  # <-
(w * 3).sum().backward()

# %% the loss never depends on it
#: asks: b
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_factor
w = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
loss = (w + 0 * b).sum()  # <-
loss.backward()

# %% the loss is made of a constant target
#: asks: net.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_numbers
net = nn.Linear(2, 1)
loss = net(torch.ones(3, 2)).pow(2).mean()
loss = torch.tensor(loss.item(), requires_grad=True)  # <-
loss.backward()

# %% a softmax of one
#: asks: net.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_saturated
net = nn.Linear(2, 1)
p = F.softmax(net(torch.ones(3, 2)), dim=1)  # <-
(p * 3).sum().backward()

# %% a saturated sigmoid
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_saturated
w = torch.tensor([40.0, -200.0], requires_grad=True)
s = torch.sigmoid(w)  # <-
(s * 2).sum().backward()

# %% the validation's no_grad is not the cut
#: asks: enc.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_data
enc, dec = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for epoch in range(2):
    with torch.no_grad():
        score = dec(enc(torch.ones(1, 2))).mean().item()
    z = enc(torch.ones(3, 2))
    loss = dec(z.data).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% tied weights get two shares
#: asks: out.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: paths
#: wrong: no
emb, out = nn.Embedding(4, 3), nn.Linear(3, 4, bias=False)
out.weight = emb.weight
scores = out(emb(torch.tensor([1, 2])))
F.cross_entropy(scores, torch.tensor([2, 3])).backward()  # <-

# %% the rows of an embedding that nobody asked for
#: asks: emb.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: set
#: wrong: no
emb = nn.Embedding(5, 2)
emb(torch.tensor([1, 3])).sum().backward()  # <-

# %% a maximum picks one
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: set
#: wrong: no
w = torch.tensor([1.0, 5.0, 2.0], requires_grad=True)
w.max().backward()  # <-

# %% exploding through time
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: paths
#: wrong: no
w = torch.tensor(3.0, requires_grad=True)
h = torch.tensor(1.0)
for t in range(30):
    h = h * w
h.backward()  # <-

# %% vanishing through sigmoids
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: shrunk
w = torch.tensor(0.5, requires_grad=True)
h = w
for t in range(40):
    h = torch.sigmoid(h)  # <-
h.backward()

# %% a dropout of everything
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_factor
w = torch.ones(4, requires_grad=True)
h = F.dropout(w, p=1.0)  # <-
h.sum().backward()

# %% a fully masked row
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
q = torch.ones(2, 3, requires_grad=True)
scores = (q * 2).masked_fill(torch.tensor([[True, True, True], [False, False, True]]), -float("inf"))
att = F.softmax(scores, dim=1)  # <-
loss = att.sum()
loss.backward()

# %% acos at one
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
w = torch.tensor([1.0, 0.5], requires_grad=True)
torch.acos(w).sum().backward()  # <-

# %% the norm of zeros
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_op
w = torch.zeros(3, requires_grad=True)
d = w.norm()  # <-
d.backward()

# %% the where trick
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
w = torch.tensor([0.0, 2.0], requires_grad=True)
y = torch.where(w > 0, w / w, torch.zeros(2))  # <-
y.sum().backward()

# %% a cross entropy where all is ignored
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
net = nn.Linear(2, 3)
loss = F.cross_entropy(net(torch.ones(2, 2)), torch.tensor([-100, -100]))  # <-
loss.backward()

# %% the penalty without a graph
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_gradient
w = torch.tensor([1.0, 2.0], requires_grad=True)
g = torch.autograd.grad((w ** 2).sum(), w)[0]  # <-
penalty = (g ** 2).sum()
v = torch.ones(1, requires_grad=True)
(penalty * v).sum().backward()

# %% retain_graph and a second loss
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: accumulated
#: wrong: no
w = torch.tensor(2.0, requires_grad=True)
h = w * 3
h.backward(retain_graph=True)
(h * h).backward()  # <-

# %% inference mode
#: asks: enc.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: cut_no_grad
enc, dec = nn.Linear(2, 2), nn.Linear(2, 1)
with torch.no_grad():  # <-
    features = [enc(torch.ones(1, 2)) for _ in range(2)]
dec(torch.cat(features)).sum().backward()

# %% accumulated over epochs
#: asks: w
#: after: the classes of questions that were collected, written before the tool was asked
#: code: accumulated
w = nn.Parameter(torch.tensor(1.0))
opt = torch.optim.SGD([w], lr=0.0001)
for epoch in range(3):
    loss = w * 2
    loss.backward()  # <-
    opt.step()

# %% the loss is nan from the data
#: asks: loss
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_finite
x = torch.tensor([[1.0, float("nan")]])  # <-
net = nn.Linear(2, 1)
loss = net(x).sum()
loss.backward()

# %% the clone of a parameter is trained
#: asks: why did net.weight not move
#: after: the classes of questions that were collected, written before the tool was asked
#: code: not_optimized
#: says: a copy of it, w
net = nn.Linear(2, 1)
w = net.weight.clone().detach().requires_grad_()  # <-
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    (torch.ones(3, 2) @ w.t()).pow(2).mean().backward()
    opt.step()

# %% nothing but the padding row
#: asks: emb.weight
#: after: the classes of questions that were collected, written before the tool was asked
#: code: zero_op
#: says: every index is 0, the padding of the embedding
#: grad: zero
emb = nn.Embedding(3, 2, padding_idx=0)
emb(torch.tensor([0, 0])).sum().backward()  # <-

# %% vectors that were trained elsewhere
#: asks: embed.weight
#: after: a forum thread on word vectors
#: code: needs_none
#: says: from_pretrained, which freezes it
#: says: freeze=False
#: grad: None
#: wrong: no
embed = nn.Embedding.from_pretrained(torch.randn(5, 3))  # <-
head = nn.Linear(3, 1)
head(embed(torch.tensor([1, 2]))).sum().backward()

# %% a scaled matrix of a layer in a network, asked by its whole path
#: asks: model.bil.W
#: after: a forum thread on parameters that are scaled where they are made
#: code: not_retained
#: says: retain_grad
#: grad: None
#: wrong: no
class Bilinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.ones(2, 3)) * 0.05  # <-

    def forward(self, a, c):
        return (a @ self.W * c).sum(1)

class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.bil = Bilinear()

    def forward(self, a, c):
        return self.bil(a, c)

model = Scorer()
loss = model(torch.ones(4, 2), torch.ones(4, 3)).mean()
loss.backward()

# %% a data set whose slices are written into
#: asks: why did data change
#: after: a blind round: augmentation that zeroes patches of a slice
#: code: changed_in_place
#: says: writes into it
#: says: A slice is a view
#: never: If a gradient is wanted
#: wrong: no
data = torch.rand(8, 3)
net = nn.Linear(3, 1)
for epoch in range(2):
    batch = data[2:6]
    batch[:, 0] = 0.0  # <-
    net(batch).sum().backward()

# %% gradients that are clipped while they are scaled
#: asks: why did net.weight not move
#: after: a blind round: GradScaler without unscale_
#: code: moved
#: says: hardly moved
#: says: clipping or a scale
#: wrong: no
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.rand(8, 3)
for step in range(3):
    opt.zero_grad()
    (net(x).sum() * 65536.0).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    for p in net.parameters():
        p.grad /= 65536.0
    opt.step()  # <-

# %% a weight that moved until the learning rate had fallen to nothing
#: asks: why did net.weight not move
#: after: a forum thread on StepLR that is stepped once per batch
#: code: moved
#: says: changed it in 3 of 12 steps
#: says: The last 9 steps
#: says: The learning rate went from 0.1 to 1e-34
#: never: 12 times
#: wrong: no
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=1e-3)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for step in range(12):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-
    schedule.step()

# %% a hook that is registered anew in every step, asked why the weight does not move
#: asks: why did net.weight not move
#: after: a forum thread on hooks that scale gradients
#: code: moved
#: says: 6 hooks on it
#: wrong: no
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for step in range(6):
    net.weight.register_hook(lambda g: g * 0.5)
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-

# %% a hook that is registered anew in every step
#: asks: net.weight
#: after: a forum thread on hooks that scale gradients
#: code: hooked
#: says: 6 hooks on net.weight replaced the gradient, one after another
#: wrong: no
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
for step in range(6):
    net.weight.register_hook(lambda g: g * 0.5)  # <-
    loss = F.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a unit that is dead for all of a few samples
#: asks: net.0.weight
#: after: a forum thread on zeros in a gradient
#: code: set
#: says: 5 of 80 entries are zero
#: says: passes none on where its input is below its bound
#: never: only what
#: wrong: no
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
with torch.no_grad():
    net[0].weight.copy_(torch.arange(80).reshape(16, 5) / 80 + 0.01)
    net[0].bias.copy_(torch.tensor([-9.0] + [0.1] * 15))
loss = net(torch.rand(4, 5)).sum()
loss.backward()  # <-

# %% a list of weights that were adapted
#: asks: fast
#: after: an issue on MAML
#: code: not_retained
#: says: Both tensors of fast have no gradient
#: wrong: no
net = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
loss = F.mse_loss(F.linear(x, net.weight, net.bias), y)
grads = torch.autograd.grad(loss, [net.weight, net.bias], create_graph=True)
fast = [w - 0.1 * g for w, g in zip([net.weight, net.bias], grads)]  # <-
F.mse_loss(F.linear(x, *fast), y).backward()

# %% the line that calls a function
#: asks: line 7
#: after: a question on the page
#: code: line_ran
#: says: What it calls (line 3) last made
#: never: Nothing that is recorded
#: wrong: no
def doubled(weights):
    weights = [w * 2 for w in weights]
    return weights

made = [torch.ones(2, requires_grad=True)]
made = doubled(made)  # <-
made[0].sum().backward()

# %% layers in a dict of a module
#: asks: net.experts['a'].weight
#: after: an issue: experts in a dict do not learn
#: code: not_optimized
#: says: experts (line 5) is a plain dict
#: says: nn.ModuleDict
#: says: zero_grad() does not clear it
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = {"a": nn.Linear(3, 3)}  # <-
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(self.experts["a"](x))

net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
for i in range(2):
    opt.zero_grad()
    net(torch.ones(1, 3)).sum().backward()
    opt.step()

# %% an encoder that is in no group, asked by its name alone
#: asks: model.encoder.weight
#: after: an issue: the gradient grows, the weight does not move
#: code: not_optimized
#: says: Adam (line 11) has model.decoder.weight and model.decoder.bias
#: says: is the sum of 2 backward passes
#: says: If it is not to learn
#: never: Make the optimizer after
#: wrong: no
class AE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(3, 2), nn.Linear(2, 3)

    def forward(self, x):
        return self.decoder(torch.tanh(self.encoder(x)))

model = AE()
opt = torch.optim.Adam([{"params": [model.decoder.weight]}, {"params": [model.decoder.bias]}], lr=0.01)  # <-
for i in range(2):
    opt.zero_grad()
    model(torch.ones(1, 3)).pow(2).sum().backward()
    opt.step()
    print(model.encoder.weight.grad.norm())

# %% a plain tensor of a module, asked by its name alone
#: asks: net.gain
#: after: a forum thread: a tensor with requires_grad that does not learn
#: code: not_optimized
#: says: is a plain tensor
#: says: self.gain = nn.Parameter(…)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.gain = torch.ones(2, requires_grad=True)  # <-

    def forward(self, x):
        return self.first(x) * self.gain

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    opt.step()

# %% the optimizer that has the parameter never steps
#: asks: backbone.weight
#: after: a forum thread on two optimizers
#: code: not_stepped
#: says: step() of opt_b (line 4)
backbone, head = nn.Linear(2, 2), nn.Linear(2, 1)
opt_h = torch.optim.SGD(head.parameters(), lr=0.1)
opt_b = torch.optim.SGD(backbone.parameters(), lr=0.1)  # <-
for i in range(2):
    opt_h.zero_grad(); opt_b.zero_grad()
    head(torch.tanh(backbone(torch.ones(1, 2)))).sum().backward()
    opt_h.step()

# %% a warm-up that begins at zero, after one step
#: asks: model.weight
#: after: an issue on warm-up schedules: the first step changes nothing
#: code: rate_zero
#: says: LambdaLR (line 4) has set it to that
#: says: model.weight.grad was set by backward pass 1
model = nn.Linear(2, 1)
opt = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.0)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, s / 10))
loss = model(torch.ones(4, 2)).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()  # <-

# %% a group whose rate is zero
#: asks: model.0.weight
#: after: a forum thread: learning rates by layer
#: code: rate_zero
#: says: the learning rate of its group is 0
#: says: the rates 0 and 0.1
#: wrong: no
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
opt = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.0}, {"params": model[1].parameters()}], lr=0.1)
for i in range(2):
    opt.zero_grad()
    model(torch.ones(1, 2)).sum().backward()
    opt.step()  # <-

# %% a hook that zeroes the gradient, and weight decay
#: asks: model.weight
#: after: an issue: a hook returns zeros and the weight still changes
#: code: zero_hook
#: says: model.weight moves all the same: SGD.step() (line 7) adds the weight decay (line 4)
#: grad: zero
model = nn.Linear(3, 2)
model.weight.register_hook(lambda grad: torch.zeros(grad.shape))  # <-
opt = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1)
opt.zero_grad()
model(torch.ones(2, 3)).pow(2).mean().backward()
opt.step()

# %% momentum goes on where the gradient is zero
#: asks: w
#: after: a forum thread: a masked weight drifts
#: code: zero_factor
#: says: goes on by what earlier gradients have left in it
#: grad: zero
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for mask in (1.0, 0.0):
    opt.zero_grad()
    (w * mask).sum().backward()  # <-
    opt.step()

# %% a checkpoint of a container, by an index
#: asks: block[0].weight
#: after: an issue on re-entrant checkpoints
#: code: checkpoint
#: says: use_reentrant=False
from torch.utils.checkpoint import checkpoint
block, head = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), nn.Linear(2, 1)
h = checkpoint(block, torch.ones(1, 2), use_reentrant=True)  # <-
head(h).sum().backward()

# %% checkpoints of the layers of a list
#: asks: net.layers.1.weight
#: after: an issue on re-entrant checkpoints
#: code: checkpoint
#: grad: None
from torch.utils.checkpoint import checkpoint

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=True)  # <-
        return x

net, head = Net(), nn.Linear(2, 1)
head(net(torch.ones(1, 2))).sum().backward()

# %% a bound that is no dead unit
#: asks: s
#: after: an issue: the gradient of a scale is always zero
#: code: zero_clamp
#: says: clamp_min is saturated
#: says: 0.001; bound 0.01
#: says: Start within the bounds
#: never: dead
#: grad: zero
s = nn.Parameter(torch.tensor([0.001]))
s.clamp_min(0.01).mul(2).sum().backward()  # <-

# %% a prediction that equals its target
#: asks: model.weight
#: after: an issue: gradients on this data are zero
#: code: zero_loss
#: says: equals the target
#: never: Start from another value
#: grad: zero
#: wrong: no
model = nn.Linear(1, 2, bias=False)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[-200.0], [200.0]]))
m = torch.softmax(model(torch.ones(1)), -1)
F.binary_cross_entropy(m, torch.tensor([0.0, 1.0])).backward()  # <-

# %% a softmax that is saturated
#: asks: w
#: after: a forum thread: scores that are too large
#: code: zero_saturated
#: says: is saturated
#: never: plain sum
#: grad: zero
w = torch.tensor([500.0, -500.0], requires_grad=True)
p = torch.softmax(w, 0)  # <-
(p * torch.tensor([1.0, 2.0])).sum().backward()

# %% a bias before batch norm
#: asks: net.0.bias
#: after: an issue: the gradient of a convolution's bias is 1e-9
#: code: cancelled
#: says: net.1 (line 5), which subtracts the mean of each channel
#: says: Nothing is wrong
#: never: add a way around
#: wrong: no
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(16, 3)
out = net(x)  # <-
out.pow(2).mean().backward()

# %% the bias of keys
#: asks: k.bias
#: after: an issue: the key bias of attention gets no gradient
#: code: cancelled
#: says: softmax (line 5), which gives the same whatever is added to all scores of a row
#: wrong: no
torch.manual_seed(0)
q, k, v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
x = torch.randn(5, 4)
a = torch.softmax(q(x) @ k(x).T, -1)  # <-
(a @ v(x)).pow(2).mean().backward()

# %% a target network
#: asks: target
#: after: an issue on DQN: is it right that the target gets no gradients
#: code: cut_no_grad
#: says: No optimizer has target.weight, and line 12 writes its values
#: says: that is right
#: wrong: no
policy, target = nn.Linear(2, 2), nn.Linear(2, 2)
opt = torch.optim.Adam(policy.parameters(), lr=0.01)
for step in range(4):
    s = torch.ones(3, 2)
    with torch.no_grad():  # <-
        y = target(s).max(1).values
    loss = (policy(s)[:, 0] - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    target.load_state_dict(policy.state_dict())

# %% batches that add up
#: asks: model.weight
#: after: an issue on gradient accumulation: four times as large
#: code: accumulated
#: says: it was not cleared between them
#: says: divide the loss by 4
#: wrong: no
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
opt.zero_grad()
for i in range(4):
    loss = model(torch.ones(2, 2)).pow(2).mean()
    loss.backward()  # <-
opt.step()

# %% batches that add up to a mean
#: asks: model.weight
#: after: a tutorial on gradient accumulation
#: code: accumulated
#: says: nothing is to be done
#: wrong: no
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
opt.zero_grad()
for i in range(4):
    loss = model(torch.ones(2, 2)).pow(2).mean() / 4
    loss.backward()  # <-
opt.step()

# %% a loss that is in the next one, too
#: asks: w
#: after: an issue: two losses, 8 instead of 5
#: code: accumulated
#: says: contains loss1
#: says: counts twice
#: grad: 8
#: wrong: no
w = torch.tensor(1.0, requires_grad=True)
h = w * 1.0
loss1, loss2 = 3 * h, 2 * h
loss1.backward(retain_graph=True)
total = loss1 + loss2
total.backward()  # <-

# %% the largest, three times
#: asks: x
#: after: an issue: the gradient of amax is a third
#: code: set
#: says: 3 entries are equally what x.amax() (line 3) chooses, and share the gradient evenly, 1/3 of it each
#: says: It is [0.3333 0 0.3333 0 0.3333]
#: grad: 0.33333
#: wrong: no
x = torch.tensor([3.0, 1.0, 3.0, 2.0, 3.0], requires_grad=True)
y = x.amax()
y.backward()  # <-

# %% the padding among other indices
#: asks: emb.weight
#: after: an issue: relation 0 does not learn
#: code: set
#: says: row 0, its padding (padding_idx=0, line 2)
#: wrong: no
emb = nn.Embedding(3, 2, padding_idx=0)
emb(torch.tensor([0, 1, 2, 0])).sum().backward()  # <-

# %% a function of torch.func
#: asks: w
#: after: an issue on functorch
#: code: autograd_grad
#: says: grad(f) (line 5) returns gradients
#: never: autograd.grad
#: grad: None
#: wrong: no
from torch.func import grad
w = torch.ones(3, requires_grad=True)
f = lambda w: (w ** 2).sum()
g = grad(f)(w)  # <-

# %% copies that functional_call uses
#: asks: net.weight
#: after: an issue on functional_call
#: code: cut_detach
#: says: the gradient is in params['weight'].grad
#: says: functional_call (line 5)
#: grad: None
from torch.func import functional_call
net = nn.Linear(2, 1)
params = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}  # <-
functional_call(net, params, (torch.ones(1, 2),)).sum().backward()

# %% what one model is detached for, and the other one is not
#: asks: G.weight
#: after: a tutorial on GANs: the generator never learns
#: code: cut_detach
#: says: write it where no gradient is wanted: fake.detach() at line 7
#: grad: None
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
og, od = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for i in range(2):
    od.zero_grad(); og.zero_grad()
    fake = G(torch.ones(3, 2)).detach()  # <-
    d_loss = D(fake).mean()
    d_loss.backward()
    od.step()
    g_loss = -D(fake).mean()
    g_loss.backward()
    og.step()

# %% a layer that is replaced after two optimizers of one class were made
#: asks: G[1].weight
#: after: a forum thread on GANs: a new last layer
#: code: not_optimized
#: says: Adam (line 3) does not have it: Adam has the G[1].weight that was made at line 2, and the one in use was made at line 5
#: says: Make the optimizer after line 5
G, D = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 2)), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=0.01)  # <-
opt_d = torch.optim.Adam(D.parameters(), lr=0.01)
G[1] = nn.Linear(4, 2)
for i in range(2):
    opt_g.zero_grad()
    D(G(torch.ones(3, 2))).mean().backward()
    opt_g.step()
    opt_d.zero_grad()
    D(torch.ones(3, 2)).mean().backward()
    opt_d.step()


# %% the weights of the direction whose one step is read
#: asks: lstm.weight_hh_l0_reverse
#: after: a thread on the last step of a bidirectional LSTM
#: code: zero_op
#: says: has seen the last element alone
#: says: torch.cat([h[-2], h[-1]], dim=1)
#: never: another value
#: grad: zero
lstm, fc = nn.LSTM(3, 4, batch_first=True, bidirectional=True), nn.Linear(8, 1)
for step in range(2):
    out, (h, c) = lstm(torch.randn(5, 6, 3))
    fc(out[:, -1]).sum().backward()  # <-

# %% weights in bfloat16 that a small rate hardly moves
#: asks: why did net.weight not move
#: after: an issue on pure bfloat16 training
#: code: moved
#: says: hardly moved
#: says: stay bit for bit as they were
#: wrong: no
net = nn.Linear(32, 8).to(torch.bfloat16)
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
for step in range(4):
    x = torch.randn(16, 32).to(torch.bfloat16)
    loss = net(x).float().pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()  # <-

# %% the weights are loaded back after each step, where they are to be before it
#: asks: why did net.weight not move
#: after: an issue on a first-order meta update that learns nothing
#: code: put_back
#: says: SGD.step() (line 9) changed it 3 times
#: says: net.load_state_dict(origin)
#: says: before SGD.step(), not after it
#: never: too small
net = nn.Linear(2, 1)
opt, x = torch.optim.SGD(net.parameters(), lr=0.1), torch.randn(6, 2)
for step in range(3):
    origin = {name: value.clone() for name, value in net.state_dict().items()}
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    net.load_state_dict(origin)  # <-

# %% the weights are as at first again after a search for a rate
#: asks: w
#: after: a thread on a finder of learning rates
#: code: put_back
#: says: w.copy_(backup)
#: never: rounded
#: wrong: no
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt, backup = torch.optim.SGD([w], lr=0.1), w.detach().clone()
for step in range(3):
    opt.zero_grad()
    ((w - 3) ** 2).sum().backward()
    opt.step()
with torch.no_grad():
    w.copy_(backup)  # <-

# %% gradients of a scaled loss, scaled back
#: asks: net.weight
#: after: a thread on gradients that are a thousand times too large
#: code: changed
#: says: scaled back by amp_scaler.unscale_(opt)
#: says: amp_scaler is a GradScaler
#: wrong: no
net = nn.Linear(2, 1)
opt, amp_scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler("cpu", init_scale=256.0)
loss = net(torch.randn(6, 2)).pow(2).mean()
amp_scaler.scale(loss).backward()
amp_scaler.unscale_(opt)  # <-
amp_scaler.step(opt)

# %% a rate that has fallen to nothing
#: asks: why is the loss constant
#: after: a thread on a scheduler that is stepped too often
#: code: loss_falls
#: says: and stays there from line 7, iteration 1 on
#: says: The learning rate went from 0.1 to
#: wrong: no
net, x = nn.Linear(3, 1), torch.randn(16, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
slow = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=1e-8)
for step in range(9):
    opt.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()  # <-
    loss.backward()
    opt.step()
    slow.step()

# %% what a critic's pass leaves in the generator
#: asks: G.weight
#: after: a loop with retain_graph for two networks
#: code: accumulated
#: says: followed by SGD.step() (line 8), which moves others
#: says: If d_loss (line 7) is not for G.weight
#: wrong: no
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
optG, optD = torch.optim.SGD(G.parameters(), lr=0.01), torch.optim.SGD(D.parameters(), lr=0.01)
fake = G(torch.randn(8, 2))
d_loss = D(fake).mean() - D(torch.randn(8, 2)).mean()
optG.zero_grad()
d_loss.backward(retain_graph=True)
optD.step()
g_loss = -D(fake).mean()
g_loss.backward()  # <-
optG.step()

# %% a critic's last bias, which two means take out again
#: asks: D.bias
#: after: a thread on a bias of a critic that does not learn
#: code: zero_cancelled
#: grad: zero
#: wrong: no
D = nn.Linear(2, 1)
loss = D(torch.randn(8, 2)).mean() - D(torch.randn(8, 2) + 1).mean()  # <-
loss.backward()

# %% a batch of nothing but padding
#: asks: emb.weight
#: after: a thread on an embedding whose gradient is zero
#: code: zero_op
#: says: every index is 0
#: grad: zero
#: wrong: no
emb, fc = nn.Embedding(5, 3, padding_idx=0), nn.Linear(3, 1)
loss = fc(emb(torch.zeros(4, dtype=torch.long))).pow(2).mean()  # <-
loss.backward()

# %% a leaf that each turn of a loop makes anew
#: asks: w
#: after: a tutorial's update by hand
#: code: rebound
#: wrong: no
#: grad: None
w = torch.tensor(2.0, requires_grad=True)
for step in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_()  # <-

# %% a score that is to rise
#: asks: loss
#: after: a thread on gradient ascent
#: code: loss_rises
#: wrong: no
w = torch.tensor(0.5, requires_grad=True)
for step in range(6):
    score = w * 2
    score.backward()
    with torch.no_grad():
        w += 0.5 * w.grad  # <-
    w.grad = None

# %% batches that are harder than the first
#: asks: why is the loss not going down
#: after: a thread on a loss that rises with each chapter of a book
#: code: loss_wanders
#: wrong: no
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(9):
    x = torch.randn(16, 3)
    loss = (net(x) - step).pow(2).mean()  # <-
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a network that only gives its first values
#: asks: target.weight
#: after: a thread on a frozen copy
#: code: not_connected
#: says: only to give values
#: wrong: no
net, target = nn.Linear(2, 1), nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(4, 2)).pow(2).mean()
    opt.zero_grad()
    loss.backward()  # <-
    opt.step()
    print((target.weight - net.weight).norm().item())

# %% predictions that are counted
#: asks: pred
#: after: a forum thread on accuracy, and the sweep over sound programs
#: code: cut_op
#: says: no gradient is missed
#: never: something differentiable
#: wrong: no
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for step in range(3):
    out = model(x)
    loss = F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    pred = out.argmax(dim=1)  # <-
    print((pred == y).float().mean().item())

# %% predictions that make up the loss
#: asks: pred
#: after: a forum thread on a loss of the accuracy
#: code: cut_op
#: says: something differentiable
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for step in range(3):
    pred = model(x).argmax(dim=1)  # <-
    loss = (pred != y).float().mean().requires_grad_()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a validation loss under no_grad
#: asks: val
#: after: a forum thread on validation, and the sweep over sound programs
#: code: cut_no_grad
#: says: no gradient is missed
#: never: outside of
#: wrong: no
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randn(10, 1)
for epoch in range(3):
    opt.zero_grad()
    F.mse_loss(model(x), y).backward()
    opt.step()
    with torch.no_grad():  # <-
        val = F.mse_loss(model(x), y)
    print(val.item())

# %% training under no_grad
#: asks: out
#: after: a forum thread on a training loop within torch.no_grad()
#: code: cut_no_grad
#: says: outside of the no_grad block
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 4), torch.randn(10, 1)
for epoch in range(3):
    with torch.no_grad():  # <-
        out = model(x)
    loss = F.mse_loss(out, y).requires_grad_()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the targets of a network that is updated slowly
#: asks: goal
#: after: an issue on DQN, and the sweep over sound programs
#: code: cut_no_grad
#: says: Nothing updates slow.
#: never: outside of
#: wrong: no
q, slow = nn.Linear(4, 2), nn.Linear(4, 2)
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
for step in range(3):
    s, r = torch.randn(8, 4), torch.randn(8)
    with torch.no_grad():  # <-
        goal = r + 0.9 * slow(s).max(1).values
    loss = F.mse_loss(q(s)[:, 0], goal)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a state that is detached between windows
#: asks: h
#: after: a forum thread on truncated backpropagation, and the sweep over sound programs
#: code: cut_detach
#: says: no gradient is missed
#: never: Leave out
#: wrong: no
cell, head = nn.GRUCell(3, 6), nn.Linear(6, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
h = torch.zeros(4, 6)
for window in range(3):
    h = cell(torch.randn(4, 3), h)
    loss = head(h).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    h = h.detach()  # <-

# %% advantages of a critic that learns by itself
#: asks: adv
#: after: a forum thread on actor and critic, and the sweep over sound programs
#: code: cut_detach
#: says: get gradients by other ways
#: wrong: no
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for step in range(3):
    s, r = torch.randn(8, 4), torch.randn(8)
    value = critic(s).squeeze(1)
    adv = r - value.detach()  # <-
    loss = -(F.log_softmax(actor(s), 1)[:, 0] * adv).mean() + (r - value).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a critic that has no loss of its own
#: asks: adv
#: after: a forum thread on actor and critic
#: code: cut_detach
#: says: Leave out .detach()
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for step in range(3):
    s, r = torch.randn(8, 4), torch.randn(8)
    adv = r - critic(s).squeeze(1).detach()  # <-
    loss = -(F.log_softmax(actor(s), 1)[:, 0] * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a penalty of the weights that is computed under no_grad
#: asks: penalty
#: after: a forum thread on weight decay by hand
#: code: cut_no_grad
#: says: outside of the no_grad block
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    with torch.no_grad():  # <-
        penalty = sum(p.pow(2).sum() for p in net.parameters())
    loss = net(torch.randn(8, 4)).pow(2).mean() + 0.1 * penalty
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a straight-through estimate whose difference is not detached
#: asks: gate
#: after: a thread on binary gates
#: code: zero_step
#: says: the contributions of the other uses
#: says: .detach()
#: grad: zero
gate = torch.rand(4, requires_grad=True)
x = torch.randn(8, 4)
hard = gate + (gate.round() - gate)  # <-
((x * hard).sum(1) - 1).pow(2).mean().backward()

# %% the first of two losses is cleared before the step
#: asks: w
#: after: a thread on two losses and one optimizer
#: code: set
#: says: What pass 1 (line
#: says: before any step used it
#: wrong: no
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss_a, loss_b = (w * 2).pow(2).sum(), (w - 3).abs().sum()
loss_a.backward()
opt.zero_grad()
loss_b.backward()  # <-
opt.step()

# %% what a module keeps of its forward pass, by the attribute alone
#: asks: L2_Y
#: after: a forum thread on the gradient of an output
#: code: not_retained
#: wrong: no
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        self.L1_H = self.first(x)
        self.L2_Y = self.second(self.L1_H)  # <-
        return self.L2_Y

net = Net()
net(torch.randn(4, 3)).mean().backward()

# %% a loss that is called otherwise, by its bare name
#: asks: loss_val
#: after: an issue on shapes that broadcast
#: code: loss_falls
#: never: .grad is None
#: wrong: no
model, x = nn.Linear(2, 1), torch.randn(20, 2)
y = x.sum(1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(20):
    opt.zero_grad()
    loss_val = F.mse_loss(model(x), y.unsqueeze(1))  # <-
    loss_val.backward()
    opt.step()

# %% its gradient is asked about
#: asks: loss_val.grad
#: after: an issue on shapes that broadcast
#: code: not_retained
#: wrong: no
w = torch.ones(2, requires_grad=True)
loss_val = (w * 2).sum()  # <-
loss_val.backward()

# %% a checkpoint of what a lambda calls
#: asks: m.weight
#: after: an issue: a checkpoint should require grad as its function does
#: code: checkpoint
#: says: use_reentrant=False
from torch.utils.checkpoint import checkpoint
net, head = nn.Linear(4, 8), nn.Linear(8, 3)
m = net
h = checkpoint(lambda t: torch.tanh(m(t)), torch.randn(10, 4), use_reentrant=True)  # <-
F.cross_entropy(head(h), torch.zeros(10, dtype=torch.long)).backward()

# %% a generator whose own step detaches what it made, where the discriminator's step detaches rightly
#: asks: G.weight
#: after: an issue about a generator that does not learn
#: code: cut_detach
#: says: g_loss
#: grad: None
G, D = nn.Linear(3, 4), nn.Linear(4, 1)
opt_g, opt_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for step in range(3):
    z = torch.randn(8, 3)
    fake = G(z)
    g_loss = D(fake.detach()).pow(2).mean()  # <-
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    opt_d.zero_grad()
    d_loss = D(G(z).detach()).mean()
    d_loss.backward()
    opt_d.step()

# %% a loss that is added up in place within an iteration
#: asks: loss
#: after: a question about a network that does not learn a sequence
#: code: loss_falls
#: says: from 1.25 to
#: never: from 0
#: wrong: no
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.05)
for step in range(3):
    optimizer.zero_grad()
    loss = 0.0
    for target in (0.5, 0.0, 1.0):
        loss += (w - target) ** 2  # <-
    loss.backward()
    optimizer.step()

# %% the running mean of a normalisation whose parameters are frozen
#: asks: net.1.running_mean
#: after: mmdetection#560
#: code: changed_in_place
#: says: training mode
#: says: frozen
#: says: net.1.eval()
#: never: slice
#: wrong: no
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
net.requires_grad_(False)
for step in range(3):
    out = net(torch.randn(8, 4))  # <-

# %% targets that do not fit into the time steps
#: asks: loss
#: after: an issue on CTC that becomes infinite
#: code: not_finite
#: says: does not fit into so few time steps
#: says: zero_infinity
#: never: dtype
scores = torch.randn(4, 2, 6, requires_grad=True)
targets, lengths = torch.tensor([[1, 1, 2, 2], [1, 2, 3, 4]]), torch.tensor([4, 4])
loss = F.ctc_loss(scores.log_softmax(-1), targets, lengths, lengths)  # <-
loss.backward()

# %% eigenvectors of equal eigenvalues
#: asks: a.grad
#: after: an issue on eigh
#: code: not_finite
#: says: two of them are equal
#: never: Scale the loss
#: grad: nan
a = torch.eye(3, requires_grad=True)
values, vectors = torch.linalg.eigh(a)  # <-
loss = (vectors * torch.tensor([1.0, 2.0, 3.0])).abs().sum()
loss.backward()

# %% the log-probability of what was drawn with its graph
#: asks: mean.grad
#: after: pytorch#10943
#: code: zero_cancelled
#: says: rsample() draws moves with what it is drawn by
#: says: sample() instead of rsample()
#: never: signs of the terms
#: grad: zero
mean = torch.zeros(3, requires_grad=True)
policy = torch.distributions.Normal(mean, torch.ones(3))
action = policy.rsample()
loss = -policy.log_prob(action).sum()  # <-
loss.backward()

# %% a line that ran and made no tensor, before another one failed
#: asks: line 3
#: after: a question site
#: code: line_ran
#: says: did not fail
#: says: It made no tensor
#: never: ended before
#: wrong: no
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)  # <-
loss = w @ torch.ones(4)

# %% an optimizer, asked for by its name
#: asks: optimizer
#: after: a question site
#: code: line_ran
#: says: no tensor and no module
#: says: line 3
#: wrong: no
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)  # <-
loss = (w * 2).sum()
loss.backward()
optimizer.step()

# %% a network that is made anew after its optimizer, asked about by a parameter that one line makes for both
#: asks: why does net.fc.weight not move
#: after: spro/practical-pytorch#9
#: code: not_optimized
#: says: was made at line 10, and the one in use was made at line 12
#: says: Make the optimizer after line 12
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
net = Net()
for step in range(2):
    net(torch.ones(1, 4)).mean().backward()
    optimizer.step()

# %% a clamp that lets NaN through in the next step
#: asks: delta.grad
#: after: a rotation loss
#: code: not_finite
#: says: derivative of acos
#: never: saturated
#: grad: zero
delta = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([delta], lr=0.1)
for step in range(2):
    angle = torch.acos((1 + delta).clamp(-1, 1))  # <-
    optimizer.zero_grad()
    (angle ** 2).sum().backward()
    optimizer.step()

# %% a weight that is written although it is computed from a length and a direction
#: asks: layer.weight
#: after: a forum thread on weight_norm
#: code: not_a_tensor
#: says: layer.weight_g and layer.weight_v
#: says: gone with its next use
#: never: detach
#: wrong: no
layer = nn.utils.weight_norm(nn.Linear(4, 2))  # <-
layer.weight.data.fill_(0.5)
layer(torch.ones(1, 4)).sum().backward()
