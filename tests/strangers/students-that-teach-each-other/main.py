import torch
from torch import nn
from torch.nn import functional as F


class Student(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(10, hidden), nn.ReLU())
        self.classifier = nn.Linear(hidden, 4)

    def forward(self, x):
        return self.classifier(self.features(x))


class Trainer:
    def __init__(self, widths, lr=0.05):
        self.models = [Student(width) for width in widths]
        self.optimizers = [torch.optim.SGD(m.parameters(), lr=lr, momentum=0.9) for m in self.models]
        self.loss_ce = nn.CrossEntropyLoss()
        self.loss_kl = nn.KLDivLoss(reduction="batchmean")

    def train_one_batch(self, images, labels):
        outputs = [model(images) for model in self.models]
        losses = []
        for i, optimizer in enumerate(self.optimizers):
            ce_loss = self.loss_ce(outputs[i], labels)
            kl_loss = sum(
                self.loss_kl(F.log_softmax(outputs[i], dim=1), F.softmax(outputs[j], dim=1))
                for j in range(len(self.models))
                if j != i
            )
            loss = ce_loss + kl_loss / (len(self.models) - 1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses


torch.manual_seed(1)
trainer = Trainer(widths=[16, 24, 32])
for epoch in range(3):
    losses = trainer.train_one_batch(torch.randn(12, 10), torch.randint(4, (12,)))
    print(epoch, " ".join(f"{loss:.4f}" for loss in losses))
