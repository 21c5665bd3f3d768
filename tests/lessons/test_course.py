"""The built-in lessons are true, and none of the source documents' cases is left out."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from inplace_tui.common.paths import built_in_lessons, introduction
from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.verdicts import Verdict
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.quiz.questions import four_questions
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import Kind
from inplace_tui.tutorial.drive.check import CheckedLesson, check_checkpoints, check_lessons, select
from support.course import COURSE

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROWS = [
    "seed000-floattensor-uninitialised",
    "seed000-leaf-normal",
    "seed000-leaf-data-normal",
    "seed000-w2-is-leaf",
    "seed000-matmul-overwrite-saved",
    "seed000-data-shares-memory",
    "seed000-sigmoid-plain",
    "seed000-data-zero-silent",
    "seed000-detach-zero-forward",
    "seed000-detach-zero-error",
    "seed000-stale-grad-after-error",
    "seed001-chain",
    "seed001-nonleaf-grad-none",
    "seed001-no-requires-grad",
    "seed001-retain-grad",
    "seed001-retain-grad-too-late",
    "seed001-storage-pointers",
    "seed001-nonleaf-write-before-use",
    "seed001-nonleaf-write-after-use",
    "seed001-leaf-iadd",
    "seed001-leaf-rebind",
    "seed001-data-fill-before-use",
    "seed001-detach-fill-before-use",
    "seed001-nograd-write-before-use",
    "seed001-nograd-write-after-loss",
    "seed001-zhihu-clone",
    "seed001-zhihu-swapped",
    "seed001-zhihu-pow",
    "seed001-zhihu-sigmoid-no-clone",
    "seed002-leaf-isub",
    "seed002-rebind-backward",
    "seed002-nograd-isub",
    "seed002-detach-inplace-isub",
    "seed002-data-isub",
    "seed002-data-read",
    "seed003-training-step",
    "seed003-matmul-zero-saved",
    "seed003-reorder",
    "seed003-data-zero-silent",
    "seed003-data-scale-silent",
    "seed003-embedding-max-norm",
    "seed003-embedding-max-norm-true",
    "seed003-embedding-clone",
    "seed004-eg1",
    "seed004-eg2-detach-untouched",
    "seed004-eg3-backward-on-detached",
    "seed004-eg4-detach-zero",
    "seed004-detached-can-have-grad",
    "seed004-freeze-branch",
    "seed004-shared-both-ways",
    "seed001-hooks",
]
"""Every case that the source documents show."""


UNTAUGHT = {Verdict.NUMPY_MISSING}
"""It takes an installation without numpy, which no lesson's program can bring about."""


@pytest.fixture(scope="module")
def course() -> Course:
    return COURSE


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def played(course: Course, worker: Worker) -> list[CheckedLesson]:
    return [each async for each in check_lessons(course.lessons, worker)]


async def test_every_lesson_file_is_in_order(course: Course) -> None:
    assert [str(problem) for problem in course.problems] == []


@pytest.mark.whole
async def test_every_claim_of_every_lesson_is_true(
    course: Course, played: list[CheckedLesson]
) -> None:
    wrong = [str(problem) for each in played for problem in each.verified.problems]
    assert wrong == []
    assert [each.loaded for each in played] == list(course.lessons)


async def test_the_claims_of_every_fortieth_lesson_are_true(course: Course, worker: Worker) -> None:
    some = course.lessons[::40]

    checked = [each async for each in check_lessons(some, worker)]

    assert [str(problem) for each in checked for problem in each.verified.problems] == []
    assert [each.loaded for each in checked] == list(some)


async def test_the_introduction_is_as_true_as_a_lesson(worker: Worker) -> None:
    chosen = select([introduction()])

    (checked,) = [each async for each in check_lessons(chosen.lessons, worker)]

    assert [str(problem) for problem in (*chosen.problems, *checked.verified.problems)] == []


