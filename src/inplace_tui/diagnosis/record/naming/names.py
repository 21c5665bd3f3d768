"""By which names a program can reach its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType
from typing import NamedTuple, TypeGuard

import torch

from inplace_tui.common.run.snapshot import MAX_NAME
from inplace_tui.diagnosis.record.compat import variables
from inplace_tui.diagnosis.record.naming.containers import (
    ACCESSORS,
    DEPTH,
    MAX_OBJECTS,
    OPTIMIZER,
    TENSOR,
    groups_and_state,
)
from inplace_tui.diagnosis.record.state.safe_reads import PLAIN, grad_of, is_opaque

Found = tuple[str, object]


class ReachableTensors:
    """Every tensor that a name reaches, by the identity of the object."""

    __slots__ = ("grads", "names", "optimized", "tensors")

    def __init__(self) -> None:
        self.tensors: dict[int, torch.Tensor] = {}
        self.names: dict[int, list[str]] = {}
        """Every expression that reaches it, those of few parts first."""

        self.grads: dict[int, torch.Tensor] = {}
        """Its `.grad`, if it has one."""

        self.optimized: set[int] = set()
        """Parameters of optimizers: their names are part of the names of optimizer state."""


def reach(frames: Sequence[FrameType]) -> ReachableTensors:
    """Return every tensor that a name reaches.

    Args:
        frames: the program's frames, the innermost first, the module's last.
            Names of the first and of its module are plain; those of the frames
            between are written `function:name`, and so is a module's name that
            a local one hides, as `<module>:name`, and those of another file's
            module, as `<__main__>:name`.
    """
    with torch._C.DisableTorchFunction():
        return _walk(_roots(frames))


def named_tensors(frames: Sequence[FrameType]) -> Iterator[tuple[str, torch.Tensor]]:
    """Return every expression that reaches a tensor, simple ones first."""
    found = reach(frames)
    return ((n, tensor) for key, tensor in found.tensors.items() for n in found.names[key])


def is_variable(name: object) -> bool:
    return type(name) is str and name[:2] != "__"


class Scope(NamedTuple):
    """The variables of one frame, or of the module around the innermost."""

    frame: int
    """Its address; 0 for that module."""

    code: CodeType
    prefix: str
    """Of their names, with a colon; empty where they are plain."""

    variables: Mapping[str, object]


def spaces_of(frames: Sequence[FrameType]) -> list[Scope]:
    """Return where names are looked for, as `reach` says it, the innermost first."""
    if not frames:
        return []
    inner = frames[0]
    plain, outside = variables(inner), inner.f_globals
    found = [Scope(id(inner), inner.f_code, "", plain)]
    for frame in frames[1:]:
        code, around, local = frame.f_code, frame.f_globals, variables(frame)
        if around is not local:
            found.append(Scope(id(frame), code, f"{code.co_name}:", local))
        elif around is not outside:
            name = str(around.get("__name__")).rpartition(".")[2]
            found.append(Scope(id(frame), code, f"<{name}>:", around))
    if outside is not plain:
        found.append(Scope(0, inner.f_code, "", outside))
    return found


def _roots(frames: Sequence[FrameType]) -> list[Found]:
    found: list[Found] = []
    hidden: Mapping[str, object] = {}
    for number, space in enumerate(spaces_of(frames)):
        hidden = hidden if number else space.variables
        for name, value in _variables(space.variables):
            hides = space.frame == 0 and name in hidden
            found.append(("<module>:" + name if hides else space.prefix + name, value))
    return found


def _variables(namespace: Mapping[str, object]) -> list[Found]:
    return [
        (name, value)
        for name, value in list(namespace.items())
        if ACCESSORS[type(value)] is not None and is_variable(name)
    ]


def _walk(roots: list[Found]) -> ReachableTensors:
    """Look breadth first, so that the first name of each thing is a short one."""
    reached = ReachableTensors()
    tensors, names = reached.tensors, reached.names
    seen: set[int] = set()
    optimizers: list[Found] = []
    level = roots
    in_transform = torch._C._functorch.peek_interpreter_stack() is not None
    for _ in range(DEPTH):
        deeper: list[Found] = []
        for name, value in level:
            kind = ACCESSORS[type(value)]
            if kind is None or len(name) > MAX_NAME:
                continue
            key = id(value)
            if key in tensors:
                names[key].append(name)
            elif kind is TENSOR:
                if len(tensors) < MAX_OBJECTS and _is_readable(value, in_transform):
                    tensors[key] = tensor = value
                    names[key] = [name]
                    grad = grad_of(tensor)
                    if grad is not None:
                        reached.grads[key] = grad
                        deeper.append((f"{name}.grad", grad))
            elif key not in seen and len(seen) < MAX_OBJECTS:
                seen.add(key)
                if kind is OPTIMIZER:
                    optimizers.append((name, value))
                else:
                    keys, items = kind.read(value)
                    deeper += [
                        (kind.part(name, at), item)
                        for at, item in zip(keys, items, strict=False)
                        if ACCESSORS[type(item)] is not None
                    ]
        level = deeper
        if not deeper:
            break
    for name, optimizer in optimizers:
        _add_optimizer(name, optimizer, reached)
    return reached


def _is_readable(value: object, in_transform: bool) -> TypeGuard[torch.Tensor]:
    if not in_transform and type(value) in PLAIN:
        return True
    assert isinstance(value, torch.Tensor)
    return not is_opaque(value)


def _add_optimizer(name: str, optimizer: object, reached: ReachableTensors) -> None:
    """Add its state by parameter, and the parameters that have no other name."""
    groups, state = groups_and_state(optimizer)
    for i, group in enumerate(groups):
        for j, parameter in enumerate(dict.get(group, "params", ())):
            reached.optimized.add(id(parameter))
            if id(parameter) not in reached.tensors:
                _add(f"{name}.param_groups[{i}]['params'][{j}]", parameter, reached)
    for parameter, kept in state:
        if id(parameter) in reached.names:
            of = reached.names[id(parameter)][0]
            for key, item in list(dict.items(kept)):
                _add(f"{name}.state[{of}][{key!r}]", item, reached)


def _add(name: str, value: object, reached: ReachableTensors) -> None:
    key = id(value)
    if key in reached.names:
        reached.names[key].append(name)
    elif isinstance(value, torch.Tensor) and not is_opaque(value):
        reached.tensors[key] = value
        reached.names[key] = [name]
        grad = grad_of(value)
        if grad is not None:
            reached.grads[key] = grad
            _add(f"{name}.grad", grad, reached)
