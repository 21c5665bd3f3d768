from torch.autograd import Function


class InPlaceAdd(Function):
    """Adds b to a part of a where it stands, to save the memory of a second a."""

    @staticmethod
    def forward(ctx, a, b, start):
        ctx.part = slice(start, start + b.shape[1])
        a[:, ctx.part] += b
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output[:, ctx.part], None


add_in_place = InPlaceAdd.apply
