import torch
from torch import nn
from torch.nn import functional as F


class ActorCritic:
    def __init__(self, state_dim, hidden_dim, action_dim, actor_lr, critic_lr, gamma):
        self.actor = nn.Sequential(
            nn.Linear(state_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, action_dim), nn.Softmax(dim=1)
        )
        self.critic = nn.Sequential(nn.Linear(state_dim, hidden_dim), nn.ReLU(), nn.Linear(hidden_dim, 1))
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters(), lr=actor_lr)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), lr=critic_lr)
        self.gamma = gamma

    def update(self, transition_dict):
        states, actions = transition_dict["states"], transition_dict["actions"].view(-1, 1)
        rewards, dones = (transition_dict[k].view(-1, 1) for k in ("rewards", "dones"))
        # the critic first
        td_target = rewards + self.gamma * self.critic(transition_dict["next_states"]) * (1 - dones)
        critic_loss = torch.mean(F.mse_loss(self.critic(states), td_target.detach()))
        self.critic_optimizer.zero_grad()
        critic_loss.backward()
        self.critic_optimizer.step()
        # then the actor
        td_delta = td_target - self.critic(states)
        log_probs = torch.log(self.actor(states).gather(1, actions))
        actor_loss = torch.mean(-log_probs * td_delta.detach())
        self.actor_optimizer.zero_grad()
        actor_loss.backward()
        self.actor_optimizer.step()
        return actor_loss.item(), critic_loss.item()


torch.manual_seed(0)
agent = ActorCritic(4, 16, 2, actor_lr=1e-3, critic_lr=1e-2, gamma=0.98)
for episode in range(3):
    walk = torch.randn(9, 4).cumsum(dim=0)
    transitions = {
        "states": walk[:-1],
        "next_states": walk[1:],
        "actions": torch.randint(2, (8,)),
        "rewards": torch.ones(8),
        "dones": torch.eye(8)[-1],
    }
    print(episode, *(f"{loss:+.4f}" for loss in agent.update(transitions)))
