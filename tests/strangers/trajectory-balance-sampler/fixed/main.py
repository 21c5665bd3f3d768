import torch
from torch import nn

torch.manual_seed(12)
SIDE, STOP = 4, 2


class Grid:
    """Start at the origin, move right or up, or stop and get the reward of the cell."""

    @staticmethod
    def mask(states):
        invalid = torch.zeros(len(states), 3, dtype=torch.bool)
        invalid[:, :2] = states == SIDE - 1
        return invalid

    @staticmethod
    def reward(states):
        return 0.1 + (states == SIDE - 1).all(dim=1).float() * 2 + (states.sum(dim=1) == 2).float()

    def get_logprobs(self, policy_outputs, states, actions):
        logits = policy_outputs.clone()
        logits[self.mask(states)] = -1000.0
        return torch.log_softmax(logits, dim=1).gather(1, actions.unsqueeze(1)).squeeze(1)


def rollout(env, policy, batch=16):
    states, active = torch.zeros(batch, 2, dtype=torch.long), torch.ones(batch, dtype=torch.bool)
    log_forward, log_backward = torch.zeros(batch), torch.zeros(batch)
    while active.any():
        outputs = policy(states.float())
        with torch.no_grad():
            probs = outputs.masked_fill(env.mask(states), -1000.0).softmax(dim=1)
            actions = torch.multinomial(probs, 1).squeeze(1)
        log_forward = log_forward + env.get_logprobs(outputs, states, actions) * active
        moving = active & (actions != STOP)
        states = states.clone()
        states[moving, actions[moving]] += 1
        parents = (states > 0).sum(dim=1).clamp(min=1)
        log_backward = log_backward - parents.float().log() * moving
        active = moving
    return states, log_forward, log_backward


env = Grid()
policy = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 3))
log_z = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([{"params": policy.parameters(), "lr": 2e-2}, {"params": log_z, "lr": 0.1}])

for step in range(24):
    final, log_forward, log_backward = rollout(env, policy)
    loss = (log_z + log_forward - env.reward(final).log() - log_backward).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in policy.parameters()]
    policy_grad = torch.cat([g.flatten() for g in grads])
    optimizer.step()
    if step % 8 == 0:
        print(f"step {step}: loss {loss.item():.3f}, log Z {log_z.item():.3f}, policy gradient {policy_grad.norm():.3f}")
