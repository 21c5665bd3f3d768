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

OF_OTHER_LIBRARIES = "numpy-alias"
"""Where memory was written and torch ran no op: by NumPy, or by whatever else shares it."""

OF_UNCOUNTED_STEPS = "fused-step"
"""Where such a step moved no version."""


def concept(verdict: Verdict, blame: Blame | None) -> str | None:
    op = blame.writes[0].op or "" if blame is not None and blame.writes else None
    found: str | None = None
    if op is not None and verdict is Verdict.SILENTLY_WRONG:
        if op.endswith(".step"):
            found = OF_UNCOUNTED_STEPS
        elif not op or op.startswith(("ndarray.", "numpy.")):
            found = OF_OTHER_LIBRARIES
    elif blame is not None and verdict is Verdict.SAVED_TENSOR_MODIFIED:
        found = _of_saved(op, blame)
    return found or verdict.concept


def _of_saved(op: str | None, blame: Blame) -> str | None:
    saver = blame.saver
    if op is not None:
        if op.endswith(".step"):
            return OF_STEPS
        if op.endswith(".__call__"):
            return OF_EMBEDDINGS if op == "Embedding.__call__" else OF_MODULES
        if op == "Tensor.add_" and saver is not None and saver.line == blame.writes[0].line:
            return OF_RESIDUALS
    return OF_RESULTS if saver is not None and saver.is_output else None


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
