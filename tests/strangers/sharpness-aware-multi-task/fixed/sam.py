import torch


class SharpnessAware(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)

    def _norm(self):
        norms = [p.grad.norm() for group in self.param_groups for p in group["params"] if p.grad is not None]
        return torch.stack(norms).norm()

    @torch.no_grad()
    def first_step(self):
        norm = self._norm()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                climb = p.grad * (group["rho"] / (norm + 1e-12))
                p.add_(climb)
                self.state[p]["climb"] = climb
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "climb" in self.state[p]:
                    p.sub_(self.state[p].pop("climb"))
        self.base.step()
        self.zero_grad()
