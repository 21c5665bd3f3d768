"""Gradient descent that can be differentiated through."""
import torch
from torch.func import functional_call


class DifferentiableSGD:
    def __init__(self, module, lr):
        self.module = module
        self.lr = lr
        self.fast = dict(module.named_parameters())

    def __call__(self, *inputs):
        return functional_call(self.module, self.fast, inputs)

    def step(self, loss):
        targets = [
            parameter if parameter.requires_grad else torch.tensor([], requires_grad=True)
            for parameter in self.fast.values()
        ]
        gradients = torch.autograd.grad(loss, targets, create_graph=True, allow_unused=True)
        self.fast = {
            name: parameter if gradient is None else parameter - self.lr * gradient
            for (name, parameter), gradient in zip(self.fast.items(), gradients)
        }
