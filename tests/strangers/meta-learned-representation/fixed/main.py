import torch
from torch.nn import functional as F

torch.manual_seed(31)
INNER_LR, INNER_STEPS = 0.2, 3


class MetaLearner(torch.nn.Module):
    """A representation that is fixed in the inner loop, and a head that is adapted there."""

    def __init__(self):
        super().__init__()
        self.rln = torch.nn.ParameterList([torch.randn(16, 2) * 0.5, torch.zeros(16)])
        self.pln = torch.nn.ParameterList([torch.randn(1, 16) * 0.2, torch.zeros(1)])

    def forward(self, x, head):
        features = torch.tanh(F.linear(x, *self.rln))
        return F.linear(features, *head)

    def inner_update(self, x, y, fast_weights):
        loss = F.mse_loss(self(x, fast_weights), y)
        grad = torch.autograd.grad(loss, fast_weights, create_graph=True)
        return [w - INNER_LR * g for w, g in zip(fast_weights, grad)]

    def meta_loss(self, tasks):
        total = 0.0
        for slope, shift in tasks:
            x = torch.rand(20, 2) * 4 - 2
            y = (slope * x[:, :1] + shift * x[:, 1:]).sin()
            fast_weights = list(self.pln)
            for _ in range(INNER_STEPS):
                fast_weights = self.inner_update(x[:10], y[:10], fast_weights)
            total = total + F.mse_loss(self(x[10:], fast_weights), y[10:])
        return total / len(tasks)


learner = MetaLearner()
optimizer = torch.optim.Adam(learner.parameters(), lr=5e-3)

for step in range(40):
    tasks = torch.rand(4, 2) + 0.5
    loss = learner.meta_loss(tasks)
    optimizer.zero_grad()
    loss.backward()
    if step == 0:
        rln_grad = learner.rln[0].grad.clone()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step}: meta loss {loss.item():.4f}")
print("first gradient of the representation", rln_grad.norm().item())
