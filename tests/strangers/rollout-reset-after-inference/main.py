import torch
import torch.nn as nn

from arena import ReachArena


def run_policy(env, policy, num_steps):
    observation = env.position
    returns = torch.zeros(env.num_envs)
    episodes = 0
    for _ in range(num_steps):
        with torch.inference_mode():
            action = policy(observation)
            observation, reward, terminated = env.step(action)
            finished = terminated.nonzero().flatten()
        returns = returns + reward
        if len(finished) > 0:
            observation = env.reset(finished)
            episodes += len(finished)
    return returns.mean().item(), episodes


def clone_expert(policy, steps=30):
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
    for _ in range(steps):
        observation = torch.rand(64, 2) * 2.0 - 1.0
        loss = (policy(observation) + observation).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    env = ReachArena(num_envs=4)
    for epoch in range(2):
        loss = clone_expert(policy)
        mean_return, episodes = run_policy(env, policy, num_steps=15)
        print(f"epoch {epoch}: loss {loss:.4f}, return {mean_return:.3f}, {episodes} episodes")


if __name__ == "__main__":
    main()
