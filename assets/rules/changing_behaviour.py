"""size_average, which reduction has replaced."""

# %% broken
import torch
import torch.nn.functional as F

prediction = torch.tensor([1.0, 2.0], requires_grad=True)
loss = F.mse_loss(prediction, torch.zeros(2), size_average=False)
loss.backward()
print(prediction.grad)

# %% mended
import torch
import torch.nn.functional as F

prediction = torch.tensor([1.0, 2.0], requires_grad=True)
loss = F.mse_loss(prediction, torch.zeros(2), reduction="sum")
loss.backward()
print(prediction.grad)
