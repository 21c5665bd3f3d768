from torch import nn


class BinOp:
    """Weights are binary for forward and backward; the optimizer steps the real ones."""

    def __init__(self, model):
        linears = [m for m in model.modules() if isinstance(m, nn.Linear)]
        self.target_modules = [m.weight for m in linears[1:-1]]
        self.saved_params = [weight.data.clone() for weight in self.target_modules]

    def binarization(self):
        for index, weight in enumerate(self.target_modules):
            weight.data.sub_(weight.data.mean(1, keepdim=True)).clamp_(-1.0, 1.0)
            self.saved_params[index].copy_(weight.data)
            scale = weight.data.abs().mean(1, keepdim=True)
            weight.data.sign_().mul_(scale)

    def restore(self):
        for index, weight in enumerate(self.target_modules):
            weight.data.copy_(self.saved_params[index])

    def update_binary_grad_weight(self):
        for weight in self.target_modules:
            scale = weight.data.abs().mean(1, keepdim=True).expand_as(weight).clone()
            scale[weight.data.abs() > 1.0] = 0
            weight.grad.mul_(scale).mul_(1 - 1 / weight.shape[1])
