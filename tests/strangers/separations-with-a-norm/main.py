import torch
from torch import nn
from torch.nn import functional as F


class DDIModel(nn.Module):
    """Which of two drugs acts on the other, from how far apart their names stand."""

    def __init__(self, max_separation=30, position_embedding_size=6, output_classes=5):
        super().__init__()
        self.max_separation = max_separation
        self.position_embedding = nn.Embedding(max_separation, position_embedding_size, max_norm=1.5)
        self.hidden2class = nn.Linear(position_embedding_size, output_classes)

    def forward(self, inputs):
        positions = torch.arange(0, self.max_separation).repeat(inputs.shape[0], 1)
        out = self.position_embedding(positions) * inputs.unsqueeze(-1)
        return F.log_softmax(self.hidden2class(torch.sum(out, dim=1)), dim=1)


torch.manual_seed(0)
model = DDIModel()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
loss_function = nn.NLLLoss()
for epoch in range(3):
    inputs, labels = torch.rand(7, 30), torch.randint(5, (7,))
    model.zero_grad()
    loss = loss_function(model(inputs), labels)
    loss.backward()
    optimizer.step()
    longest = model.position_embedding.weight.norm(dim=1).max()
    print(epoch, f"{loss.item():.4f}", f"{longest.item():.3f}")
