import torch
from maddpg import MADDPG


class Agent:
    def __init__(self, agent_id, **sizes):
        self.agent_id = agent_id
        self.policy = MADDPG(agent_id, **sizes)

    def learn(self, transitions, other_agents):
        return self.policy.train(transitions, other_agents)


def sample(agents, batch, size):
    transitions = {}
    for i in range(agents):
        transitions[f"o_{i}"], transitions[f"o_next_{i}"] = torch.randn(2, batch, size)
        transitions[f"u_{i}"] = torch.rand(batch, 1) * 2 - 1
        transitions[f"r_{i}"] = -transitions[f"o_{i}"].square().mean(1, keepdim=True)
    return transitions


torch.manual_seed(23)
agents = [Agent(i, agents=2, obs=3) for i in range(2)]
for time_step in range(3):
    transitions = sample(len(agents), batch=16, size=3)
    for agent in agents:
        other_agents = [other for other in agents if other is not agent]
        critic_loss, actor_loss = agent.learn(transitions, other_agents)
        print(f"{time_step}, agent {agent.agent_id}: {critic_loss:.4f}, {actor_loss:.4f}")
