"""Training and evaluation mode, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% validation with dropout switched on
#: thread: issue, nshaud/DeepHyperX: why during validation not using model.eval()?
#: cause: training_in_evaluation
#: shows: modes[0]
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y, xv, yv = torch.randn(32, 6), torch.randint(0, 2, (32,)), torch.randn(16, 6), torch.randint(0, 2, (16,))
modes = []
for epoch in range(3):
    net.train()
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
    # + net.eval()
    with torch.no_grad():
        modes.append(net.training)
        val = F.cross_entropy(net(xv), yv)  # <-
    print(epoch, val.item())

# %% a test function with batch norm in training mode
#: thread: issue, wolny/pytorch-3dunet: Need to set the model to 'eval' mode when assessing the validation data
#: cause: training_in_evaluation
#: shows: int(model[1].num_batches_tracked) > 4
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

@torch.no_grad()
def evaluate(loader):
    # + model.eval()
    return sum(F.mse_loss(model(x), y).item() for x, y in loader) / len(loader)  # <-

train = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(4)]
test = [(torch.randn(8, 4) + 5, torch.randn(8, 1)) for _ in range(2)]
for x, y in train:
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
print("test", evaluate(test))

# %% both phases call model.train()
#: thread: issue, princeton-vl/pytorch_stacked_hourglass: `model.train()` usage
#: cause: training_in_evaluation
#: shows: in_valid
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(2):
    for phase in ["train", "valid"]:
        model.train()  # -
        # + model.train(phase == "train")
        for i in range(2):
            images, labels = torch.randn(6, 1, 6, 6), torch.randint(0, 2, (6,))
            with torch.set_grad_enabled(phase == "train"):
                loss = F.cross_entropy(model(images), labels)  # <-
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        in_valid = model.training

# %% training goes on in evaluation mode
#: thread: issue, fartashf/vsepp: Finish validation without running model.train()
#: cause: eval_in_training
#: shows: not model.training
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

def validate():
    model.eval()  # <-
    with torch.no_grad():
        return F.mse_loss(model(torch.ones(4, 4)), torch.ones(4, 1)).item()

for epoch in range(2):
    for i in range(6):
        loss = F.mse_loss(model(torch.randn(8, 4)), torch.randn(8, 1))  # <-
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 3 == 2:
            validate()
            # + model.train()

# %% train() is never called again after the first epoch
#: thread: issue, pytorch/tutorials: [quickstart_tutorial] why model.eval() in not turn off at training stage
#: cause: eval_in_training
#: shows: tracked == 3
model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train():
    # + model.train()
    for i in range(3):
        loss = F.cross_entropy(model(torch.randn(8, 4)), torch.randint(0, 2, (8,)))  # <-
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

def test():
    model.eval()  # <-
    with torch.no_grad():
        print((model(torch.randn(8, 4)).argmax(1) == 0).float().mean())

for t in range(3):
    train()
    test()
tracked = int(model[1].num_batches_tracked)

# %% a training loop that starts with eval()
#: thread: forum, PyTorch forums: Model with batch norm overfits, running statistics stay at 0 and 1
#: cause: eval_in_training
#: shows: bool((net[1].running_mean == 0).all())
net = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 1))
net.eval()  # <- -
# + net.train()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(16, 4) * 3 + 1, torch.randn(16, 1)
for epoch in range(4):
    loss = F.mse_loss(net(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% dropout of F.dropout never ends
#: thread: forum, Stack Overflow: F.dropout is active in eval mode
#: cause: training_in_evaluation, dropout_always_on
#: shows: not torch.equal(a, b)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 32), nn.Linear(32, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, 0.5)  # <- -
        # + x = F.dropout(x, 0.5, training=self.training)
        return self.fc2(x)

net = Net()
optimizer = torch.optim.Adam(net.parameters())
for i in range(3):
    optimizer.zero_grad()
    net(torch.randn(8, 4)).pow(2).mean().backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    x = torch.randn(5, 4)
    a, b = net(x), net(x)

# %% Monte Carlo of a metric in training mode
#: thread: issue, ugent-korea/pytorch-unet-segmentation: In 'validate_model', only 'with torch.no_grad()'
#: cause: training_in_evaluation
#: shows: len(set(scores)) > 1
model = nn.Sequential(nn.Linear(5, 20), nn.Dropout(0.4), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(10, 5), torch.randn(10, 1)
scores = []
for epoch in range(3):
    # + model.train()
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
# + model.eval()
for _ in range(3):
    with torch.no_grad():
        scores.append(round(F.mse_loss(model(x), y).item(), 6))  # <-
