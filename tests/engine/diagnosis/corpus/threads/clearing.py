"""Gradients that are not cleared, or are cleared before anything used them, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% the trainer's loop has no zero_grad
#: thread: issue, yastrebksv/TennisCourtDetector: Why there is no "optimizer.zero_grad()" in base_trainer.py?
#: cause: no_zero_grad
#: shows: seen[0] > 1
class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        self.criterion = nn.MSELoss()

    def train_step(self, images, heatmaps):
        # + self.optimizer.zero_grad()
        loss = self.criterion(self.model(images), heatmaps)
        loss.backward()  # <-
        self.optimizer.step()
        return loss.item()

trainer = Trainer(nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)))
data = [(torch.randn(4, 6), torch.randn(4, 2)) for _ in range(3)]
for epoch in range(3):
    for images, heatmaps in data:
        loss = trainer.train_step(images, heatmaps)
total = trainer.model[2].bias.grad.clone()
trainer.optimizer.zero_grad()
trainer.criterion(trainer.model(images), heatmaps).backward()
seen = [float((total - trainer.model[2].bias.grad).norm())]

# %% zero_grad at the start of each epoch instead of each batch
#: thread: issue, pytorch/pytorch: [feature request] Show warning if optimizer.zero_grad() was not called before optimizer.step()
#: cause: no_zero_grad
#: shows: norms[-1] > norms[0]
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(4, 8, 5), torch.randn(4, 8, 1)
norms = []
for epoch in range(3):
    optimizer.zero_grad()  # -
    for xb, yb in zip(x, y):
        # + optimizer.zero_grad()
        loss = F.mse_loss(model(xb), yb + 3)
        loss.backward()  # <-
        norms.append(float(model.bias.grad.abs()))
        optimizer.step()

# %% executor of a keyword spotter
#: thread: issue, wenet-e2e/wekws: [fix bug] add optimizer.zero_grad() in kws/utils/executor.py (#72)
#: cause: no_zero_grad
#: shows: float((model.bias.grad - last).norm()) > 0.1
def train(model, optimizer, data_loader, grad_clip):
    model.train()
    for feats, target in data_loader:
        # + optimizer.zero_grad()
        logits = model(feats)
        loss = F.cross_entropy(logits, target)
        loss.backward()  # <-
        nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
        optimizer.step()

model = nn.Linear(10, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(torch.randn(8, 10), torch.randint(0, 3, (8,))) for _ in range(4)]
train(model, optimizer, loader, 50.0)
other = copy.deepcopy(model)
last = torch.autograd.grad(F.cross_entropy(other(loader[-1][0]), loader[-1][1]), other.bias)[0]

# %% the training function clears another model
#: thread: forum, PyTorch forums: Loss increases although zero_grad is called
#: cause: no_zero_grad
#: shows: bool(student.weight.grad.abs().sum() > 1.5 * first)
teacher, student = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.SGD(student.parameters(), lr=0.01)
x = torch.randn(16, 4)
with torch.no_grad():
    goal = teacher(x)
for step in range(4):
    teacher.zero_grad()  # -
    # + student.zero_grad()
    loss = F.mse_loss(student(x), goal)
    loss.backward()  # <-
    if step == 0:
        first = student.weight.grad.abs().sum()
    optimizer.step()

# %% LoRA trainer steps without clearing
#: thread: issue, tenstorrent/tt-blacksmith: [Trainer] Fix Bug Where Zero Grad was Left Out
#: cause: no_zero_grad
#: shows: int(opt.state[A]["step"]) == 6 and float(B.grad.norm()) > 2 * float(single.norm())
base = nn.Linear(8, 8)
base.requires_grad_(False)
A, B = nn.Parameter(torch.randn(8, 2) * 0.1), nn.Parameter(torch.zeros(2, 8))
opt = torch.optim.AdamW([A, B], lr=1e-3)
x, y = torch.randn(32, 8), torch.randn(32, 8)
for it in range(6):
    out = base(x) + x @ A @ B
    loss = F.mse_loss(out, y)
    loss.backward()  # <-
    opt.step()
    # + opt.zero_grad()
single = torch.autograd.grad(F.mse_loss(base(x) + x @ A @ B, y), B)[0]
if B.grad is None:
    B.grad = single

# %% zero_grad stands between backward and step
#: thread: forum, Stack Overflow: My PyTorch model does not learn, the loss stays the same
#: cause: cleared_before_step
#: shows: torch.equal(before, net.weight)
net = nn.Linear(3, 1)
before = net.weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
inputs, targets = torch.randn(10, 3), torch.randn(10, 1)
for epoch in range(5):
    loss = nn.MSELoss()(net(inputs), targets)
    # + optimizer.zero_grad()
    loss.backward()
    optimizer.zero_grad()  # <- -
    optimizer.step()
    print(epoch, loss.item())

# %% set_to_none after backward, in a helper
#: thread: forum, PyTorch forums: Weights do not change after optimizer.step()
#: cause: cleared_before_step
#: shows: torch.equal(w0, model[0].weight)
def prepare(optimizer):
    optimizer.zero_grad(set_to_none=True)  # <-

model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
w0 = model[0].weight.detach().clone()
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 4), torch.randn(8, 1)
for i in range(3):
    # + prepare(optimizer)
    loss = F.l1_loss(model(x), y)
    loss.backward()
    prepare(optimizer)  # -
    optimizer.step()

# %% gradients are cleared for every micro-batch
#: thread: issue, bytetriper/RAE: train.py: zero_grad is called per microbatch, breaking gradient accumulation
#: cause: gradients_discarded, cleared_by_another
#: shows: int(sum(used)) == 2
model = nn.Linear(6, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
accumulation = 4
batches = [(torch.randn(4, 6), torch.randn(4, 2)) for _ in range(8)]
used, since = [], 0
for step, (x, y) in enumerate(batches):
    optimizer.zero_grad(set_to_none=True)  # <- -
    # + if step % accumulation == 0: optimizer.zero_grad(set_to_none=True)
    since = 0 if model.weight.grad is None else since
    loss = F.mse_loss(model(x), y) / accumulation
    loss.backward()
    since += 1
    if (step + 1) % accumulation == 0:
        used.append(since)
        optimizer.step()

# %% the epoch's start throws the last gradients away
#: thread: issue, ultralytics/ultralytics: fix double zero_grad call messing up gradient accumulation
#: cause: gradients_discarded, cleared_by_another
#: shows: lost > 0
#: missed: the rest of an epoch is lost by a zero_grad that is right in all other iterations
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
accumulate, seen, lost, last_opt_step = 4, 0, 0, -1
for epoch in range(3):
    if model.weight.grad is not None and model.weight.grad.abs().sum() > 0:
        lost += 1
    optimizer.zero_grad()  # <-
    for i in range(6):
        loss = F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1)) / accumulate
        loss.backward()
        seen += 1
        if seen - last_opt_step >= accumulate + 1:
            optimizer.step()
            optimizer.zero_grad()
            last_opt_step = seen - 1
    # + optimizer.step(); optimizer.zero_grad(); last_opt_step = seen - 1

# %% the second optimizer clears the shared encoder
#: thread: forum, PyTorch forums: Two losses, shared encoder, two optimizers
#: cause: gradients_discarded, cleared_by_another, cleared_before_step
#: shows: float((encoder.weight.grad - both).norm()) > 1e-4
encoder, head_a, head_b = nn.Linear(5, 4), nn.Linear(4, 1), nn.Linear(4, 1)
opt_a = torch.optim.SGD([*encoder.parameters(), *head_a.parameters()], lr=0.01)
opt_b = torch.optim.SGD([*encoder.parameters(), *head_b.parameters()], lr=0.01)
x, ya, yb = torch.randn(16, 5), torch.randn(16, 1), torch.randn(16, 1)
for i in range(4):
    h = torch.tanh(encoder(x))
    loss_a, loss_b = F.mse_loss(head_a(h), ya), F.mse_loss(head_b(h), yb)
    both = torch.autograd.grad(loss_a + loss_b, encoder.weight, retain_graph=True)[0]
    opt_a.zero_grad()
    # + opt_b.zero_grad()
    loss_a.backward(retain_graph=True)
    opt_b.zero_grad()  # <- -
    loss_b.backward()
    opt_a.step()
    opt_b.step()

# %% accumulated losses are not divided
#: thread: issue, hirofumi0810/neural_sp: accum_grad loss error
#: cause: undivided_accumulation
#: shows: float(norm) > 2 * float(whole)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
accum_grad_n_steps = 8
x, y = torch.randn(8, 4, 4), torch.randn(8, 4, 1)
for epoch in range(3):
    optimizer.zero_grad()
    for i in range(8):
        loss = F.mse_loss(model(x[i]), y[i])  # -
        # + loss = F.mse_loss(model(x[i]), y[i]) / accum_grad_n_steps
        loss.backward()  # <-
        if (i + 1) % accum_grad_n_steps == 0:
            norm = model.weight.grad.norm()
            whole = torch.autograd.grad(F.mse_loss(model(x.view(-1, 4)), y.view(-1, 1)), model.weight)[0].norm()
            optimizer.step()

# %% the loss jumps with the number of accumulation steps
#: thread: issue, agokrani/distillKitPlus: Normalize Loss by Gradient Accumulation Steps Absent
#: cause: undivided_accumulation
#: shows: float(student.weight.grad.norm()) > 2.0 * scale
def kd_loss(student_logits, teacher_logits, T=2.0):
    return F.kl_div(F.log_softmax(student_logits / T, -1), F.softmax(teacher_logits / T, -1), reduction="batchmean") * T * T

teacher, student = nn.Linear(6, 4), nn.Linear(6, 4)
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-3)
grad_accum = 4
for step in range(8):
    x = torch.randn(8, 6)
    with torch.no_grad():
        t = teacher(x)
    loss = kd_loss(student(x), t)
    scale = float(torch.autograd.grad(loss, student.weight, retain_graph=True)[0].norm())
    # + loss = loss / grad_accum
    loss.backward()  # <-
    if (step + 1) % grad_accum == 0:
        optimizer.step()
        if step < 7: optimizer.zero_grad()

# %% step comes before backward
#: thread: forum, Stack Overflow: Order of backward and step in PyTorch training loop
#: cause: step_before_backward
#: shows: torch.equal(first, w0)
model = nn.Linear(2, 1)
w0 = model.weight.detach().clone()
optim = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 2), torch.randn(6, 1)
for i in range(3):
    optim.zero_grad()
    loss = F.mse_loss(model(x), y)
    optim.step()  # <- -
    loss.backward()
    # + optim.step()
    if i == 0:
        first = model.weight.detach().clone()

# %% backward was forgotten
#: thread: forum, PyTorch forums: Training loss constant, no error
#: cause: step_without_backward
#: shows: losses[0] == losses[-1]
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(20, 4), torch.randn(20, 1)
losses = []
for epoch in range(5):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    # + loss.backward()
    optimizer.step()  # <-
    losses.append(loss.item())

# %% step was forgotten
#: thread: forum, Stack Overflow: PyTorch loss not decreasing, gradients are there
#: cause: never_stepped
#: shows: torch.equal(model.weight, before)
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for epoch in range(6):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()  # <-
    # + optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")

# %% step was forgotten in a trainer whose settings are named after gradients
#: thread: forum, Hugging Face forums: a trainer of one's own with gradient_accumulation_steps does not learn
#: cause: never_stepped
#: shows: torch.equal(model.weight, before)
class Settings:
    gradient_accumulation_steps = 2

settings = Settings()
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for step in range(6):
    loss = F.mse_loss(model(x), y) / settings.gradient_accumulation_steps
    loss.backward()  # <-
    if (step + 1) % settings.gradient_accumulation_steps == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        # + optimizer.step()
        optimizer.zero_grad()

# %% only the scheduler steps
#: thread: issue, pytorch/pytorch: Scheduler.step() doesn't perform optimizer.step()
#: cause: never_stepped, schedule_before_optimizer
#: shows: torch.equal(model.weight, before)
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5)
x, y = torch.randn(20, 4), torch.randn(20, 1)
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()  # <-
    # + optimizer.step()
    scheduler.step()  # <-

# %% the step is never reached
#: thread: forum, PyTorch forums: Gradient accumulation, model does not learn with a small dataset
#: cause: never_stepped
#: shows: torch.equal(model.weight, before)
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
accumulation_steps = 16
# + accumulation_steps = 4
data = [(torch.randn(2, 4), torch.randn(2, 1)) for _ in range(8)]
for epoch in range(2):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(data):
        loss = F.mse_loss(model(x), y) / accumulation_steps
        loss.backward()  # <-
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()

# %% manual update without clearing
#: thread: issue, karpathy/nn-zero-to-hero: loss goes up in the from-scratch training of makemore
#: cause: no_zero_grad
#: shows: float(W.grad.norm()) > 5 * float(fresh.norm())
xs, ys = torch.randint(0, 5, (12,)), torch.randint(0, 5, (12,))
W = torch.randn((5, 5), requires_grad=True)
losses = []
for k in range(30):
    xenc = F.one_hot(xs, num_classes=5).float()
    logits = xenc @ W
    loss = F.cross_entropy(logits, ys)
    losses.append(loss.item())
    # + W.grad = None
    fresh = torch.autograd.grad(loss, W, retain_graph=True)[0]
    loss.backward()  # <-
    W.data += -1.0 * W.grad
