# Zeroing the gradient
# The first loop never clears w.grad, so it grows; the second clears it after each pass.
import torch

w = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)

for step in range(3):
    loss = (3 * w).sum()
    loss.backward()
    print("not cleared:", w.grad)

w.grad.zero_()
for step in range(3):
    loss = (3 * w).sum()
    loss.backward()
    print("cleared:", w.grad)
    w.grad.zero_()
