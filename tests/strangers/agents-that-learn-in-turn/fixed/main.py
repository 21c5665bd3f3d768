import torch
from torch import nn

from agents import Agent

torch.manual_seed(5)

AGENTS, OBSERVATION, ACTION, GAMMA = 2, 3, 2, 0.95
team = [Agent(OBSERVATION, ACTION, AGENTS) for _ in range(AGENTS)]


def joint(observations, actions):
    return torch.cat([*observations, *actions], dim=1)


def learn(batch=32):
    obs, new_obs = torch.randn(2, AGENTS, batch, OBSERVATION)
    actions = torch.rand(AGENTS, batch, ACTION) * 2 - 1
    rewards = -(actions - obs[..., :ACTION]).pow(2).sum(-1)
    new_actions = [a.target_actor(o) for a, o in zip(team, new_obs)]

    for i, agent in enumerate(team):
        with torch.no_grad():
            target = rewards[i] + GAMMA * agent.target_critic(joint(new_obs, new_actions))
        critic_loss = nn.functional.mse_loss(agent.critic(joint(obs, actions)), target)
        agent.critic_optimizer.zero_grad()
        critic_loss.backward()
        agent.critic_optimizer.step()

        policy_actions = list(actions)
        policy_actions[i] = agent.actor(obs[i])
        actor_loss = -agent.critic(joint(obs, policy_actions)).mean()
        agent.actor_optimizer.zero_grad()
        actor_loss.backward()
        agent.actor_optimizer.step()
        agent.update_targets()
    return critic_loss.item(), actor_loss.item()


for step in range(4):
    print("step %d: critic %.4f actor %.4f" % (step, *learn()))
