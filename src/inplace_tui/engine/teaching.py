"""Which lesson teaches what went wrong."""

from __future__ import annotations

from inplace_tui.engine.blame import Blame
from inplace_tui.engine.loader import Course, LoadedLesson
from inplace_tui.engine.messages import Message
from inplace_tui.engine.verdict import Verdict

CONCEPTS: dict[Verdict, str] = {
    Verdict.LEAF_MODIFIED: "leaf-write-refused",
    Verdict.LEAF_VIEW_MODIFIED: "detach-clone",
    Verdict.SAVED_TENSOR_MODIFIED: "saved-input",
    Verdict.NO_GRAD_FN: "no-grad-fn",
    Verdict.SILENTLY_WRONG: "silent-gradient",
    Verdict.GRAPH_FREED: "saved-tensor",
    Verdict.DTYPE_NOT_WRITABLE: "in-place-op",
    Verdict.NON_LEAF_GRAD_READ: "nonleaf-grad",
    Verdict.LEAF_LOST: "rebinding",
}
"""The concept behind a verdict. A test runs the lesson that teaches it and sees
that one of its programs is given the verdict; a verdict of which no lesson has
a program is not here."""

OF_RESULTS = "saved-output"
"""Where the node had saved its own result."""

OF_STEPS = "training-step"
"""Where an optimizer's `step()` came between the loss and its backward."""


def concept(verdict: Verdict, blame: Blame | None) -> str | None:
    """Return the concept that a person with this failure lacks."""
    if verdict is Verdict.SAVED_TENSOR_MODIFIED and blame is not None:
        if blame.writes and (blame.writes[0].op or "").endswith(".step"):
            return OF_STEPS
        if blame.saver is not None and blame.saver.is_output:
            return OF_RESULTS
    return CONCEPTS.get(verdict)


def lesson_about(
    verdict: Verdict | None, blame: Blame | None, course: Course
) -> LoadedLesson | None:
    """Return the first lesson of a course that teaches what is behind a verdict."""
    return _teaching(None if verdict is None else concept(verdict, blame), course)


def lesson_on(message: Message, course: Course) -> LoadedLesson | None:
    """Return the lesson for a message of which nothing else is known."""
    stale = message.verdict is Verdict.SAVED_TENSOR_MODIFIED
    wanted = OF_RESULTS if stale and message.is_of_result else CONCEPTS.get(message.verdict)
    return _teaching(wanted, course)


def _teaching(concept: str | None, course: Course) -> LoadedLesson | None:
    return next((each for each in course.lessons if concept in each.lesson.teaches), None)
