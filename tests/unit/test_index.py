"""The index of a timeline: the same answers as a walk over all its steps."""

from __future__ import annotations

from inplace_tui.common.run.histories import Life, value_at
from inplace_tui.common.run.snapshot import Saved, SlotState, Storage
from inplace_tui.common.run.step import Mutation, Printed, Step
from inplace_tui.common.run.timeline import Timeline
from support.recording import record


def saved(state: SlotState = SlotState.FRESH) -> Saved:
    return Saved(node=1, slot="result", storage=7, version=0, state=state)


def timeline() -> Timeline:
    made = Timeline()
    write = Mutation(line=2, storage=7, before=0, after=1)
    for step in (
        Step(index=0, line=1, end_line=1, began=0, storages=(Storage(id=9, nbytes=4),)),
        Step(index=1, line=2, end_line=2, began=1, storages=(Storage(id=7, nbytes=4),),
             saved=(saved(),)),
        Step(index=2, line=2, end_line=2, began=2, events=(write,),
             saved=(saved(SlotState.STALE),)),
        Step(index=3, line=3, end_line=3, began=3, raised="RuntimeError: no"),
        Step(index=4, line=4, end_line=4, began=4, lost=(1,), freed=(7,),
             events=(Printed(text="done"),)),
    ):  # fmt: skip
        made.append(step)
    return made


def test_a_storages_life_is_known_without_walking() -> None:
    index = timeline().index

    assert index.lives[7] == Life(
        born=1,
        freed=4,
        writes=((2, 1),),
        held=((1, 1), (4, 0)),
        stale=((2, 1), (4, 0)),
        spoiled=(2,),
        nbytes=4,
    )
    assert index.ranks == {9: 0, 7: 1}


def test_visits_and_everything_said_are_found() -> None:
    index = timeline().index

    assert index.visits[2] == [1, 2]
    assert index.output == [3, 4]


def test_a_count_holds_until_the_next_change() -> None:
    held = timeline().index.lives[7].held

    assert [value_at(held, step) for step in range(5)] == [0, 1, 1, 1, 0]


def test_a_graph_freed_by_backward_holds_nothing() -> None:
    made = Timeline()
    made.append(
        Step(index=0, line=1, end_line=1, began=0, storages=(Storage(id=7, nbytes=4),),
             saved=(saved(),))
    )  # fmt: skip
    made.append(Step(index=1, line=2, end_line=2, began=1, saved=(saved(SlotState.FREED),)))

    assert made.index.lives[7].held == ((0, 1), (1, 0))


def test_an_excerpt_knows_the_storages_and_lines_of_its_own_steps() -> None:
    whole = timeline()

    part = whole.excerpt(whole.steps[:2])

    assert part.index.ranks == {9: 0, 7: 1}
    assert part.index.visits == {1: [0], 2: [1]}
    assert part.index.lives[7].writes == ()


def test_a_call_ran_no_backward_because_it_gives_a_gradient_other_names() -> None:
    """What it is called with has names of its own there, and is reported again."""
    found = record(
        "import torch\n"
        "def asked(v):\n"
        "    return v.sum().item()\n"
        "def step(v):\n"
        "    v.sum().backward()\n"
        "w = torch.ones(2, requires_grad=True)\n"
        "for _ in range(2):\n"
        "    step(w)\n"
        "    asked(w)\n"
    )
    steps = [found.steps[index] for index in found.timeline.index.backwards]

    assert [(step.line, step.visit) for step in steps] == [(5, 1), (5, 2)]
