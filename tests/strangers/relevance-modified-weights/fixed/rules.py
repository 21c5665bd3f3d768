from contextlib import contextmanager

import torch


@contextmanager
def modified_parameters(module, modifier):
    """Run a module with other parameters, and give it back its own ones afterwards."""
    stored = dict(module.named_parameters())
    try:
        for name, parameter in stored.items():
            setattr(module, name, torch.nn.Parameter(modifier(parameter.data, name)))
        yield module
    finally:
        for name, parameter in stored.items():
            setattr(module, name, parameter)


def positive_weights(parameter, name):
    return torch.zeros_like(parameter) if name == "bias" else parameter.clamp(min=0.0)


def zplus_relevance(layer, layer_input, relevance_out):
    """Layer-wise relevance propagation through positive weights alone."""
    layer_input = layer_input.detach().requires_grad_(True)
    with modified_parameters(layer, positive_weights):
        output = layer(layer_input)
    scaled = relevance_out / (output.detach() + 1e-9)
    gradient, = torch.autograd.grad(output, layer_input, grad_outputs=scaled)
    return (gradient * layer_input).detach()
