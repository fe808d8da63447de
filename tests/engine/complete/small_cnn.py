"""A small convolutional network with momentum."""

import torch, torch.nn as nn, torch.nn.functional as F

torch.manual_seed(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 8, 3, stride=2)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(8 * 3 * 3, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = F.relu(self.conv2(x))
        return self.fc(torch.flatten(x, 1))


n = Net()
print(n)
x = torch.randn(4, 1, 14, 14)
y = torch.tensor([1, 2, 3, 4])
opt = torch.optim.SGD(n.parameters(), lr=0.05, momentum=0.9, nesterov=True)
for i in range(6):
    opt.zero_grad()
    l = F.nll_loss(F.log_softmax(n(x), dim=1), y)
    l.backward()
    opt.step()
    print("%.4f" % l.item())
print(n.conv1.weight.grad[0])
