"""Programs with a known defect in what is differentiated twice, bootstrapped, averaged or drawn, for test_findings.py; the line
with `# <-` is the one that the first rule's finding names.
"""
#: finds: the rules that find something
#: thread?: where people met it

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% a gradient penalty without create_graph
#: finds: penalty_without_graph
#: thread: issue, igul222/improved_wgan_training: About the graph of the gradients respect to inputs
D = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(D.parameters(), lr=1e-3)
for it in range(4):
    real, fake = torch.randn(8, 2) + 2, torch.randn(8, 2)
    mix = (0.5 * real + 0.5 * fake).requires_grad_(True)
    score = D(mix)
    g = torch.autograd.grad(score, mix, grad_outputs=torch.ones_like(score), retain_graph=True)[0]  # <-
    gp = ((g.norm(2, dim=1) - 1) ** 2).mean()
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% inter-environment alignment without create_graph
#: finds: penalty_without_graph
#: thread: issue, facebookresearch/DomainBed: IGA implementation
network = nn.Linear(3, 2)
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
minibatches = [(torch.randn(6, 3), torch.randint(0, 2, (6,))) for _ in range(2)]
total_loss, grads = 0, []
for x, y in minibatches:
    env_loss = F.cross_entropy(network(x), y)
    total_loss = total_loss + env_loss
    grads.append(torch.autograd.grad(env_loss, list(network.parameters()), retain_graph=True))  # <-
mean_loss = total_loss / len(minibatches)
penalty_value = 0
for g0, g1 in zip(*grads):
    penalty_value = penalty_value + (g0 - g1).pow(2).sum()
optimizer.zero_grad()
(mean_loss + 1000 * penalty_value).backward()
optimizer.step()

# %% a penalty on x.grad
#: finds: penalty_without_graph
#: thread: forum, how to penalise the gradient of the input
net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for it in range(3):
    x = torch.randn(8, 2, requires_grad=True)
    opt.zero_grad()
    out = net(x)
    out.sum().backward(retain_graph=True)  # <-
    penalty = (x.grad**2).sum()
    loss = F.mse_loss(out, torch.ones(8, 1)) + 0.1 * penalty
    loss.backward()
    opt.step()

# %% create_graph out of habit
#: finds: unused_create_graph
#: thread: forum, memory grows with create_graph=True
w = torch.tensor([3.0, -2.0], requires_grad=True)
for step in range(4):
    loss = (w**2).sum()
    (g,) = torch.autograd.grad(loss, w, create_graph=True)  # <-
    with torch.no_grad():
        w -= 0.1 * g

# %% backward with create_graph in a training loop
#: finds: unused_create_graph
#: thread: issue, pytorch/pytorch: backward(create_graph=True) leaks memory
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    opt.zero_grad()
    loss = net(torch.randn(8, 2)).pow(2).mean()
    loss.backward(create_graph=True)  # <-
    opt.step()

# %% the second derivative of a gradient without graph
#: finds: loss_not_connected
#: thread: forum, second derivative by calling backward twice
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward()  # <-
x.grad.sum().backward()

# %% Q-learning whose target has a graph
#: finds: target_with_gradient
#: thread: pull request, datawhalechina/easy-rl: distinguish Qnet and set detach() on TD target
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
gamma = 0.99
for step in range(4):
    s, s2 = torch.randn(8, 4), torch.randn(8, 4)
    a, r, done = torch.randint(0, 2, (8, 1)), torch.randn(8), torch.zeros(8)
    q_sa = q(s).gather(1, a).squeeze(1)
    target = r + gamma * q(s2).max(1)[0] * (1 - done)  # <-
    loss = F.mse_loss(q_sa, target)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a critic that chases itself
#: finds: target_with_gradient
#: thread: issue, philtabor/Youtube-Code-Repository: Do some of the variables require gradient?
critic = nn.Linear(3, 1)
opt = torch.optim.SGD(critic.parameters(), lr=1e-2)
for t in range(4):
    state, state_ = torch.randn(1, 3), torch.randn(1, 3)
    reward = torch.randn(1)
    delta = reward + 0.99 * critic(state_) - critic(state)  # <-
    opt.zero_grad()
    delta.pow(2).mean().backward()
    opt.step()

# %% generalised advantages whose squares train a critic on both sides
#: finds: target_with_gradient
#: thread: issue, Farama-Foundation/Gymnasium: A2C tutorial, the critic's loss
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(critic.parameters(), lr=3e-3)
gamma, lam = 0.99, 0.95
for update in range(4):
    states, rewards = torch.randn(9, 4), torch.rand(8)
    values = critic(states).squeeze(-1)
    advantages, gae = torch.zeros(8), 0.0
    for t in reversed(range(8)):
        td_error = rewards[t] + gamma * values[t + 1] - values[t]  # <-
        gae = td_error + gamma * lam * gae
        advantages[t] = gae
    opt.zero_grad()
    advantages.pow(2).mean().backward()
    opt.step()

# %% an advantage with a graph
#: finds: target_with_gradient
#: thread: issue, jingw2/neural-combinatorial-optimization-rl: One error for calculating the advantage value
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for i in range(3):
    s, returns = torch.randn(10, 4), torch.rand(10)
    logp = F.log_softmax(actor(s), 1)
    act = torch.multinomial(logp.exp(), 1)
    value = critic(s).squeeze(1)
    advantage = returns - value
    actor_loss = -(advantage * logp.gather(1, act).squeeze(1)).mean()  # <-
    critic_loss = F.mse_loss(value, returns)
    optimizer.zero_grad()
    (actor_loss + critic_loss).backward()
    optimizer.step()

