"""Advantage actor-critic on a corridor: walk to the right end for a reward."""
import torch
import torch.nn.functional as F

from agent import ActorCritic, Memory

torch.manual_seed(12)
CELLS, GAMMA = 6, 0.95
CELL = torch.eye(CELLS)


def run_episode(net):
    position, memory = 1, Memory()
    for t in range(12):
        action, log_prob, value = net.act(CELL[position])
        position = max(0, position + (1 if action == 1 else -1))
        done = position == CELLS - 1
        memory.add(log_prob, value, 1.0 if done else -0.05)
        if done:
            break
    return memory.sample()


def returns(rewards):
    total, result = 0.0, []
    for reward in reversed(rewards):
        total = reward + GAMMA * total
        result.append(total)
    return torch.tensor(result[::-1])


net = ActorCritic(CELLS, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
gradient, finished = None, 0
for episode in range(30):
    log_probs, values, rewards = run_episode(net)
    target = returns(rewards)
    loss = -(log_probs * (target - values).detach()).mean() + 0.5 * F.mse_loss(values, target)
    optimizer.zero_grad()
    loss.backward()
    if episode == 0:
        gradient = net.body[0].weight.grad.clone()
    optimizer.step()
    finished += rewards[-1] == 1.0
print(f"{finished} of 30 episodes reached the end")
