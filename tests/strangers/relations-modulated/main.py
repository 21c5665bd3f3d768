import torch
from torch import nn
from torch.nn import functional as F


class FiLMConv(nn.Module):
    """Messages of each kind of edge, scaled and shifted by what receives them."""

    def __init__(self, in_channels, out_channels, num_relations):
        super().__init__()
        make = lambda n: nn.ModuleList(nn.Linear(in_channels, n, bias=False) for _ in range(num_relations))
        self.lins, self.films = make(out_channels), make(2 * out_channels)
        self.lin_skip = nn.Linear(in_channels, out_channels, bias=False)
        self.film_skip = nn.Linear(in_channels, 2 * out_channels, bias=False)

    def message(self, x, beta, gamma):
        return F.relu(gamma * x + beta)

    def propagate(self, edge_index, x, beta, gamma):
        source, target = edge_index
        messages = self.message(x[source], beta[target], gamma[target])
        return torch.zeros_like(x).index_add(0, target, messages)

    def forward(self, x, edge_index, edge_type):
        beta, gamma = self.film_skip(x).chunk(2, dim=-1)
        out = self.message(self.lin_skip(x), beta, gamma)
        for i, (lin, film) in enumerate(zip(self.lins, self.films)):
            beta, gamma = film(x).chunk(2, dim=-1)
            out += self.propagate(edge_index[:, edge_type == i], x=lin(x), beta=beta, gamma=gamma)
        return out


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([FiLMConv(5, 8, 3), FiLMConv(8, 4, 3)])
        self.norms = nn.ModuleList([nn.BatchNorm1d(8)])

    def forward(self, x, edge_index, edge_type):
        for conv, norm in zip(self.convs[:-1], self.norms):
            x = norm(conv(x, edge_index, edge_type))
        return self.convs[-1](x, edge_index, edge_type)


torch.manual_seed(0)
model, criterion = Net(), nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(12, 5), torch.randint(2, (12, 4)).float()
edge_index, edge_type = torch.randint(12, (2, 40)), torch.randint(3, (40,))
for epoch in range(2):
    optimizer.zero_grad()
    loss = criterion(model(x, edge_index, edge_type), y)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
