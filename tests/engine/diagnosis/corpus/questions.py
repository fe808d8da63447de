"""Programs with one question each for test_why.py; the line with `# <-` is the one that the reason names."""
#: tensor: what is asked about
#: code: of the reason
#: until?: the question is asked after the last event of the first line with this text, instead of at the end
#: cells?: how many it has, as a notebook

import numpy as np, torch, torch.nn.functional as F; from torch import nn; torch.manual_seed(0)

# %% detach in the middle
#: tensor: w
#: code: cut_detach
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0], requires_grad=True)
h = (w * x).detach()  # <-
loss = (h * x).sum()
loss.backward()

# %% detach in a function
#: tensor: model.0.weight
#: code: cut_detach
model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))

def features(x):
    h = model[0](x)
    return h.detach()  # <-

loss = model[1](features(torch.ones(4, 2))).mean()
loss.backward()

# %% detach in forward
#: tensor: net.encoder.weight
#: code: cut_detach
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(3, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        z = torch.relu(self.encoder(x))
        z = z.detach()  # <-
        return self.head(z)

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    opt.zero_grad()
    loss = net(torch.ones(5, 3)).pow(2).mean()
    loss.backward()
    opt.step()

# %% detach_ in place
#: tensor: w
#: code: cut_detach
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
h = w * 3
h.detach_()  # <-
y = h + b
y.backward()

# %% data instead of the tensor
#: tensor: w
#: code: cut_data
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
y = w.data * 3 + b  # <-
y.sum().backward()

# %% data of an intermediate result
#: tensor: model.weight
#: code: cut_data
model = nn.Linear(2, 1)
scale = torch.ones(1, requires_grad=True)
out = model(torch.ones(3, 2))
out = out.data  # <-
(out * scale).sum().backward()

# %% item and a new tensor
#: tensor: w
#: code: cut_numbers
w = torch.tensor(2.0, requires_grad=True)
y = w ** 2
loss = torch.tensor(y.item(), requires_grad=True)  # <-
loss.backward()

# %% item first, tensor later
#: tensor: w
#: code: cut_numbers
w = torch.tensor(2.0, requires_grad=True)
value = (w ** 2).item()  # <-
print(value)
loss = torch.tensor(value, requires_grad=True)
loss.backward()

# %% item in the middle of an expression
#: tensor: w
#: code: cut_numbers
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = w.item() * b + 1  # <-
loss.backward()

# %% float of a tensor
#: tensor: w
#: code: cut_numbers
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
s = float(w.detach() * 2)
c = torch.tensor(float(w))  # <-
loss = (c * b) ** 2
loss.backward()

# %% through NumPy
#: tensor: w
#: code: cut_numbers
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
a = w.detach().numpy()  # <-
a = np.sin(a)
y = torch.from_numpy(a) * b
y.sum().backward()

# %% a NumPy function of data
#: tensor: w
#: code: cut_numbers
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = np.exp(w.data.numpy())  # <-
loss = torch.tensor(y, requires_grad=True).sum()
loss.backward()

# %% tolist and a new tensor
#: tensor: w
#: code: cut_numbers
w = torch.tensor([1.0, 2.0], requires_grad=True)
values = w.tolist()  # <-
doubled = [2 * v for v in values]
loss = torch.tensor(doubled, requires_grad=True).sum()
loss.backward()

# %% losses collected as numbers
#: tensor: w
#: code: cut_numbers
w = torch.tensor(2.0, requires_grad=True)
losses = []
for x in [1.0, 2.0, 3.0]:
    losses.append((w * x).item())  # <-
total = torch.tensor(losses, requires_grad=True).mean()
total.backward()

# %% numbers out of a function
#: tensor: w
#: code: cut_numbers
def loss_of(w):
    error = (w - 1) ** 2
    return error.item()  # <-

w = torch.tensor(3.0, requires_grad=True)
loss = torch.tensor(loss_of(w), requires_grad=True)
loss.backward()

# %% torch.tensor of a tensor
#: tensor: w
#: code: cut_copy
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor(w * 2, requires_grad=True)  # <-
y.sum().backward()

# %% a list of tensors made one
#: tensor: a
#: code: cut_copy
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
both = torch.tensor([a * 2, b * 3], requires_grad=True)  # <-
both.sum().backward()

# %% a nested list of tensors
#: tensor: a
#: code: cut_numbers
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
m = torch.tensor([[a, 0.0], [0.0, b]], requires_grad=True)  # <-
m.sum().backward()

# %% a parameter of a result
#: tensor: w
#: code: cut_copy
w = torch.tensor([1.0, 2.0], requires_grad=True)
p = nn.Parameter(w * 2)  # <-
(p ** 2).sum().backward()

# %% sample instead of rsample
#: tensor: mean
#: code: cut_sample
mean = torch.tensor([0.5, -0.5], requires_grad=True)
drawn = torch.distributions.Normal(mean, 1.0).sample()  # <-
scale = torch.tensor(2.0, requires_grad=True)
(drawn * scale).sum().backward()

# %% no_grad around the forward computation
#: tensor: w
#: code: cut_no_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([0.5, 0.5], requires_grad=True)
with torch.no_grad():  # <-
    h = w * 3
    h = h + 1
y = (h * b).sum()
y.backward()

# %% no_grad as a decorator
#: tensor: model.weight
#: code: cut_no_grad
model = nn.Linear(2, 2)
head = nn.Linear(2, 1)

@torch.no_grad()  # <-
def encode(x):
    return model(x)

loss = head(encode(torch.ones(3, 2))).sum()
loss.backward()

# %% no_grad around a call
#: tensor: net.a.weight
#: code: cut_no_grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 1)

    def forward(self, x):
        with torch.no_grad():  # <-
            h = torch.relu(self.a(x))
        return self.b(h)

net = Net()
net(torch.ones(1, 2)).sum().backward()

# %% no_grad where the model is called
#: tensor: model.weight
#: code: cut_no_grad
model = nn.Linear(2, 1)
with torch.no_grad():  # <-
    out = model(torch.ones(3, 2))
loss = out.mean()
loss.backward()

# %% grads switched off for good
#: tensor: w
#: code: cut_no_grad
w = torch.tensor(1.0, requires_grad=True)
torch.set_grad_enabled(False)  # <-
y = w * 2
torch.set_grad_enabled(True)
b = torch.tensor(1.0, requires_grad=True)
(y * b).backward()

# %% inference mode
#: tensor: w
#: code: cut_inference
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
with torch.inference_mode():  # <-
    h = w * 3
y = h + b
y.sum().backward()

# %% conversion to integers
#: tensor: w
#: code: cut_dtype
w = torch.tensor([1.5, 2.5], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
k = w.long()  # <-
(k * b).sum().backward()

# %% argmax
#: tensor: w
#: code: cut_op
w = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
best = w.argmax()  # <-
(best * b).backward()

# %% accuracy as the loss
#: tensor: model.weight
#: code: cut_op
model = nn.Linear(4, 3)
x, t = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
logits = model(x)
pred = logits.argmax(dim=1)  # <-
loss = (pred == t).float().mean()
loss.requires_grad_()
loss.backward()

# %% a comparison
#: tensor: w
#: code: cut_op
w = torch.tensor([1.0, -3.0], requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
mask = (w > 0).float()  # <-
(mask * x).sum().backward()

# %% the loss has no graph
#: tensor: w
#: code: cut_detach
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = (w ** 2).detach()  # <-
loss = y.sum()
loss.backward()

# %% the loss has no graph, by numbers
#: tensor: model.weight
#: code: cut_numbers
model = nn.Linear(2, 1)
out = model(torch.ones(3, 2))
loss = torch.tensor(out.mean().item())  # <-
loss.backward()

# %% not a leaf
#: tensor: y
#: code: not_retained
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2  # <-
z = 2 * y
z.backward()
print(y.grad)

# %% a hidden activation
#: tensor: h
#: code: not_retained
model = nn.Linear(2, 3)
h = torch.tanh(model(torch.ones(1, 2)))  # <-
loss = h.sum()
loss.backward()

# %% retained too late
#: tensor: y
#: code: retained_late
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
z = y * 2
z.backward()
y.retain_grad()  # <-

# %% overwritten by a product
#: tensor: w
#: code: overwritten
w = torch.tensor([1.0, 2.0], requires_grad=True)
w = w * 2  # <-
loss = (w ** 2).sum()
loss.backward()

# %% a scaled random leaf
#: tensor: w
#: code: overwritten
x = torch.ones(3)
w = torch.randn(3, requires_grad=True) * 0.1  # <-
loss = (w * x).sum()
loss.backward()

# %% a leaf reshaped when it is made
#: tensor: W
#: code: overwritten
W = torch.arange(6.0, requires_grad=True).reshape(2, 3)  # <-
loss = (W @ torch.ones(3)).sum()
loss.backward()

# %% converted to double
#: tensor: w
#: code: overwritten
w = torch.tensor([1.0, 2.0], requires_grad=True)
w = w.to(torch.float64)  # <-
(w ** 2).sum().backward()

# %% converted with .double()
#: tensor: w
#: code: overwritten
w = torch.randn(3, requires_grad=True).double()  # <-
(w ** 2).sum().backward()

# %% a parameter scaled
#: tensor: w
#: code: overwritten
w = nn.Parameter(torch.randn(2, 2)) / 2  # <-
loss = w.pow(2).sum()
loss.backward()

# %% gradient descent that makes a new w
#: tensor: w
#: code: overwritten
w = torch.tensor(5.0, requires_grad=True)
lr = 0.1
loss = (w - 3) ** 2
loss.backward()
w = w - lr * w.grad  # <-
print(w.grad)

# %% gradient descent in a loop that makes a new w
#: tensor: w
#: code: overwritten
w = torch.tensor(5.0, requires_grad=True)
for i in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    w = w - 0.1 * w.grad  # <-

# %% a new w within no_grad
#: tensor: w
#: code: overwritten
w = torch.tensor(5.0, requires_grad=True)
for i in range(2):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad  # <-

# %% not computed from it
#: tensor: y
#: code: unused
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)  # <-
z = x ** 2
z.backward()

# %% used for something else
#: tensor: w
#: code: not_connected
w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(3.0, requires_grad=True)
penalty = w ** 2
loss = x * 2
loss.backward()  # <-

# %% a layer that forward does not use
#: tensor: net.extra.weight
#: code: unused
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(2, 1)
        self.extra = nn.Linear(2, 1)  # <-

    def forward(self, x):
        return self.used(x)

net = Net()
net(torch.ones(1, 2)).sum().backward()

# %% an output that is left out of the loss
#: tensor: b.weight
#: code: not_connected
a, b = nn.Linear(2, 1), nn.Linear(2, 1)
x = torch.ones(3, 2)
first, second = a(x), b(x)
loss = first.mean()
loss.backward()  # <-

# %% backward is never called
#: tensor: w
#: code: no_backward
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w ** 2).sum()  # <-
print(w.grad)

# %% not yet
#: tensor: w
#: code: not_yet
#: until: loss =
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w ** 2).sum()
loss.backward()  # <-

