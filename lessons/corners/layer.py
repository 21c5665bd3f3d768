"""Layers for an input `x` of shape (3, 2); each call makes a new one."""

import torch
from torch import nn


def linear():
    return nn.Linear(2, 2)


def frozen():
    return nn.Linear(2, 2).requires_grad_(False)


def no_bias():
    return nn.Linear(2, 2, bias=False)


def relu():
    return nn.ReLU()


def relu_inplace():
    return nn.ReLU(inplace=True)


def sigmoid():
    return nn.Sigmoid()


def dropout():
    return nn.Dropout(0.1)


def dropout_eval():
    return nn.Dropout().eval()


def nothing():
    return nn.Identity()


def batch_norm():
    return nn.BatchNorm1d(2)


def batch_norm_eval():
    return nn.BatchNorm1d(2).eval()


def layer_norm():
    return nn.LayerNorm(2)


def softmax():
    return nn.Softmax(1)


def convolution():
    return nn.Sequential(nn.Unflatten(1, (1, 2)), nn.Conv1d(1, 1, 1), nn.Flatten())


def several():
    return nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 2))


def flattened():
    return nn.Flatten()


def weight_norm():
    return nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))


def residual():
    class Residual(nn.Linear):
        def forward(self, x):
            return x + super().forward(x)

    return Residual(2, 2)


def gives_back_its_input():
    class Same(nn.Linear):
        def forward(self, x):
            super().forward(x)
            return x

    return Same(2, 2)


def writes_its_input():
    class Writes(nn.Linear):
        def forward(self, x):
            return super().forward(x.relu_())

    return Writes(2, 2)


def returns_a_tuple():
    return nn.LSTM(2, 2)


def returns_a_dict():
    class Named(nn.Linear):
        def forward(self, x):
            return {"out": super().forward(x)}

    return Named(2, 2)


def detached():
    class Detached(nn.Linear):
        def forward(self, x):
            return super().forward(x).detach()

    return Detached(2, 2)


def records_nothing():
    class Silent(nn.Linear):
        @torch.no_grad()
        def forward(self, x):
            return super().forward(x)

    return Silent(2, 2)
