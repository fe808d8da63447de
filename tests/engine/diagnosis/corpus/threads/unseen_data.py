"""Everyday mistakes of data, shapes, losses and modes, after threads; written before it was looked at what is found in them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% bytes are divided as whole numbers
#: thread: forum, Stack Overflow: network gives the same output for every image after I scale them
#: cause: rounded_to_zero
#: shows: int((x != 0).sum()) < 20
images, y = torch.randint(0, 256, (16, 1, 6, 6), dtype=torch.uint8), torch.randint(0, 3, (16,))
x = (images // 255).float()  # <- -
# + x = (images / 255).float()
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()

# %% batches are normalised in place, again in every epoch
#: thread: issue, MIC-DKFZ/batchgenerators: my data set changes from epoch to epoch
#: cause: scaled_again
#: shows: not torch.equal(data, first)
data, y = torch.randn(24, 5) * 3 + 2, torch.randn(24, 1)
first, mean, std = data.clone(), data.mean(0), data.std(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for i in range(0, 24, 8):
        xb, yb = data[i:i + 8], y[i:i + 8]
        xb -= mean  # <- -
        xb /= std  # <- -
        # + xb = (xb - mean) / std
        optimizer.zero_grad()
        loss = F.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()

# %% an iterator over the loader is used up
#: thread: forum, PyTorch forums: StopIteration in the second epoch
#: cause: iterator_used_up
#: raises: StopIteration
from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.randn(12, 4), torch.randn(12, 1)), batch_size=4)
model, batches = nn.Linear(4, 1), iter(loader)  # <-
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    # + batches = iter(loader)
    for step in range(3):
        xb, yb = next(batches)  # <-
        optimizer.zero_grad()
        F.mse_loss(model(xb), yb).backward()
        optimizer.step()

# %% sequences of different lengths are stacked
#: thread: forum, PyTorch forums: stack expects each tensor to be equal size in my collate function
#: cause: pieces_do_not_fit
#: raises: RuntimeError: stack expects each tensor to be equal size
from torch.utils.data import DataLoader
sentences = [torch.randint(1, 20, (n,)) for n in (5, 3, 4, 6)]
def collate(batch):
    return torch.stack(batch)  # <- -
    # + return nn.utils.rnn.pad_sequence(batch, batch_first=True)
embed = nn.Embedding(20, 4)
for xb in DataLoader(sentences, batch_size=2, collate_fn=collate):  # <-
    embed(xb).sum().backward()

# %% labels of a table are a column
#: thread: forum, Stack Overflow: 0D or 1D target tensor expected, multi-target not supported
#: cause: target_shape
#: raises: RuntimeError: 0D or 1D target tensor expected
table = np.concatenate([np.random.RandomState(0).randn(12, 4), np.arange(12)[:, None] % 3], 1)
x, y = torch.tensor(table[:, :4]).float(), torch.tensor(table[:, 4:]).long()  # <- -
# + x, y = torch.tensor(table[:, :4]).float(), torch.tensor(table[:, 4]).long()
model = nn.Linear(4, 3)
loss = nn.CrossEntropyLoss()(model(x), y)  # <-
loss.backward()

# %% translations keep the spatial dimensions
#: thread: issue, dingmyu/CamNet: Fixes prediction shapes in loss calculations
#: cause: broadcast_in_loss
#: shows: error.numel() > 24
net = nn.Sequential(nn.Conv2d(2, 3, 1), nn.AdaptiveAvgPool2d(1))
optimizer = torch.optim.Adam(net.parameters())
x, pose = torch.randn(8, 2, 4, 4), torch.randn(8, 3)
for step in range(3):
    trans = net(x)  # <- -
    # + trans = net(x).flatten(1)
    error = (trans - pose).abs()  # <-
    loss = error.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% an accuracy of more than one
#: thread: forum, PyTorch forums: my accuracy is greater than 100 percent
#: cause: compared_with_all
#: shows: hits.numel() > 16
model = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid())
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(16, 4)
y = (x[:, 0] > 0).float()
for epoch in range(4):
    optimizer.zero_grad()
    F.binary_cross_entropy(model(x).squeeze(1), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).round()  # <- -
        # + predicted = model(x).round().squeeze(1)
        hits = predicted == y  # <-
        accuracy = hits.sum().item() / len(y)

# %% heads are split off by view
#: thread: issue, zhouhaoyi/Informer2020: In oder to change the order of dimensions, why is torch.tensor.view used
#: cause: view_transposes
#: shows: not torch.equal(q[0, 1, 0], queries[0, 0, 1])
B, L, H, D = 2, 5, 3, 4
project, out = nn.Linear(6, H * D), nn.Linear(H * D, 1)
optimizer = torch.optim.Adam([*project.parameters(), *out.parameters()])
x, y = torch.randn(B, L, 6), torch.randn(B, L, 1)
for step in range(3):
    queries = project(x).view(B, L, H, D)
    q = queries.view(B, H, L, D)  # <- -
    # + q = queries.transpose(1, 2)
    weights = F.softmax(q @ q.transpose(2, 3) / math.sqrt(D), -1)
    mixed = (weights @ q).transpose(1, 2).reshape(B, L, H * D)
    loss = F.mse_loss(out(mixed), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% images are turned by view
#: thread: issue, Selen-Suyue/DensePolicy2D: a mirror question about inference code
#: cause: view_transposes
#: shows: not torch.equal(x[0, :, 1, 2], images[0, 1, 2])
images, y = torch.rand(6, 8, 8, 3), torch.randint(0, 2, (6,))
x = images.reshape(6, 3, 8, 8)  # <- -
# + x = images.permute(0, 3, 1, 2)
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()

# %% the chosen actions are taken of all rows
#: thread: forum, PyTorch forums: REINFORCE does not learn, how to index the log probabilities
#: cause: chosen_of_all_rows
#: shows: chosen.dim() == 2
policy = nn.Linear(4, 3)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
states, actions, returns = torch.randn(10, 4), torch.randint(0, 3, (10,)), torch.randn(10)
for step in range(3):
    log_probs = F.log_softmax(policy(states), dim=1)
    chosen = log_probs[:, actions]  # <- -
    # + chosen = log_probs[torch.arange(10), actions]
    loss = -(chosen * returns).mean()  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% gather along the batch
#: thread: forum, Stack Overflow: DQN only ever learns the first action
#: cause: gathered_across
#: shows: bool((q_net.weight.grad[1:] == 0).all())
q_net = nn.Linear(4, 3)
optimizer = torch.optim.Adam(q_net.parameters(), lr=0.01)
states, actions, targets = torch.randn(12, 4), torch.randint(0, 3, (12, 1)), torch.randn(12, 1)
for step in range(3):
    values = q_net(states).gather(0, actions)  # <- -
    # + values = q_net(states).gather(1, actions)
    loss = F.smooth_l1_loss(values, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% the criterion is given the data
#: thread: forum, Stack Overflow: Boolean value of Tensor with more than one value is ambiguous, in CrossEntropyLoss
#: cause: truth_of_tensor
#: raises: RuntimeError: Boolean value of Tensor
model, x, y = nn.Linear(4, 3), torch.randn(6, 4), torch.randint(0, 3, (6,))
loss = nn.CrossEntropyLoss(model(x), y)  # <- -
# + loss = nn.CrossEntropyLoss()(model(x), y)
loss.backward()

# %% cross entropy of a single output
#: thread: forum, PyTorch forums: my loss is zero from the first epoch on, binary classification
#: cause: single_score
#: shows: loss.item() == 0
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(12, 4), torch.randint(0, 2, (12, 1)).float()
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(model(x), y)  # <- -
    # + loss = nn.BCEWithLogitsLoss()(model(x), y)
    loss.backward()
    optimizer.step()

# %% the divergence of a VAE has the wrong sign
#: thread: issue, tkipf/gae: Potential Problem about the KL term
#: cause: reversed_divergence
#: shows: kl.item() < 0
enc, dec = nn.Linear(6, 4), nn.Linear(2, 6)
optimizer = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.05)
x = torch.randn(16, 6)
for epoch in range(60):
    mu, logvar = enc(x).chunk(2, 1)
    z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
    kl = 0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()  # <- -
    # + kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    loss = F.mse_loss(dec(z), x) + kl  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% padding counts in the loss
#: thread: issue, lukas-blecher/LaTeX-OCR: Is this a bug? Calculating cross_entropy loss does not change ignore_index
#: cause: padding_counted
#: shows: loss.item() > 1.1 * float(F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)) or loss.item() < 0.9 * float(F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0))
embed, head = nn.Embedding(12, 8, padding_idx=0), nn.Linear(8, 12)
optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters()], lr=0.05)
tokens = torch.tensor([[3, 5, 7, 0, 0, 0, 0], [4, 9, 0, 0, 0, 0, 0], [2, 6, 8, 11, 0, 0, 0]])
source, target = tokens[:, :-1], tokens[:, 1:]
for epoch in range(15):
    logits = head(embed(source))
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())  # <- -
    # + loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% a summed loss with the rate of a mean
#: thread: forum, PyTorch forums: loss explodes after I changed reduction to sum
#: cause: diverging, nan, inf
#: shows: not loss.item() < 100
x = torch.randn(64, 5)
y = x @ torch.randn(5, 1)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <-
criterion = nn.MSELoss(reduction="sum")  # <- -
# + criterion = nn.MSELoss()
for epoch in range(12):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()  # <-

# %% labels of three classes go to a binary loss
#: thread: forum, PyTorch forums: BCEWithLogitsLoss becomes negative
#: cause: unreachable_targets
#: shows: loss.item() < 0
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, classes = torch.randn(12, 4), torch.arange(12).remainder(3)
for epoch in range(30):
    optimizer.zero_grad()
    loss = F.binary_cross_entropy_with_logits(model(x)[:, 0], classes.float())  # <- -
    # + loss = F.binary_cross_entropy_with_logits(model(x)[:, 0], (classes == 2).float())
    loss.backward()
    optimizer.step()

# %% several labels at once go to cross entropy
#: thread: forum, PyTorch forums: Is CrossEntropyLoss right for multi-label classification?
#: cause: no_distribution
#: shows: loss.item() > 1.6
model = nn.Linear(5, 4)
optimizer = torch.optim.Adam(model.parameters())
x, tags = torch.randn(10, 5), (torch.rand(10, 4) > 0.4).float()
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(model(x), tags)  # <- -
    # + loss = nn.BCEWithLogitsLoss()(model(x), tags)
    loss.backward()
    optimizer.step()

# %% the evaluation mode is set by its attribute
#: thread: forum, Stack Overflow: model.training = False and dropout is still active
#: cause: training_in_evaluation
#: shows: model[1].training
model = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.5), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters())
x, y, xv, yv = torch.randn(32, 6), torch.randint(0, 2, (32,)), torch.randn(16, 6), torch.randint(0, 2, (16,))
for epoch in range(3):
    model.train()
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    model.training = False  # <- -
    # + model.eval()
    with torch.no_grad():
        accuracy = (model(xv).argmax(1) == yv).float().mean().item()  # <-

# %% a frozen backbone's statistics go on
#: thread: issue, lightly-ai/lightly: deactivate_requires_grad does not fix the model!
#: cause: frozen_statistics
#: shows: not torch.equal(before, backbone[1].running_mean)
backbone, head = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU()), nn.Linear(6, 2)
for p in backbone.parameters():
    p.requires_grad = False
model = nn.Sequential(backbone, head)
before = backbone[1].running_mean.clone()
optimizer = torch.optim.Adam(head.parameters())
model.train()
# + backbone.eval()
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(torch.randn(8, 4) + 1), torch.randint(0, 2, (8,)))  # <- -
    # + loss = F.cross_entropy(model(torch.randn(8, 4) + 1), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()

# %% labels.long() without its result
#: thread: forum, PyTorch forums: expected scalar type Long but found Float
#: cause: target_dtype
#: raises: RuntimeError: expected target dtype to be Long
model, x, y = nn.Linear(4, 3), torch.randn(6, 4), torch.tensor([0.0, 1, 2, 0, 1, 2])
y.long()  # <- -
# + y = y.long()
loss = F.nll_loss(F.log_softmax(model(x), 1), y)  # <-
loss.backward()

# %% labels of int32
#: thread: forum, Stack Overflow: expected scalar type Long but found Int
#: cause: target_dtype
#: raises: RuntimeError: expected target dtype to be Long
labels = np.array([0, 2, 1, 0, 1], dtype=np.int32)
x, y = torch.randn(5, 4), torch.from_numpy(labels)  # <- -
# + x, y = torch.randn(5, 4), torch.from_numpy(labels).long()
model = nn.Linear(4, 3)
F.cross_entropy(model(x), y).backward()  # <-

# %% an epsilon that half precision does not know
#: thread: forum, PyTorch forums: NaN with model.half(), 1e-8 in my normalisation
#: cause: nan, nan_gradient
#: shows: bool(torch.isnan(h).any())
x = torch.zeros(4, 6, dtype=torch.float16)
x[:2] = torch.rand(2, 6).half()
w = torch.randn(6, 3, dtype=torch.float16, requires_grad=True)
h = x / (x.norm(dim=1, keepdim=True) + 1e-8)  # <- -
# + h = x / (x.norm(dim=1, keepdim=True) + 1e-3)
loss = (h @ w).float().pow(2).mean()
loss.backward()

# %% the mean of truth values
#: thread: forum, Stack Overflow: mean(): could not infer output dtype, accuracy
#: cause: needs_floating_point
#: raises: RuntimeError: mean()
model, x, y = nn.Linear(4, 3), torch.randn(8, 4), torch.randint(0, 3, (8,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
F.cross_entropy(model(x), y).backward()
optimizer.step()
accuracy = (model(x).argmax(1) == y).mean()  # <- -
# + accuracy = (model(x).argmax(1) == y).float().mean()

# %% the largest scores are compared with the labels
#: thread: issue, Deep-MI/FastSurfer: accuracy comparison was retuning a byte tensor and accuracy was always zero
#: cause: values_compared
#: shows: accuracy == 0
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = x[:, :3].argmax(1)
for epoch in range(10):
    optimizer.zero_grad()
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).max(1)[0]  # <- -
        # + predicted = model(x).max(1)[1]
        accuracy = (predicted == y).float().mean().item()  # <-

# %% the class of a single score
#: thread: forum, PyTorch forums: binary classifier always predicts class 0
#: cause: argmax_of_one
#: shows: int(predicted.sum()) == 0
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
x = torch.randn(30, 4)
y = (x[:, 0] > 0).float()
for epoch in range(10):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
    with torch.no_grad():
        predicted = model(x).argmax(1)  # <- -
        # + predicted = (model(x)[:, 0] > 0).long()
        accuracy = (predicted == y).float().mean().item()

# %% scores are compared with one half
#: thread: forum, PyTorch forums: which threshold after BCEWithLogitsLoss
#: cause: threshold_of_scores
#: shows: bool((hard != (model(x)[:, 0] > 0)).any())
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(40, 4)
y = (x[:, 0] > 0).float()
for epoch in range(3):
    optimizer.zero_grad()
    F.binary_cross_entropy_with_logits(model(x)[:, 0], y).backward()
    optimizer.step()
with torch.no_grad():
    scores = model(x)[:, 0]
    # + scores = torch.sigmoid(scores)
    hard = scores > 0.5  # <- -
    # + hard = scores > 0.5
accuracy = (hard == y.bool()).float().mean().item()

# %% the maximum is unpacked without a dimension
#: thread: forum, Stack Overflow: iteration over a 0-d tensor, torch.max
#: cause: not_iterable
#: raises: TypeError: iteration over a 0-d tensor
model, x, y = nn.Linear(4, 3), torch.randn(8, 4), torch.randint(0, 3, (8,))
outputs = model(x)
_, predicted = torch.max(outputs)  # <- -
# + _, predicted = torch.max(outputs, 1)
accuracy = (predicted == y).float().mean()

# %% squeeze takes the batch away
#: thread: forum, PyTorch forums: training crashes in the last batch, which has a single sample
#: cause: target_shape
#: raises: RuntimeError: size mismatch (got input: [3], target: [1])
model = nn.Sequential(nn.Conv1d(1, 3, 4), nn.AdaptiveAvgPool1d(1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(5, 1, 8), torch.randint(0, 3, (5,))
for xb, yb in zip(x.split(2), y.split(2)):
    optimizer.zero_grad()
    scores = model(xb).squeeze()  # <- -
    # + scores = model(xb).squeeze(2)
    loss = F.cross_entropy(scores, yb)  # <-
    loss.backward()  # <-
    optimizer.step()
