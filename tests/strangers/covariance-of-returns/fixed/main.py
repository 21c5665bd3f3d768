import torch
from torch import nn


class CovarianceMatrix(nn.Module):
    """Covariance of the assets, from the hidden features of each, shrunk to its diagonal."""

    def __init__(self, sqrt=False, shrinkage=0.5):
        super().__init__()
        self.sqrt = sqrt
        self.shrinkage = shrinkage

    def forward(self, x):
        return torch.stack([self.compute_covariance(x[i].T) for i in range(len(x))], dim=0)

    def compute_covariance(self, m):
        fact = 1.0 / (m.shape[1] - 1)
        m = m - m.mean(dim=1, keepdim=True)
        s = fact * m.matmul(m.t())
        diagonal = torch.diag(torch.diag(s))
        return self.shrinkage * s + (1 - self.shrinkage) * diagonal


class AllocationNet(nn.Module):
    def __init__(self, n_assets, lookback, hidden):
        super().__init__()
        self.rnn = nn.GRU(n_assets, hidden, batch_first=True)
        self.transform = nn.Linear(hidden, n_assets)
        self.attention = nn.Parameter(torch.zeros(lookback))
        self.covariance_layer = CovarianceMatrix()

    def forward(self, returns):
        features = torch.tanh(self.transform(self.rnn(returns)[0]))
        exp_rets = (self.attention.softmax(0)[:, None] * features).sum(dim=1)
        covmat = self.covariance_layer(features)
        risk = torch.diagonal(covmat, dim1=1, dim2=2) + 0.1
        return torch.softmax(exp_rets / risk, dim=1)


torch.manual_seed(11)
network = AllocationNet(n_assets=4, lookback=10, hidden=6)
optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
X, y = torch.randn(8, 10, 4), torch.randn(8, 4)
for epoch in range(2):
    weights = network(X)
    loss = -(weights * y).sum(dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.5f}")