# %% an error before backward
#: tensor: w
#: code: no_backward
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * torch.ones(3)  # <-
y.sum().backward()

# %% only some inputs
#: tensor: b
#: code: inputs
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
(a * b).backward(inputs=[a])  # <-

# %% torch.autograd.grad
#: tensor: w
#: code: autograd_grad
w = torch.tensor(2.0, requires_grad=True)
loss = w ** 3
g, = torch.autograd.grad(loss, w)  # <-
print(g, w.grad)

# %% cleared by the optimizer
#: tensor: model.weight
#: code: cleared
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(2):
    model(torch.ones(1, 2)).sum().backward()
    opt.step()
    opt.zero_grad()  # <-

# %% set to None
#: tensor: w
#: code: cleared
w = torch.tensor(2.0, requires_grad=True)
(w * 2).backward()
w.grad = None  # <-
print(w.grad)

# %% zeroed in place
#: tensor: w
#: code: zeroed
w = torch.tensor(2.0, requires_grad=True)
(w * 2).backward()
w.grad.zero_()  # <-

# %% zeroed through data
#: tensor: w
#: code: zeroed
w = torch.tensor(2.0, requires_grad=True)
(w * 2).backward()
w.grad.data.zero_()  # <-

# %% zeroed by the module
#: tensor: model.bias
#: code: zeroed
model = nn.Linear(2, 1)
model(torch.ones(1, 2)).sum().backward()
model.zero_grad(set_to_none=False)  # <-

