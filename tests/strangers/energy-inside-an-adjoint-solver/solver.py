"""Euler steps whose backward pass runs the equation backwards instead of keeping its graph."""
import torch


class _Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, func, y0, steps, dt, *params):
        ctx.func, ctx.steps, ctx.dt = func, steps, dt
        y = y0
        states = [y]
        with torch.no_grad():
            for k in range(steps):
                y = y + dt * func(k * dt, y)
                states.append(y)
        ctx.save_for_backward(*states, *params)
        return y

    @staticmethod
    def backward(ctx, adj):
        states, params = ctx.saved_tensors[: ctx.steps + 1], ctx.saved_tensors[ctx.steps + 1 :]
        adj_params = [torch.zeros_like(p) for p in params]
        for k in reversed(range(ctx.steps)):
            with torch.enable_grad():
                y = states[k].detach().requires_grad_(True)
                dy = ctx.func(k * ctx.dt, y)
            vjp, *vjps = torch.autograd.grad(dy, (y, *params), ctx.dt * adj, allow_unused=True)
            adj = adj + vjp
            adj_params = [a if v is None else a + v for a, v in zip(adj_params, vjps)]
        return None, adj, None, None, *adj_params


def odeint_adjoint(func, y0, steps, dt):
    return _Adjoint.apply(func, y0, steps, dt, *func.parameters())
