import torch
from torch.optim import Optimizer


class WhitenedSGD(Optimizer):
    """SGD with momentum, preconditioned by a running average of the rows' second moments."""

    def __init__(self, params, lr=1e-2, momentum=0.9, decay=0.95, eps=1e-8):
        super().__init__(params, dict(lr=lr, momentum=momentum, decay=decay, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        if closure is None:
            loss = None
        else:
            loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                rows = p.grad.reshape(p.shape[0], -1).pow(2).mean(dim=1)
                if not state:
                    state["moment"] = torch.zeros_like(p)
                    state["second"] = rows.clone()
                state["second"].lerp_(rows, 1 - group["decay"])
                scale = state["second"].sqrt().add_(group["eps"])
                scaled = p.grad / scale.view(-1, *[1] * (p.dim() - 1))
                state["moment"].mul_(group["momentum"]).add_(scaled, alpha=1 - group["momentum"])
                p.add_(state["moment"], alpha=-group["lr"])
        return loss
