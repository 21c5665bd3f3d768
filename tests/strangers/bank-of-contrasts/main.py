import torch
from torch import nn
from torch.nn import functional as F


class ContrastMemory(nn.Module):
    """Features of all samples, from both networks; positives are written after they are used."""

    def __init__(self, dim, samples, negatives, temperature=0.07, momentum=0.5):
        super().__init__()
        self.samples, self.negatives = samples, negatives
        self.temperature, self.momentum = temperature, momentum
        for name in ("memory_v1", "memory_v2"):
            self.register_buffer(name, F.normalize(torch.randn(samples, dim)))

    def scores(self, memory, features, idx):
        weight = torch.index_select(memory, 0, idx.view(-1)).view(*idx.shape, -1)
        return torch.bmm(weight, features.unsqueeze(2)).squeeze(2) / self.temperature

    def forward(self, v1, v2, y):
        idx = torch.randint(self.samples, (len(y), self.negatives + 1))
        idx.select(1, 0).copy_(y)
        out_v2 = self.scores(self.memory_v1, v2, idx)
        out_v1 = self.scores(self.memory_v2, v1, idx)
        with torch.no_grad():
            for memory, features in ((self.memory_v1, v1), (self.memory_v2, v2)):
                l_pos = torch.index_select(memory, 0, y)
                l_pos.mul_(self.momentum)
                l_pos.add_(torch.mul(features, 1 - self.momentum))
                memory.index_copy_(0, y, F.normalize(l_pos))
        return out_v1, out_v2


torch.manual_seed(2)
teacher, student = nn.Linear(10, 5), nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 5))
contrast = ContrastMemory(dim=5, samples=20, negatives=7)
optimizer = torch.optim.SGD([*student.parameters(), *teacher.parameters()], lr=0.02)
data = torch.randn(20, 10)
for epoch in range(2):
    for y in torch.randperm(20).split(5):
        v1, v2 = F.normalize(student(data[y])), F.normalize(teacher(data[y]))
        losses = [F.cross_entropy(out, torch.zeros_like(y)) for out in contrast(v1, v2, y)]
        optimizer.zero_grad()
        sum(losses).backward()
        optimizer.step()
    print(epoch, *(f"{loss.item():.4f}" for loss in losses))
