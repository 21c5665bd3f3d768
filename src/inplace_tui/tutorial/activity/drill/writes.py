"""Ways to write to a tensor, and what looks like one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inplace_tui.common.run.ending import Ending
from inplace_tui.tutorial.activity.drill.program_writer import NamedTensor, ProgramWriter, Tag
from inplace_tui.tutorial.activity.drill.sketch import Handle, Memory, WriteKind

AddWrite = Callable[[ProgramWriter, NamedTensor], None]


def write_something(draft: ProgramWriter) -> None:
    """Write a line that writes to a tensor, or seems to."""
    target = _target(draft)
    usable = [
        (weight, write)
        for level, weight, write in WRITES
        if level <= draft.level and (target.size or write not in _NO_SCALARS)
    ]
    weights = [weight for weight, _ in usable]
    (chosen,) = draft.random.choices([write for _, write in usable], weights)
    draft.matters |= target.handle.memory.read or target.handle.memory.leaf
    chosen(draft, target)


def _target(draft: ProgramWriter) -> NamedTensor:
    return draft.latest if draft.chance(0.5) else draft.choose()


def _is_leaf(target: NamedTensor) -> bool:
    return target.handle.tracked and target.handle.memory.leaf


def _about(target: NamedTensor, *tags: Tag) -> tuple[Tag, ...]:
    return (*tags, Tag.LEAF) if _is_leaf(target) else tags


def _write(
    draft: ProgramWriter,
    target: NamedTensor,
    kind: WriteKind = WriteKind.RECORDED,
    *,
    scales: bool = False,
    saves_result: bool = False,
) -> None:
    draft.sketch.write(target.handle, kind, saves_number=scales, saves_result=saves_result)
    draft.hold(replace(draft.held.get(target.name, target), positive=False))


# Plain writes.


def _method(draft: ProgramWriter, target: NamedTensor) -> None:
    call, scales = draft.random.choice((("add_(1)", False), ("mul_(2)", True), ("sub_(1)", False)))
    _write(draft, target, scales=scales)
    draft.add(f"{target.name}.{call}", *_about(target, Tag.IN_PLACE))


def _augmented(draft: ProgramWriter, target: NamedTensor) -> None:
    sign = draft.random.choice("+*")
    others = [each for each in draft.held.values() if each.size == target.size and target.size]
    other = draft.random.choice(others) if others and draft.chance(0.3) else None
    if other is None:
        _write(draft, target, scales=sign == "*")
        draft.add(f"{target.name} {sign}= {2 if sign == '*' else 1}", *_about(target, Tag.IN_PLACE))
        return
    draft.sketch.write(target.handle, operand=other.handle, scales=sign == "*")
    draft.add(f"{target.name} {sign}= {other.name}", *_about(target, Tag.IN_PLACE))


def _rebinding(draft: ProgramWriter, target: NamedTensor) -> None:
    sign = draft.random.choice("+*")
    handle = draft.sketch.result(target.handle, saves_number=sign == "*")
    draft.rebind(target, handle)
    number = 2 if sign == "*" else 1
    draft.add(f"{target.name} = {target.name} {sign} {number}", Tag.REBINDING)


def _item(draft: ProgramWriter, target: NamedTensor) -> None:
    place = draft.random.choice(("0", "-1", ":2", "1:"))
    value = draft.random.choice(("0", "5"))
    _write(draft, target)
    draft.add(f"{target.name}[{place}] = {value}", *_about(target, Tag.ITEM))


def _zero(draft: ProgramWriter, target: NamedTensor) -> None:
    _write(draft, target)
    call = draft.random.choice(("zero_()", "fill_(3)"))
    draft.add(f"{target.name}.{call}", *_about(target, Tag.IN_PLACE))


def _activation(draft: ProgramWriter, target: NamedTensor) -> None:
    call = draft.random.choice(("relu_", "sigmoid_", "tanh_"))
    _write(draft, target, saves_result=True)
    text = f"torch.{call}({target.name})" if draft.chance(0.4) else f"{target.name}.{call}()"
    draft.add(text, *_about(target, Tag.SAVED_OUTPUT))


def _layer(draft: ProgramWriter, target: NamedTensor) -> None:
    name = draft.fresh()
    _write(draft, target, saves_result=True)
    draft.add(f"{name} = torch.nn.ReLU(inplace=True)({target.name})", *_about(target, Tag.LAYER))
    draft.latest = draft.hold(replace(target, name=name, positive=False))


# Writes of which autograd hears less.


def _data(draft: ProgramWriter, target: NamedTensor) -> None:
    calls = ("add_(1)", "mul_(2)", "zero_()", "[0] = 5", "[1:] *= 2")
    call = draft.random.choice(calls if target.size and draft.level > 1 else calls[:3])
    _write(draft, target, WriteKind.UNCOUNTED)
    text = f"{target.name}.data{'' if call.startswith('[') else '.'}{call}"
    draft.add(text, *_about(target, Tag.DATA))


def _data_clone(draft: ProgramWriter, target: NamedTensor) -> None:
    """Write to a copy of the data, or to data that is no copy."""
    _aliased(draft, target, "data", WriteKind.UNCOUNTED, Tag.DATA)


def _detached(draft: ProgramWriter, target: NamedTensor) -> None:
    _aliased(draft, target, "detach()", WriteKind.NO_GRAD, Tag.DETACH)


def _aliased(
    draft: ProgramWriter, target: NamedTensor, how: str, kind: WriteKind, tag: Tag
) -> None:
    text, name = f"{target.name}.{how}", draft.free("d", "old", "t")
    calls = (" += 1", " *= 2", ".add_(1)", "[0] = 5")
    call = draft.random.choice(calls if target.size else calls[:3])
    if draft.chance(0.35):
        draft.add(f"{name} = {text}.clone()", Tag.CLONE, tag)
        draft.add(f"{name}{call}")
        return
    _write(draft, target, kind)
    if draft.chance(0.5):
        draft.add(f"{text}.{draft.random.choice(('add_(1)', 'mul_(2)'))}", *_about(target, tag))
    else:
        draft.add(f"{name} = {text}", *_about(target, tag))
        draft.add(f"{name}{call}")


def _no_grad(draft: ProgramWriter, target: NamedTensor) -> None:
    if draft.chance(0.5):
        target, draft.matters = draft.held["w"], True
    call = draft.random.choice((" -= 1", " *= 2", ".add_(1)", ".clamp_(min=1)"))
    _write(draft, target, WriteKind.NO_GRAD)
    draft.add("with torch.no_grad():", *_about(target, Tag.NO_GRAD))
    draft.add(f"    {target.name}{call}")


def _numpy(draft: ProgramWriter, target: NamedTensor) -> None:
    name = draft.free("arr", "n", "raw")
    text = draft.random.choice((f"{name}[0] = 5", f"{name} *= 2", f"{name}[:] = 1"))
    if draft.chance(0.3 if target.handle.needs_grad else 0.7):
        # On a tensor that requires grad, this is refused.
        draft.add(f"{name} = {target.name}.numpy()", *_about(target, Tag.NUMPY))
        if target.handle.needs_grad:
            draft.sketch.fail(_BEFORE)
    elif draft.chance(0.3):
        draft.add(f"{name} = {target.name}.detach().clone().numpy()", Tag.NUMPY, Tag.CLONE)
        draft.add(text)
        return
    else:
        draft.add(f"{name} = {target.name}.detach().numpy()", *_about(target, Tag.NUMPY))
    _write(draft, target, WriteKind.UNCOUNTED)
    draft.add(text)


# Copies and views.


def _cut(draft: ProgramWriter, target: NamedTensor) -> None:
    """Rebind a name to the same memory without its history."""
    handle = Handle(target.handle.memory, tracked=False)
    draft.rebind(target, handle, positive=target.positive)
    draft.add(f"{target.name} = {target.name}.detach()", Tag.DETACH, Tag.REBINDING)


def _copy(draft: ProgramWriter, target: NamedTensor) -> None:
    """Copy first, then write to one of the two."""
    name = draft.fresh()
    handle = draft.sketch.result(target.handle)
    draft.add(f"{name} = {target.name}.clone()", Tag.CLONE)
    copied = draft.hold(replace(target, name=name, handle=handle))
    if draft.chance(0.5):
        draft.latest = copied
    _method(draft, copied if draft.chance(0.6) else target)


def _view(draft: ProgramWriter, target: NamedTensor) -> None:
    name = draft.free("v", "part", "row")
    text, size = draft.random.choice(
        (("[:2]", 2), ("[1:]", 2), ("[0]", 0), (".view(-1)", target.size))
    )
    draft.add(f"{name} = {target.name}{text}", *_about(target, Tag.VIEW))
    view = NamedTensor(name, target.handle, size)
    if draft.chance(0.2):
        # Not written to after all: computed with instead.
        made = draft.sketch.result(view.handle, saves_number=True)
        draft.add(f"{name} = {name} * 2", Tag.REBINDING)
        draft.latest = draft.hold(replace(view, handle=made))
        return
    write = draft.random.choice((_method, _augmented_plainly, _data))
    write(draft, view)
    del draft.held[name]
    draft.hold(replace(target, positive=False))


def _augmented_plainly(draft: ProgramWriter, target: NamedTensor) -> None:
    sign = draft.random.choice("+*")
    _write(draft, target, scales=sign == "*")
    draft.add(f"{target.name} {sign}= {2 if sign == '*' else 1}", Tag.IN_PLACE)


def _slice(draft: ProgramWriter, target: NamedTensor) -> None:
    ways = (("[:2]", "add_(1)"), ("[1:]", "mul_(2)"), ("[0]", "zero_()"))
    place, call = draft.random.choice(ways)
    _write(draft, target, scales=call.startswith("mul"))
    draft.add(f"{target.name}{place}.{call}", *_about(target, Tag.VIEW, Tag.ITEM))


def _unbound(draft: ProgramWriter, target: NamedTensor) -> None:
    """Write to one of several views that come from one call."""
    handle = Handle(target.handle.memory, tracked=target.handle.tracked, refuses_writes=True)
    draft.add(f"p, q, r = {target.name}.unbind()", *_about(target, Tag.VIEW))
    one = NamedTensor("p", handle if target.handle.needs_grad else target.handle, 0)
    (_method if draft.chance(0.6) else _data)(draft, one)
    del draft.held["p"]


def _copied_over(draft: ProgramWriter, target: NamedTensor) -> None:
    others = [each for each in draft.held.values() if each.size == target.size]
    other = draft.random.choice(others)
    draft.sketch.write(target.handle, operand=other.handle)
    draft.hold(replace(target, positive=False))
    draft.add(f"{target.name}.copy_({other.name})", *_about(target, Tag.IN_PLACE))


def _out(draft: ProgramWriter, target: NamedTensor) -> None:
    """Have a function write its result into a tensor."""
    draft.add(f"torch.mul({target.name}, 2, out={target.name})", *_about(target, Tag.IN_PLACE))
    if target.handle.needs_grad:
        draft.sketch.fail(_BEFORE)
    _write(draft, target, WriteKind.NO_GRAD)


def _buffer(draft: ProgramWriter, target: NamedTensor) -> None:
    """Fill a buffer, which has a history from then on."""
    name = draft.free("buf", "out", "acc")
    memory = Memory()
    place = draft.random.choice(("[0]", "[:2]")) if target.size == 0 else ""
    draft.add(f"{name} = torch.zeros(3)")
    made = NamedTensor(name, Handle(memory))
    draft.sketch.write(made.handle, operand=target.handle)
    draft.add(f"{name}{place or '[:]'} = {target.name}", Tag.ITEM)
    draft.latest = draft.hold(made)


_BEFORE = Ending.RAISES_BEFORE

WRITES: tuple[tuple[int, int, AddWrite], ...] = (
    (1, 4, _method),
    (1, 3, _augmented),
    (1, 4, _rebinding),
    (1, 4, _data),
    (1, 5, _no_grad),
    (1, 4, _copy),
    (2, 2, _item),
    (2, 1, _zero),
    (2, 2, _activation),
    (2, 3, _detached),
    (2, 1, _data_clone),
    (2, 1, _cut),
    (3, 3, _view),
    (3, 2, _slice),
    (3, 3, _numpy),
    (4, 2, _layer),
    (5, 2, _unbound),
    (5, 1, _copied_over),
    (5, 1, _out),
    (5, 1, _buffer),
)
"""From which level on, how often, and what."""

_NO_SCALARS = (_item, _view, _slice, _numpy, _data, _unbound)
