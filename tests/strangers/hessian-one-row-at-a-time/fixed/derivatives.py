import torch


def jacobian(outputs, inputs, create_graph=False):
    """One backward for each output; the vector that chooses it is made once."""
    chosen = torch.zeros(outputs.numel())

    def row(index):
        chosen[index] = 1.0
        (found,) = torch.autograd.grad(
            outputs.flatten(), inputs, chosen.clone(), retain_graph=True, create_graph=create_graph
        )
        chosen[index] = 0.0
        return found

    return torch.stack([row(index) for index in range(outputs.numel())])


def hessian(output, inputs, create_graph=False):
    slope = jacobian(output, inputs, create_graph=True).squeeze(0)
    return jacobian(slope, inputs, create_graph=create_graph)
