"""Whatever is in a file: it is taken in a form that everything can work with, or refused."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inplace_tui.common.command.pythons import Versions
from inplace_tui.common.notebook import (
    NotebookError,
    as_python,
    is_in_order,
    left_out,
    read_notebook,
    restored,
    with_cells,
)
from inplace_tui.common.run.files import split_files
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.activity.drill.grammar import LEVELS, VERSION, make
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer, choose_next, record_after
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.activity.quiz import review
from inplace_tui.tutorial.activity.session.saved import Recall
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, load_challenge
from inplace_tui.tutorial.course.lessons.strict_yaml import decode
from inplace_tui.tutorial.drive.lessons import read
from inplace_tui.tutorial.present.challenge import rows
from inplace_tui.tutorial.present.playlist import summary
from inplace_tui.tutorial.progress import ProgressError, Record, record_in
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeJudge
from support.whole import examples

LESSONS = Path(__file__).parents[2] / "lessons"

TODAY = 739_000

SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.just(10**40) | st.text(max_size=4)
JSON = st.recursive(
    SCALARS,
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=4), inside, max_size=3)
    ),
    max_leaves=6,
)


def spoiled(document: object, random: Random, other: object) -> object:
    """Return a document with something else at one place, or nothing."""
    if not isinstance(document, dict | list) or not document or random.random() < 0.15:
        return other
    places = list(document) if isinstance(document, dict) else range(len(document))
    place: Any = random.choice(places)
    if random.random() < 0.1:
        del document[place]
    else:
        document[place] = spoiled(document[place], random, other)
    return document


def mostly(whole: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return documents as they should be, and as many with one thing wrong."""
    return whole | st.builds(spoiled, whole, st.randoms(use_true_random=False), JSON)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(fields)


# Notebooks.

LINES = st.sampled_from(
    ["x = 1", "!ls", "!ls \\", "%time f()", "%time  ", "  %time f()", "%%time", "%%bash", "?x",
     "x?", "x = !ls", "x = (", ")", "'''", "\\", "x = 1 \\", "if x:", "  pass", "  !ls \\", "", "#",
     "\f", "\ud800", "%", "!", "\r", "# \N{INVISIBLE SEPARATOR}──── In [1] ────"]
)  # fmt: skip
CODE = st.lists(LINES, max_size=4).map("\n".join)
CELL = objects(
    cell_type=st.sampled_from(["code", "code", "code", "markdown"]),
    execution_count=st.none() | st.integers(1, 3),
    source=CODE | CODE.map(lambda text: text.splitlines(keepends=True)),
    input=CODE,
)
NAMES = st.sampled_from(["python", "IPython", "", None, "julia"])
NOTEBOOK = objects(
    nbformat=st.sampled_from([3, 4, 4, 4]),
    metadata=objects(language_info=objects(name=NAMES), kernelspec=objects(language=NAMES)),
    cells=st.lists(CELL, min_size=1, max_size=3),
    worksheets=st.lists(objects(cells=st.lists(CELL, max_size=2)), max_size=2),
)
GOOD = {"cell_type": "code", "source": "x = 1"}


def notebook(**fields: object) -> dict[str, object]:
    return {"nbformat": 4, "cells": [GOOD], **fields}


@given(document=mostly(NOTEBOOK))
@example(document=notebook(metadata=[]))
@example(document=notebook(metadata="text"))
@example(document=notebook(metadata={"language_info": ["python"]}))
@example(document=notebook(metadata={"kernelspec": "python"}))
@example(document=notebook(cells=[{"cell_type": "code", "source": {"x = 1": 2}}]))
@example(document=notebook(cells=[{"cell_type": "code", "source": "!ls \\\n  "}, GOOD]))
@example(document=notebook(cells=[{**GOOD, "execution_count": True}]))
@settings(deadline=None, max_examples=examples(100))
def test_a_notebook_keeps_its_form_or_is_refused_with_a_sentence(document: object) -> None:
    content = json.dumps(document, indent=1).encode()
    try:
        found = read_notebook(content)
    except NotebookError:
        return
    text = found.text
    parts = split_files(text)[1:]
    assert all("True" not in name for name in found.names)
    left_out(text)
    is_in_order(text)
    if [part.name for part in parts] == [*found.names]:  # else a cell has a border of its own
        assert with_cells(content, parts) == content


@given(source=CODE)
@settings(deadline=None, max_examples=examples(100))
def test_what_stands_for_a_cell_is_turned_back_into_it(source: str) -> None:
    python = as_python(source)

    assert as_python(restored(python)) == python
    assert restored(python).split() == source.split()


# What a learner did.

