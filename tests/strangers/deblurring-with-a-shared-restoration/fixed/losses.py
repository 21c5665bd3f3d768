import torch
import torch.nn.functional as F


class WassersteinLoss:
    """Critic loss with a gradient penalty and the loss of the generator."""

    def __init__(self, weight=10.0):
        self.weight = weight

    def penalty(self, critic, sharp, restored):
        share = torch.rand(len(sharp), 1, 1, 1)
        mixed = (share * sharp + (1 - share) * restored.detach()).requires_grad_()
        (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        return (slope.flatten(1).norm(dim=1) - 1).pow(2).mean()

    def for_critic(self, critic, sharp, restored):
        difference = critic(restored).mean() - critic(sharp).mean()
        return difference + self.weight * self.penalty(critic, sharp, restored)

    def for_generator(self, critic, sharp, restored):
        return -critic(restored).mean() + 100 * F.mse_loss(restored, sharp)
