import torch
from torch import nn
from xlstm.block import mLSTMBlock


class Forecaster(nn.Module):
    """Stepped through a series value after value, as it will be used."""

    def __init__(self, dim=5, blocks=2):
        super().__init__()
        self.embed = nn.Linear(1, dim)
        self.blocks = nn.ModuleList(mLSTMBlock(dim) for _ in range(blocks))
        self.head = nn.Linear(dim, 1)

    def forward(self, series):
        states = [block.start(len(series)) for block in self.blocks]
        for value in series.unbind(1):
            x = self.embed(value[:, None])
            for number, block in enumerate(self.blocks):
                x, states[number] = block.step(x, **states[number])
            yield self.head(x).squeeze(1)


torch.manual_seed(10)
model = Forecaster()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
time = torch.arange(9) * 0.7
for epoch in range(3):
    series = torch.sin(time + torch.rand(4, 1) * 6)
    predictions = torch.stack(list(model(series[:, :-1])), dim=1)
    loss = (predictions - series[:, 1:]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
