"""Parameters that no optimizer has, or the wrong one, or two, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% layers are made in forward
#: thread: tutorial, thecodeforge.io: PyTorch Neural Network, the forward() layer bug
#: cause: made_in_forward
#: shows: not torch.equal(model(x), model(x))
class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 6)
        # + self.fc = nn.Linear(6, 3)

    def forward(self, x):
        fc = nn.Linear(6, 3)  # <- -
        # + fc = self.fc
        return fc(torch.relu(self.embed(x)))

model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(9, 4), torch.randint(0, 3, (9,))
for epoch in range(4):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()

# %% a projection is made for every batch
#: thread: forum, PyTorch forums: Layers defined inside the training loop are not trained
#: cause: made_in_forward
#: shows: len(set(seen)) > 1
encoder, seen = nn.Linear(5, 4), []
# + head = nn.Linear(4, 1)
# + optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.0001)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.0001)  # -
for batch in range(4):
    head = nn.Linear(4, 1)  # <- -
    seen.append(round(float(head.weight[0, 0]), 1))
    loss = F.mse_loss(head(torch.relu(encoder(torch.randn(6, 5)))), torch.randn(6, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a ligand embedding that is made in the first forward
#: thread: issue, prism-science/WaterFlow: Adding ligands to dataset processing
#: cause: late_parameter
#: shows: torch.equal(first, encoder.ligand.weight)
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.base, self.ligand = nn.Linear(3, 4), None
        # + self.ligand = nn.Linear(2, 4)

    def forward(self, x, l):
        h = self.base(x)
        if self.ligand is None:
            self.ligand = nn.Linear(l.shape[1], h.shape[1])  # <-
        return (h + self.ligand(l)).pow(2).mean()

def main():
    encoder = Encoder()
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    first = None
    for step in range(4):
        loss = encoder(torch.randn(5, 3), torch.randn(5, 2))
        if first is None: first = encoder.ligand.weight.detach().clone()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return encoder, first

encoder, first = main()

# %% the optimizer is made before the last layer
#: thread: issue, LaurentMazare/ocaml-torch: Unexpected results related to creation/initialization of layers and optimizer
#: cause: late_parameter
#: shows: torch.equal(before, net.linear.weight)
net = nn.Sequential()
net.add_module("first", nn.Linear(2, 3))
# + net.add_module("linear", nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
net.add_module("linear", nn.Linear(3, 1))  # <- -
before = net.linear.weight.detach().clone()
for _ in range(4):
    optimizer.zero_grad()
    (net(torch.ones(1, 2)) - 10).pow(2).sum().backward()
    optimizer.step()

# %% weights of a module are tensors
#: thread: forum, Stack Overflow: my custom layer's weights are not in model.parameters()
#: cause: unregistered_tensor
#: shows: torch.equal(before, net.gain)
class Gain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.gain = torch.full((n,), 0.5, requires_grad=True)  # <- -
        # + self.gain = nn.Parameter(torch.full((n,), 0.5))

    def forward(self, x):
        return self.gain * torch.tanh(self.fc(x))

net = Gain(4)
before = net.gain.detach().clone()
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
for i in range(4):
    optimizer.zero_grad()
    net(torch.randn(6, 4)).sub(1).pow(2).mean().backward()
    optimizer.step()

# %% log_std of a policy is a plain tensor
#: thread: forum, PyTorch forums: Learnable log_std does not change
#: cause: unregistered_tensor
#: shows: float(policy.log_std.detach().abs().sum()) == 0
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(3, 2)
        self.log_std = torch.zeros(2, requires_grad=True)  # <- -
        # + self.log_std = nn.Parameter(torch.zeros(2))

    def log_prob(self, s, a):
        return (-((a - self.mu(s)) ** 2) / (2 * self.log_std.exp() ** 2) - self.log_std).sum(1)

policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for i in range(4):
    loss = -(policy.log_prob(torch.randn(8, 3), torch.randn(8, 2)) * torch.randn(8)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the discriminator's optimizer has the generator
#: thread: issue, zhaoyuzhi/deepfillv2: Fix optimizer parameter setting of D
#: cause: wrong_optimizer
#: shows: torch.equal(before, discriminator.weight)
generator, discriminator = nn.Linear(2, 3), nn.Linear(3, 1)
before = discriminator.weight.detach().clone()
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.9))
optimizer_d = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.9))  # <- -
# + optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-2, betas=(0.5, 0.9))
for i in range(3):
    fake, real = generator(torch.randn(6, 2)), torch.randn(6, 3)
    optimizer_d.zero_grad()
    loss_d = -discriminator(real).mean() + discriminator(fake.detach()).mean()
    loss_d.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    loss_g = -discriminator(fake).mean()
    loss_g.backward()
    optimizer_g.step()

# %% the second Adam of a colour GAN
#: thread: issue, bohaohuang/mrs: Error in this line
#: cause: wrong_optimizer
#: shows: torch.equal(before, trainer.dis.weight)
class Trainer:
    def __init__(self):
        self.gen, self.dis = nn.Linear(3, 3), nn.Linear(3, 1)
        self.optm_dis = torch.optim.Adam(self.gen.parameters(), lr=0.01)  # <- -
        # + self.optm_dis = torch.optim.Adam(self.dis.parameters(), lr=0.01)
        self.optm_gen = torch.optim.Adam(self.gen.parameters(), lr=0.01)

    def step(self, x, y):
        fake = self.gen(x)
        self.optm_dis.zero_grad()
        (self.dis(fake.detach()).mean() - self.dis(y).mean()).backward()
        self.optm_dis.step()
        self.optm_gen.zero_grad()
        (-self.dis(fake).mean()).backward()
        self.optm_gen.step()

trainer = Trainer()
before = trainer.dis.weight.detach().clone()
for i in range(3): trainer.step(torch.randn(5, 3), torch.randn(5, 3))

# %% Adam and SGD over the same model
#: thread: forum, PyTorch forums: Two optimizers for one model
#: cause: two_optimizers
#: shows: moved > 0
model = nn.Linear(4, 1)
adam = torch.optim.Adam(model.parameters(), lr=1e-2)
sgd = torch.optim.SGD(model.parameters(), lr=1e-2)
# + sgd = None
x, y = torch.randn(8, 4), torch.randn(8, 1)
moved = 0
for i in range(4):
    adam.zero_grad()
    F.mse_loss(model(x), y).backward()
    adam.step()
    before = model.weight.detach().clone()
    if sgd: sgd.step()  # <-
    moved += float((model.weight.detach() - before).norm())

# %% the encoder is in both lists
#: thread: forum, PyTorch forums: encoder parameters passed to two optimizers by mistake
#: cause: two_optimizers
#: shows: len(shared) > 0
encoder, decoder = nn.Linear(4, 3), nn.Linear(3, 4)
opt_all = torch.optim.RMSprop([*encoder.parameters(), *decoder.parameters()], lr=1e-3)  # -
# + opt_all = torch.optim.RMSprop(decoder.parameters(), lr=1e-3)
opt_enc = torch.optim.RMSprop(encoder.parameters(), lr=1e-3)
shared = {id(p) for g in opt_all.param_groups for p in g["params"]} & {id(p) for g in opt_enc.param_groups for p in g["params"]}
for i in range(4):
    x = torch.randn(6, 4)
    opt_all.zero_grad(); opt_enc.zero_grad()
    F.mse_loss(decoder(torch.tanh(encoder(x))), x).backward()
    opt_all.step()
    opt_enc.step()  # <-

# %% a used-up generator is averaged over
#: thread: forum, Stack Overflow: sum over model.parameters() is zero the second time
#: cause: exhausted_parameters
#: shows: float(penalty) == 0
model = nn.Linear(3, 2)
trainable = (p for p in model.parameters() if p.requires_grad)
# + trainable = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trainable, lr=0.1)
for i in range(3):
    penalty = 0.0
    for p in trainable:  # <-
        penalty = penalty + p.abs().sum()
    loss = F.cross_entropy(model(torch.randn(4, 3)), torch.randint(0, 2, (4,))) + 1e-3 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the body is frozen by an attribute of the module
#: thread: forum, PyTorch forums: model.fc.requires_grad = False does not freeze the layer
#: cause: flag_unread
#: shows: not torch.equal(before, net.body.weight)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 6), nn.Linear(6, 2)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))

net = Net()
net.body.requires_grad = False  # <- -
# + net.body.requires_grad_(False)
before = net.body.weight.detach().clone()
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,))).backward()
    optimizer.step()

# %% the flag is spelled otherwise
#: thread: forum, PyTorch forums: Freezing a layer, weights still change (param.require_grad = False)
#: cause: flag_unread
#: shows: not torch.equal(before, net[0].weight)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
for param in net[0].parameters():
    param.require_grad = False  # <- -
    # + param.requires_grad = False
before = net[0].weight.detach().clone()
optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
x, y = torch.randn(9, 3), torch.randn(9, 1)
for i in range(3):
    optimizer.zero_grad()
    F.mse_loss(net(x), y).backward()
    optimizer.step()
