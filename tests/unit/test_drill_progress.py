"""What is kept of the drill: between sessions, beside another instance, from an older file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from inplace_tui.tutorial.activity.drill.grammar import make
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.record import DrillOptions, DrillRecord, Sureness, Tally
from inplace_tui.tutorial.progress import Progress

TODAY = 700_000


def answered(seed: int, *, right: bool, sureness: Sureness = Sureness.SURE) -> DrillAnswer:
    return DrillAnswer(make(seed, 1), right, sureness, TODAY)


def test_level_counts_and_misses_are_there_the_next_time(tmp_path: Path) -> None:
    first = Progress(tmp_path / "progress.json")
    for seed in (1, 2):
        first.save_drill(answered(seed, right=True))
    first.save_drill(answered(3, right=False))
    kept = Progress(tmp_path / "progress.json").record.drill

    assert kept == first.record.drill
    assert (kept.level, kept.total) == (1, Tally(answered=3, right=2))
    assert [(each.seed, each.level) for each in kept.repeats] == [(3, 1)]


def test_two_instances_count_each_others_answers_and_keep_both_misses(tmp_path: Path) -> None:
    one, two = Progress(tmp_path / "progress.json"), Progress(tmp_path / "progress.json")

    one.save_drill(answered(1, right=False))
    two.save_drill(answered(2, right=False))
    one.save_drill(answered(3, right=True))
    kept = Progress(tmp_path / "progress.json").record.drill

    assert kept.total == Tally(answered=3, right=1)
    assert {each.seed for each in kept.repeats} == {1, 2}


def test_a_file_of_before_the_drill_is_read_and_keeps_its_lessons(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text('{"schema": 1, "lessons": {"exp": {"cursor": 3}}}')
    progress = Progress(path)

    assert progress.notice is None
    assert progress.record.drill == DrillRecord()

    progress.save_drill(answered(1, right=True))

    assert json.loads(path.read_text())["lessons"]["exp"]["cursor"] == 3


def test_an_import_never_replaces_more_drills_by_fewer(tmp_path: Path) -> None:
    much, little = Progress(tmp_path / "much.json"), Progress(tmp_path / "little.json")
    little.save_drill(answered(1, right=True))
    for seed in (1, 2):
        much.save_drill(answered(seed, right=True))
    before = much.record.drill

    much.take_in(little.export())
    assert much.record.drill == before

    little.take_in(much.export())
    assert little.record.drill == before


def test_the_drill_can_be_forgotten(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json")
    progress.save_drill(answered(1, right=False))
    progress.reset_drill()

    assert Progress(tmp_path / "progress.json").record.drill == DrillRecord()


def test_the_first_answer_to_an_assigned_program_counts_wherever_the_record_goes(
    tmp_path: Path,
) -> None:
    one, two = Progress(tmp_path / "one.json"), Progress(tmp_path / "two.json")
    for seed, right in ((7, False), (7, True), (8, True)):
        one.save_drill(replace(answered(seed, right=right), given="7/1"))
    for seed in (1, 2, 3, 4):
        two.save_drill(answered(seed, right=True))

    two.take_in(one.export())

    assert one.record.drill.given == two.record.drill.given == {"7/1": {7: False, 8: True}}
    week, long = DrillOptions(seed=7, count=2), DrillOptions(seed=7, count=3)
    assert week.is_done(two.record.drill.given)
    assert not long.is_done(two.record.drill.given)
    assert not week.is_done(DrillRecord().given)
