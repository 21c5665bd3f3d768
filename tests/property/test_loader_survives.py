"""Whatever an author types, the loader answers with problems that have a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_tui.common.problems import NOTHING, LessonError, Problem
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from support.whole import examples

pytestmark = pytest.mark.filterwarnings("ignore")  # of code that Python only warns of

LESSON = next(
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[2] / "lessons").glob("*/*-saved-output.yaml"))
)

PIECES = st.sampled_from(
    ["{", "}", "[", "]", ":", ": ", "- ", "\n", "  ", "#@ x", "#@", "`", '"', "'", "|", ">", "&a ",
     "*a", "!!int ", "<<: ", "no", "null", "~", "0x1", "1e9", "\t", "\r\n", "\0", "\ufeff", "é",
     "中", "(", ")", "if x:", "lambda: 0", "\\", "---\n", "...\n", "%YAML 1.1\n", "? ", ", ", "#"]
)  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, len(LESSON)), st.integers(0, 12), PIECES | st.text(max_size=6)),
    min_size=1,
    max_size=4,
)


def problems(text: str) -> tuple[Problem, ...]:
    """Return what is wrong with a lesson; what loads must be fit to run."""
    try:
        loaded = load_lesson(text, "lesson.yaml", origin=Origin.BUILT_IN)
    except LessonError as error:
        return error.problems or (Problem("an error without a problem", 0, 0, NOTHING),)
    compile(loaded.code, "lesson", "exec")
    for variant in loaded.lesson.variants:
        compile(loaded.variants[variant.id].code, "variant", "exec")
    return ()


@given(edits=EDITS)
@settings(deadline=None, max_examples=examples(300))
def test_an_edited_lesson_is_loaded_or_refused_in_its_own_lines(
    edits: list[tuple[int, int, str]],
) -> None:
    """No exception but `LessonError`, and every problem lies inside the file."""
    text = LESSON
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]

    found = problems(text)

    last = len(text.splitlines()) + 1
    assert [each for each in found if not (1 <= each.line <= last and each.column >= 1)] == []


@given(text=st.text(max_size=80))
@settings(deadline=None, max_examples=examples(300))
def test_any_text_is_refused_politely(text: str) -> None:
    """No lesson is that short."""
    assert all(problem.line >= 1 for problem in problems(text))
    assert problems(text) != ()
