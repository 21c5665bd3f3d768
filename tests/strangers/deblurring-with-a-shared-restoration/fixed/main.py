import torch
import torch.nn.functional as F
from losses import WassersteinLoss
from torch import nn

torch.manual_seed(53)


class DeblurModel:
    def __init__(self, critic_updates=2):
        self.generator = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.Tanh(), nn.Conv2d(8, 1, 3, padding=1))
        self.critic = nn.Sequential(nn.Conv2d(1, 8, 4, stride=2), nn.Tanh(), nn.Flatten(), nn.Linear(72, 1))
        self.loss = WassersteinLoss()
        self.critic_updates = critic_updates
        self.optimizer_g = torch.optim.Adam(self.generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
        self.optimizer_c = torch.optim.Adam(self.critic.parameters(), lr=2e-3, betas=(0.5, 0.999))

    def backward_critic(self):
        self.critic_loss = self.loss.for_critic(self.critic, self.sharp, self.restored)
        self.critic_loss.backward(retain_graph=True)

    def backward_generator(self):
        self.generator_loss = self.loss.for_generator(self.critic, self.sharp, self.restored)
        self.generator_loss.backward()

    def optimize(self, blurred, sharp):
        self.sharp = sharp
        self.restored = self.generator(blurred)
        for _ in range(self.critic_updates):
            self.optimizer_c.zero_grad()
            self.backward_critic()
            self.optimizer_c.step()
        self.optimizer_g.zero_grad()
        self.backward_generator()
        self.optimizer_g.step()


model = DeblurModel()
for step in range(12):
    sharp = (torch.rand(6, 1, 8, 8) > 0.7).float()
    blurred = F.avg_pool2d(sharp, 3, stride=1, padding=1)
    model.optimize(blurred, sharp)
    if step % 4 == 3:
        print(f"step {step}: critic {model.critic_loss.item():.4f}, generator {model.generator_loss.item():.4f}")
