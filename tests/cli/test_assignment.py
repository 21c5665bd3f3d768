"""A class is given a file, and hands in what was done; nobody needs a screen to read it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import msgspec

from inplace_tui.engine.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.progress import LessonProgress, Record
from support.command import Command

WEEK = 'schema: 1\ntitle: {en: "=Week", zh: "第三周"}\nlessons: [leaf-lost]\ndrills: [{seed: 7}]\n'


def exported(path: Path, *tried: str) -> Path:
    asked = "who-gets-a-gradient"
    answer = SavedAnswer(question=asked, status=QuestionStatus.WRONG, tried=tried)
    lessons = {
        key: LessonProgress(answers={asked: answer}) for key in ("leaf-lost", "saved-output")
    }
    path.write_bytes(msgspec.json.encode(Record(lessons=lessons)))
    return path


def test_what_is_assigned_is_listed_and_nothing_else(command: Command, tmp_path: Path) -> None:
    (tmp_path / "week.yaml").write_text(WEEK, encoding="utf-8")

    listed = command("assignment", "week.yaml", "--plain")

    assert listed.returncode == 0
    assert "inplace-tui drill --seed 7 --level 1 --count 5" in listed.stdout
    assert "the leaf loses its name" in listed.stdout
    assert "exp() keeps its own result" not in listed.stdout


def test_a_file_with_mistakes_is_refused_with_their_places(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "week.yaml").write_text(WEEK.replace("leaf-lost", "leaf-lots"), encoding="utf-8")

    refused = command("assignment", "week.yaml", "--lang", "zh")

    assert refused.returncode == 2
    assert "week.yaml:3:11: 没有课程 'leaf-lots'（是不是 'leaf-lost'？）" in refused.stderr
    assert "no-such-file.yaml" in command("assignment", "no-such-file.yaml").stderr


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


def test_what_is_no_progress_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bob.json").write_text("[]")

    assert command("results", "bob.json").returncode == 2
    assert "bob.json" in command("results", "bob.json").stderr
