import torch
from torch import nn

from deepfool import DeepFool

torch.manual_seed(0)


def train(model, images, labels, steps=20):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    images = torch.rand(12, 1, 6, 6)
    labels = (images.mean(dim=(1, 2, 3)) > 0.5).long()
    model = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.Tanh(), nn.Linear(16, 3))
    print("clean loss", train(model, images, labels))

    model.eval()
    predicted = model(images).argmax(dim=1)
    attack = DeepFool(model)
    adversarial = attack(images, predicted)
    fooled = (model(adversarial).argmax(dim=1) != predicted).float().mean().item()
    print("fooled", fooled)

    print("hardened loss", train(model, torch.cat([images, adversarial]), labels.repeat(2)))


if __name__ == "__main__":
    main()
