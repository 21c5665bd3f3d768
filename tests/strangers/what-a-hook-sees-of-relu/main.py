"""Watch the units of a small network with hooks around in-place activations."""
import torch
from torch import nn

torch.manual_seed(0)


class UnitWatcher:
    """Count negative values that go into an activation and zeros that come out of it."""

    def __init__(self, name, module):
        self.name = name
        self.before = self.handed_over = self.zeros = 0
        module.register_forward_pre_hook(self.look_at_input)
        module.register_forward_hook(self.look_at_both)

    def look_at_input(self, module, inputs):
        self.before = int((inputs[0] < 0).sum())

    def look_at_both(self, module, inputs, output):
        self.handed_over = int((inputs[0] < 0).sum())
        self.zeros = int((output == 0).sum())

    def report(self):
        return f"{self.name}: {self.before} negative, then {self.handed_over}, {self.zeros} zeros"


def main():
    model = nn.Sequential(
        nn.Linear(6, 16), nn.ReLU(inplace=True),
        nn.Linear(16, 16), nn.ReLU(inplace=True),
        nn.Linear(16, 1),
    )
    watchers = [UnitWatcher(n, m) for n, m in model.named_modules() if isinstance(m, nn.ReLU)]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(40, 6)
    y = x[:, :2].abs().sum(dim=1, keepdim=True)
    for step in range(20):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(step, round(loss.item(), 4))
            for watcher in watchers:
                print("  ", watcher.report())


if __name__ == "__main__":
    main()
