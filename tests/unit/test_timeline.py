"""Any moment of a run, against what is left when its steps are gone through one by one."""

from __future__ import annotations

import random

from inplace_tui.common.run.snapshot import EMPTY, Node, Saved, Snapshot
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from support.views import step, storage, tensor


def gone_through(before: Snapshot, one: Step) -> Snapshot:
    """Return what a step leaves behind, everything copied."""
    saved = {key: slot for key, slot in before.saved.items() if key[0] not in one.lost}
    return Snapshot(
        tensors={k: v for k, v in before.tensors.items() if k not in one.gone}
        | {each.id: each for each in one.tensors},
        storages={k: v for k, v in before.storages.items() if k not in one.freed}
        | {each.id: each for each in one.storages},
        nodes={k: v for k, v in before.nodes.items() if k not in one.lost}
        | {each.id: each for each in one.nodes},
        saved=saved | {(each.node, each.slot): each for each in one.saved},
    )


def run(length: int, dice: random.Random) -> list[Step]:
    """Return steps that do nothing for a while, then much, then little."""
    steps: list[Step] = []
    for index in range(length):
        if index % 300 < 100:
            steps.append(step(index, 1))
            continue
        made, old = dice.randrange(index, index + 5), dice.randrange(max(1, index))
        lost = (old,) if dice.random() < 0.3 else ()
        steps.append(
            step(
                index,
                1,
                tensors=(tensor(made, "x", version=index),) if dice.random() < 0.5 else (),
                gone=(old,) if dice.random() < 0.4 else (),
                storages=(storage(made, index),),
                freed=lost,
                nodes=(Node(id=made, name=f"N{index}"),),
                lost=lost,
                saved=(Saved(node=made, slot="self", version=index),),
            )
        )
    return steps


def test_any_moment_is_what_the_steps_up_to_it_leave() -> None:
    dice, timeline, expected = random.Random(4), Timeline(), [EMPTY]
    for one in run(1_000, dice):
        timeline.append(one)
        expected.append(gone_through(expected[-1], one))

    asked = [dice.randrange(-1, 1_000) for _ in range(300)]
    asked += [place + move for place in asked[:50] for move in (0, 1, 2, 1) if place < 997]
    found = [(index, timeline.at(index)) for index in asked]

    # Those that were had first, too, after all the others were made.
    assert all(snapshot == expected[index + 1] for index, snapshot in found)


def test_a_graph_that_grows_takes_room_with_its_nodes() -> None:
    timeline = Timeline()
    count = 20_000
    for index in range(count):
        timeline.append(step(index, 1, nodes=(Node(id=index, name="N"),)))

    kept = sum(len(snapshot.nodes) for _, snapshot in timeline._keyframes)
    assert kept < 20 * count
    assert len(timeline.at(count // 2).nodes) == count // 2 + 1
