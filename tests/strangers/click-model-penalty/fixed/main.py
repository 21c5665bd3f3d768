"""Click-through prediction with an L2 penalty on embeddings and on the deep part."""
import torch
from torch import nn

torch.manual_seed(0)


class ClickModel(nn.Module):
    def __init__(self, fields=(11, 7, 5), width=4, l2_embedding=1e-3, l2_dense=1e-3):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, width) for n in fields)
        self.deep = nn.Sequential(nn.Linear(width * len(fields), 16), nn.ReLU(), nn.Linear(16, 1))
        self.l2_embedding = l2_embedding
        self.l2_dense = l2_dense

    def regularization_loss(self):
        total = torch.zeros(())
        for name, parameter in self.named_parameters():
            if "embeddings" in name:
                total = total + self.l2_embedding * parameter.square().sum()
            elif name.endswith("weight"):
                total = total + self.l2_dense * parameter.square().sum()
        return total

    def forward(self, x):
        columns = [embed(x[:, i]) for i, embed in enumerate(self.embeddings)]
        return torch.sigmoid(self.deep(torch.cat(columns, dim=1))).squeeze(1)


def fit(model, x, y, epochs=3, batch_size=16):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        for start in range(0, len(x), batch_size):
            batch = order[start:start + batch_size]
            prediction = model(x[batch])
            loss = nn.functional.binary_cross_entropy(prediction, y[batch])
            total_loss = loss + model.regularization_loss()
            optimizer.zero_grad()
            total_loss.backward()
            optimizer.step()
        print(epoch, round(total_loss.item(), 4))


def main():
    x = torch.stack([torch.randint(0, n, (64,)) for n in (11, 7, 5)], dim=1)
    y = ((x[:, 0] + x[:, 1]) % 2).float()
    fit(ClickModel(), x, y)


if __name__ == "__main__":
    main()
