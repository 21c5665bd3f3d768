"""Optimizers for `parameters`, which get dense gradients; `step` is called with a closure."""

import torch


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1)


def sgd_momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True)


def sgd_decay(parameters):
    return torch.optim.SGD(parameters, lr=0.1, weight_decay=0.1)


def sgd_maximize(parameters):
    return torch.optim.SGD(parameters, lr=0.1, maximize=True)


def sgd_loop(parameters):
    return torch.optim.SGD(parameters, lr=0.1, foreach=False)


def sgd_foreach(parameters):
    return torch.optim.SGD(parameters, lr=0.1, foreach=True)


def sgd_fused(parameters):
    return torch.optim.SGD(parameters, lr=0.1, fused=True)


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.1)


def adam_amsgrad(parameters):
    return torch.optim.Adam(parameters, lr=0.1, amsgrad=True)


def adam_foreach(parameters):
    return torch.optim.Adam(parameters, lr=0.1, foreach=True)


def adam_fused(parameters):
    return torch.optim.Adam(parameters, lr=0.1, fused=True)


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=0.1)


def adamw_fused(parameters):
    return torch.optim.AdamW(parameters, lr=0.1, fused=True)


def adagrad(parameters):
    return torch.optim.Adagrad(parameters, lr=0.1)


def adagrad_fused(parameters):
    return torch.optim.Adagrad(parameters, lr=0.1, fused=True)


def adadelta(parameters):
    return torch.optim.Adadelta(parameters, lr=0.1)


def adamax(parameters):
    return torch.optim.Adamax(parameters, lr=0.1)


def asgd(parameters):
    return torch.optim.ASGD(parameters, lr=0.1)


def nadam(parameters):
    return torch.optim.NAdam(parameters, lr=0.1)


def radam(parameters):
    return torch.optim.RAdam(parameters, lr=0.1)


def rmsprop(parameters):
    return torch.optim.RMSprop(parameters, lr=0.1)


def rprop(parameters):
    return torch.optim.Rprop(parameters, lr=0.1)


def adafactor(parameters):
    return torch.optim.Adafactor(parameters, lr=0.1)


def lbfgs(parameters):
    return torch.optim.LBFGS(parameters, lr=0.1)
