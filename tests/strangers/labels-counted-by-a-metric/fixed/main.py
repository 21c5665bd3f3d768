import torch
from metrics import accuracy
from torch import nn
from torch.nn import functional as F


class LitClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(6, 4)

    def forward(self, x):
        return torch.relu(self.l1(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        y_hat = self(x)
        loss = F.cross_entropy(y_hat, y)
        acc = accuracy(y_hat, y.clone())
        return {"loss": loss, "log": {"train_loss": loss.detach(), "train_acc": acc}}

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.02)


torch.manual_seed(20)
model = LitClassifier()
optimizer = model.configure_optimizers()
for batch_idx in range(3):
    batch = torch.randn(32, 6), torch.randint(4, (32,))
    output = model.training_step(batch, batch_idx)
    optimizer.zero_grad()
    output["loss"].backward()
    optimizer.step()
    print(batch_idx, *(f"{name} {value.item():.4f}" for name, value in output["log"].items()))
