import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F


class PrototypeLoss:
    """Prototypes of two sources and a target: near across domains, apart across classes."""

    def __init__(self, classes, dim, momentum=0.7):
        self.classes, self.momentum = classes, momentum
        for domain in ("s1", "s2", "t"):
            setattr(self, f"prototype_{domain}", torch.rand(classes, dim))

    def update(self, domain, features, labels):
        means = torch.stack([features[labels == k].mean(0) for k in range(self.classes)])
        old = getattr(self, f"prototype_{domain}")
        setattr(self, f"prototype_{domain}", self.momentum * old + (1 - self.momentum) * means)

    def __call__(self, contra=True):
        pairs = itertools.combinations((self.prototype_s1, self.prototype_s2, self.prototype_t), 2)
        loss = -sum(F.cosine_similarity(a, b).abs().mean() for a, b in pairs) / 3
        loss_c = 0
        if contra:
            for i, j in itertools.combinations(range(self.classes), 2):
                one, two = self.prototype_s1[i], self.prototype_s1[j]
                loss_c += F.cosine_similarity(one, two, dim=0).abs()
            loss_c = loss_c / math.comb(self.classes, 2)
        for domain in ("t", "s1", "s2"):
            prototype = getattr(self, f"prototype_{domain}")
            setattr(self, f"prototype_{domain}", prototype.detach())
        return loss, loss_c


torch.manual_seed(26)
backbone = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 6))
prototypes = PrototypeLoss(classes=3, dim=6)
optimizer = torch.optim.SGD(backbone.parameters(), lr=0.05)
labels = torch.arange(12) % 3
for iteration in range(2):
    for shift, domain in enumerate(("s1", "s2", "t")):
        prototypes.update(domain, backbone(torch.randn(12, 5) + shift), labels)
    loss, loss_c = prototypes()
    optimizer.zero_grad()
    (loss + loss_c).backward()
    gradient = backbone[0].weight.grad.clone()
    optimizer.step()
    print(f"{iteration}: {loss.item():.4f} {loss_c.item():.4f}, gradient {gradient.norm().item():.5f}")
