"""Clipping, stepping and scheduling at the wrong moment, as people ask about it."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% clipping within the training step
#: thread: issue, simchowitzlabpublic/nano-world-model: Clip gradients in configure_gradient_clipping instead of training_step
#: cause: clip_before_backward
#: shows: max(used) > 0.11
class World(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))

    def training_step(self, frames, target):
        loss = F.mse_loss(self.net(frames), target)
        torch.nn.utils.clip_grad_norm_(self.parameters(), max_norm=0.1)  # <- -
        return loss

model = World()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
used = []
for step in range(4):
    loss = model.training_step(torch.randn(6, 4), 3 * torch.randn(6, 4))
    optimizer.zero_grad()
    loss.backward()
    # + torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)
    used.append(math.sqrt(sum(float(p.grad.norm()) ** 2 for p in model.parameters())))
    optimizer.step()

# %% values are clipped ahead of the backward pass of an LSTM
#: thread: forum, PyTorch forums: Proper way to do gradient clipping?
#: cause: clip_before_backward
#: shows: max(used) > 0.051
rnn, out = nn.LSTM(2, 6), nn.Linear(6, 1)
params = [*rnn.parameters(), *out.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
used = []
for p in params: p.grad = torch.zeros_like(p)
for epoch in range(3):
    h, _ = rnn(torch.randn(7, 3, 2))
    loss = (out(h) - 5).pow(2).mean()
    nn.utils.clip_grad_value_(params, 0.05)  # <- -
    loss.backward()
    # + nn.utils.clip_grad_value_(params, 0.05)
    used.append(max(float(p.grad.abs().max()) for p in params))
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)

# %% clipping after the step
#: thread: issue, VGraphRNN/VGRNN: Incorrect use of torch.nn.utils.clip_grad_norm
#: cause: clip_after_step
#: shows: max(used) > 1.1
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
used = []
for k in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(8, 5)), 20 * torch.randn(8, 1))
    loss.backward()
    # + nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    used.append(math.sqrt(sum(float(p.grad.norm()) ** 2 for p in model.parameters())))
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- -

# %% the trainer clips what it has used
#: thread: issue, awslabs/graphstorm: possible max_grad_norm implementation error
#: cause: clip_after_step
#: shows: max(trainer.used) > 0.6
class Trainer:
    def __init__(self, model, max_grad_norm):
        self.model, self.max_grad_norm = model, max_grad_norm
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.used = []

    def fit(self, batches):
        for x, y in batches:
            loss = F.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            # + torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_grad_norm)
            self.used.append(math.sqrt(sum(float(p.grad.norm()) ** 2 for p in self.model.parameters())))
            self.optimizer.step()
            if self.max_grad_norm is not None:  # -
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_grad_norm)  # <- -

trainer = Trainer(nn.Linear(4, 2), 0.5)
trainer.fit([(torch.randn(6, 4), 5 * torch.randn(6, 2)) for _ in range(5)])

# %% clipping after each backward of an accumulation
#: thread: issue, huggingface/transformers: The implementation of grad clipping is not correct when gradient accumulation is enabled
#: cause: clip_per_micro_batch
#: shows: float(first) < 0.5 * float(last)
model = nn.Linear(6, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
accumulation_steps, max_grad_norm = 4, 1.0
batches = [(20 * torch.randn(4, 6), 20 * torch.randn(4, 2)) for _ in range(8)]
first = last = torch.tensor(0.0)
for step, (x, y) in enumerate(batches):
    before = 0 if model.weight.grad is None else model.weight.grad.clone()
    loss = F.mse_loss(model(x), y) / accumulation_steps
    loss.backward()
    if step % accumulation_steps == accumulation_steps - 1: last = (model.weight.grad - before).norm()
    nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)  # <- -
    if step % accumulation_steps == 0: first = model.weight.grad.norm()
    if (step + 1) % accumulation_steps == 0:
        # + nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
        optimizer.step()
        optimizer.zero_grad()

# %% an inner loop of micro-batches clips each of them
#: thread: issue, simchowitzlabpublic/nano-world-model: scales down the gradient mid-accumulation
#: cause: clip_per_micro_batch
#: shows: clipped > 3
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clipped = 0
for update in range(3):
    optimizer.zero_grad()
    for micro in range(4):
        (F.mse_loss(model(10 * torch.randn(5, 3)), 10 * torch.randn(5, 1)) / 4).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3)  # <- -
        clipped += 1  # -
    # + torch.nn.utils.clip_grad_norm_(model.parameters(), 0.3); clipped += 1
    optimizer.step()

# %% the one-cycle schedule is stepped after each epoch
#: thread: issue, ageron/handson-mlp: [bug] OneCycleLR scheduler should be called after every batch
#: cause: schedule_per_epoch
#: shows: max(rates) < 0.05
model = nn.Linear(3, 2)
train_loader = [(torch.randn(4, 3), torch.randint(0, 2, (4,))) for _ in range(8)]
n_epochs = 4
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, epochs=n_epochs, steps_per_epoch=len(train_loader), max_lr=0.1)
rates = []

def train_one_epoch():
    for x, y in train_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        # + scheduler.step()

for epoch in range(n_epochs):
    train_one_epoch()
    scheduler.step()  # <- -

# %% a decay over all batches, stepped per epoch
#: thread: issue, Lightning-AI/pytorch-lightning: lr_scheduler step() called after every epoch instead of after every batch
#: cause: schedule_per_epoch
#: shows: optimizer.param_groups[0]["lr"] > 0.05
model, epochs = nn.Linear(3, 1), 3
data = [(torch.randn(4, 3), torch.randn(4, 1)) for _ in range(6)]
total_steps = len(data) * epochs
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1.0, end_factor=0.01, total_iters=total_steps)
for epoch in range(epochs):
    for x, y in data:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        # + scheduler.step()
    scheduler.step()  # <- -

# %% two schedules over half the epochs, stepped for every image
#: thread: issue, leftthomas/SRGAN: Learning rate scheduler is working incorrect
#: cause: schedule_per_batch
#: shows: optimizerG.param_groups[0]["lr"] < 1e-5
epochs = 4
netG, netD = nn.Linear(3, 3), nn.Linear(3, 1)
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-2)
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-2)
schedulerG = torch.optim.lr_scheduler.StepLR(optimizerG, step_size=epochs // 2, gamma=0.1)
schedulerD = torch.optim.lr_scheduler.StepLR(optimizerD, step_size=epochs // 2, gamma=0.1)
for epoch in range(epochs):
    for i in range(4):
        low, high = torch.randn(5, 3), torch.randn(5, 3)
        fake = netG(low)
        optimizerD.zero_grad()
        (1 - netD(high).mean() + netD(fake.detach()).mean()).backward()
        optimizerD.step()
        optimizerG.zero_grad()
        (F.mse_loss(fake, high) - 0.01 * netD(fake).mean()).backward()
        optimizerG.step()
        schedulerG.step()  # <- -
        schedulerD.step()  # <- -
    # + schedulerG.step()
    # + schedulerD.step()

# %% a schedule that nobody steps
#: thread: issue, Linaqruf/kohya-trainer: Use lr_scheduler
#: cause: schedule_unused
#: shows: optimizer.param_groups[0]["lr"] == 0.1
unet = nn.Linear(4, 4)
optimizer = torch.optim.AdamW(unet.parameters(), lr=0.1)
lr_scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)  # <-
for step in range(6):
    noise = torch.randn(8, 4)
    loss = F.mse_loss(unet(torch.randn(8, 4) + noise), noise)
    loss.backward()
    optimizer.step()
    # + lr_scheduler.step()
    optimizer.zero_grad()

# %% the schedulers are unpacked and forgotten
#: thread: issue, Plachtaa/VITS-fast-fine-tuning: scheduler not used in train_and_evaluate function.
#: cause: schedule_unused
#: shows: optim_g.param_groups[0]["lr"] == 0.02
net_g = nn.Linear(3, 1)
optim_g = torch.optim.SGD(net_g.parameters(), lr=0.02)

def train(epochs, optim_g):
    scheduler_g = torch.optim.lr_scheduler.StepLR(optim_g, 1, gamma=0.5)  # <-
    for epoch in range(epochs):
        for batch in range(3):
            optim_g.zero_grad()
            net_g(torch.randn(4, 3)).pow(2).mean().backward()
            optim_g.step()
        # + scheduler_g.step()

train(3, optim_g)

# %% the step outside of the if of the accumulation
#: thread: issue, mzolfaghari/ECO-pytorch: Misplaced optimizer step
#: cause: stepped_twice
#: shows: steps[0] > 8
model, iter_size = nn.Linear(4, 2), 2
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
steps = [0]
optimizer.register_step_post_hook(lambda *args: steps.__setitem__(0, steps[0] + 1))
for i in range(8):
    loss = F.cross_entropy(model(torch.randn(4, 4)), torch.randint(0, 2, (4,))) / iter_size
    optimizer.zero_grad()
    loss.backward()
    if i % iter_size == 0:  # -
        optimizer.step()  # -
    optimizer.step()  # <-

# %% the engine steps, and so does the trainer
#: thread: issue, huggingface/transformers: Optimizer step being called 2 times when using deepspeed
#: cause: stepped_twice
#: shows: steps[0] == 8
class Engine:
    def __init__(self, model):
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def backward(self, loss):
        loss.backward()
        self.optimizer.step()

model = nn.Linear(4, 1)
engine, steps = Engine(model), [0]
engine.optimizer.register_step_post_hook(lambda *args: steps.__setitem__(0, steps[0] + 1))
for batch in range(4):
    loss = F.mse_loss(model(torch.randn(6, 4)), torch.randn(6, 1))
    engine.backward(loss)
    engine.optimizer.step()  # <- -
    engine.optimizer.zero_grad()

# %% frozen after the backward pass
#: thread: issue, neuralmagic/sparseml: TrainableParamsModifier doesn't freeze params
#: cause: frozen_moves
#: shows: not torch.equal(frozen, model[0].weight)
model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
frozen = model[0].weight.detach().clone()
for epoch in range(4):
    optimizer.zero_grad()
    # + if epoch == 0: model[0].requires_grad_(False)
    F.mse_loss(model(x), y).backward()
    if epoch == 0: model[0].requires_grad_(False)  # <- -
    optimizer.step()

# %% weight decay on what was frozen
#: thread: issue, iamwangyabin/S-Prompts: Fix typo & bugs about weight decay
#: cause: frozen_moves
#: shows: float(prompts[0].detach().abs().mean()) < 0.9 * size
prompts = nn.ParameterList([nn.Parameter(torch.ones(5)) for _ in range(2)])
optimizer = torch.optim.SGD(prompts.parameters(), lr=0.1, weight_decay=0.5)
for task in range(2):
    if task == 1:
        prompts[0].requires_grad = False  # <-
        # + prompts[0].grad = None
        size = float(prompts[0].detach().abs().mean())
    for i in range(4):
        for p in prompts:
            if p.grad is not None: p.grad.zero_()
        (prompts[task] * torch.randn(5)).sum().backward()
        optimizer.step()