# %% a vector as root
#: tensor: w
#: code: backward_failed
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 2
y.backward()  # <-

# %% the graph was freed
#: tensor: w
#: code: backward_failed
w = torch.tensor(2.0, requires_grad=True)
y = w ** 2
y.backward()
y.backward()  # <-

# %% a saved tensor changed in place
#: tensor: w
#: code: backward_failed
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.exp(w)
y += 1  # <-
y.sum().backward()

# %% dead relu
#: tensor: w
#: code: zero_relu
w = torch.tensor([-1.0, -2.0], requires_grad=True)
y = torch.relu(w)  # <-
y.sum().backward()

# %% a dead layer
#: tensor: model.0.weight
#: code: zero_relu
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
with torch.no_grad():
    model[0].bias.fill_(-100.0)
x = torch.ones(4, 2)
h = model[0](x)
a = model[1](h)  # <-
model[2](a).sum().backward()

# %% the layer behind a dead one
#: tensor: head.weight
#: code: zero_relu
body, head = nn.Linear(2, 3), nn.Linear(3, 1)
with torch.no_grad():
    body.bias.fill_(-100.0)
h = F.relu(body(torch.ones(4, 2)))  # <-
loss = head(h).sum()
loss.backward()

# %% clamp saturated
#: tensor: x
#: code: zero_clamp
x = torch.tensor([3.0, -4.0], requires_grad=True)
y = torch.clamp(x, -1, 1)  # <-
(y * 2).sum().backward()

# %% times zero
#: tensor: x
#: code: zero_factor
x = torch.tensor([3.0, -4.0], requires_grad=True)
y = x * 0  # <-
y.sum().backward()

# %% a mask of zeros
#: tensor: w
#: code: zero_factor
w = torch.tensor([3.0, 4.0], requires_grad=True)
mask = torch.zeros(2)
y = w ** 2 * mask  # <-
y.sum().backward()

# %% where took the other branch
#: tensor: a
#: code: zero_where
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
y = torch.where(a > 5, a * 2, b)  # <-
y.sum().backward()

# %% maximum chose the other
#: tensor: a
#: code: zero_choice
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = torch.maximum(a, b)  # <-
(c * 3).backward()

# %% round
#: tensor: w
#: code: zero_step
w = torch.tensor([0.3, 1.7], requires_grad=True)
q = torch.round(w * 4) / 4  # <-
loss = (q ** 2).sum()
loss.backward()

# %% the power at zero
#: tensor: x
#: code: zero_op
x = torch.tensor(0.0, requires_grad=True)
y = x ** 2  # <-
y.backward()

# %% terms that cancel
#: tensor: x
#: code: zero_cancelled
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
z = y - 3 * x  # <-
z.backward()

# %% frozen
#: tensor: model.0.weight
#: code: frozen
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
for p in model[0].parameters():
    p.requires_grad = False  # <-
model(torch.ones(1, 2)).sum().backward()

# %% frozen by the module
#: tensor: backbone.weight
#: code: frozen
backbone = nn.Linear(2, 2)
head = nn.Linear(2, 1)
backbone.requires_grad_(False)  # <-
head(backbone(torch.ones(1, 2))).sum().backward()

# %% made without requires_grad
#: tensor: w
#: code: needs_none
w = torch.tensor([1.0, 2.0])  # <-
b = torch.tensor([1.0, 2.0], requires_grad=True)
(w * b).sum().backward()

# %% integers
#: tensor: n
#: code: integer
n = torch.tensor([1, 2, 3])  # <-
w = torch.ones(3, requires_grad=True)
(n * w).sum().backward()

# %% computed from constants
#: tensor: y
#: code: inputs_need_none
x = torch.tensor([1.0, 2.0])  # <-
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
(y * w).sum().backward()

# %% told to require grad too late
#: tensor: x
#: code: flag_late
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, 4.0])
loss = (w * x).sum()
x.requires_grad_()  # <-
loss.backward()

# %% accumulated over two passes
#: tensor: x
#: code: accumulated
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
y.backward(retain_graph=True)
y.backward()  # <-
print(x.grad)

# %% accumulated in a loop
#: tensor: w
#: code: accumulated
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    loss = (w ** 2).sum()
    loss.backward()  # <-
    with torch.no_grad():
        w -= 0.1 * w.grad

# %% accumulated over two losses
#: tensor: w
#: code: accumulated
w = torch.tensor(2.0, requires_grad=True)
loss1 = w * 3
loss2 = w * 4
loss1.backward()
loss2.backward()  # <-

# %% two paths in one pass
#: tensor: x
#: code: paths
x = torch.tensor(3.0, requires_grad=True)
a = x * 2
b = x * 5
y = a + b
y.backward()  # <-

# %% x times x
#: tensor: x
#: code: paths
x = torch.tensor(3.0, requires_grad=True)
y = x * x
y.backward()  # <-

