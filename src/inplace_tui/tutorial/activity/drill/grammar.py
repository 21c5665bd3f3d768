"""Small programs, made up at random: a version, a seed and a level name one for ever.

Of many that are made up for a seed, the first is taken that has a point and that
the sketch guesses to come out as the seed wants it, so that no ending is rare.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from random import Random

from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.activity.drill.sketch import (
    Handle,
    Memory,
    NamedTensor,
    ProgramWriter,
    Tag,
    WriteKind,
)

AddWrite = Callable[[ProgramWriter, NamedTensor], None]


def write_something(draft: ProgramWriter) -> None:
    """Write a line that writes to a tensor, or seems to."""
    target = draft.latest if draft.chance(0.5) else draft.random.choice([*draft.held.values()])
    usable = [
        (weight, write)
        for level, weight, write in WRITES
        if level <= draft.level and (target.size or write not in _NO_SCALARS)
    ]
    weights = [weight for weight, _ in usable]
    (chosen,) = draft.random.choices([write for _, write in usable], weights)
    draft.matters |= target.handle.memory.read or target.handle.memory.leaf
    chosen(draft, target)


def _about(target: NamedTensor, *tags: Tag) -> tuple[Tag, ...]:
    is_leaf = target.handle.tracked and target.handle.memory.leaf
    return (*tags, Tag.LEAF) if is_leaf else tags


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


def _augmented(draft: ProgramWriter, target: NamedTensor, *, plainly: bool = False) -> None:
    sign = draft.random.choice("+*")
    others = [each for each in draft.held.values() if each.size == target.size and target.size]
    if others and not plainly and draft.chance(0.3):
        other = draft.random.choice(others)
        draft.sketch.write(target.handle, operand=other.handle, scales=sign == "*")
        operand = other.name
    else:
        _write(draft, target, scales=sign == "*")
        operand = "2" if sign == "*" else "1"
    draft.add(f"{target.name} {sign}= {operand}", *_about(target, Tag.IN_PLACE))


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


def _aliased(
    draft: ProgramWriter, target: NamedTensor, *, how: str, kind: WriteKind, tag: Tag
) -> None:
    """Write to a copy of what has no history, or to that itself."""
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


_data_clone = partial(_aliased, how="data", kind=WriteKind.UNCOUNTED, tag=Tag.DATA)
_detached = partial(_aliased, how="detach()", kind=WriteKind.NO_GRAD, tag=Tag.DETACH)


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
    draft.random.choice((_method, partial(_augmented, plainly=True), _data))(draft, view)
    del draft.held[name]
    draft.hold(replace(target, positive=False))


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


@dataclass(frozen=True)
class Unary:
    """An operation on one tensor."""

    level: int
    spellings: tuple[str, ...]
    saves: str
    """`result`, `input`, `number` or nothing."""

    positive: bool = False
    """Whether its result is."""

    wants_positive: bool = False
    signs_only: bool = False
    """Whether backward needs no more than the signs of what was saved."""


UNARY = (
    Unary(1, ("torch.exp({x})", "{x}.exp()"), "result", positive=True),
    Unary(1, ("torch.sigmoid({x})", "{x}.sigmoid()"), "result", positive=True),
    Unary(1, ("{x} ** 2", "{x}.pow(2)"), "input"),
    Unary(1, ("{x} * 2", "{x} * 3"), "number"),
    Unary(1, ("{x} + 1", "{x} - 2"), ""),
    Unary(2, ("torch.tanh({x})", "{x}.tanh()"), "result"),
    Unary(2, ("torch.relu({x})", "{x}.relu()"), "result", signs_only=True),
    Unary(2, ("torch.sqrt({x})", "{x}.sqrt()"), "result", positive=True, wants_positive=True),
    Unary(2, ("-{x}",), ""),
    Unary(3, ("torch.softmax({x}, dim=0)", "{x}.softmax(0)"), "result", positive=True),
    Unary(3, ("torch.log({x})", "{x}.log()"), "input", wants_positive=True),
    Unary(3, ("torch.cos({x})", "{x}.cos()"), "input"),
    Unary(3, ("{x}.clamp(min=0)",), "input", signs_only=True),
    Unary(4, ("{x}.cumsum(0)",), ""),
    Unary(4, ("{x}.abs()",), "input", signs_only=True),
)

BINARY = ((1, "*"), (1, "+"), (2, "-"), (4, "/"))


def compute(draft: ProgramWriter) -> None:
    operand = draft.latest
    others = [
        each
        for each in draft.held.values()
        if each.size in (operand.size, 0) and each.name != operand.name
    ]
    if others and operand.size and draft.chance(0.4 if operand.handle.needs_grad else 0.8):
        _binary(draft, operand, draft.random.choice(others))
    else:
        _unary(draft, operand)


def _unary(draft: ProgramWriter, operand: NamedTensor) -> None:
    random = draft.random
    usable = [
        each
        for each in UNARY
        if each.level <= draft.level
        and (operand.positive or not each.wants_positive)
        and (operand.size or "dim" not in each.spellings[0])
    ]
    chosen = random.choice(usable)
    handle = apply(draft, operand.handle, chosen.saves, signs_only=chosen.signs_only)
    name = draft.fresh()
    line = random.choice(chosen.spellings).format(x=operand.name)
    draft.add(f"{name} = {line}", *tags_of(chosen.saves))
    adds_up = "softmax" in line or (operand.adds_up and chosen.saves != "input")
    made = NamedTensor(name, handle, operand.size, adds_up=adds_up, positive=chosen.positive)
    draft.latest = draft.hold(made)


def apply(draft: ProgramWriter, operand: Handle, saves: str, *, signs_only: bool = False) -> Handle:
    """Sketch an operation on one tensor."""
    return draft.sketch.result(
        operand,
        saves=(operand,) if saves == "input" else (),
        saves_result=saves == "result",
        saves_number=saves == "number",
        signs_only=signs_only,
    )


def tags_of(saves: str) -> tuple[Tag, ...]:
    """Return what is to be learnt from an operation that saves this."""
    return {"result": (Tag.SAVED_OUTPUT,), "input": (Tag.SAVED_INPUT,)}.get(saves, ())


def _binary(draft: ProgramWriter, operand: NamedTensor, other: NamedTensor) -> None:
    signs = [
        sign for level, sign in BINARY if level <= draft.level and (sign != "/" or other.positive)
    ]
    sign = draft.random.choice(signs)
    one, two = operand.handle, other.handle
    if sign == "*":
        handle = draft.sketch.product(one, two)
    elif sign == "/":
        saves = (one, two) if two.needs_grad else (two,)
        handle = draft.sketch.result(one, two, saves=saves)
    else:
        handle = draft.sketch.result(one, two)
    name = draft.fresh()
    draft.add(
        f"{name} = {operand.name} {sign} {other.name}",
        *((Tag.SAVED_INPUT,) if sign in "*/" else ()),
    )
    positive = operand.positive and other.positive and sign != "-"
    draft.latest = draft.hold(NamedTensor(name, handle, operand.size, positive=positive))


def loss_of(draft: ProgramWriter, value: NamedTensor, name: str) -> Handle:
    random, held = draft.random, draft.sketch
    others = [
        each for each in draft.held.values() if each.size == value.size and each.name != value.name
    ]
    kind = random.choice(("sum", "sum", "mean", "square", "product"))
    kind = "sum" if kind == "product" and not others else kind
    kind = "square" if value.adds_up and kind in ("sum", "mean") else kind
    if draft.level >= 4 and draft.chance(0.15):
        kind = "max"
    if kind == "product":
        other = random.choice(others)
        total = held.product(value.handle, other.handle)
        draft.add(f"{name} = ({value.name} * {other.name}).sum()", Tag.SAVED_INPUT)
    elif kind == "square":
        total = apply(draft, value.handle, "input")
        draft.add(f"{name} = ({value.name} ** 2).sum()", Tag.SAVED_INPUT)
    elif kind == "max":
        total = held.result(value.handle, saves=(value.handle,), saves_result=True)
        draft.add(f"{name} = {value.name}.max()", Tag.SAVED_INPUT)
        return total
    else:
        total = value.handle
        draft.add(f"{name} = {value.name}.{kind}()")
    return held.result(total)


VERSION = 1
"""Of the grammar. A change to what any seed gives is another version."""

LEVELS = 5
MIN_LINES, MAX_LINES = 5, 9
"""Lines of a program, `import torch` apart."""

_TRIES = 1000
"""After so many, one without the decoy will do."""

_OPERATIONS = {1: (1, 2), 2: (1, 3), 3: (1, 3), 4: (1, 3), 5: (2, 4)}
_WRITES = {1: (1, 1), 2: (1, 2), 3: (1, 2), 4: (1, 2), 5: (1, 3)}
_KINDS = {1: (1, 0, 0), 2: (1, 0, 0), 3: (1, 0, 0), 4: (5, 3, 3), 5: (6, 3, 2)}
"""How often there is one backward, an update, or two backwards."""

_DECOYS: dict[Ending, tuple[tuple[WriteKind, float], ...]] = {
    Ending.RIGHT: ((WriteKind.UNCOUNTED, 0.5), (WriteKind.NO_GRAD, 0.2)),
    Ending.WRONG: ((WriteKind.NO_GRAD, 0.3),),
    Ending.RAISES_BEFORE: ((WriteKind.UNCOUNTED, 0.3), (WriteKind.NO_GRAD, 0.2)),
    Ending.RAISES_IN_BACKWARD: ((WriteKind.UNCOUNTED, 0.35), (WriteKind.NO_GRAD, 0.2)),
}
"""How often there is a write of this kind that does not decide how it ends. Without these, a
glance would be enough: nothing but an unseen write makes a gradient silently wrong."""


@dataclass(frozen=True)
class Drill:
    """One program to predict the ending of."""

    seed: int
    level: int
    source: str
    tags: tuple[Tag, ...]
    guess: Ending
    """What the sketch says. Never shown: what is shown was run."""

    @property
    def program(self) -> Program:
        return Program(source=self.source, filename="drill.py", origin=Origin.BUILT_IN)


def make(seed: int, level: int) -> Drill:
    random = Random(f"{VERSION}/{level}/{seed}")  # noqa: S311  # the same for everybody, for ever
    wanted = random.choice(PREDICTED)
    decoy = _decoy(random, wanted, level)
    for tried in count():
        draft = ProgramWriter(random, level)
        (kind,) = random.choices((_plain, _updated, _twice), _KINDS[level])
        kind(draft)
        fits = (draft.sketch.ending or Ending.RIGHT) is wanted
        if fits and (decoy <= draft.sketch.write_kinds or tried > _TRIES) and _has_a_point(draft):
            break
    source = "\n".join(["import torch", *draft.lines, ""])
    return Drill(seed, level, source, tuple(draft.tags), draft.sketch.ending or Ending.RIGHT)


def _decoy(random: Random, wanted: Ending, level: int) -> set[WriteKind]:
    """Choose the kinds of writes; an easy program writes only once."""
    drawn = random.random()
    if level == 1 and wanted is not Ending.RIGHT:
        return set()
    for kind, share in _DECOYS[wanted]:
        if drawn < share:
            return {kind}
        drawn -= share
    return set()


def _plain(draft: ProgramWriter) -> None:
    """One backward, and writes on the way to it."""
    _leaves(draft)
    _forward(draft, _OPERATIONS[draft.level], _WRITES[draft.level])
    late = draft.chance(0.15)
    loss = loss_of(draft, draft.latest, "loss")
    if late:
        write_something(draft)
    _backward(draft, "loss", loss, retain=0)


def _forward(draft: ProgramWriter, operations: tuple[int, int], writes: tuple[int, int]) -> None:
    """Compute something, and write somewhere on the way."""
    moves = [compute] * draft.random.randint(*operations)
    moves += [write_something] * draft.random.randint(*writes)
    draft.random.shuffle(moves)
    for move in moves:
        move(draft)


def _leaves(draft: ProgramWriter) -> None:
    parameter = draft.leaf("w", needs=True, positive=draft.chance(0.4))
    if draft.chance(0.75):
        draft.leaf("x", needs=False, positive=draft.chance(0.6))
    elif draft.level >= 2:
        draft.leaf("b", needs=True, positive=draft.chance(0.5))
    draft.latest = parameter


def _updated(draft: ProgramWriter) -> None:
    """An optimizer updates the parameter at some point, perhaps between two losses."""
    _leaves(draft)
    parameter, chance = draft.held["w"].handle, draft.chance
    draft.add(f"opt = torch.optim.SGD([w], lr={draft.random.choice(('0.1', '0.5'))})")
    draft.about(Tag.OPTIMIZER)
    draft.matters = True

    def step() -> None:
        draft.sketch.step(parameter)
        draft.add("opt.step()")

    _forward(draft, (1, 2), (0, 1))
    loss = loss_of(draft, draft.latest, "loss")
    if chance(0.2):
        step()  # nobody has a gradient yet
    other = loss_of(draft, draft.latest, "second") if chance(0.5) else None
    _backward(draft, "loss", loss, retain=0.6)
    step()
    if other is None and chance(0.6):
        other = loss_of(draft, draft.latest, "second")
    _backward(draft, "second" if other else "loss", other or loss, retain=0)


def _twice(draft: ProgramWriter) -> None:
    """Go through the same graph twice, or part of it."""
    _leaves(draft)
    draft.about(Tag.TWICE)
    draft.matters = True
    _forward(draft, (1, 2), (0, 1))
    loss = loss_of(draft, draft.latest, "loss")
    other = loss_of(draft, draft.latest, "second") if draft.chance(0.5) else None
    _backward(draft, "loss", loss, retain=0.6)
    if draft.chance(0.4):
        write_something(draft)
    _backward(draft, "second" if other else "loss", other or loss, retain=0)


def _backward(draft: ProgramWriter, name: str, loss: Handle, *, retain: float) -> None:
    retained = draft.chance(retain)
    draft.sketch.backward(loss, retain=retained)
    draft.add(f"{name}.backward({'retain_graph=True' if retained else ''})")


def _has_a_point(draft: ProgramWriter) -> bool:
    """Whether it is short, beyond dispute, and can't be answered without being read."""
    sketch = draft.sketch
    return (
        MIN_LINES <= len(draft.lines) <= MAX_LINES
        and draft.matters
        and all(leaf.read for leaf in draft.leaves)
        and not sketch.ambiguous
        and not sketch.late
    )
