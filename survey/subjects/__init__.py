"""What is asked: one module a corner of torch, each with its `tasks`."""

from __future__ import annotations

from typing import Any, Callable

from survey.subjects import (
    bridges,
    collectives,
    foreach,
    functions,
    inits,
    layers,
    methods,
    operations,
    optimizers,
    writers,
)


def all_tasks() -> dict[str, Callable[[], list[Any]]]:
    found: dict[str, Callable[[], list[Any]]] = {}
    for module in (
        collectives,  # it waits more than it works: first, so that nothing waits for it
        layers,
        operations,
        methods,
        writers,
        functions,
        foreach,
        inits,
        optimizers,
        bridges,
    ):
        found.update(module.tasks())
    return found
