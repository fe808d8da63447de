"""Programs that work on a CPU and fail where there is a GPU, as people ask about them."""
#: thread: where people asked, and how they called it
#: cause: the kinds of findings that name the cause
#: shows?: true after the broken program, false after the mended one
#: raises?: how the broken program ends
#: missed?: why it is not found today

import copy, math; import numpy as np; import torch; import torch.nn as nn; import torch.nn.functional as F; torch.manual_seed(0)

# %% only the model is moved
#: thread: forum, Stack Overflow: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu
#: cause: data_not_moved
#: shows: not moved
moved = []
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
criterion = nn.CrossEntropyLoss().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = [(torch.randn(8, 6), torch.randint(0, 2, (8,))) for _ in range(3)]
for epoch in range(2):
    for xb, yb in data:
        # + xb, yb = xb.to(device), yb.to(device); moved.append(xb)
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)  # <-
        loss.backward()
        optimizer.step()

# %% a network that is moved when it is there, and a validation batch that never is
#: thread: forum, PyTorch forums: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same
#: cause: data_not_moved
#: shows: not on_device
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(1, 2, 3), nn.Linear(2 * 4 * 4, 3)

    def forward(self, x):
        return self.fc(torch.relu(self.conv(x)).flatten(1))

DEVICE = "cuda:0" if torch.cuda.is_available() else "cpu"
net, on_device = Net(), []
net.to(DEVICE)
images, labels = torch.randn(4, 1, 6, 6), torch.tensor([0, 1, 2, 0])
# + images, labels = images.to(DEVICE), labels.to(DEVICE); on_device.append(images)
out = net(images)  # <-
loss = F.cross_entropy(out, labels)
loss.backward()
