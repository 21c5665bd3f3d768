import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
BATCH, HIDDEN, REGIONS, FRAMES = 16, 12, 5, 20


class ScanLSTM(nn.Module):
    """Predict the sex of a subject from the time series of a few brain regions."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(REGIONS, HIDDEN, batch_first=True)
        self.dropout = nn.Dropout(0.2)
        self.linear = nn.Linear(HIDDEN, 1)
        self.hidden = self.init_hidden()

    def init_hidden(self):
        return torch.randn(1, BATCH, HIDDEN), torch.randn(1, BATCH, HIDDEN)

    def forward(self, x):
        lstm_out, self.hidden = self.lstm(x, self.hidden)
        last = self.dropout(lstm_out[:, -1, :])
        return torch.sigmoid(self.linear(last)).squeeze(1)


labels = torch.randint(0, 2, (64,)).float()
scans = torch.randn(64, FRAMES, REGIONS) + labels.view(-1, 1, 1)
loader = DataLoader(TensorDataset(scans, labels), batch_size=BATCH, shuffle=True)

model = ScanLSTM()
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(5):
    running, correct = 0.0, 0
    for x, y in loader:
        optimizer.zero_grad()
        prob = model(x)
        loss = criterion(prob, y)
        loss.backward()
        optimizer.step()
        running += loss.item()
        correct += ((prob > 0.5).float() == y).sum().item()
    print(f"epoch {epoch}: loss {running / len(loader):.3f}, accuracy {correct / 64:.2f}")
