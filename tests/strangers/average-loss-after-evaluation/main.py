import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)

features = torch.randn(48, 6)
labels = (features[:, :3].sum(1) > features[:, 3:].sum(1)).long()
train_loader = DataLoader(TensorDataset(features[:32], labels[:32]), batch_size=8)
test_loader = DataLoader(TensorDataset(features[32:], labels[32:]), batch_size=8)


def accuracy(logits, target):
    return (logits.argmax(dim=1) == target).float().mean() * 100


def train_step(model, loader, loss_fn, optimizer):
    model.train()
    train_loss = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        train_loss += loss.item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"train loss: {train_loss / len(loader):.4f}")


def test_step(model, loader, loss_fn):
    test_loss, test_acc = 0, 0
    model.eval()
    with torch.inference_mode():
        for x, y in loader:
            logits = model(x)
            test_loss += loss_fn(logits, y)
            test_acc += accuracy(logits, y)

    test_loss /= len(loader)
    test_acc /= len(loader)
    print(f"test loss: {test_loss:.4f} | accuracy: {test_acc:.1f}%")


model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(3):
    train_step(model, train_loader, loss_fn, optimizer)
    test_step(model, test_loader, loss_fn)
