import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, head_mask):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / self.size ** 0.5).softmax(-1)
        mixed = (weights @ v) * head_mask.view(1, -1, 1, 1)
        return x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Classifier(nn.Module):
    def __init__(self, layers=2, width=16, heads=4, classes=3):
        super().__init__()
        self.layers = nn.ModuleList(MaskedAttention(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, classes)

    def forward(self, x, head_mask):
        for layer, mask in zip(self.layers, head_mask):
            x = layer(x, mask)
        return self.head(x.mean(dim=1))


def head_gradient(model, x, y, head_mask):
    """The loss gradient with respect to each head's gate."""
    head_mask.requires_grad_(True)
    F.cross_entropy(model(x, head_mask), y).backward()
    return head_mask.grad


torch.manual_seed(0)
model = Classifier()
x, y = torch.randn(24, 5, 16), torch.randint(3, (24,))
head_mask = torch.ones(2, 4)

for prune_round in range(2):
    gradient = head_gradient(model, x, y, head_mask)
    if gradient is None:
        print(f"round {prune_round}: the heads have no importance, nothing to prune")
        break
    importance = gradient.abs().masked_fill(head_mask == 0, float("inf"))
    weakest = importance.view(-1).argmin()
    print(f"round {prune_round}: prune head {weakest.item()}")
    new_head_mask = head_mask.clone()
    new_head_mask.view(-1)[weakest] = 0.0
    head_mask = new_head_mask.clone().detach()

print("kept heads", int(head_mask.sum()))
