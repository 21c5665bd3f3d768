"""Value-based team play: pairwise payoffs between agents, learned from team rewards."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(6)
AGENTS, ACTIONS, WIDTH = 4, 3, 12
EDGES = torch.tensor([[0, 0, 1, 2], [1, 2, 3, 3]])


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = nn.GRUCell(5, WIDTH)
        self.utility = nn.Linear(WIDTH, ACTIONS)
        self.payoff = nn.Linear(2 * WIDTH, ACTIONS * ACTIONS)

    def payoffs(self, hidden):
        """Payoff of every edge, averaged over both orders of the two agents."""
        first, second = hidden[:, EDGES[0]], hidden[:, EDGES[1]]
        both = torch.stack([torch.cat([first, second], -1), torch.cat([second, first], -1)])
        output = self.payoff(both).view(2, hidden.size(0), EDGES.size(1), ACTIONS, ACTIONS)
        output[1] = output[1].transpose(dim0=-2, dim1=-1).clone()
        return output.mean(dim=0)

    def forward(self, observations, hidden, actions):
        batch = observations.size(0)
        hidden = self.memory(observations.flatten(0, 1), hidden.flatten(0, 1)).view(batch, AGENTS, WIDTH)
        single = self.utility(hidden).gather(-1, actions.unsqueeze(-1)).mean(dim=(1, 2))
        pairs = self.payoffs(hidden)
        row = actions[:, EDGES[0]].view(batch, -1, 1, 1).expand(-1, -1, 1, ACTIONS)
        chosen = pairs.gather(2, row).squeeze(2)
        chosen = chosen.gather(2, actions[:, EDGES[1]].unsqueeze(-1))
        return single + chosen.mean(dim=(1, 2)), hidden


controller = Controller()
optimizer = torch.optim.RMSprop(controller.parameters(), lr=5e-3)
observations = torch.randn(5, 8, AGENTS, 5)
actions = torch.randint(0, ACTIONS, (5, 8, AGENTS))
rewards = (actions[..., 0] == actions[..., 1]).float() - 0.5
losses = []
for update in range(20):
    hidden, loss = torch.zeros(8, AGENTS, WIDTH), 0.0
    for t in range(observations.size(0)):
        value, hidden = controller(observations[t], hidden, actions[t])
        loss = loss + F.mse_loss(value, rewards[t])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
