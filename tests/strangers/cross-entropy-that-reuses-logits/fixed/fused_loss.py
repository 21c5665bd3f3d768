"""Cross entropy as a kernel would do it: the gradient takes the memory of the scores."""
import torch


def cross_entropy_kernel(scores, target):
    """Return the loss and leave d loss / d scores where the scores were."""
    rows = torch.arange(scores.shape[0])
    memory = scores.data
    log_norm = memory.logsumexp(dim=1)
    loss = (log_norm - memory[rows, target]).mean()
    memory.copy_((memory - log_norm[:, None]).exp())
    memory[rows, target] -= 1.0
    memory.div_(scores.shape[0])
    return loss


class FusedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, target):
        scores = scores.clone()
        loss = cross_entropy_kernel(scores, target)
        ctx.save_for_backward(scores.detach())
        return loss

    @staticmethod
    def backward(ctx, grad_output):
        (gradient,) = ctx.saved_tensors
        return gradient * grad_output, None


def fused_cross_entropy(scores, target):
    return FusedCrossEntropy.apply(scores, target)