# %% made after backward
#: tensor: b
#: code: created_after
w = torch.tensor(2.0, requires_grad=True)
(w * 2).backward()
b = torch.tensor(1.0, requires_grad=True)  # <-
z = b * 2

# %% used after backward
#: tensor: b
#: code: used_after
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
loss = w * 2
loss.backward()
z = b * w  # <-

# %% a new tensor of the same name
#: tensor: w
#: code: rebound
w = torch.tensor(2.0, requires_grad=True)
(w ** 2).backward()
w = torch.tensor(5.0, requires_grad=True)  # <-
print(w.grad)

# %% a fresh leaf in each iteration
#: tensor: w
#: code: rebound
w = torch.tensor(2.0, requires_grad=True)
for i in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_()  # <-

# %% clipped
#: tensor: w
#: code: changed
w = torch.tensor([30.0, 40.0], requires_grad=True)
(w ** 2).sum().backward()
torch.nn.utils.clip_grad_norm_([w], 1.0)  # <-

# %% assigned by hand
#: tensor: w
#: code: assigned
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.grad = torch.ones(2)  # <-

# %% a NaN gradient
#: tensor: x
#: code: not_finite
x = torch.tensor(0.0, requires_grad=True)
y = torch.sqrt(x)  # <-
z = y * 1
z.backward()

# %% a retained result
#: tensor: y
#: code: set
x = torch.tensor(3.0, requires_grad=True)
y = x ** 2
y.retain_grad()
(y * 2).backward()  # <-

# %% a Function that returns None
#: tensor: x
#: code: no_gradient
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None

x = torch.tensor(1.0, requires_grad=True)
w = torch.tensor(1.0, requires_grad=True)
y = Double.apply(x)  # <-
(y * w).backward()

# %% a hook that returns zeros
#: tensor: w
#: code: zero_hook
w = torch.tensor(1.0, requires_grad=True)
y = w * 2
y.register_hook(lambda g: g * 0)  # <-
(y * 3).backward()

# %% a name that holds a number now
#: tensor: x
#: code: not_a_tensor
x = torch.tensor(1.0, requires_grad=True)
y = x * 2
x = x.item()  # <-
y.backward()

# %% a notebook
#: tensor: w
#: code: cut_detach
#: cells: 3
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
# %%
h = w.detach() * 2  # <-
# %%
loss = (h * b).sum()
loss.backward()

# %% a notebook without backward
#: tensor: w
#: code: no_backward
#: cells: 3
w = torch.tensor([1.0, 2.0], requires_grad=True)
# %%
loss = (w * 2).sum()  # <-
# %%
w.grad

# %% weights in a list
#: tensor: params[0]
#: code: cut_detach
params = [torch.randn(2, 3, requires_grad=True), torch.randn(3, 1, requires_grad=True)]
x = torch.ones(4, 2)
hidden = torch.tanh(x @ params[0]).detach()  # <-
loss = (hidden @ params[1]).mean()
loss.backward()

# %% an update through a list
#: tensor: params[1]
#: code: accumulated
params = [torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)]
for i in range(3):
    loss = (params[0].sum() + params[1] * 2).sum()
    loss.backward()  # <-
    for p in params:
        p.data -= 0.1 * p.grad

# %% a generator whose images are detached
#: tensor: G.weight
#: code: cut_detach
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
opt = torch.optim.SGD(G.parameters(), lr=0.1)
fake = G(torch.randn(4, 2))
loss = -D(fake.detach()).mean()  # <-
loss.backward()
opt.step()

# %% the other optimizer's parameters
#: tensor: target.weight
#: code: cut_no_grad
online, target = nn.Linear(2, 1), nn.Linear(2, 1)
x = torch.randn(5, 2)
with torch.no_grad():  # <-
    goal = target(x)
loss = F.mse_loss(online(x), goal)
loss.backward()

# %% a class that is no module
#: tensor: box.w
#: code: overwritten
class Box:
    def __init__(self):
        self.w = torch.tensor(1.0, requires_grad=True)

    def step(self):
        loss = (self.w - 3) ** 2
        loss.backward()
        self.w = self.w - 0.1 * self.w.grad  # <-

box = Box()
box.step()

# %% copied within no_grad
#: tensor: w
#: code: cut_no_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
buffer = torch.zeros(2)
with torch.no_grad():  # <-
    buffer.copy_(w * 3)
b = torch.ones(2, requires_grad=True)
(buffer * b).sum().backward()

# %% hidden state carried over
#: tensor: h
#: code: not_retained
cell = nn.RNNCell(2, 3)
h = torch.zeros(1, 3)
for t in range(3):
    h = cell(torch.ones(1, 2), h)  # <-
h.sum().backward()

# %% a running total of losses as a number
#: tensor: w
#: code: cut_numbers
w = torch.randn(3, requires_grad=True)
total = 0
for x in [torch.ones(3), torch.zeros(3)]:
    loss = (w * x).sum()
    total += loss.item()  # <-
total = torch.tensor(total, requires_grad=True)
total.backward()

# %% written into a NumPy array
#: tensor: w
#: code: cut_numbers
w = torch.tensor([1.0, 2.0], requires_grad=True)
arr = np.zeros(2)
for i in range(2):
    arr[i] = w[i] * 2  # <-
t = torch.tensor(arr, requires_grad=True)
t.sum().backward()

# %% a module dead by its bias
#: tensor: net.fc1.weight
#: code: zero_relu
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(2, 4)
        self.fc2 = nn.Linear(4, 1)
        nn.init.constant_(self.fc1.bias, -50.0)

    def forward(self, x):
        h = F.relu(self.fc1(x))  # <-
        return self.fc2(h)

net = Net()
loss = net(torch.randn(5, 2)).mean()
loss.backward()

# %% the next layer's weights are zero
#: tensor: a.weight
#: code: zero_factor
a = nn.Linear(2, 3)
b = nn.Linear(3, 1)
nn.init.zeros_(b.weight)
loss = b(a(torch.randn(4, 2))).sum()  # <-
loss.backward()

