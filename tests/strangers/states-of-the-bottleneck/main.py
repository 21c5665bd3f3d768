import torch
from mvod import MobileVOD
from torch import nn


def videos(count, frames):
    for _ in range(count):
        start = torch.randn(1, 3, 8, 8)
        clips = [start + 0.1 * t * torch.randn(1, 3, 8, 8) for t in range(frames)]
        yield zip(clips, torch.randint(3, (frames, 1)))


torch.manual_seed(18)
net = MobileVOD(classes=3)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for epoch in range(2):
    running_loss = 0.0
    for video in videos(count=2, frames=3):
        for image, label in video:
            loss = criterion(net(image), label)
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
            optimizer.step()
            running_loss += loss.item()
        net.detach_hidden()
    print(f"epoch {epoch}: {running_loss:.4f}")
