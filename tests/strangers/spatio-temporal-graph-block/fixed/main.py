"""Predict the traffic on a small road network."""
import torch
from layers import RoadBlock

torch.manual_seed(0)
nodes = 5
links = (torch.rand(nodes, nodes) > 0.5).float() + torch.eye(nodes)
adjacency = links / links.sum(dim=1, keepdim=True)
traffic = torch.randn(2, 8, nodes, 2)
target = torch.rand(2, 4, nodes, 1)

block = RoadBlock(2, 6, 1)
optimizer = torch.optim.Adam(block.parameters(), lr=0.01)
for epoch in range(4):
    optimizer.zero_grad()
    loss = (block(traffic, adjacency) - target).square().mean()
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4))