# %% cut from the second iteration on
#: tensor: w
#: code: cut_detach
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    y = w * 2
    if i > 0:
        y = y.detach().requires_grad_()  # <-
    loss = y ** 2
    loss.backward()
    opt.step()

# %% a branch not taken
#: tensor: net.b.weight
#: code: unused
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 1)
        self.b = nn.Linear(2, 1)  # <-

    def forward(self, x, flag):
        if flag:
            return self.a(x)
        return self.b(x)

net = Net()
net(torch.ones(1, 2), True).sum().backward()

# %% cleared between backward and step
#: tensor: model.weight
#: code: cleared_before_step
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(3, 2)).mean()
loss.backward()
opt.zero_grad()  # <-
opt.step()

# %% a range of integers
#: tensor: x
#: code: integer
x = torch.arange(5)  # <-
y = (x * 2.0).sum()
w = torch.tensor(1.0, requires_grad=True)
(y * w).backward()

# %% the sign
#: tensor: x
#: code: zero_step
x = torch.tensor([0.5, -0.5], requires_grad=True)
y = torch.sign(x).sum()  # <-
y.backward()

# %% indices of the maximum
#: tensor: scores
#: code: cut_op
scores = torch.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
vals, idx = scores.max(dim=1)  # <-
loss = (idx.float() - 1).pow(2).mean()
loss.requires_grad = True
loss.backward()

# %% an activation in a list
#: tensor: acts[0]
#: code: not_retained
acts = []
x = torch.ones(2, requires_grad=True)
h = x
for i in range(3):
    h = torch.tanh(h * 2)  # <-
    acts.append(h)
h.sum().backward()

# %% a saturated sigmoid
#: tensor: w
#: code: zero_saturated
w = torch.tensor(500.0, requires_grad=True)
p = torch.sigmoid(w)  # <-
loss = (p - 0) ** 2
loss.backward()

# %% float() of a float tensor changes nothing
#: tensor: w
#: code: set
w = torch.tensor([1.0, 2.0], requires_grad=True)
w = w.float()
(w * 2).sum().backward()  # <-

# %% halved precision
#: tensor: w
#: code: overwritten
w = torch.tensor([1.0, 2.0], requires_grad=True)
w = w.half()  # <-
(w * 2).sum().backward()

# %% a copy is trained instead
#: tensor: w
#: code: cut_detach
w = torch.tensor([1.0], requires_grad=True)
v = w.clone().detach().requires_grad_(True)  # <-
opt = torch.optim.SGD([v], lr=0.1)
loss = (v * 3).sum()
loss.backward()
opt.step()

# %% a derivative without create_graph
#: tensor: x
#: code: cut_gradient
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
g = torch.autograd.grad(y, x)[0]  # <-
g.backward()

# %% second derivatives by grad
#: tensor: x
#: code: autograd_grad
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
g, = torch.autograd.grad(y, x, create_graph=True)
h, = torch.autograd.grad(g, x)  # <-
print(h)

# %% a local name
#: tensor: w
#: code: cut_detach
def train():
    w = torch.tensor(1.0, requires_grad=True)
    y = w * 2
    y = y.detach()  # <-
    z = y + torch.tensor(1.0, requires_grad=True)
    z.backward()
    return w

train()

# %% a parameter made without grad
#: tensor: p
#: code: needs_none
p = nn.Parameter(torch.ones(2), requires_grad=False)  # <-
q = nn.Parameter(torch.ones(2))
(p * q).sum().backward()

# %% backward within no_grad
#: tensor: w
#: code: cut_no_grad
w = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():  # <-
    loss = w * 3
    loss.backward()

# %% an error that was caught
#: tensor: w
#: code: cut_detach
w = torch.tensor(2.0, requires_grad=True)
loss = (w * 3).detach()  # <-
try:
    loss.backward()
except RuntimeError as e:
    print(e)

# %% a second backward that was caught
#: tensor: w
#: code: backward_failed
w = torch.tensor(2.0, requires_grad=True)
loss = w ** 2
loss.backward()
try:
    loss.backward()  # <-
except RuntimeError as e:
    print(e)

# %% a sigmoid changed in place
#: tensor: w
#: code: backward_failed
w = torch.tensor([1.0, 2.0], requires_grad=True)
s = torch.sigmoid(w)
s.mul_(2)  # <-
s.sum().backward()

# %% twice through a function
#: tensor: w
#: code: paths
w = torch.tensor([1.0, 2.0], requires_grad=True)

def f(v):
    return (v * 3).sum()

loss = f(w) + f(w)
loss.backward()  # <-

