"""Node classification with a small message passing network that takes the maximum over the neighbours."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class MaxConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def propagate(self, x, edge_index, norm):
        source, target = edge_index
        messages = norm.unsqueeze(1) * x[source]
        index = target.unsqueeze(1).expand_as(messages)
        empty = torch.zeros(x.size(0), x.size(1))
        return empty.scatter_reduce(0, index, messages, reduce="amax", include_self=False)

    def forward(self, x, edge_index):
        source, target = edge_index
        degree = torch.bincount(target, minlength=x.size(0)).float()
        scale = degree.clamp(min=1).rsqrt()
        norm = scale[source] * scale[target]
        out = self.propagate(self.lin(x), edge_index, norm)
        out += self.bias
        return out


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = MaxConv(6, 16)
        self.conv2 = MaxConv(16, 3)

    def forward(self, x, edge_index):
        hidden = F.leaky_relu(self.conv1(x, edge_index))
        return self.conv2(hidden, edge_index)


nodes = 24
features = torch.randn(nodes, 6)
labels = torch.randint(0, 3, (nodes,))
ring = torch.arange(nodes)
edges = torch.stack([torch.cat([ring, ring, torch.randint(0, nodes, (40,))]),
                     torch.cat([ring, (ring + 1) % nodes, torch.randint(0, nodes, (40,))])])

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for epoch in range(20):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(features, edges), labels)
    loss.backward()
    optimizer.step()
print(f"loss after training {loss.item():.3f}, bias moved {net.conv2.bias.abs().sum().item():.3f}")
