import torch
from torch import nn
from torch.nn.functional import mse_loss


def lambda_target(rewards, values, gamma=0.95, lambda_=0.9):
    target = values[-1]
    for reward, value in zip(reversed(rewards), reversed(values)):
        target = reward + gamma * ((1 - lambda_) * value + lambda_ * target)
        yield target


class RSSM(nn.Module):
    def __init__(self, state=6, action=2):
        super().__init__()
        self.cell = nn.GRUCell(action, state)
        self.reward = nn.Linear(state, 1)

    def prior(self, state, action):
        return self.cell(action, state)


torch.manual_seed(4)
rssm = RSSM().requires_grad_(False)
value_model = nn.Sequential(nn.Linear(6, 16), nn.ELU(), nn.Linear(16, 1))
action_model = nn.Sequential(nn.Linear(6, 16), nn.ELU(), nn.Linear(16, 2), nn.Tanh())
value_optimizer = torch.optim.Adam(value_model.parameters(), lr=1e-3)
action_optimizer = torch.optim.Adam(action_model.parameters(), lr=1e-3)
for update_step in range(3):
    state, imaginated = torch.randn(8, 6), []
    for h in range(5):
        state = rssm.prior(state, action_model(state))
        imaginated.append(state)
    rewards = [rssm.reward(s) for s in imaginated]
    values = [value_model(s) for s in imaginated]
    targets = torch.stack(list(lambda_target(rewards, values)))

    value_loss = 0.5 * mse_loss(torch.stack(values[::-1]), targets.detach())
    value_optimizer.zero_grad()
    value_loss.backward(retain_graph=True)
    nn.utils.clip_grad_norm_(value_model.parameters(), 100)

    action_loss = -targets.mean()
    action_optimizer.zero_grad()
    action_loss.backward(inputs=list(action_model.parameters()))
    nn.utils.clip_grad_norm_(action_model.parameters(), 100)

    value_optimizer.step()
    action_optimizer.step()
    print(f"{update_step}: value {value_loss.item():.4f}, action {action_loss.item():.4f}")
