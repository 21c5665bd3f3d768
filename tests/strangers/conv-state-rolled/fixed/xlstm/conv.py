import torch


def conv1d_step(x, conv_state, weight, bias):
    """One step of a causal convolution; conv_state holds the last inputs, oldest first."""
    conv_state = torch.cat([conv_state[:, 1:, :], x[:, None, :]], dim=1)
    return torch.sum(conv_state * weight, dim=1) + bias, conv_state
