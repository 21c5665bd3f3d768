import torch
import torch.nn as nn

from posenet import CoordinateNet, coordinate_loss


def make_batch(size=8, bins=16):
    images = torch.randn(size, 3, 8, 8)
    # The object coordinate of each pixel along each axis, as the number of a bin.
    bins_xyz = torch.bucketize(images.tanh(), torch.linspace(-1, 1, bins - 1))
    return images, bins_xyz


def main():
    torch.manual_seed(0)
    network = CoordinateNet(bins=16)
    optimizer = torch.optim.RMSprop(network.parameters(), lr=1e-3)
    images, bins_xyz = make_batch()
    first = None
    for step in range(15):
        loss = coordinate_loss(network(images), bins_xyz, bins=16)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        first = loss.item() if first is None else first
    print(f"loss {first:.4f} -> {loss.item():.4f}")


if __name__ == "__main__":
    main()
