"""Change inputs along their gradient while the statistics follow the incoming data."""
import torch
from torch import nn
from classifier import Classifier, refresh_statistics

torch.manual_seed(0)
model = Classifier().eval()
labels = torch.randint(0, 3, (6,))
x = torch.randn(6, 4)

for step in range(3):
    x = x.detach().requires_grad_()
    scores = model(x)
    incoming = [5 * torch.randn(16, 4) + 2 for _ in range(2)]
    refresh_statistics(model, incoming)
    loss = nn.functional.cross_entropy(scores, labels)
    (gradient,) = torch.autograd.grad(loss, x)
    x = x + 0.5 * gradient.sign()
    print(step, round(loss.item(), 4), round(gradient.norm().item(), 4))