# %% no zero_grad over epochs
#: tensor: model.weight
#: code: accumulated
model = nn.Linear(1, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
data = [(torch.tensor([[1.0]]), torch.tensor([[2.0]])), (torch.tensor([[2.0]]), torch.tensor([[4.0]]))]
for epoch in range(2):
    for x, y in data:
        loss = F.mse_loss(model(x), y)
        loss.backward()  # <-
        opt.step()

# %% the wrong optimizer is cleared
#: tensor: b.weight
#: code: not_optimized
a, b = nn.Linear(1, 1), nn.Linear(1, 1)
oa = torch.optim.SGD(a.parameters(), lr=0.1)  # <-
for i in range(2):
    oa.zero_grad()
    loss = b(a(torch.ones(1, 1))).sum()
    loss.backward()
    oa.step()

# %% the name now stands for a detached copy
#: tensor: w
#: code: cut_detach
w = torch.tensor([1.0], requires_grad=True)
w = w.detach()  # <-
b = torch.ones(1, requires_grad=True)
(w * b).sum().backward()

# %% requires_grad set to False
#: tensor: w
#: code: frozen
w = torch.tensor([1.0], requires_grad=True)
b = torch.ones(1, requires_grad=True)
w.requires_grad = False  # <-
loss = (w * b).sum()
loss.backward()

# %% everything masked
#: tensor: s
#: code: zero_mask
s = torch.tensor([1.0, 2.0], requires_grad=True)
m = torch.tensor([True, True])
p = s.masked_fill(m, 0.0)  # <-
(p * 3).sum().backward()

# %% the minimum of a stack
#: tensor: b
#: code: zero_choice
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(5.0, requires_grad=True)
m = torch.min(torch.stack([a, b]))  # <-
m.backward()

# %% a hinge that is satisfied
#: tensor: w
#: code: zero_clamp
w = torch.tensor(2.0, requires_grad=True)
loss = torch.clamp(1 - w, min=0)  # <-
loss.backward()

# %% floor division
#: tensor: x
#: code: backward_failed
x = torch.tensor(7.0, requires_grad=True)
y = x // 2
y = y * torch.tensor(1.0, requires_grad=True)
y.backward()  # <-

# %% a sampled action
#: tensor: logits
#: code: cut_op
logits = torch.tensor([0.1, 0.2, 0.7], requires_grad=True)
probs = torch.softmax(logits, 0)
action = torch.multinomial(probs, 1)  # <-
reward = action.float() * torch.tensor(1.0, requires_grad=True)
reward.sum().backward()

# %% a factor from a parameter's number
#: tensor: alpha
#: code: cut_numbers
alpha = torch.tensor(0.5, requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
scale = 2 * alpha.item()  # <-
y = (x * scale).sum()
y.backward()

# %% only a condition
#: tensor: w
#: code: unused
w = torch.tensor(3.0, requires_grad=True)  # <-
x = torch.tensor(1.0, requires_grad=True)
n = 2 if x > 0 else 3
y = x * n
y.backward()

# %% layers in a list
#: tensor: layers[1].weight
#: code: unused
layers = [nn.Linear(2, 2), nn.Linear(2, 1)]  # <-
h = layers[0](torch.ones(1, 2))
h.sum().backward()

# %% inference mode as a decorator
#: tensor: m.weight
#: code: cut_inference
m = nn.Linear(2, 2)

@torch.inference_mode()  # <-
def f(x):
    return m(x)

y = f(torch.ones(1, 2)).clone()
b = torch.ones(2, requires_grad=True)
(y * b).sum().backward()

# %% added to the loss too late
#: tensor: w2
#: code: used_after
w1 = torch.tensor(1.0, requires_grad=True)
w2 = torch.tensor(1.0, requires_grad=True)
loss = w1 * 2
loss.backward()
loss = loss + w2  # <-

# %% half of it is zero
#: tensor: x
#: code: set
x = torch.tensor([1.0, -1.0], requires_grad=True)
torch.relu(x).sum().backward()  # <-

# %% everything dropped
#: tensor: w
#: code: zero_factor
w = torch.ones(4, requires_grad=True)
d = F.dropout(w, p=1.0, training=True)  # <-
d.sum().backward()

# %% a closed gate
#: tensor: x
#: code: zero_factor
x = torch.tensor(3.0, requires_grad=True)
gate = torch.tensor(0.0, requires_grad=True)
y = x * gate  # <-
y.backward()

# %% the absolute value at zero
#: tensor: x
#: code: zero_op
x = torch.tensor(0.0, requires_grad=True)
x.abs().backward()  # <-

# %% the sum of a softmax
#: tensor: x
#: code: zero_saturated
x = torch.tensor([1.0, 1.0], requires_grad=True)
torch.softmax(x, 0).sum().backward()  # <-

# %% a clone
#: tensor: c
#: code: not_retained
w = torch.tensor(1.0, requires_grad=True)
c = w.clone()  # <-
(c * 2).backward()

# %% a view
#: tensor: v
#: code: not_retained
w = torch.ones(4, requires_grad=True)
v = w.view(2, 2)  # <-
v.sum().backward()

# %% a module's parameter replaced
#: tensor: old
#: code: cut_copy
layer = nn.Linear(2, 1)
old = layer.weight
layer.weight = nn.Parameter(layer.weight * 2)  # <-
layer(torch.ones(1, 2)).sum().backward()

# %% a lambda that detaches
#: tensor: w
#: code: cut_detach
f = lambda t: t.detach() ** 2  # <-
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
loss = f(w) * b
loss.backward()

# %% numbers into as_tensor
#: tensor: a
#: code: cut_numbers
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
v = torch.as_tensor([float(a), float(b)])  # <-
v.requires_grad_(True)
v.sum().backward()

# %% weights in a dict
#: tensor: params['w']
#: code: cut_data
params = {"w": torch.randn(2, requires_grad=True), "b": torch.zeros(1, requires_grad=True)}
y = (params["w"].data * 3).sum() + params["b"]  # <-
y.sum().backward()

# %% a leaf written in place
#: tensor: w
#: code: set
w = torch.tensor([1.0], requires_grad=True)
loss = (w * 2).sum()
loss.backward()  # <-
w -= 0.1 * w.grad

# %% weights appended to a list
#: tensor: params[1]
#: code: cut_detach
params = []
for size in (2, 3):
    params.append(torch.randn(size, requires_grad=True))
y = params[0].sum() + params[1].detach().sum()  # <-
y.backward()

# %% a list of named weights
#: tensor: ps[0]
#: code: unused
w = torch.ones(2, requires_grad=True)  # <-
b = torch.ones(1, requires_grad=True)
ps = [w, b]
loss = (ps[1] * 2).sum()
loss.backward()

# %% pairs in a list
#: tensor: layers[1][0]
#: code: set
layers = [(torch.randn(2, 3, requires_grad=True), torch.zeros(3, requires_grad=True)), (torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True))]
h = torch.ones(1, 2)
for W, b in layers:
    h = torch.tanh(h @ W + b)
h.sum().backward()  # <-

# %% modules in a plain list of a module
#: tensor: net.layers[0].weight
#: code: cut_no_grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 1)]

    def forward(self, x):
        with torch.no_grad():  # <-
            h = self.layers[0](x)
        return self.layers[1](h)

net = Net()
net(torch.ones(1, 2)).sum().backward()

# %% a tensor attribute of a module
#: tensor: net.w
#: code: overwritten
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.randn(3, requires_grad=True) * 0.01  # <-

    def forward(self, x):
        return (self.w * x).sum()

net = Net()
loss = net(torch.ones(3))
loss.backward()

# %% an attribute of an object
#: tensor: model.b
#: code: accumulated
class Model:
    def __init__(self):
        self.w = torch.tensor([1.0], requires_grad=True)
        self.b = torch.tensor([0.0], requires_grad=True)

    def __call__(self, x):
        return self.w * x + self.b

model = Model()
for x in (1.0, 2.0, 3.0):
    loss = (model(x) - 1) ** 2
    loss.backward()  # <-
    with torch.no_grad():
        model.w -= 0.1 * model.w.grad
        model.b -= 0.1 * model.b.grad

# %% the loss made a number
#: tensor: w
#: code: cut_numbers
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w ** 2).sum()
loss = loss.item()  # <-
loss.backward()

