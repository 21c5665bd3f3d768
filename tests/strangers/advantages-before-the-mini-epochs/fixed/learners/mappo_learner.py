import torch
from torch.nn import functional as F


def build_gae_targets(rewards, masks, values, gamma, lam):
    length = rewards.shape[1]
    advantages = [torch.zeros(len(rewards), values.shape[2])]
    for t in reversed(range(length)):
        delta = rewards[:, t] + values[:, t + 1] * gamma * masks[:, t] - values[:, t]
        advantages.append(delta + advantages[-1] * gamma * lam * masks[:, t])
    advantages = torch.stack(advantages[:0:-1], dim=1)
    return advantages + values[:, :-1], advantages


class MAPPOLearner:
    def __init__(self, mac, critic, args):
        self.mac, self.critic, self.args = mac, critic, args
        self.params = [*mac.parameters(), *critic.parameters()]
        self.optimiser = torch.optim.Adam(self.params, lr=args.lr)

    def train(self, batch):
        obs, actions, masks = batch["obs"], batch["actions"], batch["mask"]
        with torch.no_grad():
            old_log_pac = self.mac(obs[:, :-1]).log_softmax(-1).gather(-1, actions)
        values = self.critic(batch["state"])
        targets, advantages = build_gae_targets(
            batch["reward"], masks, values, self.args.gamma, self.args.lam
        )
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        advantages = advantages.detach()
        for _ in range(self.args.mini_epochs):
            log_pac = self.mac(obs[:, :-1]).log_softmax(-1).gather(-1, actions)
            ratio = torch.exp(log_pac - old_log_pac).squeeze(-1)
            clipped = ratio.clamp(1 - self.args.eps_clip, 1 + self.args.eps_clip)
            actor_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            critic_loss = F.smooth_l1_loss(self.critic(batch["state"])[:, :-1], targets.detach())
            self.optimiser.zero_grad()
            (actor_loss + critic_loss).backward()
            torch.nn.utils.clip_grad_norm_(self.params, 10.0)
            self.optimiser.step()
        return actor_loss.item(), critic_loss.item()
