import torch
from torch import nn

torch.manual_seed(17)


class GradientMonitor:
    """Keep the size of the gradient at the output of chosen layers."""

    def __init__(self):
        self.sizes = {}

    def watch(self, name, module):
        def hook(module, grad_input, grad_output):
            self.sizes[name] = grad_output[0].abs().mean().item()

        module.register_full_backward_hook(hook)


model = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 8, 3, padding=1),
    nn.ReLU(inplace=True),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(8, 4),
)
monitor = GradientMonitor()
for name, index in [("first conv", 0), ("second conv", 2)]:
    monitor.watch(name, model[index])

optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
images = torch.randn(32, 3, 8, 8)
labels = torch.arange(32) % 4
images += labels.view(-1, 1, 1, 1) * 0.5

for step in range(25):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 8 == 0:
        sizes = ", ".join(f"{name} {size:.2e}" for name, size in monitor.sizes.items())
        print(f"step {step}: loss {loss.item():.3f}, {sizes}")
