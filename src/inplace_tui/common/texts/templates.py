"""What each template of the sandbox is called, and what it shows."""

from __future__ import annotations

from inplace_tui.common.local_text import T

NAMES = {
    "leaf": T("A leaf, updated in place"),
    "saved": T("A saved result, written"),
    "view": T("View and base"),
    "data": T("A write through .data"),
    "detach": T("A write through detach()"),
    "sgd": T("Training with SGD"),
    "gan": T("GAN: two optimizers"),
    "hooks": T("Hooks and retain_grad"),
    "function": T("autograd.Function"),
    "checkpoint": T("Checkpoint", "NAMES.checkpoint"),
    "modes": T("no_grad, inference_mode"),
    "empty": T("Empty"),
}

ABOUT = {
    "leaf": T("Allowed under no_grad, refused without it."),
    "saved": T("exp() keeps its result, add_ changes it."),
    "view": T("A write to a row reaches base and graph."),
    "data": T("No version moves: silently wrong."),
    "detach": T("The counter is shared: backward notices."),
    "sgd": T("step() writes every parameter in place."),
    "gan": T("One step() before the other's backward."),
    "hooks": T("A hook changes the gradient on its way."),
    "function": T("Writes its input and marks it dirty."),
    "checkpoint": T("Backward runs the block again."),
    "modes": T("Two ways out of the graph, one way back."),
    "empty": T("One import, and the rest is yours."),
}
"""One line each."""


class TemplateTexts:
    """The dialog of templates."""

    templates = T("Start from a program")
    lead = T("Enter into the editor · Esc closes")
    put = T("{name} is in the editor; {undo} there takes it back.")
