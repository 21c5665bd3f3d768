"""A course that is true, and every fault that was thought of: each is found where it is.

The table is `planted/faults.yaml`; a fault of a new kind is one line there.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inplace_tui.common.run.program import Detail, Limits, Mode, Origin, Program
from inplace_tui.diagnosis.protocol.messages import Report
from inplace_tui.diagnosis.runner.worker import PLAIN, Worker
from inplace_tui.tutorial.course.course import load_course
from inplace_tui.tutorial.course.lesson import Challenge, Lesson
from inplace_tui.tutorial.course.lessons.lesson_rules import unwritten
from inplace_tui.tutorial.drive.check import check_challenges, check_lessons
from inplace_tui.tutorial.ui.lesson_fit import lesson_overflows
from support.tables import read_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOLDER = Path(__file__).parent / "planted"
LESSON = "01-beginnings/02-saved-output.yaml"
FILES = {
    path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
    for path in FOLDER.glob("*/*.yaml")
}
LONG = "保存的值。" * 110
"""For `<long>`: what would be tedious to read in the table."""


class Remembering(Worker):
    """Runs a program once: most faults are in what is said of it, not in the program."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self._worker = worker
        self._told: dict[tuple[Program, Mode, Detail], list[Report]] = {}

    async def run(
        self, program: Program, mode: Mode, limits: Limits, detail: Detail = PLAIN
    ) -> AsyncGenerator[Report, None]:
        """Yield what was told the first time."""
        key = (program, mode, detail)
        if key not in self._told:
            reports = self._worker.run(program, mode, limits, detail)
            self._told[key] = [each async for each in reports]
        for report in self._told[key]:
            yield report


@pytest.fixture(scope="module")
def runs(worker: Worker) -> Worker:
    return Remembering(worker)


@dataclass(frozen=True)
class Fault:
    """One edit of the course, and what must be said to it."""

    name: str
    old: str
    new: str
    at: str
    said: str
    file: str = LESSON


FAULTS = [Fault(**each) for each in read_table(FOLDER / "faults.yaml")]


def planted(fault: Fault) -> dict[str, str]:
    """Return the course's files with a fault in them."""
    text = FILES[fault.file]
    if fault.old == "*":
        return FILES | {fault.file: fault.new}
    assert text.count(fault.old) == 1, f"{fault.old!r} must be there once"
    return FILES | {fault.file: text.replace(fault.old, fault.new.replace("<long>", LONG))}


async def problems(files: dict[str, str], worker: Worker) -> list[str]:
    """Return everything that `check` says of a course."""
    course = load_course(files, origin=Origin.BUILT_IN)
    found = list(course.problems)
    async for checked in check_lessons(course.lessons, worker):
        loaded = checked.loaded
        found += [*checked.verified.problems, *lesson_overflows(loaded)]
        found += unwritten(Lesson, loaded.text, loaded.path)
    async for tried in check_challenges(course.challenges, worker):
        found += tried.verified.problems
        found += unwritten(Challenge, tried.loaded.text, tried.loaded.path)
    return [str(problem) for problem in found]


async def test_the_course_is_true_before_anything_is_planted(runs: Worker) -> None:
    assert await problems(FILES, runs) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.whole(every=12)
async def test_a_planted_fault_is_found_where_it_is(fault: Fault, runs: Worker) -> None:
    found = await problems(planted(fault), runs)

    first = next((each for each in found if each.startswith(fault.file)), "nothing was found")
    assert first.startswith(f"{fault.file}:{fault.at}: {fault.said}")


async def test_the_second_of_two_lessons_with_one_id_is_named(runs: Worker) -> None:
    twin = LESSON.replace("02-", "03-")

    found = await problems(FILES | {twin: FILES[LESSON]}, runs)

    assert found == [f"{twin}:2:1: a lesson 'saved-output' is there already: {LESSON}"]


async def test_a_chapter_without_its_header_is_named(runs: Worker) -> None:
    files = {path: text for path, text in FILES.items() if "chapter" not in path}

    found = await problems(files, runs)

    assert found[0] == "01-beginnings/chapter.yaml:1:1: the folder has no chapter.yaml"