# %% an integer leaf refused
#: tensor: x
#: code: integer
x = torch.tensor([1, 2, 3], requires_grad=True)  # <-
y = (x * 2).sum()
y.backward()

# %% a NumPy loss
#: tensor: model.weight
#: code: cut_numbers
model = nn.Linear(2, 1)
x, y = torch.ones(4, 2), np.ones((4, 1))
pred = model(x).detach().numpy()  # <-
loss = torch.tensor(((pred - y) ** 2).mean(), requires_grad=True)
loss.backward()

# %% numpy refused
#: tensor: w
#: code: no_backward
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = np.sin(w.numpy())  # <-
loss = torch.from_numpy(y).sum()
loss.backward()

# %% the regulariser weighs nothing
#: tensor: w
#: code: zero_factor
w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
reg = (w ** 2).sum()
loss = v.sum() + 0.0 * reg  # <-
loss.backward()

# %% a mask of a comparison
#: tensor: w
#: code: zero_factor
w = torch.tensor([1.0, 2.0], requires_grad=True)
mask = (w > 5).float()
y = w * mask  # <-
y.sum().backward()

# %% D trained by the generator's pass too
#: tensor: D.weight
#: code: accumulated
G, D = nn.Linear(2, 2), nn.Linear(2, 1)
z = torch.randn(4, 2)
d_loss = D(G(z).detach()).mean()
d_loss.backward()
g_loss = D(G(z)).pow(2).mean()
g_loss.backward()  # <-

# %% parameters set to None in a loop
#: tensor: model.weight
#: code: cleared
model = nn.Linear(2, 1)
model(torch.ones(1, 2)).sum().backward()
for p in model.parameters():
    p.grad = None  # <-

# %% deleted
#: tensor: w
#: code: cleared
w = torch.tensor(1.0, requires_grad=True)
(w * 2).backward()
del w.grad  # <-

# %% step before backward
#: tensor: model.weight
#: code: not_yet
#: until: opt.step()
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(1, 2)).sum()
opt.step()
loss.backward()  # <-

# %% a policy gradient without log_prob
#: tensor: policy.weight
#: code: cut_op
policy = nn.Linear(3, 2)
state = torch.ones(1, 3)
probs = torch.softmax(policy(state), dim=-1)
action = probs.argmax(dim=-1)  # <-
reward = torch.tensor([1.0, -1.0], requires_grad=True)
loss = -reward[action].sum()
loss.backward()

# %% states carried as data
#: tensor: cell.weight_hh
#: code: cut_data
cell = nn.RNNCell(2, 2)
h = torch.zeros(1, 2)
w = torch.ones(1, requires_grad=True)
for t in range(3):
    h = cell(torch.ones(1, 2), h)
out = h.data * w  # <-
out.sum().backward()

# %% eval function under no_grad used for training
#: tensor: model.weight
#: code: cut_no_grad
model = nn.Linear(2, 1)

def evaluate(m, x, y):
    with torch.no_grad():  # <-
        return F.mse_loss(m(x), y)

loss = evaluate(model, torch.ones(3, 2), torch.zeros(3, 1))
loss.requires_grad_(True)
loss.backward()

# %% quantised weights
#: tensor: w
#: code: zero_step
w = torch.tensor([0.2, 0.9, -0.4], requires_grad=True)

def quantise(t):
    return torch.floor(t * 8) / 8  # <-

loss = (quantise(w) * torch.tensor([1.0, 2.0, 3.0])).sum()
loss.backward()

# %% a hard threshold
#: tensor: w
#: code: cut_op
w = torch.tensor([0.2, 0.9], requires_grad=True)
x = torch.tensor([1.0, 1.0], requires_grad=True)
out = torch.where(w > 0.5, x, -x)  # <-
out.sum().backward()

# %% a copy of the model is trained
#: tensor: model.weight
#: code: unused
import copy
model = nn.Linear(2, 1)  # <-
clone = copy.deepcopy(model)
clone(torch.ones(1, 2)).sum().backward()

# %% load_state_dict of another
#: tensor: b.weight
#: code: unused
a = nn.Linear(2, 1)
b = nn.Linear(2, 1)  # <-
b.load_state_dict(a.state_dict())
a(torch.ones(1, 2)).sum().backward()

# %% the second head is not trained
#: tensor: net.aux.weight
#: code: not_connected
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 3)
        self.main = nn.Linear(3, 1)
        self.aux = nn.Linear(3, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return self.main(h), self.aux(h)

net = Net()
y, extra = net(torch.ones(2, 2))
loss = y.pow(2).mean()
loss.backward()  # <-

# %% clipped to nothing
#: tensor: w
#: code: changed
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * 100).sum().backward()
w.grad.clamp_(-1, 1)  # <-

