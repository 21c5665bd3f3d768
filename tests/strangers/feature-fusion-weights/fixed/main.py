"""Learn to mark the bright part of an image."""
import torch
from torch import nn
from fusion import Pyramid

torch.manual_seed(0)
images = torch.rand(4, 3, 8, 8)
bright = (images.mean(dim=1, keepdim=True) > 0.5).float()

net = Pyramid()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(5):
    optimizer.zero_grad()
    loss = criterion(net(images), bright)
    loss.backward()
    optimizer.step()
    print(epoch, round(loss.item(), 4), [round(w, 3) for w in net.fuse.weight.tolist()])
