import torch
import torch.nn as nn
import torch.nn.functional as F

from rules import zplus_relevance


def train(network, x, y, steps=40):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = F.cross_entropy(network(x).flatten(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
network = nn.Sequential(
    nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(),
    nn.Conv2d(6, 8, 2, stride=2), nn.ReLU(),
    nn.Conv2d(8, 2, 3))
images = torch.rand(24, 1, 6, 6)
labels = (images[:, 0, :3].mean(dim=(1, 2)) > images[:, 0, 3:].mean(dim=(1, 2))).long()
print(f"loss {train(network, images, labels):.4f}")

inputs, activation = [], images[:4]
for layer in network:
    inputs.append(activation)
    activation = layer(activation)

relevance = F.one_hot(activation.flatten(1).argmax(dim=1), 2).float().view(4, 2, 1, 1)
for layer, layer_input in zip(reversed(network), reversed(inputs)):
    if isinstance(layer, nn.Conv2d):
        relevance = zplus_relevance(layer, layer_input, relevance)

print("relevance of each row", [round(value, 3) for value in relevance.mean(dim=(0, 1, 3)).tolist()])
print("total for each image", [round(value, 3) for value in relevance.sum(dim=(1, 2, 3)).tolist()])
