import torch


def conv1d_step(x, conv_state, weight, bias):
    """One step of a causal convolution; conv_state holds the last inputs, oldest first."""
    conv_state.copy_(torch.roll(conv_state, shifts=-1, dims=1))
    conv_state[:, -1, :] = x
    return torch.sum(conv_state * weight, dim=1) + bias, conv_state
