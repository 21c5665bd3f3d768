"""Group relative policy optimization of a small language model."""
import torch

from offload import Model

torch.manual_seed(0)
GROUP, LENGTH, CLIP, BETA = 8, 6, 0.2, 0.02

model = Model(vocabulary=10, width=16)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
GOAL = 7


def chosen_scores(tokens):
    scores = model(tokens)[:, :-1]
    return scores.gather(-1, tokens[:, 1:, None]).squeeze(-1)


def sample():
    tokens = torch.randint(0, 10, (GROUP, 1))
    with torch.no_grad():
        for _ in range(LENGTH):
            following = torch.distributions.Categorical(logits=model(tokens)[:, -1]).sample()
            tokens = torch.cat([tokens, following[:, None]], dim=1)
    return tokens


for step in range(8):
    tokens = sample()
    reward = (tokens[:, 1:] == GOAL).float().mean(1)
    advantage = (reward - reward.mean()) / (reward.std() + 1e-4)
    with torch.inference_mode():
        old = chosen_scores(tokens)
    old = old.clone()
    new = chosen_scores(tokens)
    ratio = (new - old).exp()
    clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
    gain = torch.min(ratio * advantage[:, None], clipped * advantage[:, None])
    drift = (old - new).exp() - (old - new) - 1
    loss = -(gain - BETA * drift).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}, mean reward {reward.mean().item():.3f}")