@pytest.mark.whole
async def test_every_verdict_is_provoked_by_a_lesson(played: list[CheckedLesson]) -> None:
    provoked = {verdict for each in played for verdict in each.verdicts}

    assert set(Verdict) - provoked == UNTAUGHT


@pytest.mark.whole
async def test_the_lesson_named_for_a_verdict_provokes_it(played: list[CheckedLesson]) -> None:
    the_first_wins = reversed(played)
    taught = {concept: each for each in the_first_wins for concept in each.loaded.lesson.teaches}

    assert {verdict for verdict in Verdict if verdict.concept is None} == UNTAUGHT
    named = {each: taught[each.concept] for each in Verdict if each.concept is not None}
    assert [kind for kind, each in named.items() if kind not in each.verdicts] == []


async def test_every_case_of_the_source_documents_is_played(course: Course) -> None:
    plays = {row for each in course.lessons for row in each.lesson.plays}
    for each in course.lessons:
        plays |= {row for variant in each.lesson.variants for row in variant.plays}

    assert len(ROWS) == 51
    assert sorted(set(ROWS) - plays) == []
    assert sorted(plays - set(ROWS)) == []


MAX_RAISING, MIN_RIGHT, MIN_WRONG = 0.45, 0.25, 0.25
"""Of the outcome questions: whoever answers that it raises, without reading the program, must not
be right most of the time."""


@pytest.mark.whole
async def test_outcomes_can_not_be_guessed(played: list[CheckedLesson]) -> None:
    every = [asked for each in played for asked in each.verified.asked]
    # One that only runs, and nobody can say more of its gradients, is an outcome, too.
    endings = Counter(each.ending for each in every if each.kind is Kind.OUTCOME)
    shares = {each: endings[each] / endings.total() for each in PREDICTED}
    assert shares[Ending.RAISES_BEFORE] + shares[Ending.RAISES_IN_BACKWARD] <= MAX_RAISING
    assert shares[Ending.RIGHT] >= MIN_RIGHT
    assert shares[Ending.WRONG] >= MIN_WRONG


async def test_what_lessons_still_lack_is_listed(course: Course) -> None:
    """A recap, and with it the summary of its chapter, is held by programs; a lesson has a page."""
    listed = Path(__file__).with_name("missing.txt").read_text(encoding="utf-8").splitlines()

    lacking = [f"holds {each.lesson.id}" for each in course.lessons if not each.lesson.holds]
    lacking += [f"docs {each.lesson.id}" for each in course.lessons if not each.lesson.docs]

    assert sorted(lacking) == sorted(line for line in listed if line and line[0] != "#")


async def test_every_lesson_says_in_one_line_what_it_is_for(course: Course) -> None:
    assert [each.path for each in course.lessons if each.lesson.goal is None] == []


async def test_every_lesson_asks_and_hints(course: Course) -> None:
    asked = {
        each.lesson.id: [step.ask for step in each.lesson.steps if step.ask]
        for each in course.lessons
    }

    assert [key for key, questions in asked.items() if not questions] == []
    assert [key for key, found in asked.items() if any(not each.hints for each in found)] == []


async def test_every_chapter_ends_with_a_checkpoint_and_a_challenge_of_its_own() -> None:
    ends = [each.chapter.checkpoint for each in COURSE.chapters]
    challenges = [end.challenge for end in ends if end is not None and end.challenge]

    assert len(set(challenges)) == len(COURSE.chapters)


@pytest.mark.whole(every=4)
@pytest.mark.parametrize("chapter", COURSE.checkpoints, ids=lambda each: each.slug)
async def test_the_program_of_a_checkpoint_answers_its_four_questions(
    worker: Worker, chapter: LoadedChapter
) -> None:
    asked = four_questions(COURSE, chapter)
    assert asked is not None

    [checked] = [each async for each in check_checkpoints([asked], worker)]

    assert checked.verified.problems == ()
    assert [*asked.questions][-2:] == ["writer", "reader"]
    assert len(checked.verified.asked) == len(asked.questions)


