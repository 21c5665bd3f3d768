"""Forward operations, as programs spell them, and what their nodes save."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.engine.drill.program_writer import NamedTensor, ProgramWriter
from inplace_tui.engine.drill.sketch import Handle
from inplace_tui.engine.drill.tags import Tag


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
