"""Ways to have a say about the gradient of `x`, which requires grad."""

import torch


def nothing(x):
    pass


def retain_grad(x):
    x.requires_grad_(True)
    x.retain_grad()


def hook(x):
    x.register_hook(lambda grad: None)


def hook_that_scales(x):
    x.register_hook(lambda grad: grad * 2)


def hook_of_its_node(x):
    node = x.grad_fn
    if node is not None:
        node.register_hook(lambda inputs, outputs: None)


def hook_before_its_node(x):
    node = x.grad_fn
    if node is not None:
        node.register_prehook(lambda outputs: None)


def hook_once_accumulated(x):
    if x.is_leaf:
        x.register_post_accumulate_grad_hook(lambda leaf: None)


def hook_that_clears(x):
    if x.is_leaf:
        x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))


def hook_of_several(x):
    torch.autograd.graph.register_multi_grad_hook([x], lambda grads: None)
