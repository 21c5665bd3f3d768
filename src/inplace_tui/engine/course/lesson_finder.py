"""Which lesson teaches what went wrong."""

from __future__ import annotations

from inplace_tui.engine.blame.blame import Blame
from inplace_tui.engine.blame.messages import Message
from inplace_tui.engine.blame.verdicts import Verdict
from inplace_tui.engine.course.course import Course
from inplace_tui.engine.lessons.loader import LoadedLesson

OF_RESULTS = "saved-output"
"""Where the node had saved its own result."""

OF_STEPS = "step-between"
"""Where an optimizer's `step()` came between the loss and its backward."""

OF_RESIDUALS = "residual"
"""Where a line adds to a tensor what it computes from it: `x += f(x)`."""

OF_MODULES = "in-place-activation"
"""Where a module writes its input."""

OF_EMBEDDINGS = "hidden-in-place"
"""Where an embedding scales its rows down."""

OF_UNCOUNTED_STEPS = "fused-step"
"""Where such a step moved no version."""


def concept(verdict: Verdict, blame: Blame | None) -> str | None:
    if blame is not None and blame.writes and (blame.writes[0].op or "").endswith(".step"):
        if verdict is Verdict.SAVED_TENSOR_MODIFIED:
            return OF_STEPS
        if verdict is Verdict.SILENTLY_WRONG:
            return OF_UNCOUNTED_STEPS
    saver = None if blame is None else blame.saver
    if verdict is Verdict.SAVED_TENSOR_MODIFIED and blame is not None and blame.writes:
        write = blame.writes[0]
        if write.op is not None and write.op.endswith(".__call__"):
            return OF_EMBEDDINGS if write.op == "Embedding.__call__" else OF_MODULES
        if write.op == "Tensor.add_" and saver is not None and saver.line == write.line:
            return OF_RESIDUALS
    if verdict is Verdict.SAVED_TENSOR_MODIFIED and saver is not None and saver.is_output:
        return OF_RESULTS
    return verdict.concept


def lesson_about(
    verdict: Verdict | None, blame: Blame | None, course: Course
) -> LoadedLesson | None:
    return first_teaching(None if verdict is None else concept(verdict, blame), course)


def lesson_on(message: Message, course: Course) -> LoadedLesson | None:
    """Return the lesson for a message of which nothing else is known."""
    stale = message.verdict is Verdict.SAVED_TENSOR_MODIFIED
    wanted = OF_RESULTS if stale and message.is_of_result else message.verdict.concept
    return first_teaching(wanted, course)


def first_teaching(concept: str | None, course: Course) -> LoadedLesson | None:
    return next((each for each in course.lessons if concept in each.lesson.teaches), None)
