import torch


class SophiaH(torch.optim.Optimizer):
    """Momentum over an estimate of the Hessian's diagonal, which is made anew now and then."""

    def __init__(self, params, lr=6e-2, betas=(0.96, 0.99), p=1e-2, update_period=10, seed=0):
        super().__init__(params, {"lr": lr, "betas": betas, "p": p})
        self.update_period = update_period
        self.generator = torch.Generator().manual_seed(seed)
        self.steps = 0

    def compute_hutchinson_hessian(self):
        params = [p for group in self.param_groups for p in group["params"] if p.grad is not None]
        grads = [p.grad for p in params]
        zs = [torch.randint(0, 2, p.size(), generator=self.generator) * 2.0 - 1.0 for p in params]
        h_zs = torch.autograd.grad(grads, params, grad_outputs=zs)
        for p, h_z, z in zip(params, h_zs, zs):
            self.state[p]["hessian"] = h_z * z

    @torch.no_grad()
    def step(self, closure=None):
        if self.steps % self.update_period == 0:
            self.compute_hutchinson_hessian()
        self.steps += 1
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(p)
                    state["moment"] = torch.zeros_like(p)
                state["momentum"].mul_(beta1).add_(p.grad, alpha=1 - beta1)
                if "hessian" in state:
                    state["moment"].mul_(beta2).add_(state.pop("hessian"), alpha=1 - beta2)
                update = state["momentum"] / state["moment"].clamp(min=1e-12)
                p.add_(update.clamp(-group["p"], group["p"]), alpha=-group["lr"])
