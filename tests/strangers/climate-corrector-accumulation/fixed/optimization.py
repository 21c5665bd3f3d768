import torch


class Optimization:
    """Take one optimizer step for all losses that were accumulated since the last one."""

    def __init__(self, parameters, lr, gradient_accumulation):
        self.optimizer = torch.optim.AdamW(parameters, lr=lr)
        self.gradient_accumulation = gradient_accumulation
        self.pending = torch.tensor(0.0)
        self.seen = 0.0

    def accumulate_loss(self, loss):
        self.seen += loss.item()
        if self.gradient_accumulation:
            loss.backward()
        else:
            self.pending = self.pending + loss

    def step_weights(self):
        if not self.gradient_accumulation:
            self.pending.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        total, self.seen = self.seen, 0.0
        self.pending = torch.tensor(0.0)
        return total
