"""Small programs, made up at random: a version, a seed and a level name one for ever.

Of many that are made up for a seed, the first is taken that has a point and that
the sketch guesses to come out as the seed wants it, so that no ending is rare.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random

from inplace_tui.engine.blame.ending import Ending
from inplace_tui.engine.drill.operations import compute, loss_of
from inplace_tui.engine.drill.program_writer import ProgramWriter
from inplace_tui.engine.drill.sketch import Handle, WriteKind
from inplace_tui.engine.drill.tags import Tag
from inplace_tui.engine.drill.writes import write_something
from inplace_tui.model.program import Origin, Program

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
    wanted = random.choice(list(Ending))
    decoy = _decoy(random, wanted, level)
    for tried in count():
        draft = _drafted(random, level)
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


def _drafted(random: Random, level: int) -> ProgramWriter:
    draft = ProgramWriter(random, level)
    kind = random.choices((_plain, _updated, _twice), _KINDS[level])[0]
    kind(draft)
    return draft


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
