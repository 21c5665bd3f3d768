"""A class is given a file, and hands in what was done; nobody needs a screen to read it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.tutorial.activity.drill.learning import drill_name
from inplace_tui.tutorial.activity.drill.record import DrillRecord
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.commands.results import misconceptions
from inplace_tui.tutorial.progress import (
    ChallengeProgress,
    CheckpointProgress,
    LessonProgress,
    Progress,
    Record,
)
from support.command import COMMAND, Command, run_command
from support.course import COURSE
from support.packs import write_pack

WEEK = 'schema: 1\ntitle: {en: "=Week", zh: "第三周"}\nlessons: [leaf-lost]\ndrills: [{seed: 7}]\n'


def exported(path: Path, *tried: str) -> Path:
    asked = "who-gets-a-gradient"
    answer = SavedAnswer(question=asked, status=QuestionStatus.WRONG, tried=tried)
    lessons = {
        key: LessonProgress(answers={asked: answer}) for key in ("leaf-lost", "saved-output")
    }
    path.write_bytes(msgspec.json.encode(Record(lessons=lessons)))
    return path


@pytest.mark.whole
def test_what_is_assigned_is_listed_and_nothing_else(command: Command, tmp_path: Path) -> None:
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")

    listed = command("assignment", "week.yaml", "--plain")

    assert listed.returncode == 0
    assert "inplace-tui assignment week.yaml --drill 1 --plain" in listed.stdout
    assigned = COURSE.find("leaf-lost")
    assert assigned is not None
    assert assigned.lesson.title.en in listed.stdout
    assert "exp() keeps its own result" not in listed.stdout
    only = WEEK.replace("lessons: [leaf-lost]", "challenges: [fix-numpy]")
    (tmp_path / "only.yaml").write_text(only, encoding="utf-8")
    assert command("assignment", "only.yaml").stdout.splitlines() == [
        "Challenge: inplace-tui challenge fix-numpy",
        "Drill: inplace-tui assignment only.yaml --drill 1",
    ]


@pytest.mark.whole
def test_an_assigned_drill_on_lines_keeps_its_answers_as_on_the_screen(
    command: Command, tmp_path: Path
) -> None:
    week = WEEK.replace("[{seed: 7}]", "[{seed: 7}, {seed: 11, level: 2, count: 1}]")
    (tmp_path / "week.yaml").write_text(week, encoding="utf-8")

    asked = ("assignment", "week.yaml", "--drill", "2")
    done = run_command(tmp_path, COMMAND, *asked, home=tmp_path / "home", typed="1\n1\n")
    refused = command("assignment", "week.yaml", "--drill", "3")

    assert "Drill 1   level 2, seed 11" in done.stdout
    assert "nothing is kept" not in done.stderr
    drilled = Progress(tmp_path / "home" / "progress.json").record.drill
    assert drilled.total.answered == 1
    wrong = {name for name, tally in drilled.concepts.items() if tally.right < tally.answered}
    assert [*drilled.given] == ["11/2"]
    assert [*drilled.given["11/2"].values()] == [not wrong]
    assert "leaf" in wrong  # it writes to one, and refuses to
    record = Record(drill=drilled)
    assert {row.item for row in misconceptions({"ann": record}, COURSE, "en")} == wrong
    assert (refused.returncode, "there is no drill 3" in refused.stderr) == (2, True)


@pytest.mark.whole
def test_a_checkpoint_can_be_assigned_and_its_wrong_answers_are_results(
    command: Command, tmp_path: Path
) -> None:
    week = WEEK + "checkpoints: [storage-and-version]\n"
    (tmp_path / "week.yaml").write_text(week, encoding="utf-8")
    wrong, right = QuestionStatus.WRONG, QuestionStatus.RIGHT
    finished = {
        "saved-output/variants/sin": SavedAnswer(
            question="variants/sin", tried=("right", "raises_before"), status=wrong
        ),
        f"drill/{drill_name(7, 2)}": SavedAnswer(
            question=drill_name(7, 2), tried=("wrong", "right"), status=right
        ),
        "checkpoint.storage-and-version/version": SavedAnswer(
            question="version", tried=("v0", "v2"), status=wrong
        ),
        "checkpoint.storage-and-version/saver": SavedAnswer(
            question="saver", tried=("l1", "l5"), status=right
        ),
        "gone/variants/gone": SavedAnswer(question="variants/gone", tried=("x",), status=wrong),
    }
    kept = CheckpointProgress(drawn=1, last=finished, best=1, total=9)
    record = Record(checkpoints={"storage-and-version": kept, "hooks": kept})
    (tmp_path / "ann.json").write_bytes(msgspec.json.encode(record))

    listed = command("assignment", "week.yaml", "--plain").stdout
    printed = command("results", "ann.json", "--assignment", "week.yaml").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))

    assert "Checkpoint: inplace-tui checkpoint storage-and-version" in listed
    assert {(row["kind"], row["item"], row["who"]) for row in rows} == {
        ("checkpoint", "storage-and-version", "ann")
    }
    given = {(row["question"], row["misconception"], row["right_later"]) for row in rows}
    lines = COURSE.chapters[3].chapter.checkpoint
    assert lines is not None
    drill = "inplace-tui drill --seed 7 --level 2 --count 1"
    assert {(answer, later) for question, answer, later in given if question == drill} == {
        (ENDINGS[Ending.WRONG].en, "1")
    }
    assert {answer for question, answer, _ in given if question == QuizTexts.version.en} == {
        "Version 0",
        "Version 2",
    }
    assert any(answer == f"1: {lines.code.splitlines()[0]}" for _, answer, _ in given)
    assert any(question.startswith("exp() keeps its own result: ") for question, _, _ in given)
    assert len(rows) == 6


@pytest.mark.whole
def test_a_file_with_mistakes_is_refused_with_their_places(
    command: Command, tmp_path: Path
) -> None:
    wrong = WEEK.replace("leaf-lost", "leaf-lots") + "checkpoints: [hook]\n"
    (tmp_path / "week.yaml").write_text(wrong, encoding="utf-8")

    refused = command("assignment", "week.yaml", "--lang", "zh")

    assert refused.returncode == 2
    assert "week.yaml:3:11: 没有课程 'leaf-lots'（是不是 'leaf-lost'？）" in refused.stderr
    assert "week.yaml:5:15: 没有带小测的章 'hook'（是不是 'hooks'？）" in refused.stderr
    assert "no-such-file.yaml" in command("assignment", "no-such-file.yaml").stderr
    (tmp_path / "{week}.yaml").write_text(wrong, encoding="utf-8")
    assert command("assignment", "{week}.yaml").stderr.startswith("{week}.yaml:3:11: there is no")


@pytest.mark.whole
def test_results_are_a_table_that_no_spreadsheet_computes(command: Command, tmp_path: Path) -> None:
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")
    exported(tmp_path / "=ann.json", "error", "name")
    exported(tmp_path / "bob.json", "name")

    printed = command("results", "=ann.json", "bob.json", "--assignment", "week.yaml")
    rows = list(csv.DictReader(io.StringIO(printed.stdout)))

    assert printed.returncode == 0, printed.stderr
    assert [(row["misconception"], row["learners"], row["who"]) for row in rows] == [
        ("w.grad is 2", "2", "'=ann; bob"),
        ("An error: the leaf is lost", "1", "'=ann"),
    ]
    assert {row["item"] for row in rows} == {"leaf-lost"}
    for_excel = command("results", "bob.json", "--lang", "zh", "--excel").stdout
    assert for_excel == "\ufeff" + command("results", "bob.json", "--lang", "zh").stdout


@pytest.mark.whole
def test_what_is_no_progress_is_named_and_the_others_are_counted(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")
    bad = ("bob.json", "{cy}.json", "gone.json")
    for name in bad[:2]:
        (tmp_path / name).write_text("[]")
    exported(tmp_path / "ann.json", "name")

    asked = ("--assignment", "week.yaml")
    printed = command("results", *bad, "ann.json", *asked)
    refused = command("results", *bad, *asked)

    assert (printed.returncode, refused.returncode, refused.stdout) == (1, 2, "")
    assert [row["who"] for row in csv.DictReader(io.StringIO(printed.stdout))] == ["ann"]
    for each in (printed, refused):
        assert [line.partition(" ")[0] for line in each.stderr.splitlines()] == [*bad]


def test_what_each_learner_did_is_a_table_of_all_that_is_assigned(
    command: Command, tmp_path: Path
) -> None:
    week = WEEK.replace("{seed: 7}", "{seed: 7, count: 3}, {seed: 9, level: 2, count: 2}")
    week += "challenges: [fix-numpy]\ncheckpoints: [hooks]\n"
    (tmp_path / "week.yaml").write_text(week, encoding="utf-8")
    [lesson] = [each.lesson for each in COURSE.lessons if each.lesson.id == "leaf-lost"]
    asked = [step.ask.id for step in lesson.steps if step.ask]
    right = SavedAnswer(question=asked[0], status=QuestionStatus.RIGHT, tried=("name",))
    late = SavedAnswer(question=asked[-1], status=QuestionStatus.RIGHT, tried=("a", "b"))
    ann = Record(
        lessons={
            "leaf-lost": LessonProgress(
                finished=True, answers={late.question: late, right.question: right}
            )
        },
        challenges={"fix-numpy": ChallengeProgress(lines=2)},
        checkpoints={"hooks": CheckpointProgress(best=7, total=9)},
        drill=DrillRecord(given={"7/1": {7: True, 9: False}, "9/2": {9: True, 10: True}}),
    )
    (tmp_path / "ann.json").write_bytes(msgspec.json.encode(ann))
    (tmp_path / "bob.json").write_bytes(msgspec.json.encode(Record()))

    printed = command("results", "--learners", "ann.json", "bob.json", "--assignment", "week.yaml")
    rows = list(csv.DictReader(io.StringIO(printed.stdout)))

    keys = ("learner", "kind", "item", "done", "first_try", "of", "lines")
    assert [tuple(row[key] for key in keys) for row in rows[:5]] == [
        ("ann", "lesson", "leaf-lost", "1", "1", str(len(asked)), ""),
        ("ann", "checkpoint", "hooks", "1", "7", "9", ""),
        ("ann", "challenge", "fix-numpy", "1", "", "", "2"),
        ("ann", "drill", "7/1", "0", "1", "3", ""),
        ("ann", "drill", "9/2", "1", "2", "2", ""),
    ]
    assert {row["learner"] for row in rows[5:]} == {"bob"}
    assert [row["done"] for row in rows[5:]] == ["0"] * 5


@pytest.mark.whole
def test_lessons_of_a_pack_and_built_in_ones_can_be_assigned_together(
    command: Command, tmp_path: Path
) -> None:
    write_pack(tmp_path / "mine", "my-idea")
    write_pack(tmp_path / "home" / "packs" / "theirs", "their-idea")
    week = WEEK.replace("[leaf-lost]", "[my-idea, leaf-lost, their-idea]")
    (tmp_path / "week.yaml").write_text(week + "challenges: [fix-numpy]\n", encoding="utf-8")

    listed = command("assignment", "week.yaml", "--plain", "--lessons", "mine")
    table = command("results", "--learners", "--assignment", "week.yaml", "--lessons", "mine")
    missing = command("assignment", "week.yaml", "--lessons", "nowhere")

    assert listed.stdout.splitlines()[:2] == [
        "Challenge: inplace-tui challenge fix-numpy --plain",
        "Drill: inplace-tui assignment week.yaml --drill 1 --lessons mine --plain",
    ]
    assert [row["item"] for row in csv.DictReader(io.StringIO(table.stdout))] == [
        "my-idea",
        "leaf-lost",
        "their-idea",
        "fix-numpy",
        "7/1",
    ]
    assert (missing.returncode, "nowhere" in missing.stderr) == (2, True)


def test_learners_whose_files_are_called_alike_are_told_apart(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")
    files = ("a/in/ann.json", "b/in/ann.json", "c/ann.json", "bob.json")
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        exported(tmp_path / name, "name")

    printed = command("results", *files, "--assignment", "week.yaml").stdout

    [row] = csv.DictReader(io.StringIO(printed))
    assert row["who"] == "a/in/ann.json; b/in/ann.json; c/ann; bob"
