"""Parameters that an optimizer does not have, or has and cannot move, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% layers in a Python list
#: thread: issue, pytorch/pytorch: Difference between using a python list and nn.ModuleList
#: cause: unlisted_parameter
#: shows: torch.equal(before, net.layers[0].weight)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]  # <- -
        # + self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.out = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.out(x)

net = Net()
before = net.layers[0].weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
x, y = torch.randn(16, 4), torch.randn(16, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()  # <-

# %% cells of a learned optimizer in a list
#: thread: issue, ikostrikov/pytorch-meta-optimizer: LSTM weights not optimised
#: cause: unlisted_parameter
#: shows: torch.equal(before, meta.lstms[0].weight_ih)
class Meta(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(2, 3)
        self.lstms = []  # <- -
        # + self.lstms = nn.ModuleList()
        for i in range(2):
            self.lstms.append(nn.GRUCell(3, 3))  # <-

    def forward(self, x):
        x = torch.tanh(self.linear1(x))
        for cell in self.lstms:
            x = cell(x)
        return x.sum(1)

meta = Meta()
before = meta.lstms[0].weight_ih.detach().clone()
optimizer = torch.optim.Adam(meta.parameters(), lr=0.01)  # <-
for step in range(3):
    loss = meta(torch.randn(5, 2)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% the head is replaced after the optimizer was made
#: thread: issue, pytorch/pytorch: I wonder if I need to reset optimizer function when network structure is changed?
#: cause: stale_optimizer, unlisted_parameter
#: shows: torch.equal(before, model.fc.weight)
class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.fc = nn.Linear(6, 8), nn.Linear(8, 10)

    def forward(self, x):
        return self.fc(torch.relu(self.body(x)))

model = Pretrained()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # <- -
model.fc = nn.Linear(8, 3)  # <-
# + optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
before = model.fc.weight.detach().clone()
x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
for i in range(3):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()  # <-

# %% pruning makes new layers
#: thread: issue, microsoft/nni: The parameters are not updated when the pruned model is finetuned
#: cause: stale_optimizer
#: shows: torch.equal(before, net[0].weight)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)  # <-

def speedup(model, keep):
    first, last = model[0], model[2]
    small, head = nn.Linear(4, len(keep)), nn.Linear(len(keep), 1)
    small.weight.data, small.bias.data = first.weight.data[keep], first.bias.data[keep]
    head.weight.data, head.bias.data = last.weight.data[:, keep], last.bias.data.clone()
    return nn.Sequential(small, nn.ReLU(), head)

net = speedup(net, [0, 2, 5])  # <-
# + optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
before = net[0].weight.detach().clone()
x, y = torch.randn(10, 4), torch.randn(10, 1)
for step in range(3):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% the model is reloaded after the optimizer
#: thread: forum, Stack Overflow: model does not train after I copied it
#: cause: stale_optimizer
#: shows: torch.equal(before, model.weight)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # <-
best = copy.deepcopy(model)
model = copy.deepcopy(best)  # <- -
# + model.load_state_dict(best.state_dict())
before = model.weight.detach().clone()
x, y = torch.randn(10, 3), torch.randn(10, 1)
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()  # <-

# %% the criterion has a parameter of its own
#: thread: issue, open-mmlab/mmdetection: How to add new learnable parameters to the optimizer?
#: cause: unlisted_parameter, unowned_parameters
#: shows: torch.equal(criterion.centers, before)
class CenterLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(3, 4))

    def forward(self, feats, labels):
        return (feats - self.centers[labels]).pow(2).sum(1).mean()

net, criterion = nn.Linear(6, 4), CenterLoss()
before = criterion.centers.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)  # <- -
# + optimizer = torch.optim.SGD([*net.parameters(), *criterion.parameters()], lr=0.05)
x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
for i in range(4):
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% one parameter list was forgotten
#: thread: issue, zjunlp/HVPNeT: Not putting parameters into optimizer but still trainable
#: cause: unlisted_parameter, unowned_parameters
#: shows: torch.equal(before, fc.weight)
bert, fc = nn.Linear(5, 5), nn.Linear(5, 2)
before = fc.weight.detach().clone()
parameters = []
params = {"lr": 1e-2, "params": list(bert.parameters())}
parameters.append(params)
params = {"lr": 5e-2, "params": list(fc.parameters())}
# + parameters.append(params)
optimizer = torch.optim.AdamW(parameters)  # <-
x, y = torch.randn(9, 5), torch.randint(0, 2, (9,))
for step in range(4):
    loss = F.cross_entropy(fc(torch.tanh(bert(x))), y)
    loss.backward()
    optimizer.step()  # <-
    optimizer.zero_grad()

# %% a layer is made in forward
#: thread: forum, PyTorch forums: Layer defined in forward does not train
#: cause: made_in_forward
#: shows: len(list(net.parameters())) == 2
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 6)
        # + self.b = nn.Linear(6, 1)

    def forward(self, x):
        h = torch.relu(self.a(x))
        return nn.Linear(6, 1)(h)  # <- -
        # + return self.b(h)

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for i in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()

# %% a generator of parameters is used up
#: thread: forum, Stack Overflow: optimizer got an empty parameter list after I counted the parameters
#: cause: exhausted_parameters, parameters_of_optimizer
#: raises: ValueError: optimizer got an empty parameter list
model = nn.Linear(4, 2)
params = filter(lambda p: p.requires_grad, model.parameters())  # <-
# + params = list(params)
print("trainable:", sum(p.numel() for p in params))
optimizer = torch.optim.Adam(params, lr=0.001)  # <-
model(torch.randn(3, 4)).sum().backward()
optimizer.step()

# %% clipping gets a used-up generator
#: thread: issue, pytorch/pytorch: clip_grad_norm_ silently does nothing with an exhausted generator
#: cause: exhausted_parameters, parameters_of_optimizer
#: shows: norm > 1.5
model = nn.Linear(4, 1)
params = model.parameters()
# + params = list(params)
optimizer = torch.optim.SGD(params, lr=0.01)  # <-
loss = (model(torch.randn(10, 4)) * 50).pow(2).mean()
loss.backward()
nn.utils.clip_grad_norm_(params, 1.0)  # <-
norm = float(torch.cat([p.grad.flatten() for p in model.parameters()]).norm())
optimizer.step()

# %% decomposed weights are plain attributes
#: thread: issue, pytorch/examples: ValueError: optimizer got an empty parameter list
#: cause: exhausted_parameters, parameters_of_optimizer, unlisted_parameter
#: raises: ValueError: optimizer got an empty parameter list
class Decomp(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = torch.randn(3, 4, requires_grad=True)  # <- -
        # + self.W = nn.Parameter(torch.randn(3, 4))

    def forward(self, x):
        return x @ self.W

net = Decomp()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
net(torch.randn(2, 3)).sum().backward()
optimizer.step()

# %% a leaf is replaced by its update
#: thread: forum, Stack Overflow: grad is None after the first manual update
#: cause: leaf_overwritten, grad_is_none
#: raises: TypeError: unsupported operand type(s) for *: 'float' and 'NoneType'
w = torch.tensor([1.0, -2.0], requires_grad=True)
lr = 0.1
for i in range(3):
    loss = (w**2).sum()
    loss.backward()
    w = w - lr * w.grad  # <- -
    # + w.data -= lr * w.grad
    # + w.grad = None

# %% a backbone is frozen after its optimizer has momentum
#: thread: forum, PyTorch forums: Parameters with requires_grad = False are updated during training
#: cause: frozen_moves
#: shows: not torch.equal(at_freeze, body.weight)
body, head = nn.Linear(4, 4), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(12, 4), torch.randn(12, 1)
for epoch in range(6):
    if epoch == 3:
        # + optimizer.zero_grad()
        body.requires_grad_(False)  # <-
        at_freeze = body.weight.detach().clone()
    optimizer.zero_grad(set_to_none=False)  # -
    loss = F.mse_loss(head(torch.relu(body(x))), y)
    # + optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% weight decay moves an unused layer
#: thread: issue, lightly-ai/lightly: deactivate_requires_grad does not fix the model!
#: cause: frozen_moves
#: shows: not torch.equal(before, net[0].weight)
net = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 2))
before = net[0].weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, weight_decay=0.1)
x, y = torch.randn(8, 5), torch.randint(0, 2, (8,))
optimizer.zero_grad()
F.cross_entropy(net(x), y).backward()
for p in net[0].parameters():
    p.requires_grad = False  # <-
    # + p.grad = None
for i in range(4):
    optimizer.zero_grad(set_to_none=False)  # -
    # + optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()  # <-

# %% a layer is never called
#: thread: forum, PyTorch forums: Some of my parameters have grad None
#: cause: unused_parameter
#: shows: net.norm.weight.grad is None
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 1)  # <-

    def forward(self, x):
        h = self.a(x)
        h = torch.relu(h)
        # + h = self.norm(h)
        return self.b(h)

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)  # <-
x, y = torch.randn(10, 4), torch.randn(10, 1)
for i in range(3):
    loss = F.mse_loss(net(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-

# %% the refinement's result is thrown away
#: thread: issue, thomasjpfan/pytorch_refinenet: one of the variables needed for gradient computation has been modified by an inplace operation
#: cause: unused_result, unused_parameter
#: shows: net.rcu0.weight.grad is None
class Refine(nn.Module):
    def __init__(self):
        super().__init__()
        self.rcu0, self.rcu1, self.out = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)  # <-

    def forward(self, *xs):
        # + xs = list(xs)
        for i, x in enumerate(xs):
            x = getattr(self, f"rcu{i}")(x)  # <-
            # + xs[i] = x
        return self.out(xs[0] + xs[1])

net = Refine()
opt = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
for i in range(2):
    opt.zero_grad()
    net(torch.randn(4, 3), torch.randn(4, 3)).pow(2).mean().backward()
    opt.step()  # <-

# %% all weights are set to one constant
#: thread: forum, PyTorch forums: All neurons of my hidden layer learn the same
#: cause: symmetry
#: shows: bool(torch.allclose(net[0].weight[0], net[0].weight[1]))
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
for m in net:
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)  # <- -
        # + nn.init.xavier_uniform_(m.weight)
        nn.init.zeros_(m.bias)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(20, 3), torch.randn(20, 1)
for i in range(6):
    loss = F.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% zero weights and ReLU
#: thread: forum, DeepLearning.AI community: Why don't weights get adjusted when initialized to 0?
#: cause: zero_weights, symmetry, dead_relu
#: shows: bool((W1.grad == 0).all())
W1 = torch.zeros(3, 4, requires_grad=True)  # <- -
W2 = torch.zeros(4, 1, requires_grad=True)  # <- -
# + W1 = (torch.randn(3, 4) * 0.5).requires_grad_()
# + W2 = (torch.randn(4, 1) * 0.5).requires_grad_()
optimizer = torch.optim.SGD([W1, W2], lr=0.1)
x, y = torch.randn(16, 3), torch.randint(0, 2, (16, 1)).float()
for i in range(5):
    out = torch.relu(x @ W1) @ W2  # <-
    loss = F.binary_cross_entropy_with_logits(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the optimizer of the wrong network steps
#: thread: forum, Stack Overflow: critic does not learn, actor's optimizer was used
#: cause: unlisted_parameter, wrong_optimizer
#: shows: torch.equal(before, critic.weight)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
before = critic.weight.detach().clone()
actor_opt = torch.optim.Adam(actor.parameters(), lr=0.01)
critic_opt = torch.optim.Adam(actor.parameters(), lr=0.01)  # <- -
# + critic_opt = torch.optim.Adam(critic.parameters(), lr=0.01)
s, r = torch.randn(10, 3), torch.randn(10, 1)
for i in range(4):
    v = critic(s)
    value_loss = F.mse_loss(v, r)
    critic_opt.zero_grad()
    value_loss.backward()
    critic_opt.step()  # <-
    logp = F.log_softmax(actor(s), 1)[:, :1]
    actor_loss = -(logp * (r - v).detach()).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()

# %% the forward pass stands outside of the loop
#: thread: forum, Stack Overflow: loss stays constant, prediction computed once before training
#: cause: stale_forward, freed_graph, spans_iterations, computed_before_loop
#: shows: losses[0] == losses[-1]
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 3), torch.randn(10, 1)
pred = model(x)  # <- -
losses = []
for epoch in range(4):
    # + pred = model(x)
    loss = F.mse_loss(pred, y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # -
    # + loss.backward()
    optimizer.step()
    losses.append(loss.item())
