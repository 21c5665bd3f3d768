import copy

import torch
from torch import nn


def mlp(width_in, *end):
    return nn.Sequential(nn.Linear(width_in, 16), nn.ReLU(), nn.Linear(16, 1), *end)


class MADDPG:
    def __init__(self, agent_id, agents, obs, gamma=0.95, tau=0.01):
        self.agent_id, self.agents, self.gamma, self.tau = agent_id, agents, gamma, tau
        self.actor_network, self.critic_network = mlp(obs, nn.Tanh()), mlp(agents * (obs + 1))
        self.actor_target = copy.deepcopy(self.actor_network)
        self.critic_target = copy.deepcopy(self.critic_network)
        self.actor_optim = torch.optim.Adam(self.actor_network.parameters(), lr=1e-3)
        self.critic_optim = torch.optim.Adam(self.critic_network.parameters(), lr=1e-2)

    @torch.no_grad()
    def _soft_update_target_network(self):
        for net, target in (
            (self.actor_network, self.actor_target),
            (self.critic_network, self.critic_target),
        ):
            for param, target_param in zip(net.parameters(), target.parameters()):
                target_param.lerp_(param, self.tau)

    def train(self, transitions, other_agents):
        r = transitions[f"r_{self.agent_id}"]
        ids = range(self.agents)
        o, u, o_next = ([transitions[f"{k}_{i}"] for i in ids] for k in ("o", "u", "o_next"))
        with torch.no_grad():
            targets = {other.agent_id: other.policy.actor_target for other in other_agents}
            targets[self.agent_id] = self.actor_target
            u_next = [targets[i](o_next[i]) for i in ids]
            target_q = r + self.gamma * self.critic_target(torch.cat(o_next + u_next, dim=1))
        q_value = self.critic_network(torch.cat(o + u, dim=1))
        critic_loss = (target_q - q_value).pow(2).mean()
        u[self.agent_id] = self.actor_network(o[self.agent_id])
        actor_loss = -self.critic_network(torch.cat(o + u, dim=1)).mean()
        self.critic_optim.zero_grad()
        critic_loss.backward()
        self.critic_optim.step()
        self.actor_optim.zero_grad()
        actor_loss.backward()
        self.actor_optim.step()
        self._soft_update_target_network()
        return critic_loss.item(), actor_loss.item()
