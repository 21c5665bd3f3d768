import torch


def corners(tenFlow):
    """Where each value lands, and how near the two cells beside that place are."""
    width = tenFlow.shape[-1]
    place = torch.arange(width) + tenFlow
    left = place.detach().floor()
    for cell, near in ((left, 1 - (place - left)), (left + 1, place - left)):
        inside = (cell >= 0) & (cell < width)
        yield cell.clamp(0, width - 1).long(), near * inside, inside


class softsplat_func(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tenIn, tenFlow):
        tenOut = torch.zeros_like(tenIn)
        for cell, near, _ in corners(tenFlow):
            tenOut.scatter_add_(2, cell.expand_as(tenIn), tenIn * near)
        ctx.save_for_backward(tenIn.clone(), tenFlow.clone())
        return tenOut

    @staticmethod
    def backward(ctx, tenOutgrad):
        tenIn, tenFlow = ctx.saved_tensors
        tenIngrad, tenFlowgrad = torch.zeros_like(tenIn), torch.zeros_like(tenFlow)
        for sign, (cell, near, inside) in zip((-1, 1), corners(tenFlow)):
            there = tenOutgrad.gather(2, cell.expand_as(tenIn)) * inside
            tenIngrad += there * near
            tenFlowgrad += sign * (there * tenIn).sum(1, keepdim=True)
        return tenIngrad, tenFlowgrad


def softsplat(tenIn, tenFlow, tenMetric):
    weight = tenMetric.exp()
    both = softsplat_func.apply(torch.cat([tenIn * weight, weight], 1), tenFlow)
    return both[:, :-1] / (both[:, -1:] + 1e-4)
