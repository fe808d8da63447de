"""A factor of the loss that is computed by float(), so that its tensor learns nothing."""

# %% broken
import torch

w = torch.tensor(2.0, requires_grad=True)
temperature = torch.tensor(0.5, requires_grad=True)
loss = w**2 / float(temperature)
loss.backward()
print(w.grad)

# %% mended
import torch

w = torch.tensor(2.0, requires_grad=True)
temperature = torch.tensor(0.5, requires_grad=True)
loss = w**2 / temperature
loss.backward()
print(w.grad)
