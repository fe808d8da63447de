# A classifier's loss
# Softmax and cross-entropy: the gradient of the logits is the probabilities minus the target.
import torch
import torch.nn.functional as F

logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 0.2, 3.0]], requires_grad=True)
labels = torch.tensor([0, 1])

loss = F.cross_entropy(logits, labels)
loss.backward()

probabilities = F.softmax(logits.detach(), dim=1)
print(loss)
print(logits.grad)
print((probabilities - torch.eye(3)[labels]) / 2)