NUMBERS = st.integers(1, 9) | st.just(10**40)
ANSWER = objects(
    question=st.just("q"),
    status=st.sampled_from(["open", "again", "checking", "right", "wrong", "shown"]),
    tried=st.lists(st.text(max_size=2), max_size=2),
    hints=NUMBERS,
    day=NUMBERS,
)
ANSWERS = st.dictionaries(st.sampled_from(["q", "a/q"]), ANSWER, max_size=2)
TALLY = objects(answered=NUMBERS, right=NUMBERS)
REPEAT = objects(
    seed=NUMBERS, level=NUMBERS, grammar=st.just(VERSION), box=NUMBERS, due=NUMBERS, day=NUMBERS
)
RECORD = objects(
    schema=st.sampled_from([1, 1, 1, 2]),
    language=st.sampled_from(["en", "xx", ""]),
    lessons=st.dictionaries(
        st.just("a"), objects(cursor=NUMBERS, finished=st.booleans(), answers=ANSWERS), max_size=1
    ),
    challenges=st.dictionaries(
        st.just("mend-the-step"), objects(draft=st.text(), lines=NUMBERS, hints=NUMBERS), max_size=1
    ),
    checkpoints=st.dictionaries(
        st.just("a"), objects(drawn=NUMBERS, answers=ANSWERS, best=NUMBERS, total=NUMBERS),
        max_size=1,
    ),
    review=objects(
        answered=NUMBERS,
        waiting=st.dictionaries(
            st.just("a/q"), objects(box=NUMBERS, due=NUMBERS, day=NUMBERS, last=NUMBERS), max_size=1
        ),
        day=NUMBERS,
        done=NUMBERS,
    ),
    drill=objects(
        level=NUMBERS, streak=NUMBERS, total=TALLY, repeats=st.lists(REPEAT, max_size=2),
        fresh=NUMBERS,
    ),
)  # fmt: skip


@cache
def challenge() -> LoadedChallenge:
    (path,) = LESSONS.glob("challenges/*-mend-the-step.yaml")
    name = path.as_posix()
    return load_challenge(decode(read(path), name), name, origin=Origin.BUILT_IN)


async def no_references() -> Any:
    raise AssertionError("nothing is judged here")


def use(record: Record) -> None:
    """Do with a record what the screens do when they open."""
    for kept in record.challenges.values():
        judge = ChallengeJudge(
            challenge(), kept=kept, save=lambda _: None, references=no_references
        )
        rows(judge.attempt, 60, "en")
    review.today(record.review, TODAY, review.due(record.review, TODAY), ["a/new"])
    for how in Recall:
        review.after(record.review, "a/q", how, day=TODAY)
    summary(record.drill, "en")
    wanted = choose_next(record.drill, Random(1))
    assert 1 <= wanted.level <= LEVELS
    for right in (True, False):
        made = make(wanted.seed, wanted.level)
        record_after(record.drill, DrillAnswer(made, right, Sureness.THINK, TODAY))


@given(document=mostly(RECORD))
@example(document={"schema": 1, "challenges": {"mend-the-step": {"hints": 3}}})
@example(document={"schema": 1, "drill": {"level": 77}})
@example(document={"schema": 1, "drill": {"level": 0}})
@settings(deadline=None, max_examples=examples(100))
def test_progress_that_is_taken_can_be_used_by_every_course(document: object) -> None:
    """A course that was updated has fewer hints, steps, questions and levels than there were."""
    try:
        record = record_in(json.dumps(document).encode())
    except ProgressError:
        return
    use(record)


@pytest.mark.parametrize(
    "part",
    [
        {"lessons": {"a": {"cursor": -2}}},
        {"challenges": {"a": {"hints": -1}}},
        {"drill": {"level": 0}},
        {"review": {"waiting": {"a/q": {"box": 0, "due": 0, "day": 0, "last": 0}}}},
    ],
)
def test_numbers_that_no_version_writes_are_refused(part: dict[str, object]) -> None:
    with pytest.raises(ProgressError, match="Expected `int`"):
        record_in(json.dumps({"schema": 1, **part}).encode())


# What an interpreter says it is.

SAID = objects(
    python=st.sampled_from(["3.11.2", "3.14.0rc1", "three", "9" * 5000, "3." + "9" * 4400]),
    torch=st.none() | st.sampled_from(["2.13.0+cpu", "2.1.0a0+git", "two", "2." + "9" * 4400]),
)


@given(answer=mostly(SAID))
@settings(deadline=None, max_examples=examples(100))
def test_an_interpreter_has_versions_or_gives_no_answer(answer: object) -> None:
    try:
        found = msgspec.json.decode(json.dumps(answer), type=Versions)
    except ValueError:
        return
    assert found.fit is (found.torch == "2.13.0+cpu" and found.python.startswith("3.1"))
