"""A learner with one optimizer for each loss that collects all gradients before it applies them."""
import torch


class Learner:
    def __init__(self, groups, lr=3e-3):
        self.groups = groups
        self.optimizers = {name: torch.optim.Adam(group, lr=lr) for name, group in groups.items()}

    def gradients(self, losses):
        collected = {}
        for name, group in self.groups.items():
            self.optimizers[name].zero_grad(set_to_none=True)
            losses[name].backward(retain_graph=True)
            collected.update({p: p.grad for p in group})
        return collected

    def apply(self, collected):
        for name, group in self.groups.items():
            for p in group:
                p.grad = collected[p]
            self.optimizers[name].step()
