import torch


def layer_head_pattern_patch_setter(corrupted_activation, index, clean_activation):
    head = index[-1]
    corrupted_activation[:, head] = clean_activation[:, head]
    return corrupted_activation


def generic_activation_patch(model, tokens, clean, metric, patch_setter, name):
    """The metric, and its attribution to the embedding, with each head patched in turn."""
    results = torch.zeros(model.heads, 2)
    for head in range(model.heads):
        hook = lambda act, index=(0, head): patch_setter(act, index, clean_activation=clean)
        value = metric(model.run_with_hook(tokens, name, hook))
        model.zero_grad()
        value.backward()
        results[head, 0], results[head, 1] = value.item(), model.embed.weight.grad.norm()
    return results
