"""Everyday mistakes of optimizers, graphs, networks and precision, after threads; written before it was looked at what is found."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the scheduler belongs to an optimizer that is gone
#: thread: forum, PyTorch forums: learning rate does not change although scheduler.step is called
#: cause: schedule_of_another
#: shows: optimizer.param_groups[0]["lr"] == 0.1
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)  # <-
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # <-
# + scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
for epoch in range(4):
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    optimizer.step()
    scheduler.step()  # <- -
    # + scheduler.step()

# %% the learning rate is set as an attribute
#: thread: forum, Stack Overflow: optimizer.lr = new value does not change the learning rate
#: cause: rate_unread
#: shows: optimizer.param_groups[0]["lr"] == 0.1
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        optimizer.lr = 0.01  # <- -
        # + optimizer.param_groups[0]["lr"] = 0.01
    optimizer.zero_grad()
    F.cross_entropy(model(torch.randn(6, 4)), torch.randint(0, 2, (6,))).backward()
    optimizer.step()

# %% a Function is made instead of applied
#: thread: forum, PyTorch forums: Legacy autograd function with non-static forward method is deprecated
#: cause: function_not_applied
#: raises: RuntimeError: Legacy autograd function
class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, grad):
        return grad

model, x = nn.Linear(4, 1), torch.randn(6, 4)
h = Clip()(model(x))  # <- -
# + h = Clip.apply(model(x))
h.sum().backward()

# %% backward returns its gradients in the wrong order
#: thread: forum, PyTorch forums: custom autograd function gives wrong gradients, gradcheck fails
#: cause: wrong_backward
#: shows: not torch.allclose(a.grad, b.detach())
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):  # <-
        a, b = ctx.saved_tensors
        return grad * a, grad * b  # <- -
        # + return grad * b, grad * a

a, b = torch.rand(5, requires_grad=True), torch.rand(5, requires_grad=True)
Times.apply(a, b).sum().backward()

# %% saved tensors in the singular
#: thread: forum, Stack Overflow: object has no attribute saved_tensor in backward
#: cause: unknown_attribute
#: raises: AttributeError
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensor  # <- -
        # + (x,) = ctx.saved_tensors
        return 2 * x * grad

x = torch.rand(5, requires_grad=True)
Square.apply(x).sum().backward()

# %% features from a forward hook are detached
#: thread: forum, PyTorch forums: perceptual loss with forward hooks has no effect
#: cause: detached_parameter
#: shows: net[0].weight.grad is None
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
kept = {}
def keep(module, args, output):
    kept["features"] = output.detach()  # <- -
    # + kept["features"] = output
net[2].register_forward_hook(keep)
scale = nn.Parameter(torch.ones(8))
optimizer = torch.optim.Adam([*net.parameters(), scale], lr=0.01)
for step in range(3):
    net(torch.randn(6, 4))
    loss = (kept["features"] * scale - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a hook on data
#: thread: forum, PyTorch forums: cannot register a hook on a tensor that doesn't require gradient
#: cause: hook_without_gradient
#: raises: RuntimeError: cannot register a hook on a tensor
model, seen = nn.Linear(4, 1), []
x = torch.randn(6, 4)  # <- -
# + x = torch.randn(6, 4, requires_grad=True)
x.register_hook(lambda grad: seen.append(grad.norm()))  # <-
model(x).sum().backward()

# %% a recurrent network takes the batch for time
#: thread: issue, AndersonJo/dqn-pytorch: Missing batch_first attribute for LSTM model.
#: cause: batch_is_time
#: shows: not rnn.batch_first
rnn = nn.LSTM(3, 8)  # <- -
# + rnn = nn.LSTM(3, 8, batch_first=True)
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
x, y = torch.randn(16, 10, 3), torch.randint(0, 2, (16,))
for epoch in range(3):
    out, _ = rnn(x)  # <-
    loss = F.cross_entropy(head(out[:, -1, :]), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the last step is taken along the batch
#: thread: forum, Stack Overflow: Expected input batch_size to match target batch_size, LSTM classifier
#: cause: target_shape
#: raises: ValueError: Expected input batch_size
rnn, head = nn.LSTM(3, 8, batch_first=True), nn.Linear(8, 2)
x, y = torch.randn(16, 10, 3), torch.randint(0, 2, (16,))
out, _ = rnn(x)
last = out[-1]  # <- -
# + last = out[:, -1]
loss = F.cross_entropy(head(last), y)  # <-
loss.backward()

# %% the state of a batch of another size
#: thread: forum, PyTorch forums: Expected hidden[0] size (1, 4, 8), got [1, 8, 8]
#: cause: layer_size
#: raises: RuntimeError: Expected hidden
rnn, head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 1)
hidden = torch.zeros(1, 8, 8)  # <-
for xb in torch.randn(20, 5, 3).split(8):
    # + hidden = torch.zeros(1, len(xb), 8)
    out, _ = rnn(xb, hidden)  # <-
    head(out[:, -1]).mean().backward()

# %% both directions are forgotten in the next layer
#: thread: forum, PyTorch forums: mat1 and mat2 shapes cannot be multiplied after bidirectional=True
#: cause: matrix_shapes, layer_size
#: raises: RuntimeError: mat1 and mat2 shapes cannot be multiplied
rnn, head = nn.LSTM(3, 8, batch_first=True, bidirectional=True), nn.Linear(8, 2)  # <- -
# + rnn, head = nn.LSTM(3, 8, batch_first=True, bidirectional=True), nn.Linear(16, 2)
out, _ = rnn(torch.randn(4, 6, 3))
head(out.mean(1)).sum().backward()  # <-

# %% the generator is told that its images are fake
#: thread: issue, keras-team/keras-io: Wrong labels in the GAN example "Writing a training loop from scratch"
#: cause: generator_helps_critic
#: shows: bool((labels == 0).all())
G, D = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
g_opt, d_opt = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
real, one, zero = torch.randn(8, 6) + 2, torch.ones(8, 1), torch.zeros(8, 1)
for step in range(5):
    fake = G(torch.randn(8, 4))
    d_loss = F.binary_cross_entropy_with_logits(D(real), one) + F.binary_cross_entropy_with_logits(D(fake.detach()), zero)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    labels = zero  # <- -
    # + labels = one
    g_loss = F.binary_cross_entropy_with_logits(D(fake), labels)  # <-
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()

# %% returns of one step are normalised
#: thread: forum, PyTorch forums: NaN in REINFORCE when an episode has a single step
#: cause: nan, too_few_values
#: raises: ValueError: Expected parameter logits
policy = nn.Linear(3, 2)
optimizer = torch.optim.Adam(policy.parameters())
for length in (4, 1, 3):
    states, rewards = torch.randn(length, 3), torch.rand(length)
    dist = torch.distributions.Categorical(logits=policy(states))
    actions = dist.sample()
    returns = rewards.flip(0).cumsum(0).flip(0)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)  # <- -
    # + returns = (returns - returns.mean()) / (returns.std(correction=0) + 1e-8)
    loss = -(dist.log_prob(actions) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the best value of the next state over the wrong dimension
#: thread: forum, Stack Overflow: DQN size of tensor a (32) must match the size of tensor b (2)
#: cause: shapes_do_not_broadcast
#: raises: RuntimeError: The size of tensor a
q_net = nn.Linear(4, 2)
target_net = copy.deepcopy(q_net)
state, action, reward, after = torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8), torch.randn(8, 4)
with torch.no_grad():
    best = target_net(after).max(0)[0]  # <- -
    # + best = target_net(after).max(1)[0]
    goal = reward + 0.9 * best  # <-
F.smooth_l1_loss(q_net(state).gather(1, action)[:, 0], goal).backward()

# %% one minus a truth value
#: thread: forum, PyTorch forums: Subtraction, the `-` operator, with a bool tensor is not supported
#: cause: truth_subtracted
#: raises: RuntimeError: Subtraction
q_net = nn.Linear(4, 2)
reward, after = torch.randn(8), torch.randn(8, 4)
done = torch.rand(8) > 0.7  # <-
goal = reward + 0.9 * q_net(after).max(1)[0].detach() * (1 - done)  # <- -
# + goal = reward + 0.9 * q_net(after).max(1)[0].detach() * (~done)
F.mse_loss(q_net(torch.randn(8, 4))[:, 0], goal).backward()

# %% actions are chosen without gradients, and their log probabilities too
#: thread: forum, PyTorch forums: element 0 of tensors does not require grad, policy gradient
#: cause: loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters())
def act(state):
    with torch.no_grad():  # <- -
    # + if True:
        dist = torch.distributions.Categorical(logits=policy(state))  # <-
        action = dist.sample()
        return action, dist.log_prob(action)  # <-

log_probs, rewards = [], []
for step in range(4):
    action, log_prob = act(torch.randn(4))
    log_probs.append(log_prob)
    rewards.append(1.0 if action.item() else 0.0)
loss = -(torch.stack(log_probs) * torch.tensor(rewards)).sum()
optimizer.zero_grad()
loss.backward()  # <-
optimizer.step()

# %% the division comes after the backward pass
#: thread: forum, PyTorch forums: gradient accumulation, should I divide before backward
#: cause: undivided_accumulation
#: shows: norms[0] > 2 * norms[1]
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y, accumulate, norms = torch.randn(32, 4), torch.randn(32, 1), 4, []
for i, (xb, yb) in enumerate(zip(x.split(4), y.split(4))):
    loss = F.mse_loss(model(xb), yb)
    # + loss = loss / accumulate
    loss.backward()  # <-
    loss = loss / accumulate  # <- -
    if (i + 1) % accumulate == 0:
        if not norms:
            norms.append(float(model.weight.grad.norm()))
            full = torch.autograd.grad(F.mse_loss(model(x[:16]), y[:16]), model.weight)[0]
            norms.append(float(full.norm()))
        optimizer.step()  # <-
        optimizer.zero_grad()

# %% weights are assigned to the method copy_
#: thread: issue, haofeixu/cs231n: weight initialization in Pytorch.ipynb for nn.Sequential()
#: cause: method_assigned
#: shows: float(model[0].weight.std()) > 0.1
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
for layer in model:
    if isinstance(layer, nn.Linear):
        layer.weight.data.fill_ = torch.randn(layer.weight.shape) * 0.01  # <- -
        # + layer.weight.data.copy_(torch.randn(layer.weight.shape) * 0.01)
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()

# %% Kaiming for every parameter
#: thread: forum, PyTorch forums: Fan in and fan out can not be computed for tensor with fewer than 2 dimensions
#: cause: init_of_vector
#: raises: ValueError: Fan in and fan out
model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
for p in model.parameters():
    # + if p.dim() < 2: continue
    nn.init.kaiming_normal_(p)  # <- -
    # + nn.init.kaiming_normal_(p)
F.cross_entropy(model(torch.randn(5, 6)), torch.randint(0, 2, (5,))).backward()

# %% the initialisation is called instead of given
#: thread: issue, Project-MONAI/tutorials: How to initiate network using torch.nn.init.kaiming_normal?
#: cause: wrong_arguments
#: raises: TypeError
def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)

model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))
model.apply(init_weights())  # <- -
# + model.apply(init_weights)
model(torch.randn(5, 6)).sum().backward()

# %% weights of a standard deviation of one
#: thread: forum, PyTorch forums: deep tanh network does not learn with normal initialisation
#: cause: saturated, vanishing_gradients, exploding_gradients
#: missed: 85 % of the outputs are flat, and the bound is 90 %
#: shows: float(h.abs().mean()) > 0.9
layers = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(64, 64), nn.Tanh())])
for layer in layers:
    if isinstance(layer, nn.Linear):
        nn.init.normal_(layer.weight, std=2.0)  # <- -
        # + nn.init.xavier_normal_(layer.weight)
head = nn.Linear(64, 1)
optimizer = torch.optim.SGD([*layers.parameters(), *head.parameters()], lr=0.01)
x, y = torch.randn(16, 64), torch.randn(16, 1)
for epoch in range(4):
    h = layers(x)  # <-
    loss = F.mse_loss(head(h), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a checkpoint of a wrapped model is loaded without strictness
#: thread: forum, PyTorch forums: load_state_dict strict=False and the accuracy is that of chance
#: cause: nothing_loaded
#: shows: not torch.equal(net[0].weight, trained[0].weight)
trained = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
saved = {"module." + name: value for name, value in trained.state_dict().items()}
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
net.load_state_dict(saved, strict=False)  # <- -
# + net.load_state_dict({name.removeprefix("module."): value for name, value in saved.items()})
net.eval()
with torch.no_grad():
    print(net(torch.randn(3, 4)).argmax(1))

# %% the mask comes after the softmax
#: thread: issue, huggingface/pytorch-image-models: eva.py: fixed bug in applying attention mask
#: cause: filled_after_softmax
#: shows: float(weights.min()) < 0
project = nn.Linear(6, 6)
optimizer = torch.optim.SGD(project.parameters(), lr=1e-3)
x, mask = torch.randn(2, 4, 6), torch.ones(4, 4).tril()
for step in range(2):
    q = project(x)
    scores = q @ q.transpose(1, 2) / 6 ** 0.5
    # + scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(-1)
    weights = weights.masked_fill(mask == 0, -1e9)  # <- -
    loss = (weights @ q - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a causal mask that hides the diagonal, too
#: thread: forum, PyTorch forums: attention gives NaN for the first token
#: cause: nan
#: shows: bool(torch.isnan(weights).any())
project = nn.Linear(6, 6)
x = torch.randn(2, 4, 6)
hidden = torch.triu(torch.ones(4, 4), diagonal=0).bool()  # <- -
# + hidden = torch.triu(torch.ones(4, 4), diagonal=1).bool()
q = project(x)
scores = (q @ q.transpose(1, 2)).masked_fill(hidden, float("-inf"))  # <-
weights = F.softmax(scores, -1)  # <-
(weights @ q).pow(2).mean().backward()

# %% the second derivative of a gradient without a graph
#: thread: forum, Stack Overflow: second derivative in a PINN, element 0 of tensors does not require grad
#: cause: loss_not_connected, differentiated_constant
#: raises: RuntimeError: element 0 of tensors does not require grad
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
t = torch.linspace(0, 1, 5)[:, None].requires_grad_()
u = net(t)
u_t = torch.autograd.grad(u.sum(), t)[0]  # <- -
# + u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
u_tt = torch.autograd.grad(u_t.sum(), t, create_graph=True)[0]  # <-
(u_tt + u).pow(2).mean().backward()

# %% a second derivative through ReLU
#: thread: forum, PyTorch forums: second derivative of my PINN is always zero
#: cause: zero_second_derivative
#: shows: bool((u_tt == 0).all())
net = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))  # <- -
# + net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 10)[:, None].requires_grad_()
for step in range(3):
    u = net(t)  # <-
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_tt = torch.autograd.grad(u_t.sum(), t, create_graph=True)[0]  # <-
    loss = (u_tt + u).pow(2).mean()  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the scaled gradients are not unscaled
#: thread: issue, nerfstudio-project/nerfacc: Gradient Scaler in sample
#: cause: not_unscaled
#: shows: not loss.item() < 50
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    scaler.scale(loss).backward()  # <-
    optimizer.step()  # <- -
    # + scaler.step(optimizer)
    # + scaler.update()

# %% the scaler is never updated
#: thread: issue, Azure/MS-AMP: [Bug Fixed] add `scaler.update()` in MNIST examples
#: cause: scaler_out_of_turn
#: raises: RuntimeError: step() has already been called since the last update()
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for step in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(16, 4)), torch.randn(16, 1))
    scaler.scale(loss).backward()
    scaler.step(optimizer)  # <-
    # + scaler.update()

# %% return stands in the loop
#: thread: forum, Stack Overflow: only my first layer gets gradients, nn.ModuleList
#: cause: returned_in_loop
#: shows: net.layers[1].weight.grad is None
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
            return x  # <- -
        # + return x

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)  # <-
for step in range(3):
    optimizer.zero_grad()
    F.mse_loss(net(torch.rand(5, 4)), torch.rand(5, 4)).backward()
    optimizer.step()  # <-

# %% the block returns its input
#: thread: forum, PyTorch forums: my residual block does not train
#: cause: unused_result
#: shows: net[1].conv.weight.grad is None
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(6, 6)

    def forward(self, x):
        out = self.conv(x)  # <-
        return torch.relu(x)  # <- -
        # + return torch.relu(out + x)

net = nn.Sequential(nn.Linear(4, 6), Block(), nn.Linear(6, 2))
optimizer = torch.optim.Adam(net.parameters())  # <-
for step in range(3):
    loss = F.cross_entropy(net(torch.randn(5, 4)), torch.randint(0, 2, (5,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the positions are put beside the batch
#: thread: forum, PyTorch forums: Expected input batch_size (8) to match target batch_size (4) after torch.cat
#: cause: target_shape
#: raises: ValueError: Expected input batch_size
a, b, y = torch.randn(4, 6), torch.randn(4, 6), torch.randint(0, 3, (4,))
head = nn.Linear(6, 3)
both = torch.cat([a, b])  # <- -
# + both = torch.cat([a, b], 1)[:, :6]
F.cross_entropy(head(both), y).backward()  # <-

# %% the flattened size merges samples
#: thread: forum, Stack Overflow: Expected input batch_size (16) to match target batch_size (4), CNN
#: cause: target_shape
#: raises: ValueError: Expected input batch_size
conv, head = nn.Conv2d(1, 4, 3), nn.Linear(36, 2)  # <-
x, y = torch.randn(4, 1, 8, 8), torch.randint(0, 2, (4,))
h = F.relu(conv(x)).view(-1, 36)  # <- -
# + h = F.max_pool2d(F.relu(conv(x)), 2).view(-1, 36)
F.cross_entropy(head(h), y).backward()  # <-

# %% a language model is asked for the token that it sees
#: thread: forum, PyTorch forums: my transformer's loss goes to zero at once and it generates nonsense
#: cause: target_is_input
#: shows: torch.equal(source, target)
embed, rnn, head = nn.Embedding(10, 8), nn.GRU(8, 8, batch_first=True), nn.Linear(8, 10)
parameters = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
text = torch.randint(0, 10, (6, 9))
for step in range(4):
    source, target = text[:, :-1], text[:, :-1]  # <- -
    # + source, target = text[:, :-1], text[:, 1:]
    logits = head(rnn(embed(source))[0])
    loss = F.cross_entropy(logits.reshape(-1, 10), target.reshape(-1))  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% features are normalised over the batch
#: thread: forum, PyTorch forums: contrastive loss does not converge, F.normalize
#: cause: normalized_over_batch
#: shows: not torch.allclose(z.norm(dim=1), torch.ones(8), atol=1e-4)
encoder = nn.Linear(5, 4)
optimizer = torch.optim.Adam(encoder.parameters())
x = torch.randn(8, 5)
for step in range(3):
    z = F.normalize(encoder(x), dim=0)  # <- -
    # + z = F.normalize(encoder(x), dim=1)
    similarity = z @ z.T / 0.1
    loss = F.cross_entropy(similarity - 1e9 * torch.eye(8), torch.arange(8).flip(0))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the target network is never brought up to date
#: thread: issue, pytorch/tutorials: No Target-Q in DQN tutorial
#: cause: target_is_network
#: missed: a frozen teacher of a distillation looks the same
#: shows: torch.equal(target_net.weight, first)
q_net = nn.Linear(4, 2)
target_net = copy.deepcopy(q_net)  # <-
first = target_net.weight.clone()
optimizer = torch.optim.Adam(q_net.parameters(), lr=0.01)
for step in range(12):
    state, action, reward, after = torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8), torch.randn(8, 4)
    with torch.no_grad():
        goal = reward + 0.9 * target_net(after).max(1)[0]  # <- -
        # + goal = reward + 0.9 * target_net(after).max(1)[0]
    loss = F.smooth_l1_loss(q_net(state).gather(1, action)[:, 0], goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # + if step % 4 == 3: target_net.load_state_dict(q_net.state_dict())

# %% a mean is taken of numbers that were tensors
#: thread: forum, PyTorch forums: can I average losses with np.mean before backward
#: cause: loss_not_connected
#: raises: AttributeError
model = nn.Linear(4, 1)
losses = [F.mse_loss(model(torch.randn(6, 4)), torch.randn(6, 1)) for _ in range(3)]
loss = np.mean([loss.item() for loss in losses])  # <- -
# + loss = torch.stack(losses).mean()
loss.backward()  # <-