async def test_a_checkpoint_whose_program_does_not_fail_is_told_to_its_author(
    worker: Worker,
) -> None:
    chapter = COURSE.checkpoints[0]
    assert chapter.chapter.checkpoint is not None
    code = "import torch\nw = torch.ones(2, requires_grad=True)\nw.exp().sum().backward()\n"
    fine = msgspec.structs.replace(chapter.chapter.checkpoint, code=code)
    header = msgspec.structs.replace(chapter.chapter, checkpoint=fine)

    asked = four_questions(COURSE, replace(chapter, chapter=header))
    assert asked is not None

    [checked] = [each async for each in check_checkpoints([asked], worker)]

    found = checked.verified.problems
    line = chapter.text.split("\n")[found[0].line - 1]
    assert [each.path for each in found] == [chapter.path] * len(asked.questions)
    assert line.strip() == "code: |"


@pytest.mark.whole
async def test_ids_that_the_course_has_are_taken_for_a_pack(tmp_path: Path) -> None:
    lesson, challenge = COURSE.lessons[7], COURSE.challenges[3]
    for loaded in (lesson, challenge):
        copy = tmp_path / Path(loaded.path).relative_to(built_in_lessons())
        copy.parent.mkdir()
        copy.write_text(loaded.text, encoding="utf-8")
    (tmp_path / Path(lesson.path).parent.name / "chapter.yaml").write_text(
        "schema: 1\ntitle: {en: a, zh: 甲}\nsummary: {en: a, zh: 甲}\n", encoding="utf-8"
    )

    found = select([tmp_path], beside=[built_in_lessons()])
    own = tmp_path / Path(lesson.path).relative_to(built_in_lessons())
    alone = select([own], beside=[built_in_lessons()])

    said = [each.message.en for each in found.problems if "there already" in each.message.en]
    assert said == [
        f"a lesson '{lesson.lesson.id}' is there already: {lesson.path}",
        f"'{challenge.challenge.id}' is there already: {challenge.path}",
    ]
    assert said[0] in [each.message.en for each in alone.problems]
    assert select([built_in_lessons()], beside=[built_in_lessons()]).problems == ()


@pytest.mark.whole
async def test_two_processes_do_what_stands_in_for_the_other_one_in_lessons(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "support/two_processes.py"

    two = await asyncio.create_subprocess_exec(
        sys.executable, script, tmp_path / "meeting", stdout=PIPE
    )
    said, _ = await two.communicate()

    ours, theirs = json.loads(said)
    assert ours["sum"] == [20, 0, "SqrtBackward0", [0.15, 0.2]]
    assert ours["mean"] == [10, 1]
    assert ours["leaf"] == [[1, 1], 0]
    assert (ours["two forwards"], theirs["two forwards"]) == ([8], [32])
    assert ours["in turn"] == theirs["in turn"] == [20]
    assert (ours["forward in no_sync"], theirs["forward in no_sync"]) == ([1], [9])
    assert "unused" not in ours


@pytest.mark.whole
async def test_torch_compile_itself_does_what_its_first_step_does_in_a_lesson(
    course: Course,
) -> None:
    (loaded,) = [each for each in course.lessons if each.lesson.id == "compile-and-eager"]
    real = 'torch.compile(f, backend="aot_eager")'
    compiled = loaded.code.replace("aot_function(f, fw_compiler=nop, bw_compiler=nop)", real)
    write = "y.data = torch.tensor([9., 9.])"
    uncounted = compiled.replace(write, "y.data.add_(1)")
    counted = compiled.replace(write, "y.add_(1)")

    ended = []
    for program in (compiled, uncounted, counted):
        ran = await asyncio.create_subprocess_exec(
            sys.executable, "-c", f"{program}\nprint(x.grad.tolist())", stdout=PIPE, stderr=PIPE
        )
        said, complaint = await ran.communicate()
        ended.append(said.decode().strip() or b"modified by an inplace operation" in complaint)

    assert real in compiled
    assert ended == ["[2.0, 4.0]", "[4.0, 6.0]", True]
