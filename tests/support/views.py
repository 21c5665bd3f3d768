"""Views written by hand: the program of the mock-ups, step by step, without a run."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

from inplace_tui.common.blame import Blame, Saver
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.outcome import Raised
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.run.snapshot import EMPTY, Edge, Node, Saved, SlotState, Storage, Tensor
from inplace_tui.common.run.step import Mutation, Printed, Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.verdicts import Verdict
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import NOTHING, Gate, Mask, QuestionView, View
from inplace_tui.tutorial.course.lessons.kinds.kind import ChoicesView

SOURCE = """import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
y.add_(1)
print(y.sum())
y.sum().backward()
"""

MESSAGE = (
    "one of the variables needed for gradient computation has been modified by an inplace "
    "operation: [torch.FloatTensor [3]], which is output 0 of AddBackward0, is at version 1; "
    "expected version 0 instead."
)

EXP = (2.7182817, 7.3890562, 20.085537)


def floats(*numbers: float) -> bytes:
    """Return the bytes of a float32 storage."""
    return struct.pack(f"<{len(numbers)}f", *numbers)


def tensor(number: int, name: str, **fields: Any) -> Tensor:
    """Return a float32 vector of three on a storage of the same number."""
    given: dict[str, Any] = {
        "names": (name,), "shape": (3,), "stride": (1,), "dtype": "float32", "storage": number,
        "data_ptr": 0x55A0_0000 + 64 * number,
    }  # fmt: skip
    return Tensor(id=number, **{**given, **fields})


def storage(number: int, *numbers: float) -> Storage:
    """Return a float32 storage with these elements."""
    data = floats(*numbers)
    return Storage(id=number, nbytes=len(data), data=data)


def step(index: int, line: int, **fields: Any) -> Step:
    """Return a step of one line at module level."""
    given: dict[str, Any] = {"end_line": line, "began": index, "then": line + 1}
    return Step(index=index, line=line, **{**given, **fields})


def timeline(*steps: Step) -> Timeline:
    """Return the timeline of these steps."""
    made = Timeline()
    for one in steps:
        made.append(one)
    return made


def saved_output(*, stale: bool = False) -> Saved:
    """Return what exp() saved, before or after it was written."""
    return Saved(
        node=2, slot="result", tensor=2, storage=2, shape=(3,), dtype="float32", version=0,
        now=1 if stale else 0, is_output=True,
        state=SlotState.STALE if stale else SlotState.FRESH,
    )  # fmt: skip


def excerpt(made: Timeline, *, reachable: int, hidden_from: int, mask: Mask = NOTHING) -> Timeline:
    """Return the part of a timeline that a session shows up to a step."""
    run = SessionRun(1, Program(source=SOURCE, origin=Origin.OWN), made)
    return run.part(reachable=reachable, hidden_from=hidden_from, mask=mask)


def failing() -> Timeline:
    """Return the run of `SOURCE`, which fails in backward."""
    x = tensor(1, "x", requires_grad=True)
    y = tensor(2, "y", requires_grad=True, is_leaf=False, grad_fn=2)
    added = tensor(2, "y", requires_grad=True, is_leaf=False, grad_fn=3, version=1)
    leaf = Node(id=1, name="AccumulateGrad", leaf=1)
    exp = Node(id=2, name="ExpBackward0", line=3, step=2, inputs=(Edge(1),))
    add = Node(id=3, name="AddBackward0", line=4, step=3, inputs=(Edge(2),))
    write = Mutation(
        line=4, op="Tensor.add_", tensor=2, storage=2, before=0, after=1, column=0, end_column=9
    )
    made = timeline(
        step(0, 1),
        step(1, 2, tensors=(x,), storages=(storage(1, 1, 2, 3),)),
        step(2, 3, tensors=(y,), storages=(storage(2, *EXP),), nodes=(leaf, exp),
             saved=(saved_output(),)),
        step(3, 4, tensors=(added,), storages=(storage(2, *(n + 1 for n in EXP)),),
             nodes=(add,), saved=(saved_output(stale=True),), events=(write,)),
        step(4, 5, events=(Printed(text="tensor(33.1929, grad_fn=<SumBackward0>)\n"),)),
        step(5, 6, raised=f"RuntimeError: {MESSAGE}", in_backward=True, then=None),
    )  # fmt: skip
    made.outcome = Raised(exception="RuntimeError", message=MESSAGE, line=6, in_backward=True)
    return made


QUESTION = QuestionView(
    id="will-it-run",
    prompt=LocalText(
        en="What does `backward()` do on line 6?", zh="第 6 行的 `backward()` 会怎样？"
    ),
    answers=ChoicesView(
        (
            ("right", LocalText(en="Runs. The gradient is right.", zh="正常运行，梯度正确。")),
            ("wrong", LocalText(en="Runs. The gradient is wrong.", zh="正常运行，但梯度是错的。")),
            ("raises", LocalText(en="Raises an error.", zh="报错。")),
        )
    ),
    status=QuestionStatus.OPEN,
    hints_total=2,
    line=6,
)

NARRATION = LocalText(
    en="`y.add_(1)` rewrote storage B. The values changed and the version went from 0 to 1. "
    "`ExpBackward0` holds B too: it saved it at version 0.",
    zh="`y.add_(1)` 改写了存储 B：值变了，版本号从 0 变为 1。`ExpBackward0` 也持有 B，"
    "它保存的是版本 0。",
)


def at(cursor: int, made: Timeline | None = None, **fields: Any) -> View:
    """Return the view of a free sandbox run at `cursor`."""
    made = made or failing()
    before = made.at(cursor - 1) if cursor > 0 else EMPTY
    following = made.steps[cursor + 1].line if cursor + 1 < len(made) else None
    view = View(
        source=SOURCE,
        timeline=made,
        cursor=cursor,
        reachable=len(made) - 1,
        snapshot=made.at(cursor),
        previous=before,
        ran=made.steps[cursor] if cursor >= 0 else None,
        next_line=following,
        watch=("x", "y"),
    )
    return replace(view, **fields)


def asking(cursor: int = 4, **fields: Any) -> View:
    """Return the view in a lesson while the question before line 6 is open."""
    given: dict[str, Any] = {
        "reachable": 4, "gates": {5: Gate.OPEN}, "mask": Mask(outcome=True),
        "question": QUESTION if cursor == 4 else None, "narration": NARRATION,
    }  # fmt: skip
    return at(cursor, **{**given, **fields})


def failed() -> View:
    """Return the view at the end, when everything is known."""
    made = failing()
    return at(
        5,
        made,
        outcome=made.outcome,
        gates={5: Gate.DONE},
        blame=Blame(
            verdict=Verdict.SAVED_TENSOR_MODIFIED,
            tensor="y",
            saver=Saver(line=3, node="ExpBackward0", slot="result", version=0),
            writes=tuple(e for e in made.steps[3].events if isinstance(e, Mutation)),
            reader=6,
        ),
        question=replace(
            QUESTION, status=QuestionStatus.RIGHT, tried=("wrong", "raises"), right="raises",
            feedback=NARRATION,
        ),
    )  # fmt: skip
