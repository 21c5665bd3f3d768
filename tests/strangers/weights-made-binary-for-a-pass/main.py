import torch
from torch import nn
from util import BinOp


class BinConv(nn.Module):
    def __init__(self, width_in, width_out, last=False):
        super().__init__()
        self.bn = nn.BatchNorm1d(width_in)
        self.linear = nn.Linear(width_in, width_out)
        self.last = last

    def forward(self, x):
        x = self.linear(self.bn(x))
        return x if self.last else torch.relu_(x)


torch.manual_seed(29)
model = nn.Sequential(BinConv(6, 12), BinConv(12, 12), BinConv(12, 3, last=True))
bin_op = BinOp(model)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    data, target = torch.randn(16, 6), torch.randint(3, (16,))
    bin_op.binarization()
    loss = criterion(model(data), target)
    optimizer.zero_grad()
    loss.backward()
    bin_op.restore()
    bin_op.update_binary_grad_weight()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.4f}")
