"""A small lesson, the steps of its run, and sessions that are somewhere in it."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.outcome import (
    Completed,
    Difference,
    Outcome,
    Raised,
    Right,
    Truth,
    Wrong,
)
from inplace_tui.common.run.program import Origin
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.common.run.step import Mutation, Printed, Step
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import (
    AnswerGiven,
    Instruction,
    Move,
    Moved,
    Notify,
    RunBegan,
    RunEnded,
    RunProgram,
    StepsArrived,
    TruthKnown,
)
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson, load_lesson

CODE = """\
code: |
  x = make()      #@ make
  y = x.exp()     #@ exp
  y.add_(1)       #@ mutate
  y.backward()    #@ back
  print(x.grad)   #@ show
steps:
"""
"""Of all lessons here, up to their steps."""

AT_BACK = (
    """
schema: 1
id: {id}
title: {{en: t, zh: t}}
teaches: [{id}]
difficulty: 1
minutes: 1
"""
    + CODE
    + "  - at: back\n"
)
"""The head of a lesson with the same program, to the step at its last but one line."""

LESSON = load_lesson(
    """
schema: 1
id: saved-output
title: {en: t, zh: t}
teaches: [saved-output]
difficulty: 1
minutes: 1
watch: [y]
"""
    + CODE
    + """\
  - at: exp
    say: {en: saved, zh: saved}
  - at: mutate
    ask:
      id: version
      kind: attribute
      prompt: {en: which, zh: which}
      choices:
        - id: zero
          when: {tensors: {y: {version: 0}}}
          text: {en: a, zh: a}
          why: {en: no0, zh: no0}
        - id: one
          when: {tensors: {y: {version: 1}}}
          text: {en: b, zh: b}
          why: {en: yes1, zh: yes1}
    say: {en: written, zh: written}
  - at: back
    ask:
      id: ends
      kind: outcome
      prompt: {en: how, zh: how}
      choices:
        - {id: right, when: {ends: right}, text: {en: a, zh: a}, why: {en: r, zh: r}}
        - {id: wrong, when: {ends: wrong}, text: {en: b, zh: b}, why: {en: w, zh: w}}
        - {id: before, when: {ends: raises_before}, text: {en: c, zh: c}, why: {en: b, zh: b}}
        - {id: raises, when: {ends: raises_in_backward}, text: {en: d, zh: d}, why: {en: i, zh: i}}
      hints: [{en: h1, zh: h1}, {en: h2, zh: h2}]
    say: {en: delivered, zh: delivered}
variants:
  - id: data
    swap: {mutate: y.data.add_(1)}
    expect: {ends: runs}
    title: {en: v, zh: v}
    say: {en: other, zh: other}
  - {id: late, swap: {mutate: ""}, expect: {ends: runs}, title: {en: v, zh: v}}
recap: {en: recap, zh: recap}
""",
    "saved-output.yaml",
    origin=Origin.BUILT_IN,
)

X = Tensor(id=1, names=("x",), shape=(), dtype="float32", requires_grad=True)
GRAD = Tensor(id=3, names=("x.grad",), shape=(), dtype="float32")
WRITE = Mutation(line=3, op="Tensor.add_", tensor=2, storage=2, before=0, after=1)


def y(version: int) -> Tensor:
    return Tensor(id=2, names=("y",), shape=(), dtype="float32", version=version)


def step(index: int, line: int, *, then: int | None, tensors: tuple[Tensor, ...] = ()) -> Step:
    return Step(index=index, line=line, end_line=line, began=index, then=then, tensors=tensors)


STEPS = (
    step(0, 1, then=2, tensors=(X,)),
    step(1, 2, then=3, tensors=(y(0),)),
    Step(index=2, line=3, end_line=3, began=2, then=4, tensors=(y(1),), events=(WRITE,)),
    step(
        3, 4, then=5, tensors=(Tensor(id=1, names=("x",), shape=(), dtype="float32", grad=3), GRAD)
    ),
    Step(index=4, line=5, end_line=5, began=4, events=(Printed(text="1."),)),
)
RAISED = Step(
    index=3, line=4, end_line=4, began=3, raised="RuntimeError: modified", in_backward=True
)
ERROR = Raised(exception="RuntimeError", message="modified", line=4, in_backward=True)
RAISES = {LESSON.code: ((*STEPS[:3], RAISED), ERROR)}
"""What a stand-in answers where the lesson's own program fails."""

WRONG = Wrong(differences=(Difference(tensor="x", line=4, got="1.", true="2."),))


def begun(lesson: LoadedLesson = LESSON) -> Session:
    """Return a session whose run has begun and sent nothing yet."""
    session = Session(lesson)
    assert session.start() == [RunProgram(run=1, program=lesson.program())]
    session.handle(RunBegan(run=1, line=1))
    return session


def ran(
    steps: tuple[Step, ...] = STEPS, outcome: Outcome | None = None, truth: Truth | None = None
) -> Session:
    """Return a session whose run is over; by default all went well."""
    session = begun()
    session.handle(StepsArrived(run=1, steps=steps))
    session.handle(RunEnded(run=1, outcome=outcome or Completed()))
    if outcome is None:
        session.handle(TruthKnown(run=1, truth=truth or Right()))
    return session


def move(session: Session, *moves: Move) -> View:
    for each in moves:
        session.handle(Moved(each))
    return session.view()


def answered_first(session: Session) -> Session:
    """Go to the first question, answer it, and go on to the second."""
    move(session, Move.CONTINUE)
    session.handle(AnswerGiven("one"))
    move(session, Move.NEXT)
    return session


def question(session: Session) -> QuestionStatus:
    shown = session.view().question
    assert shown is not None
    return shown.status


def notices(instructions: list[Instruction]) -> list[LocalText]:
    return [each.text for each in instructions if isinstance(each, Notify)]
