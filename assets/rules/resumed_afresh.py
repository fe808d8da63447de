"""A schedule is resumed with an optimizer that was just made."""

# %% broken
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=2, last_epoch=3)
print(schedule.get_last_lr())

# %% mended
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
before = torch.optim.lr_scheduler.StepLR(opt, step_size=2)
saved = before.state_dict()
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=2)
schedule.load_state_dict(saved)
print(schedule.get_last_lr())
