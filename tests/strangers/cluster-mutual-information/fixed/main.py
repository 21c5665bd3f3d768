import sys

import torch
import torch.nn as nn

EPS = sys.float_info.epsilon


def joint_distribution(z, z_other):
    joint = (z.unsqueeze(2) * z_other.unsqueeze(1)).sum(dim=0)
    joint = (joint + joint.t()) / 2.0
    return joint / joint.sum()


def mutual_information_loss(z, z_other):
    """Invariant clustering: the two views of an image shall agree on its cluster."""
    clusters = z.shape[1]
    joint = joint_distribution(z, z_other)
    row = joint.sum(dim=1).view(clusters, 1).expand(clusters, clusters).clone()
    column = joint.sum(dim=0).view(1, clusters).expand(clusters, clusters).clone()

    # No logarithm of zero.
    joint[(joint < EPS)] = EPS
    row[(row < EPS)] = EPS
    column[(column < EPS)] = EPS
    return -(joint * (joint.log() - row.log() - column.log())).sum()


class ClusterNet(nn.Module):
    def __init__(self, clusters=5):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 24), nn.ReLU())
        self.head = nn.Linear(24, clusters)

    def forward(self, x):
        return self.head(self.trunk(x)).softmax(dim=1)


def main():
    torch.manual_seed(0)
    centres = 3.0 * torch.randn(5, 8)
    data = centres[torch.randint(5, (100,))] + 0.3 * torch.randn(100, 8)
    network = ClusterNet()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for epoch in range(30):
        view = data + 0.1 * torch.randn_like(data)
        other_view = data + 0.1 * torch.randn_like(data)
        loss = mutual_information_loss(network(view), network(other_view))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.4f}, clusters used {len(network(data).argmax(dim=1).unique())}")


if __name__ == "__main__":
    main()
