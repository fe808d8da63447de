"""kl_div is given probabilities, where it takes the logarithms of them."""

# %% broken
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
student = nn.Linear(4, 3)
x = torch.randn(12, 4)
teacher = torch.softmax(torch.randn(12, 3), dim=1)
loss = F.kl_div(F.softmax(student(x), dim=1), teacher, reduction="batchmean")
loss.backward()
print(f"{loss.item():.4g}")

# %% mended
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
student = nn.Linear(4, 3)
x = torch.randn(12, 4)
teacher = torch.softmax(torch.randn(12, 3), dim=1)
loss = F.kl_div(F.log_softmax(student(x), dim=1), teacher, reduction="batchmean")
loss.backward()
print(f"{loss.item():.4g}")
