"""GANs, VAEs, reinforcement and meta learning, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the generator's step detaches its image
#: thread: issue, nikhilsinghmus/image2reverb: Is fake_spec.detach() in Generator training step intentional?
#: cause: no_gradient, detached_parameter
#: shows: G.weight.grad is None
G, D = nn.Linear(3, 6), nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
g_opt, d_opt = torch.optim.Adam(G.parameters(), 2e-4), torch.optim.Adam(D.parameters(), 2e-4)
ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
for i in range(3):
    fake, real = G(torch.randn(8, 3)), torch.randn(8, 6)
    d_loss = F.mse_loss(D(real), ones) + F.mse_loss(D(fake.detach()), zeros)
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = F.mse_loss(D(fake.detach()), ones)  # <- -
    # + g_loss = F.mse_loss(D(fake), ones)
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()

# %% the discriminator's answer is detached
#: thread: issue, wangle53/CSA-CDGAN: The problem of the GAN implementation
#: cause: loss_not_connected, no_gradient
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
netG, netD = nn.Linear(2, 4), nn.Linear(4, 1)
opt_g = torch.optim.Adam(netG.parameters())
fake = netG(torch.randn(5, 2))
pred_fake = netD(fake).detach()  # <- -
# + pred_fake = netD(fake)
loss_g = F.binary_cross_entropy_with_logits(pred_fake, torch.ones(5, 1))
opt_g.zero_grad()
loss_g.backward()
opt_g.step()

# %% the discriminator is never cleared between the generator's steps
#: thread: issue, yunjey/pytorch-tutorial: Potential bug of GAN example
#: cause: no_zero_grad
#: shows: extra > 1e-3
G, D = nn.Linear(2, 3), nn.Linear(3, 1)
g_opt, d_opt = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.1)
bce = nn.BCEWithLogitsLoss()
for i in range(3):
    fake = G(torch.randn(6, 2))
    d_loss = bce(D(torch.randn(6, 3)), torch.ones(6, 1)) + bce(D(fake.detach()), torch.zeros(6, 1))
    # + d_opt.zero_grad()
    own = torch.autograd.grad(d_loss, D.weight, retain_graph=True)[0]
    d_loss.backward()  # <-
    extra = float((D.weight.grad - own).norm())
    d_opt.step()
    g_opt.zero_grad()
    bce(D(fake), torch.ones(6, 1)).backward()  # <-
    g_opt.step()

# %% gradient penalty without create_graph
#: thread: issue, igul222/improved_wgan_training: About the graph of the gradients respect to inputs
#: cause: penalty_without_graph
#: shows: not gp.requires_grad
D = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))
opt = torch.optim.Adam(D.parameters(), lr=1e-3)
for i in range(3):
    real, fake = torch.randn(6, 3), torch.randn(6, 3) + 1
    mix = (0.5 * real + 0.5 * fake).requires_grad_()
    g = torch.autograd.grad(D(mix).sum(), mix)[0]  # <- -
    # + g = torch.autograd.grad(D(mix).sum(), mix, create_graph=True)[0]
    gp = ((g.norm(2, dim=1) - 1) ** 2).mean()
    loss = D(fake).mean() - D(real).mean() + 10 * gp
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the penalty alone has no graph
#: thread: issue, caogang/wgan-gp: Why did u only backward the GP
#: cause: penalty_without_graph, loss_not_connected
#: raises: RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn
net = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))
x = torch.randn(5, 2, requires_grad=True)
energy = net(x).sum()
force = torch.autograd.grad(energy, x, retain_graph=True)[0]  # <- -
# + force = torch.autograd.grad(energy, x, create_graph=True)[0]
loss = F.mse_loss(force, torch.zeros(5, 2))
loss.backward()  # <-

# %% MAML without second derivatives
#: thread: issue, dragen1860/MAML-Pytorch: create_graph parameter is False hence first-order MAML?
#: cause: penalty_without_graph
#: shows: float((w.grad - first_order).norm()) < 1e-6
#: missed: first-order MAML is a method of its own, and looks like this
w = torch.tensor([[0.5], [-0.3]], requires_grad=True)
meta_opt = torch.optim.SGD([w], lr=0.1)
for it in range(2):
    meta_opt.zero_grad()
    xs, ys, xq, yq = torch.randn(6, 2), torch.randn(6, 1), torch.randn(6, 2), torch.randn(6, 1)
    loss = F.mse_loss(xs @ w, ys)
    grad = torch.autograd.grad(loss, w)[0]  # <- -
    # + grad = torch.autograd.grad(loss, w, create_graph=True)[0]
    fast = w - 0.4 * grad
    outer = F.mse_loss(xq @ fast, yq)
    first_order = torch.autograd.grad(outer, fast, retain_graph=True)[0]
    outer.backward()
    meta_opt.step()

# %% the inner loop of MAML works on copies
#: thread: issue, uvm-neurobotics-lab/ANML: FIrst order gradients are used for outer loop optimization
#: cause: no_gradient, detached_parameter, unused_parameter
#: shows: net.weight.grad is None
net = nn.Linear(2, 1)
meta_opt = torch.optim.Adam(net.parameters(), lr=0.01)
for task in range(3):
    fast = net.weight.clone().detach().requires_grad_()  # <- -
    # + fast = net.weight.clone()
    x, y = torch.randn(8, 2), torch.randn(8, 1)
    inner = F.mse_loss(x @ fast.t() + net.bias, y)
    g = torch.autograd.grad(inner, fast, create_graph=True)[0]
    fast = fast - 0.1 * g
    outer = F.mse_loss(x @ fast.t() + net.bias, y)
    meta_opt.zero_grad()
    outer.backward()
    meta_opt.step()

# %% a VAE that samples without the trick
#: thread: issue, nicola-decao/s-vae-pytorch: Differentiability of the distribution objects.
#: cause: sampled_without_gradient, sample_without_path, zero_derivative
#: shows: bool((through_z == 0).all())
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(12, 6)
for i in range(3):
    mu, logvar = enc(x).chunk(2, 1)
    z = torch.normal(mu, (0.5 * logvar).exp())  # <- -
    # + z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
    through_z = torch.autograd.grad(z.sum(), mu, retain_graph=True)[0]
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(dec(z), x) + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% what sample() does instead of rsample()
#: thread: issue, AntixK/PyTorch-VAE: Why not use rsample() PyTorch
#: cause: sampled_without_gradient, sample_without_path, detached_parameter, no_gradient
#: shows: mu_net.weight.grad is None
mu_net, dec = nn.Linear(5, 2), nn.Linear(2, 5)
opt = torch.optim.Adam([*mu_net.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(10, 5)
for i in range(3):
    mu = mu_net(x)
    with torch.no_grad():  # <- -
        z = torch.normal(mu, torch.ones_like(mu))  # <- -
    # + z = mu + torch.randn_like(mu)
    loss = F.mse_loss(dec(z), x)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the sampled action of a continuous actor
#: thread: issue, ARISE-Initiative/robomimic: Why use regular sampling instead of reparameterized sampling with gradient during action sampling?
#: cause: sampled_without_gradient, sample_without_path, step_without_backward, detached_parameter
#: shows: actor.weight.grad is None
actor, critic = nn.Linear(3, 2), nn.Linear(5, 1)
critic.requires_grad_(False)
opt = torch.optim.Adam(actor.parameters(), lr=1e-2)
log_std = torch.zeros(2)
for i in range(3):
    s = torch.randn(8, 3)
    mu = actor(s)
    a = torch.normal(mu.detach(), log_std.exp().expand_as(mu))  # <- -
    # + a = mu + log_std.exp() * torch.randn_like(mu)
    q = critic(torch.cat([s, a], 1))
    loss = (-q + 0.01 * a.pow(2).sum(1, keepdim=True)).mean()
    opt.zero_grad()
    if loss.requires_grad: loss.backward()
    opt.step()  # <-

# %% the decoder is given mu of another tensor
#: thread: issue, dmis-lab/VAECox: question for class VAE(AE)
#: cause: unused_result
#: shows: "z" not in used
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu, self.si, self.dec = nn.Linear(5, 2), nn.Linear(5, 2), nn.Linear(2, 5)

    def forward(self, x):
        mu, logvar = self.mu(x), self.si(x)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)  # <-
        recon = self.dec(mu)  # -
        # + recon = self.dec(z); used.append("z")
        return recon, mu, logvar

vae, used = VAE(), []
opt = torch.optim.Adam(vae.parameters(), lr=0.01)
x = torch.randn(8, 5)
for i in range(3):
    recon, mu, logvar = vae(x)
    loss = F.mse_loss(recon, x) - 0.05 * (1 + logvar - mu**2 - logvar.exp()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% the TD target of DQN carries a gradient
#: thread: issue, datawhalechina/easy-rl: distinguish Qnet and set detach() on TD target
#: cause: target_with_gradient
#: shows: target.requires_grad
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for i in range(3):
    s, a, r, s2 = torch.randn(8, 4), torch.randint(0, 2, (8, 1)), torch.randn(8), torch.randn(8, 4)
    q = q_net(s).gather(1, a).squeeze(1)
    target = r + 0.99 * q_net(s2).max(1)[0]  # <- -
    # + target = r + 0.99 * q_net(s2).max(1)[0].detach()
    loss = F.mse_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% detach is called and its result thrown away
#: thread: issue, oreilly-japan/deep-learning-from-scratch-4: Tensor.detach()の仕様について
#: cause: target_with_gradient, unused_result
#: shows: target.requires_grad
qnet, target_net = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(qnet.parameters(), lr=5e-4)
for i in range(3):
    state, reward, next_state = torch.randn(6, 4), torch.randn(6), torch.randn(6, 4)
    q = qnet(state)[:, 0]
    next_q = target_net(next_state).max(1)[0]
    next_q.detach()  # <- -
    # + next_q = next_q.detach()
    target = reward + 0.98 * next_q  # <-
    loss = F.mse_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the advantage trains the critic through the policy
#: thread: issue, jingw2/neural-combinatorial-optimization-rl: One error for calculating the advantage value
#: cause: target_with_gradient
#: shows: advantage.requires_grad
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
for i in range(3):
    s, L = torch.randn(10, 4), torch.rand(10)
    logp = F.log_softmax(actor(s), dim=1)
    act = torch.multinomial(logp.detach().exp(), 1)
    b = critic(s).squeeze(1)
    advantage = L - b  # <- -
    # + advantage = L - b.detach()
    actor_loss = (advantage * logp.gather(1, act).squeeze(1)).mean()  # <-
    critic_loss = F.mse_loss(b, L)
    optimizer.zero_grad()
    (actor_loss + critic_loss).backward()
    optimizer.step()

# %% the A2C critic regresses to its own gradient
#: thread: issue, Farama-Foundation/Gymnasium: [Bug Report] Incorrect A2C implementation
#: cause: target_with_gradient
#: shows: returns.requires_grad
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
for update in range(3):
    states, rewards = torch.randn(6, 3), torch.rand(5)
    values = critic(states).squeeze(1)
    returns = rewards + 0.9 * values[1:]  # <- -
    # + returns = rewards + 0.9 * values[1:].detach()
    critic_loss = (returns - values[:-1]).pow(2).mean()
    opt.zero_grad()
    critic_loss.backward()
    opt.step()

# %% the target network is the network
#: thread: issue, higgsfield/RL-Adventure: DQN example: target DQN == behavior DQN (bug? or by design?)
#: cause: target_is_network
#: shows: target_net.weight is policy_net.weight
policy_net = nn.Linear(4, 2)
target_net = policy_net  # <- -
# + target_net = copy.deepcopy(policy_net)
opt = torch.optim.SGD(policy_net.parameters(), lr=0.01)
for i in range(3):
    s, r, s2 = torch.randn(6, 4), torch.randn(6), torch.randn(6, 4)
    with torch.no_grad():
        y = r + 0.9 * target_net(s2).max(1)[0]
    loss = F.smooth_l1_loss(policy_net(s)[:, 1], y)
    opt.zero_grad()
    loss.backward()
    opt.step()
