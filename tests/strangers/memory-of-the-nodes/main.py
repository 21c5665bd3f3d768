import torch
from torch import nn
from tgn.memory import Memory


class TGN(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.memory = Memory(dim)
        self.message = nn.Linear(2 * dim + 1, dim)
        self.updater = nn.GRUCell(dim, dim)
        self.link = nn.Bilinear(dim, dim, 1)

    def forward(self, edges):
        scores = []
        for source, target, time in edges:
            u, v = (self.memory.get_node_memory(node) for node in (source, target))
            scores.append(self.link(u, v))
            for node, own, other in ((source, u, v), (target, v, u)):
                delta = torch.tensor([time - self.memory.last_update.get(node, 0.0)])
                message = torch.relu(self.message(torch.cat([own, other, delta])))
                self.memory.set_node_memory(node, self.updater(message, own), time)
        return torch.cat(scores)


def batches(count, size, nodes):
    for start in range(count):
        pairs = [torch.randperm(nodes)[:2].tolist() for _ in range(size)]
        yield [(u, v, float(start * size + i)) for i, (u, v) in enumerate(pairs)]


torch.manual_seed(5)
model = TGN()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.BCEWithLogitsLoss()
for number, edges in enumerate(batches(count=4, size=5, nodes=6)):
    optimizer.zero_grad()
    loss = criterion(model(edges), torch.ones(len(edges)))
    loss.backward()
    optimizer.step()
    print(f"batch {number}: {loss.item():.4f}")
