"""Graphs that are walked twice, kept for nothing, or grow, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the hidden state is carried on
#: thread: issue, MorvanZhou/PyTorch-Tutorial: 403: question about h_state = h_state.data
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
rnn, out = nn.RNN(1, 8, batch_first=True), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *out.parameters()], lr=0.02)
h_state = None
for step in range(3):
    steps = torch.linspace(step * math.pi, (step + 1) * math.pi, 6)
    x, y = torch.sin(steps).view(1, -1, 1), torch.cos(steps).view(1, -1, 1)
    r_out, h_state = rnn(x, h_state)  # <-
    # + h_state = h_state.data
    loss = F.mse_loss(out(r_out), y)
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()

# %% the model keeps its LSTM state
#: thread: issue, sgadgil6/cnslab_fmri: Trying to backward through the graph a second time, but the saved intermediate results have already been freed
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.linear = nn.LSTM(3, 5, batch_first=True), nn.Linear(5, 1)
        self.hidden = (torch.zeros(1, 4, 5), torch.zeros(1, 4, 5))

    def forward(self, x):
        # + self.hidden = tuple(h.detach() for h in self.hidden)
        lstm_out, self.hidden = self.lstm(x, self.hidden)  # <-
        return self.linear(lstm_out[:, -1])

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(net(torch.randn(4, 7, 3)), torch.ones(4, 1))
    loss.backward()  # <-
    optimizer.step()

# %% the forward pass stands in another notebook cell
#: thread: issue, karpathy/nn-zero-to-hero: RuntimeError: Trying to backward through the graph a second time
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
xs, ys = torch.tensor([0, 5, 13, 13, 1]), torch.tensor([5, 13, 13, 1, 0])
W = torch.randn((27, 27), requires_grad=True)
xenc = F.one_hot(xs, num_classes=27).float()

def forward():
    logits = xenc @ W
    counts = logits.exp()
    prob = counts / counts.sum(1, keepdim=True)
    return -prob[torch.arange(5), ys].log().mean()

loss = forward()  # <-
for k in range(2):
    # + loss = forward()
    W.grad = None
    loss.backward()  # <-
    W.data += -0.1 * W.grad

# %% generator and discriminator walk the same graph
#: thread: forum, PyTorch forums: GAN, Trying to backward through the graph a second time
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
G, D = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.LeakyReLU(), nn.Linear(4, 1))
g_opt, d_opt = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(6, 1), torch.zeros(6, 1)
for i in range(2):
    fake = G(torch.randn(6, 2))  # <-
    d_opt.zero_grad()
    d_loss = bce(D(torch.randn(6, 3)), ones) + bce(D(fake), zeros)  # <- -
    # + d_loss = bce(D(torch.randn(6, 3)), ones) + bce(D(fake.detach()), zeros)
    d_loss.backward()
    d_opt.step()
    g_opt.zero_grad()
    bce(D(fake), ones).backward()  # <-
    g_opt.step()

# %% spiking neurons that are never reset
#: thread: issue, jeshraghian/snntorch: Basic S-CNN - RuntimeError: Trying to backward through the graph a second time; try [retain_graph=True]
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.mem = nn.Linear(4, 2), torch.zeros(5, 2)

    def reset(self):
        self.mem = torch.zeros(5, 2)

    def forward(self, x):
        self.mem = 0.9 * self.mem + self.fc(x)  # <-
        return torch.sigmoid(5 * (self.mem - 1))

net = Leaky()
optimizer = torch.optim.Adam(net.parameters())
for batch in range(3):
    # + net.reset()
    spikes = sum(net(torch.rand(5, 4)) for _ in range(4))
    optimizer.zero_grad()
    F.cross_entropy(spikes, torch.randint(0, 2, (5,))).backward()  # <-
    optimizer.step()

# %% a constant that is no constant is made once
#: thread: forum, Stack Overflow: Trying to backward through the graph a second time, normalised adjacency with a learnable weight
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
weight = nn.Parameter(torch.rand(4, 4))
adjacency = torch.softmax(weight, dim=1)  # <-
features, target = torch.randn(4, 3), torch.randn(4, 3)
optimizer = torch.optim.SGD([weight], lr=0.5)
for epoch in range(3):
    # + adjacency = torch.softmax(weight, dim=1)
    optimizer.zero_grad()
    loss = F.mse_loss(adjacency @ features, target)
    loss.backward()  # <-
    optimizer.step()

# %% two losses, two passes
#: thread: issue, RobinBruegger/RevTorch: Trying to backward through the graph a second time ... Specify retain_graph=True
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
enc, a, b = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.SGD([*enc.parameters(), *a.parameters(), *b.parameters()], lr=0.1)
h = torch.tanh(enc(torch.randn(6, 4)))
loss_a, loss_b = a(h).pow(2).mean(), (b(h) - 1).pow(2).mean()
opt.zero_grad()
loss_a.backward()  # <- -
loss_b.backward()  # <- -
# + (loss_a + loss_b).backward()
opt.step()

# %% the running loss keeps every graph
#: thread: issue, BatsResearch/labelmodels: Memory leak in training loop
#: cause: kept_graphs
#: shows: running_loss.requires_grad if torch.is_tensor(running_loss) else False
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
running_loss = 0.0
for i in range(12):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    running_loss += loss  # <- -
    # + running_loss += loss.item()
print("epoch loss", float(running_loss) / 12)

# %% losses are appended to a list
#: thread: issue, TRI-ML/packnet-sfm: Fix memory leak
#: cause: kept_graphs
#: shows: history[0].requires_grad
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
history = []
for step in range(12):
    x = torch.randn(16, 4)
    loss = F.smooth_l1_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss)  # <- -
    # + history.append(loss.detach())
print("mean", round(float(torch.stack(history).mean()), 4))

# %% validation without no_grad keeps graphs in a sum
#: thread: issue, samuelyu2002/ImVisible: change all of the places with += loss into += loss.item()
#: cause: kept_graphs
#: shows: val_loss.requires_grad if torch.is_tensor(val_loss) else False
#: missed: no pass goes backward, so nothing says that the sum is not to be differentiated
model = nn.Sequential(nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1))
val = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(12)]
model.eval()
val_loss = 0
for x, y in val:
    pred = model(x)
    val_loss += F.mse_loss(pred, y)  # <- -
    # + val_loss += F.mse_loss(pred, y).item()
print("validation", float(val_loss) / len(val))

# %% an average of the weights carries a graph
#: thread: forum, PyTorch forums: Each iteration is slower than the one before, exponential moving average
#: cause: growing_graph, kept_graphs
#: shows: average.requires_grad
layer = nn.Linear(3, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.05)
average = layer.weight.detach().clone()
x, y = torch.randn(10, 3), torch.randn(10, 1)
for i in range(15):
    loss = F.mse_loss(layer(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average = 0.9 * average + 0.1 * layer.weight  # <- -
    # + average = 0.9 * average + 0.1 * layer.weight.detach()

# %% retain_graph=True against a carried state
#: thread: forum, Stack Overflow: after adding retain_graph=True I get modified by an inplace operation
#: cause: spans_iterations
#: raises: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cell, head = nn.RNNCell(2, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
h = torch.zeros(1, 4)
for t in range(12):
    # + h = h.detach()
    h = cell(torch.randn(1, 2), h)  # <-
    loss = head(h).pow(2).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- -
    # + loss.backward()
    optimizer.step()  # <-

# %% a filter that is trained by hand keeps its whole past
#: thread: forum, PyTorch forums: Each iteration takes longer, I need retain_graph=True or it fails
#: cause: growing_graph, kept_graphs
#: shows: depth(state) > 10
gain = torch.tensor(0.5, requires_grad=True)
state = torch.zeros(3)

def depth(t):
    node, count = t.grad_fn, 0
    while node is not None and node.next_functions:
        node, count = max((f for f, _ in node.next_functions), key=lambda f: len(f.next_functions) if f else -1), count + 1
    return count

for t in range(12):
    # + state = state.detach()
    state = (1 - gain) * state + gain * torch.randn(3)  # <-
    loss = (state - 1).pow(2).mean()
    gain.grad = None
    loss.backward(retain_graph=True)  # <- -
    # + loss.backward()
    gain = (gain - 0.01 * gain.grad).detach().requires_grad_()

# %% retain_graph=True out of habit
#: thread: forum, PyTorch forums: CUDA out of memory, do I need retain_graph=True
#: cause: needless_retain
#: shows: again
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 4), torch.randn(8, 1)
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward(retain_graph=True)  # <- -
    # + loss.backward()
    optimizer.step()
again = True
if epoch == 3:
    try:
        loss.grad_fn._saved_self
    except (RuntimeError, AttributeError):
        again = False

# %% a loss over all iterations so far
#: thread: issue, pytorch/pytorch: GPU memory leak on Pytorch 1.0?
#: cause: freed_graph, spans_iterations, computed_before_loop
#: raises: RuntimeError: Trying to backward through the graph a second time
model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total_loss = 0
for i in range(3):
    loss = F.mse_loss(model(torch.randn(5, 3)), torch.randn(5, 1))
    total_loss = total_loss + loss  # <- -
    # + total_loss = loss
    optimizer.zero_grad()
    total_loss.backward()  # <-
    optimizer.step()

# %% the discriminator's pass goes on into the generator
#: thread: issue, pytorch/examples: why is detach necessary
#: cause: freed_graph
#: raises: RuntimeError
G, D = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
opt_g, opt_d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
for step in range(2):
    fake = G(torch.randn(8, 3))
    D.zero_grad()
    err_d = F.binary_cross_entropy(D(fake), torch.zeros(8, 1))  # -
    # + err_d = F.binary_cross_entropy(D(fake.detach()), torch.zeros(8, 1))
    err_d.backward()  # <-
    opt_d.step()
    G.zero_grad()
    err_g = F.binary_cross_entropy(D(fake), torch.ones(8, 1))
    err_g.backward()  # <-
    opt_g.step()

# %% the policy's pass goes on into the critic
#: thread: forum, PyTorch forums: RuntimeError: trying to backward through the graph a second time
#: cause: freed_graph
#: raises: RuntimeError
policy, critic = nn.Linear(4, 2), nn.Linear(4, 1)
opt_p, opt_v = torch.optim.SGD(policy.parameters(), lr=0.01), torch.optim.SGD(critic.parameters(), lr=0.01)
state, reward = torch.randn(6, 4), torch.randn(6)
log_prob = torch.log_softmax(policy(state), dim=1)[:, 0]
value = critic(state).squeeze(1)
value_loss = (value - reward).pow(2).mean()
opt_v.zero_grad()
value_loss.backward()
opt_v.step()
advantage = (reward - value) ** 2  # -
# + advantage = (reward - value.detach()) ** 2
objective = -(log_prob * advantage).mean()
opt_p.zero_grad()
objective.backward()  # <-
opt_p.step()
