"""Feature distillation with a teacher that stays in training mode for its batch statistics."""
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width))
        self.body = nn.Sequential(nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width))
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        first = self.stem(x)
        second = self.body(first)
        return [first, second], self.head(torch.relu(second).mean((2, 3)))


class Distiller(nn.Module):
    def __init__(self, teacher, student, widths):
        super().__init__()
        self.teacher, self.student = teacher, student
        self.connectors = nn.ModuleList(nn.Conv2d(widths[1], widths[0], 1) for _ in range(2))

    def forward(self, x):
        wanted, _ = self.teacher(x)
        found, scores = self.student(x)
        loss = 0.0
        for connector, want, have in zip(self.connectors, wanted, found):
            want = want.detach().clamp(min=-0.5)
            error = (connector(have) - want) ** 2
            loss = loss + (error * ((have.mean(1, keepdim=True) > want) | (want > 0)).float()).mean()
        return scores, loss


distiller = Distiller(Net(16), Net(6), (16, 6))
distiller.train()
trained = [*distiller.student.parameters(), *distiller.connectors.parameters()]
optimizer = torch.optim.SGD(trained, lr=0.05, momentum=0.9)
images, labels = torch.randn(24, 1, 8, 8), torch.randint(0, 3, (24,))
for epoch in range(5):
    scores, distance = distiller(images)
    loss = nn.functional.cross_entropy(scores, labels) + 0.1 * distance
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
assert all(p.grad is None for p in distiller.teacher.parameters())
