import torch
import torch.nn as nn
import torch.nn.functional as F

from augment import GammaTransform, SmoothBias


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, 2, (4, 1, 12, 12))
    intensities = nn.Parameter(torch.tensor([0.3, 0.8]))
    gamma = nn.Parameter(torch.tensor(1.3))
    bias = nn.Parameter(torch.zeros(1, 1, 3, 3))
    augment = nn.Sequential(SmoothBias(bias), GammaTransform(gamma))
    segmenter = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 2, 1))

    parameters = [intensities, gamma, bias, *segmenter.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    for step in range(12):
        noise = 0.05 * torch.randn(labels.shape)
        image = augment(intensities[labels] + noise)
        loss = F.cross_entropy(segmenter(image), labels[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(f"step {step}: loss {loss.item():.4f}, gamma {gamma.item():.3f}")


if __name__ == "__main__":
    main()
