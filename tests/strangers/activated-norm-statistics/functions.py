"""Batch normalisation and leaky ReLU in one step that overwrites its input."""
import torch


class ActivatedNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, running_mean, running_var, momentum, slope):
        dims, column = [0, 2, 3], [1, -1, 1, 1]
        mean = x.mean(dim=dims)
        var = x.var(dim=dims, unbiased=False)
        running_mean.mul_(1 - momentum).add_(momentum * mean)
        running_var.mul_(1 - momentum).add_(momentum * var)
        std = (var + 1e-5).sqrt()
        x.sub_(mean.view(column)).div_(std.view(column))
        x.mul_(weight.view(column)).add_(bias.view(column))
        torch.nn.functional.leaky_relu_(x, slope)
        ctx.slope = slope
        ctx.save_for_backward(x, std, weight, bias)
        ctx.mark_dirty(x, running_mean, running_var)
        return x

    @staticmethod
    def backward(ctx, grad):
        y, std, weight, bias = ctx.saved_tensors
        dims, column = [0, 2, 3], [1, -1, 1, 1]
        grad = torch.where(y >= 0, grad, ctx.slope * grad)
        y = torch.where(y >= 0, y, y / ctx.slope)
        unit = (y - bias.view(column)) / weight.view(column)
        grad_weight, grad_bias = (grad * unit).sum(dims), grad.sum(dims)
        mean_terms = (grad_bias.view(column) + unit * grad_weight.view(column)) * y.size(1) / y.numel()
        grad_x = (grad - mean_terms) * (weight / std).view(column)
        return grad_x, grad_weight, grad_bias, None, None, None, None
