import torch
from torch import nn

torch.manual_seed(14)


class Memory:
    """Keeps a fixed number of past examples by reservoir sampling."""

    def __init__(self, size):
        self.size, self.seen = size, 0
        self.x, self.y = torch.zeros(size, 6), torch.zeros(size, dtype=torch.long)

    def update(self, x, y):
        for xi, yi in zip(x, y):
            slot = self.seen if self.seen < self.size else int(torch.randint(0, self.seen + 1, ()))
            if slot < self.size:
                self.x[slot], self.y[slot] = xi, yi
            self.seen += 1

    def retrieve(self, count):
        chosen = torch.randperm(min(self.seen, self.size))[:count]
        return self.x[chosen], self.y[chosen]


def stream(task):
    centre = torch.randn(2, 6) * 2
    for _ in range(5):
        label = torch.randint(0, 2, (10,))
        yield centre[label] + 0.5 * torch.randn(10, 6), label + 2 * task


model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()
memory = Memory(30)

for task in range(3):
    for batch_x, batch_y in stream(task):
        for _ in range(2):
            loss = loss_fn(model(batch_x), batch_y)
            optimizer.zero_grad()
            loss.backward()
            if memory.seen:
                mem_x, mem_y = memory.retrieve(10)
                loss_mem = loss_fn(model(mem_x), mem_y)
                loss_mem.backward()
            optimizer.step()
        memory.update(batch_x, batch_y)
    print(f"task {task}: new {loss.item():.4f} memory {loss_mem.item():.4f}")