# %% averaged by hand
#: tensor: w
#: code: assigned
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (w * 2).sum().backward()
w.grad = w.grad / 4  # <-

# %% averaged in place
#: tensor: w
#: code: changed
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(4):
    (w * 2).sum().backward()
w.grad /= 4  # <-

# %% a graph kept over iterations
#: tensor: w
#: code: backward_failed
w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor(2.0)
h = w * w
for i in range(2):
    loss = h * x
    loss.backward()  # <-

# %% an optimizer step between two backwards
#: tensor: w
#: code: backward_failed
w = torch.tensor([1.0, 2.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w ** 2).sum()
opt.step()
with torch.no_grad():
    w.mul_(0.5)  # <-
loss.backward()

# %% tuple of parameters
#: tensor: W
#: code: cut_dtype
W = torch.randn(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
h = (W * 2).to(torch.int32)  # <-
y = h.sum() + b
y.backward()

# %% a boolean
#: tensor: flag
#: code: integer
flag = torch.tensor([True, False])  # <-
w = torch.ones(2, requires_grad=True)
(w * flag).sum().backward()

# %% input data
#: tensor: x
#: code: needs_none
x = torch.randn(4, 3)  # <-
model = nn.Linear(3, 1)
model(x).mean().backward()

# %% a saliency map of a detached image
#: tensor: img
#: code: cut_detach
net = nn.Sequential(nn.Flatten(), nn.Linear(4, 2))
img = torch.rand(1, 2, 2, requires_grad=True)
score = net(img.detach())[0, 0]  # <-
score.backward()

# %% an adversarial step
#: tensor: adv
#: code: overwritten
x = torch.ones(2, requires_grad=True)
adv = torch.zeros(2, requires_grad=True)
(x * adv).sum().backward()
adv = adv + 0.1 * adv.grad.sign()  # <-

# %% maml inner step
#: tensor: fast
#: code: not_retained
w = torch.tensor(1.0, requires_grad=True)
loss = (w - 3) ** 2
g, = torch.autograd.grad(loss, w, create_graph=True)
fast = w - 0.1 * g  # <-
outer = (fast - 1) ** 2
outer.backward()

# %% wrapped numbers in a dataset
#: tensor: scale
#: code: cut_numbers
scale = nn.Parameter(torch.tensor(2.0))
items = [float(scale) * k for k in range(3)]  # <-
batch = torch.tensor(items)
model = nn.Linear(3, 1)
model(batch).sum().backward()

# %% through a Python max
#: tensor: b
#: code: unused
a = torch.tensor(5.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)  # <-
c = a if a.item() > b.item() else b
(c * 2).backward()

# %% cell magic order
#: tensor: w
#: code: zeroed
#: cells: 3
w = torch.ones(2, requires_grad=True)
# %%
loss = (w * 3).sum()
loss.backward()
# %%
w.grad.zero_()  # <-

# %% doubled by running a cell twice
#: tensor: w
#: code: accumulated
#: cells: 3
w = torch.ones(2, requires_grad=True)
# %%
loss = (w * 3).sum()
loss.backward()
# %%
loss = (w * 3).sum()
loss.backward()  # <-

# %% enumerated loader
#: tensor: lin.bias
#: code: accumulated
lin = nn.Linear(2, 1)
opt = torch.optim.Adam(lin.parameters())
loader = [(torch.randn(3, 2), torch.randn(3, 1)) for _ in range(3)]
for i, (xb, yb) in enumerate(loader):
    out = lin(xb)
    loss = ((out - yb) ** 2).mean()
    loss.backward()  # <-
    if i == 10:
        opt.zero_grad()

# %% hook on a leaf
#: tensor: w
#: code: zero_hook
w = torch.ones(2, requires_grad=True)
w.register_hook(lambda g: torch.zeros_like(g))  # <-
(w * 3).sum().backward()

# %% started with zeros
#: tensor: w
#: code: zero_root
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 2
y.backward(torch.zeros(2))  # <-

# %% already at the target
#: tensor: w
#: code: zero_loss
w = torch.tensor([1.0, 2.0], requires_grad=True)
goal = torch.tensor([1.0, 2.0])
loss = F.mse_loss(w, goal)  # <-
loss.backward()

# %% a root that is used as well
#: tensor: x
#: code: paths
x = torch.tensor(3.0, requires_grad=True)
y = x * 2 + x * 5
torch.autograd.backward([x, y])  # <-

# %% a gradient that has no graph
#: tensor: g
#: code: cut_gradient
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
g = torch.autograd.grad(y, x)[0]  # <-

# %% a result that was detached in place
#: tensor: h
#: code: cut_detach
w = torch.tensor(2.0, requires_grad=True)
h = w * 3
h.detach_()  # <-
y = h * w
y.backward()

# %% a parametrization computes it
#: tensor: net.weight
#: code: not_a_tensor
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
net = nn.utils.parametrizations.weight_norm(net)  # <-
net(torch.ones(4, 3)).sum().backward()

# %% a re-entrant checkpoint of data
#: tensor: net.weight
#: code: checkpoint
from torch.utils.checkpoint import checkpoint
net, head = nn.Linear(3, 2), nn.Linear(2, 1)
x = torch.ones(4, 3)
h = checkpoint(net, x, use_reentrant=True)  # <-
head(h).sum().backward()

# %% computed from integers
#: tensor: y
#: code: inputs_need_none
x = torch.arange(4)  # <-
y = (x - 1).float()
w = torch.ones(4, requires_grad=True)
(w * y).sum().backward()

# %% a bias before batch norm
#: tensor: net.conv.bias
#: code: cancelled
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)
        self.bn = nn.BatchNorm2d(4)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x))).mean(dim=(2, 3))  # <-

net = Net()
net(torch.randn(8, 2, 5, 5)).pow(2).sum().backward()
