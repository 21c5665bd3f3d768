import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(17)


class SavedFeatures:
    def __init__(self, module):
        self.handle = module.register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        self.features = output


def gram(features):
    flat = features.flatten(2).squeeze(0)
    return flat @ flat.t() / flat.numel()


def optimise(loss_of, steps=6):
    image = torch.rand_like(photo).requires_grad_()
    optimizer = torch.optim.Adam([image], lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(image)
        loss.backward()
        optimizer.step()
    return loss.item()


network = nn.Sequential(
    nn.Conv2d(3, 6, 3, padding=1), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 8, 3, padding=1), nn.Tanh()
).requires_grad_(False)
photo, painting = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)
block_ends = [1, 4]

saved = [SavedFeatures(network[i]) for i in block_ends]
network(photo)
content_target = saved[-1].features.clone()
network(painting)
style_targets = [gram(s.features) for s in saved]


def style_loss(image):
    network(image)
    return sum(F.mse_loss(gram(s.features), t) for s, t in zip(saved, style_targets)) * 1e3


print(f"style only: {optimise(style_loss):.4f}")
for s in saved:
    s.handle.remove()


saved = [SavedFeatures(network[i]) for i in block_ends]


def combined_loss(image):
    return style_loss(image) + F.mse_loss(saved[-1].features, content_target)


print(f"style and content: {optimise(combined_loss):.4f}")