# %% a target network that is the network
#: finds: target_is_network
#: thread: issue, higgsfield/RL-Adventure: DQN example: target DQN == behavior DQN
policy_net = nn.Linear(4, 2)
target_net = policy_net  # <-
opt = torch.optim.SGD(policy_net.parameters(), lr=0.01)
for i in range(3):
    s, r, s2 = torch.randn(6, 4), torch.randn(6), torch.randn(6, 4)
    with torch.no_grad():
        y = r + 0.9 * target_net(s2).max(1)[0]
    loss = F.smooth_l1_loss(policy_net(s)[:, 1], y)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a teacher that is the student
#: finds: target_is_network
#: thread: forum, mean teacher does not differ from the student
student = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
ema_model = student  # <-
opt = torch.optim.SGD(student.parameters(), lr=0.1)
for i in range(3):
    x = torch.randn(8, 4)
    with torch.no_grad():
        t = ema_model(x)
    loss = F.mse_loss(student(x + 0.1 * torch.randn(8, 4)), t)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, e in zip(student.parameters(), ema_model.parameters()):
            e.mul_(0.9).add_(p, alpha=0.1)

# %% detach as a statement
#: finds: unused_result, unowned_parameters
#: thread: issue, oreilly-japan/deep-learning-from-scratch-4: Tensor.detach()
qnet, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(qnet.parameters(), lr=5e-4)
for i in range(3):
    state, reward, next_state = torch.randn(6, 4), torch.randn(6), torch.randn(6, 4)
    next_q = target_net(next_state).max(1)[0]
    next_q.detach()  # <-
    loss = F.mse_loss(qnet(state)[:, 0], reward + 0.98 * next_q)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a running mean with a graph
#: finds: kept_graphs
#: thread: pull request, bayesiains/nflows: Fix memory leak in batch norm
fc = nn.Linear(3, 3)
running_mean = torch.zeros(3)
opt = torch.optim.SGD(fc.parameters(), lr=0.01)
for i in range(5):
    h = fc(torch.randn(8, 3))
    running_mean = 0.9 * running_mean + 0.1 * h.mean(0)  # <-
    loss = h.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% averaged weights with a graph
#: finds: kept_graphs
#: thread: forum, each iteration is slower than the one before, exponential moving average
net = nn.Linear(2, 1)
ema = [p.clone() for p in net.parameters()]
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(4):
    loss = net(torch.randn(8, 2)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for k, p in enumerate(net.parameters()):
        ema[k] = 0.9 * ema[k] + 0.1 * p  # <-

# %% a code that is drawn with torch.normal
#: finds: sample_without_path
#: thread: issue, pytorch/pytorch: torch.normal accepts Variables but does not propagate gradients
enc, dec = nn.Linear(4, 2), nn.Linear(1, 4)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(16, 4)
for i in range(4):
    mu, logvar = enc(x).chunk(2, dim=1)
    z = torch.normal(mu, torch.exp(0.5 * logvar))  # <-
    kl = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())
    loss = F.mse_loss(dec(z), x) + kl
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a mask that is drawn with torch.bernoulli
#: finds: sample_without_path
#: thread: forum, gradient of torch.bernoulli is zero
w = nn.Parameter(torch.zeros(6))
v = nn.Parameter(torch.ones(6))
opt = torch.optim.SGD([w, v], lr=0.01)
for i in range(4):
    mask = torch.bernoulli(torch.sigmoid(w))  # <-
    loss = ((mask * v * torch.arange(6.0)).sum() - 3) ** 2
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% micro-batches that are cleared and clipped one by one
#: finds: gradients_discarded
net = nn.Linear(6, 2)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
data = [(torch.randn(4, 6), torch.randint(0, 2, (4,))) for _ in range(24)]
ACC = 3
for epoch in range(2):
    for step, (x, y) in enumerate(data, 1):
        loss = nn.functional.cross_entropy(net(x), y) / ACC
        opt.zero_grad()  # <-
        loss.backward()
        torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
        if step % ACC == 0:
            opt.step()
print(loss.item())

# %% a gradient penalty by parts of a sample
#: finds: norm_of_parts
critic = nn.Sequential(nn.Conv1d(3, 8, 3, padding=1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(80, 1))
opt = torch.optim.Adam(critic.parameters(), 1e-3)
for i in range(4):
    x = torch.randn(6, 3, 10, requires_grad=True)
    out = critic(x)
    (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    gp = (torch.sqrt((g ** 2).sum(dim=2) + 1e-12) - 1).pow(2).mean()  # <-
    loss = out.mean() + 10 * gp
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())

# %% a gradient penalty by one norm of all samples
#: finds: norm_of_parts
critic = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(critic.parameters(), 1e-3)
def penalty(x):
    s = critic(x).view(-1)
    grad = torch.autograd.grad(outputs=s, inputs=x, grad_outputs=torch.ones(s.size()), create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((grad.norm(2) - 1) ** 2).mean()  # <-
for i in range(4):
    x = torch.randn(8, 12, requires_grad=True)
    loss = critic(x).mean() + 10 * penalty(x)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
