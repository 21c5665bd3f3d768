import torch
from torch import nn


class LI(nn.Module):
    """A leaky integrator; time constant and weight are learned."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Linear(inputs, outputs)
        self.decay = nn.Parameter(torch.full((outputs,), 0.5))

    def forward(self, x, v=None):
        current = self.weight(x)
        v = current if v is None else self.decay * v + current
        return torch.tanh(v), v


class GraphExecutor(nn.Module):
    """Runs the nodes of a graph in their order, with a state for each that has one."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes = nn.ModuleDict(nodes)

    def forward(self, x, state=None):
        if state is None:
            state = {}
        for name, node in self.nodes.items():
            if isinstance(node, LI):
                x, state[name] = node(x, state.get(name))
            else:
                x = node(x)
        return x, state


torch.manual_seed(9)
model = GraphExecutor({"in": LI(5, 8), "norm": nn.LayerNorm(8), "out": LI(8, 2)})
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for batch in range(3):
    data = torch.randn(6, 4, 5)
    output, state = model(data[0])
    for frame in data[1:]:
        output, state = model(frame, state)
    loss = nn.functional.mse_loss(output, torch.ones(4, 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(batch, f"{loss.item():.4f}")
